// What all explorers share: controls with labels, one summary sentence that is read aloud, plots, the values as a table
// and as CSV, and an address that keeps the settings. An explorer is defined by its controls and one function from their
// values to what is shown.
"use strict";
globalThis.Explorers = (() => {
  const defined = {};
  const COLOURS = { blue: "var(--explorer-blue)", red: "var(--explorer-red)", grey: "var(--explorer-grey)", dark: "var(--pst-color-text-base, currentColor)" };
  const NAMES = { true: "yes", false: "no" };

  // --- numbers as they are read: three significant digits, a real minus
  const number = (x, digits = 3) => {
    if (x === Infinity) return "infinite";
    if (x === -Infinity) return "−infinite";
    if (typeof x !== "number" || Number.isNaN(x)) return "undefined";
    const size = Math.abs(x);
    if (size !== 0 && (size >= 1e15 || size < 1e-4)) return Number(x.toPrecision(Math.min(digits, 4))).toExponential().replace("e+", "e").replaceAll("-", "−");
    const whole = size >= 10 ** (digits - 1);
    const text = x.toLocaleString("en-GB", whole ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: digits });
    return text.replace("-", "−");
  };
  const percent = (x) => (x > 0 && x < 0.001 ? "< 0.1%" : x < 1 && x > 0.999 ? "> 99.9%" : `${number(100 * x)}%`);
  // shares as people: 73 of 100, and near the ends 3 of 1,000 and all but 3 of 1,000, so that "at most" can stand before each;
  // of `least` people or more
  const outOf = (x, least) => {
    const near = Math.min(x, 1 - x), crowd = near > 0 ? Math.max(least, 10 ** Math.ceil(-Math.log10(near) - 1e-9)) : least;
    const count = (share) => Math.round(share * crowd).toLocaleString("en-GB"), all = crowd.toLocaleString("en-GB");
    return crowd > least && x > 0.5 ? `all but ${count(1 - x)} of ${all}` : `${count(x)} of ${all}`;
  };

  const outOf100 = (x) => outOf(x, 100);
  // how many people it takes to tell shares, each larger than the one before, apart
  const crowd = (...shares) => {
    let least = 100;
    const told = () => shares.every((x, i) => i === 0 || Math.round(x * least) > Math.round(shares[i - 1] * least));
    while (least < 1e9 && !told()) least *= 10;
    return least;
  };
  const listing = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join(""));

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key in made && typeof value !== "string") made[key] = value; else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };

  // --- controls
  const STEPS = 400;
  const toStep = (c, value) => c.scale === "log"
    ? STEPS * Math.log(value / c.min) / Math.log(c.max / c.min) : STEPS * (value - c.min) / (c.max - c.min);
  const fromStep = (c, step) => {
    if (step <= 0) return c.min;
    if (step >= STEPS) return c.max;
    const raw = c.scale === "log" ? c.min * (c.max / c.min) ** (step / STEPS) : c.min + (c.max - c.min) * step / STEPS;
    const value = c.whole ? Math.round(raw) : Number(raw.toPrecision(3));
    return Math.min(c.max, Math.max(c.min, value));
  };
  const refusal = (c, text) => {
    const value = text.trim() === "" ? NaN : Number(text);
    const good = value >= c.min && value <= c.max && (!c.whole || Number.isInteger(value));
    return good ? null : `${c.label} must be a ${c.whole ? "whole " : ""}number from ${c.min} to ${c.max}, got ${text.trim() || "nothing"}`;
  };

  const makeNumber = (c, id, changed) => {
    const range = element("input", { type: "range", id, min: "0", max: String(STEPS), step: c.whole && c.max - c.min <= 60 && c.scale !== "log" ? String(STEPS / (c.max - c.min)) : "1" });
    const exact = element("input", { type: "text", inputmode: "decimal", "aria-label": `${c.label}, exact value`, size: "7" });
    const wrong = element("span", { class: "explorer-wrong", role: "alert" });
    const box = element("div", { class: "explorer-control" }, element("label", { for: id }, c.label), range, exact, wrong);
    const show = (value) => {
      range.value = String(toStep(c, value));
      range.setAttribute("aria-valuetext", number(value));
      exact.value = String(value);
      exact.removeAttribute("aria-invalid");
      wrong.textContent = "";
    };
    range.addEventListener("input", () => { const value = fromStep(c, Number(range.value)); changed(value); });
    exact.addEventListener("change", () => {
      const words = refusal(c, exact.value);
      wrong.textContent = words || "";
      if (words) exact.setAttribute("aria-invalid", "true"); else changed(Number(exact.value));
    });
    return { box, show };
  };
  const makeChoice = (c, id, changed) => {
    const select = element("select", { id }, ...c.options.map(([value, label]) => new Option(label, value)));
    select.addEventListener("change", () => changed(select.value));
    return { box: element("div", { class: "explorer-control" }, element("label", { for: id }, c.label), select), show: (value) => { select.value = value; } };
  };
  const makeSeveral = (c, id, changed) => {
    const boxes = c.options.map(([value, label]) => {
      const input = element("input", { type: "checkbox", value, id: `${id}-${value}` });
      return { input, label: element("label", { for: `${id}-${value}` }, input, " ", label) };
    });
    const chosen = () => boxes.filter((b) => b.input.checked).map((b) => b.input.value).join("+");
    for (const { input } of boxes) input.addEventListener("change", () => changed(chosen()));
    return {
      box: element("fieldset", { class: "explorer-control explorer-several" }, element("legend", {}, c.label), ...boxes.map((b) => b.label)),
      show: (value) => { for (const { input } of boxes) input.checked = value.split("+").includes(input.value); },
    };
  };
  const MAKERS = { number: makeNumber, choice: makeChoice, several: makeSeveral };

  // --- settings in the address: #explore-NAME?epsilon=1&prior=0.5
  const valid = (c, text) => {
    if (c.type === "number") return refusal(c, text) ? undefined : Number(text);
    const known = c.options.map(([value]) => value);
    return (c.type === "several" ? text.split("+").filter(Boolean) : [text]).every((t) => known.includes(t)) ? text : undefined;
  };
  const settings = (name, controls) => {
    const state = Object.fromEntries(controls.map((c) => [c.name, c.value]));
    const [place, query] = location.hash.slice(1).split("?");
    if (place !== `explore-${name}` || !query) return state;
    const given = new URLSearchParams(query);
    for (const c of controls) {
      const value = given.has(c.name) ? valid(c, given.get(c.name)) : undefined;
      if (value !== undefined) state[c.name] = value;
    }
    return state;
  };
  const keep = (name, state) => history.replaceState(null, "", `#explore-${name}?${new URLSearchParams(state)}`);

  // --- what is shown
  const cell = (value) => (typeof value === "number" ? number(value, 4) : typeof value === "boolean" ? NAMES[value] : value ?? "–");
  const csv = (table) => [table.columns, ...table.rows].map((row) => row.map((v) => {
    const text = String(v ?? "");
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }).join(",")).join("\n") + "\n";
  const fill = (place, table) => {
    const numeric = table.columns.map((_, j) => table.rows.every((row) => row[j] === null || typeof row[j] === "number"));
    place.replaceChildren(
      element("caption", {}, table.caption),
      element("thead", {}, element("tr", {}, ...table.columns.map((c, j) => element("th", { scope: "col", class: numeric[j] ? "num" : "" }, c)))),
      element("tbody", {}, ...table.rows.map((row) => element("tr", {}, ...row.map((v, j) => element("td", { class: numeric[j] ? "num" : "" }, cell(v)))))));
  };
  const draw = (place, panel, width) => {
    const { title, describe, ...options } = panel;
    const svg = Plot.plot({
      width, height: 280, marginLeft: 52, marginRight: 24, marginTop: 26, marginBottom: 42, style: { fontSize: "12px", background: "transparent", overflow: "visible" },
      ...options,
    });
    for (const part of svg.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label"); // of a picture, which has one
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", describe || title);
    place.replaceChildren(element("p", { class: "explorer-title" }, title), svg);
  };

  // the page's own figure makes way on the screen and leaves its anchor and what it says, the bold sentence of its caption (the
  // rest describes another picture); it stays for a print
  const replace = (figure, root) => {
    if (!figure) return;
    const caption = element("p", { class: "explorer-caption" }, (figure.querySelector("figcaption strong") ?? figure.querySelector("figcaption")).cloneNode(true));
    root.prepend(element("span", { id: figure.id }));
    root.append(caption);
    figure.removeAttribute("id");
    figure.classList.add("replaced");
    const cell = figure.closest(".cell");
    if (cell?.nextElementSibling === root) cell.before(root); // the folded code of the figure stands below, as it does without scripts
    if (location.hash === `#${root.dataset.replaces}`) root.scrollIntoView();
  };

  const mount = (root) => {
    const name = root.dataset.explorer, explorer = defined[name], data = globalThis.ExplorerData || {};
    const own = explorer.data ? data[explorer.data] : null;
    const controls = typeof explorer.controls === "function" ? explorer.controls(own) : explorer.controls;
    const state = settings(name, controls);
    const bar = element("div", { class: "explorer-controls", role: "group", "aria-label": `Controls: ${explorer.title}` });
    const sentence = element("p", { class: "explorer-sentence", "aria-live": "polite" }); // a line for each part of it
    const panels = element("div", { class: "explorer-panels" });
    const table = element("table", { class: "plain-table" });
    const save = element("button", { type: "button", class: "explorer-button" }, "Save as CSV");
    const again = element("button", { type: "button", class: "explorer-button" }, "Start values");
    const values = element("details", { class: "explorer-values" }, element("summary", {}, "The values as a table"),
      element("div", { class: "table-scroll", tabindex: "0" }, table));
    let shown, waiting = false;
    const update = () => {
      waiting = false;
      const start = performance.now();
      shown = explorer.show({ ...state }, own);
      sentence.replaceChildren(...[shown.sentence].flat().map((line) => element("span", {}, `${line} `)));
      while (panels.children.length > shown.panels.length) panels.lastChild.remove();
      while (panels.children.length < shown.panels.length) panels.append(element("div", { class: "explorer-panel" }));
      shown.panels.forEach((panel, i) => draw(panels.children[i], panel, Math.max(240, Math.min(panel.wide || 640, panels.children[i].clientWidth || 340))));
      if (values.open) fill(table, shown.table);
      const idle = shown.idle ?? []; // controls that change nothing now
      controls.forEach((c, i) => {
        for (const field of made[i].box.querySelectorAll("input, select")) field.disabled = idle.includes(c.name);
      });
      root.dataset.milliseconds = (performance.now() - start).toFixed(1);
    };
    const ask = () => { if (!waiting) { waiting = true; requestAnimationFrame(update); } };
    const made = controls.map((c) => {
      const control = MAKERS[c.type](c, `explore-${name}-${c.name}`, (value) => {
        state[c.name] = value;
        control.show(value);
        keep(name, state);
        ask();
      });
      control.show(state[c.name]);
      bar.append(control.box);
      return control;
    });
    again.addEventListener("click", () => {
      controls.forEach((c, i) => { state[c.name] = c.value; made[i].show(c.value); });
      keep(name, state);
      ask();
    });
    values.addEventListener("toggle", () => { if (values.open) fill(table, shown.table); });
    save.addEventListener("click", () => {
      const link = element("a", { href: URL.createObjectURL(new Blob([csv(shown.table)], { type: "text/csv" })), download: `${name}.csv` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    root.querySelector(".explorer-still")?.remove();
    replace(document.getElementById(root.dataset.replaces ?? ""), root);
    root.setAttribute("role", "region");
    root.setAttribute("aria-label", `Explorer: ${explorer.title}`);
    const body = [bar, sentence, panels, element("div", { class: "explorer-actions" }, save, again), values];
    if (explorer.note) body.splice(3, 0, element("p", { class: "explorer-note" }, typeof explorer.note === "function" ? explorer.note(own) : explorer.note));
    root.append(...body);
    update();
    let width = root.clientWidth;
    new ResizeObserver(() => { if (root.clientWidth !== width) { width = root.clientWidth; ask(); } }).observe(root);
    root.dataset.ready = "yes";
  };

  return { define: (name, explorer) => { defined[name] = explorer; }, defined, mount, csv, fromStep, number, percent, outOf, outOf100, crowd, listing, COLOURS };
})();
