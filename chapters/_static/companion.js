// Tables of the class "filterable": a menu for each facet named in data-menus, a text filter, sorting by a click on a
// heading. What is chosen stands in the address after "#filter?", so a link keeps it; "#claim-ID" opens that row.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll(".filterable")) {
    const table = box.querySelector("table");
    if (!table) continue;
    const rows = [...table.tBodies[0].rows];
    const bar = document.createElement("div");
    bar.className = "filter-bar";
    const menus = (box.dataset.menus || "").split(",").filter(Boolean).map((name) => {
      const select = document.createElement("select");
      select.setAttribute("aria-label", `Filter by ${name}`);
      const values = [...new Set(rows.map((row) => row.dataset[name]))].sort();
      select.append(new Option(`${name}: all`, ""), ...values.map((value) => new Option(value, value)));
      bar.append(select);
      return { name, select };
    });
    const search = Object.assign(document.createElement("input"), { type: "search", placeholder: "Filter…" });
    search.setAttribute("aria-label", "Filter rows by text");
    const count = document.createElement("span");
    count.setAttribute("role", "status");
    bar.append(search, count);

    const apply = () => {
      const plain = (text) => text.toLowerCase().replaceAll("−", "-");
      const words = plain(search.value);
      let shown = 0;
      for (const row of rows) {
        const fits = plain(row.textContent).includes(words) &&
          menus.every(({ name, select }) => !select.value || row.dataset[name] === select.value);
        row.hidden = !fits;
        shown += fits;
      }
      count.textContent = `${shown} of ${rows.length}`;
    };
    const keep = () => {
      const chosen = new URLSearchParams();
      for (const { name, select } of menus) if (select.value) chosen.set(name, select.value);
      if (search.value) chosen.set("text", search.value);
      history.replaceState(null, "", chosen.size ? `#filter?${chosen}` : "#");
    };
    const restore = () => {
      const hash = decodeURIComponent(location.hash);
      if (hash.startsWith("#filter?")) {
        const chosen = new URLSearchParams(location.hash.slice("#filter?".length));
        for (const { name, select } of menus) select.value = chosen.get(name) || "";
        search.value = chosen.get("text") || "";
      }
      const row = hash.startsWith("#claim-") && document.getElementById(hash.slice(1));
      if (row && table.contains(row)) {
        for (const { select } of menus) select.value = "";
        search.value = "";
        row.querySelector("details")?.setAttribute("open", "");
      }
      apply();
      if (row && table.contains(row)) row.scrollIntoView({ block: "center" });
    };
    bar.addEventListener("input", () => { apply(); keep(); });
    window.addEventListener("hashchange", restore);

    const value = (row, column) => row.cells[column].textContent.trim();
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const compare = new Intl.Collator("en", { numeric: true }).compare;
        const sorted = [...rows].sort((a, b) => compare(value(a, column), value(b, column)) * (down ? -1 : 1));
        table.tBodies[0].append(...sorted);
      });
    }
    box.before(bar);
    restore();
  }
});

// A link to a folded box opens it.
const openBox = () =>
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details.authors-box")?.setAttribute("open", "");
document.addEventListener("DOMContentLoaded", openBox);
window.addEventListener("hashchange", openBox);

// A table that is wider than the page says above it that it scrolls, be it ours, a data frame or printed in columns; and it
// takes the focus, for the keyboard.
window.addEventListener("load", () => {
  for (const frame of document.querySelectorAll(".cell_output .dataframe")) frame.parentElement.classList.add("frame-scroll");
  for (const printed of document.querySelectorAll(".cell_output .output.stream, .cell_output .text_plain")) {
    const rows = printed.textContent.split("\n").filter((line) => /\S {2,}\S.*\S {2,}\S/.test(line));
    if (rows.length > 1) printed.classList.add("columns");
  }
  const mark = () => {
    for (const box of document.querySelectorAll(".table-scroll, .frame-scroll, .columns pre, .bd-article table.table")) {
      box.classList.remove("wide");
      box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
      if (box.classList.contains("wide")) box.tabIndex = 0;
    }
  };
  mark();
  window.addEventListener("resize", mark);
});

// On a phone a picture of several panels is cut into them, and they stand below each other. Pictures of cells that run in the
// page come later.
{
  const narrow = matchMedia("(max-width: 600px)");
  const crop = (box, main, scale, picture) => {
    const [left, top, wide, high] = box || [0, 0, 0, 0];
    const frame = Object.assign(document.createElement("div"), { className: "crop" });
    frame.style.cssText = `width:${wide * scale}px;height:${high * scale}px`;
    // what stands beside its panel in the picture stands so here, else it stands in the middle
    if (top >= main[1] && top + high <= main[1] + main[3]) Object.assign(frame.style, { alignSelf: "start", marginTop: `${(top - main[1]) * scale}px` });
    if (left >= main[0] && left + wide <= main[0] + main[2]) Object.assign(frame.style, { justifySelf: "start", marginLeft: `${(left - main[0]) * scale}px` });
    if (box) for (const image of picture.querySelectorAll("img")) {
      const copy = image.cloneNode();
      copy.alt = "";
      copy.style.cssText = `width:${image.getAttribute("width") * scale}px;margin-left:${-left * scale}px;margin-top:${-top * scale}px`;
      frame.append(copy);
    }
    return frame;
  };
  const stack = (picture) => {
    const figure = picture.closest("figure.plot");
    figure.querySelector(".stacked")?.remove();
    figure.classList.remove("stacks");
    const image = picture.querySelector("img");
    if (!narrow.matches || image.getAttribute("width") <= picture.clientWidth) return;
    const stacked = Object.assign(document.createElement("div"), { className: "stacked", role: "img", ariaLabel: image.alt });
    const entries = Object.assign(document.createElement("div"), { className: "entries" });
    let smallest = 1;
    stacked.append(entries);
    for (const rows of JSON.parse(picture.dataset.pieces)) {
      const [[first]] = rows, word = rows.length === 1 && rows[0].length === 1 && Math.min(first[2], first[3]) < 30;
      const upright = word && first[3] > first[2];  // a label at the side is turned, to be read
      const columns = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i]?.[upright ? 3 : 2] ?? 0)));
      const scale = Math.min(1, picture.clientWidth / columns.reduce((sum, wide) => sum + wide));
      if (!word) smallest = Math.min(smallest, scale);
      const piece = Object.assign(document.createElement("div"), { className: upright ? "piece upright" : "piece" });
      piece.style.gridTemplateColumns = columns.map((wide) => `${wide * scale}px`).join(" ");
      if (upright) piece.style.height = `${first[2] * scale}px`;
      const main = rows.flat().filter(Boolean).reduce((a, b) => (b[2] * b[3] > a[2] * a[3] ? b : a));
      piece.append(...rows.flat().map((box) => crop(box, main, scale, picture)));
      (word ? entries : stacked).append(piece);
    }
    if (smallest < 0.62) return;  // its letters would be smaller than in the whole picture, which scrolls
    picture.before(stacked);
    figure.classList.add("stacks");
  };
  const all = () => document.querySelectorAll(".picture[data-pieces]").forEach(stack);
  document.addEventListener("DOMContentLoaded", () => {
    all();
    narrow.addEventListener("change", all);
    new MutationObserver((changes) => {
      for (const change of changes) for (const node of change.addedNodes)
        if (node.querySelectorAll) node.querySelectorAll(".picture[data-pieces]").forEach((p) => { if (!p.closest("figure.stacks")) stack(p); });
    }).observe(document.querySelector(".bd-article") || document.body, { childList: true, subtree: true });
  });
}

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
