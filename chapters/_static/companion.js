// The ledger: cards in groups, above them a menu for each facet, an order, and words to search for. What is chosen stands in the
// address after "#filter?", so a link keeps it; "#claim-ID" opens that card. Without this script all groups are open.
document.addEventListener("DOMContentLoaded", () => {
  const ledger = document.querySelector(".ledger"), bar = ledger?.querySelector(".filter-bar");
  if (!bar) return;
  const groups = [...ledger.querySelectorAll(".claims")], cards = [...ledger.querySelectorAll(".claim")];
  const plain = (text) => text.toLowerCase().replaceAll("−", "-").replaceAll(/\s+/g, " ").trim();
  const texts = new Map(cards.map((card) => [card, plain(card.textContent)]));
  const controls = [...bar.elements].filter((control) => control.name);
  const { text, order, ...menus } = Object.fromEntries(controls.map((control) => [control.name, control]));
  const values = (card, name) => card.dataset[name].split("|");
  bar.hidden = false;

  let narrowed = true;  // the page opens as if all cards had been shown until now
  const apply = () => {
    const words = plain(text.value);
    const fits = (card) => texts.get(card).includes(words) &&
      Object.values(menus).every(({ name, value }) => !value || values(card, name).includes(value));
    const rank = (card) => [...menus[order.value].options].findIndex((o) => o.value === values(card, order.value)[0]);
    const chosen = words || order.value || Object.values(menus).some((menu) => menu.value);
    for (const card of cards) card.hidden = !fits(card);
    for (const group of groups) {
      const own = cards.filter((card) => group.contains(card));
      group.append(...(order.value ? own.sort((a, b) => rank(a) - rank(b)) : own));
      group.hidden = own.every((card) => card.hidden);
      if (chosen || narrowed) group.open = Boolean(chosen);
    }
    narrowed = Boolean(chosen);
    bar.querySelector("[role=status]").textContent = `${cards.filter((card) => !card.hidden).length} of ${cards.length} rows`;
  };
  const keep = () => {
    const chosen = new URLSearchParams(controls.filter((control) => control.value).map((control) => [control.name, control.value]));
    history.replaceState(null, "", chosen.size ? `#filter?${chosen}` : "#");
  };
  let asked = null;  // what the address leads to
  const restore = () => {
    const hash = decodeURIComponent(location.hash);
    const place = document.getElementById(hash.slice(1) || " ");
    if (!place && /^#(?!filter|claim)./.test(hash)) return location.replace(`method.html${location.hash}`);  // it stood here once
    if (hash.startsWith("#filter?") || ledger.contains(place)) {
      const chosen = new URLSearchParams(place ? "" : location.hash.slice("#filter?".length));
      for (const control of controls) control.value = chosen.get(control.name) || "";
      for (const control of controls) if (control.selectedIndex === -1) control.value = "";  // no such value
    }
    apply();
    const card = ledger.contains(place) ? place : null;
    for (let node = card; node && node !== ledger; node = node.parentElement) if (node.localName === "details") node.open = true;
    asked = hash.startsWith("#filter?") ? bar : card;
    asked?.scrollIntoView();
  };
  bar.addEventListener("input", () => { apply(); keep(); });
  bar.addEventListener("submit", (event) => event.preventDefault());
  bar.addEventListener("reset", () => setTimeout(() => { apply(); keep(); }));
  window.addEventListener("hashchange", restore);
  window.addEventListener("load", () => asked?.scrollIntoView());  // what stands above it may have changed its height
  restore();
  ledger.classList.add("ready");

  let closed = [];  // a print shows the cards of all groups
  window.addEventListener("beforeprint", () => { for (const group of closed = groups.filter((g) => !g.open)) group.open = true; });
  window.addEventListener("afterprint", () => { for (const group of closed) group.open = false; });
});

// Paper is white: a print has the light theme.
{
  const page = document.documentElement.dataset;
  let shown = null;
  window.addEventListener("beforeprint", () => { shown ??= page.theme; page.theme = "light"; });
  window.addEventListener("afterprint", () => { page.theme = shown ?? page.theme; shown = null; });
}

// A table that is wider than the page says above it that it scrolls, be it ours, a data frame or printed in columns; and it
// takes the focus, for the keyboard, as a picture does.
window.addEventListener("load", () => {
  for (const frame of document.querySelectorAll(".cell_output .dataframe")) frame.parentElement.classList.add("frame-scroll");
  for (const printed of document.querySelectorAll(".cell_output .output.stream, .cell_output .text_plain")) {
    const rows = printed.textContent.split("\n").filter((line) => /\S {2,}\S.*\S {2,}\S/.test(line));
    if (rows.length > 1) printed.classList.add("columns");
  }
  const mark = () => {
    for (const box of document.querySelectorAll(".picture, .table-scroll, .frame-scroll, .columns pre, .bd-article table.table")) {
      box.classList.remove("wide");
      box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
      if (box.classList.contains("wide")) box.tabIndex = 0;
    }
  };
  mark();
  window.addEventListener("resize", mark);
});

// A line of code that wraps keeps its indentation: each line is a block that knows how deep it begins. Copied text is the same.
document.addEventListener("DOMContentLoaded", () => {
  for (const code of document.querySelectorAll(".bd-article .highlight pre")) {
    if (code.querySelector("div, .code-line")) continue;
    code.innerHTML = code.innerHTML.replace(/\n$/, "").split("\n").map((line) => {
      const deep = line.replace(/<[^>]*>/g, "").match(/^ */)[0].length;
      return `<span class="code-line" style="--deep:${deep}ch">${line}\n</span>`;
    }).join("");
  }
});

// Formulas that are wider than their place scroll there, and can be reached by keyboard.
window.addEventListener("load", () => {
  const widen = () => {
    for (const formula of document.querySelectorAll("mjx-container")) {
      formula.classList.remove("wide");
      const wide = formula.getBoundingClientRect().width > formula.parentElement.clientWidth + 1 ||
        (formula.firstElementChild?.getBoundingClientRect().width || 0) > formula.parentElement.clientWidth + 1;
      formula.classList.toggle("wide", wide);
      if (wide) formula.tabIndex = 0; else formula.removeAttribute("tabindex");
    }
  };
  window.MathJax?.startup?.promise?.then(() => { widen(); window.addEventListener("resize", widen); });
});

// Search results with excerpts. Sphinx would fetch each page for them, which a browser refuses on file://; the words of all
// pages come as a script instead.
if (location.pathname.endsWith("/search.html")) {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = true;
  const root = document.documentElement.dataset.content_root;
  const texts = new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = `${root}_static/search_texts.js`;
    script.onload = () => resolve(window.PAGE_TEXTS);
    script.onerror = () => resolve({});
    document.head.append(script);
  });
  window.fetch = async (url) => ({
    text: async () => (await texts)[url.slice(root.length).replace(/\.html.*$/, "")] || " ",
  });
  document.addEventListener("DOMContentLoaded", () => { Search.htmlToText = (text) => text; });
}

// Explorers. Their scripts are loaded, one after another, only on a page that has one. If one is missing, the page says so
// and its static figure stands.
document.addEventListener("DOMContentLoaded", async () => {
  const folder = `${document.documentElement.dataset.content_root}_static/explorers/`;
  const asked = {};
  const load = (file) => asked[file] ??= new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: folder + file });
    script.onload = resolve;
    script.onerror = () => reject(new Error(file));
    document.head.append(script);
  });
  for (const root of document.querySelectorAll("[data-explorer]:not([data-ready])")) {
    const name = root.dataset.explorer;
    try {
      for (const file of ["vendor/d3-7.9.0.min.js", "vendor/plot-0.6.17.umd.min.js", "formulas.js", "core.js", `${name}.js`]) await load(file);
      if (Explorers.defined[name].data) await load(`data/${Explorers.defined[name].data}.js`);
      Explorers.mount(root);
    } catch (error) {
      const still = root.querySelector(".explorer-still");
      if (still) still.prepend(`This explorer did not start (${error.message}). `);
    }
  }
});
