// What is read on paper of a page: its article as XHTML, formulas as SVG or MathML, links only to the other pages in print.
({ doc, docs, math }) => {
  const article = document.querySelector(".bd-article").cloneNode(true), name = (one) => one.replace(/^chapters\//, "").replaceAll("/", "-");
  for (const explorer of article.querySelectorAll(".explorer[data-replaces]")) {
    const figure = [...article.querySelectorAll("figure.replaced")].find((one) => !one.id);
    if (figure) { figure.classList.remove("replaced"); figure.id = explorer.dataset.replaces; }
  }
  const dropped = "script, style, source, details.about, details.hide, .explorer, .live-bar, .live-output, .headerlink, .answer, .solution,"
    + " .admonition.tip.dropdown, img.only-dark, .stacked, .copybtn, .toggle-button, .prev-next-area, .tag_solution, .tag_remove-input.tag_about";
  article.querySelectorAll(dropped).forEach((node) => node.remove());
  article.querySelectorAll(".cell_input:empty, .cell_output:empty, .cell:empty").forEach((node) => node.remove());
  for (const formula of article.querySelectorAll("mjx-container")) {
    const tex = formula.querySelector("mjx-assistive-mml > math");
    if (math === "mathml" && tex) {
      if (formula.getAttribute("display") === "true") tex.setAttribute("display", "block");
      formula.replaceWith(tex);
    } else formula.querySelector("mjx-assistive-mml")?.remove();
  }
  for (const link of article.querySelectorAll("a[href]")) {
    const address = new URL(link.getAttribute("href"), location.href);
    const to = docs.find((one) => address.protocol === "file:" && address.pathname.endsWith(`/${one}.html`));
    const anchor = address.hash.slice(1);
    if (to) {
      const place = anchor ? `${name(to)}--${decodeURIComponent(anchor)}` : name(to);
      link.setAttribute("href", math === "mathml" ? `${name(to)}.xhtml#${place}` : `#${place}`);
    } else if (address.protocol === "file:") link.replaceWith(...link.childNodes);
  }
  for (const node of article.querySelectorAll("*")) {
    if (node.id && !node.closest("svg")) node.id = `${name(doc)}--${node.id}`;
    for (const { name: key } of [...node.attributes]) if (/^(data-|on|tabindex|aria-controls)/.test(key)) node.removeAttribute(key);
  }
  const title = article.querySelector("h1").textContent.trim();
  article.id = name(doc);
  const places = new Set([...article.querySelectorAll("[id]")].map((node) => node.id));
  for (const link of article.querySelectorAll('a[href^="#"]')) {  // to what was left out
    const place = link.getAttribute("href").slice(1);
    if (place.startsWith(`${name(doc)}--`) && !places.has(place)) link.replaceWith(...link.childNodes);
  }
  const escaped = document.createElement("p");
  escaped.textContent = title;
  return { name: name(doc), title: escaped.innerHTML, body: new XMLSerializer().serializeToString(article),
    sheets: [...document.querySelectorAll("link[rel=stylesheet]")].map((link) => link.href).join(" "),
    style: document.getElementById("MJX-SVG-styles")?.textContent ?? "", math: String(article.querySelector("math") !== null) };
}
