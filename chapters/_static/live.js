// Run and Edit for the cells of lesson pages: Python (Pyodide) inside the page, from file:// and without a network.
//
// Nothing is loaded before the first click. `make live` puts the files into _static/live: scripts, since a page that is
// opened from a file may load nothing else. They run in a worker, which can be stopped, and which has no way out.
document.addEventListener("DOMContentLoaded", () => {
  const here = location.pathname.match(/\/(chapters\/(?:foundations|means|synth|ldp|coherence|across|data)\/[\w-]+)\.html$/);
  const home = document.querySelector('script[src*="_static/live.js"]');
  if (!here || !home || /\/(evidence|proofs)$/.test(here[1])) return;
  const folder = home.src.replace(/live\.js[^/]*$/, "live/");
  const parts = new Map();                       // name -> {blob, sha256}, still packed
  let manifest = null, python = null, busy = null, told = null;

  window.livePages = (given) => { manifest = given; };
  window.livePart = (name, sha256, text) => parts.set(name, { sha256, blob: new Blob([fromBase85(text)]) });

  // --- loading
  const script = (name) => new Promise((resolve, reject) => {
    const tag = Object.assign(document.createElement("script"), { src: `${folder}${name}.js`, async: true });
    tag.onload = () => { tag.remove(); resolve(); };
    tag.onerror = () => { tag.remove(); reject(new Error(name)); };
    document.head.append(tag);
  });
  const fetchParts = (names) => Promise.all(names.filter((name) => !parts.has(name)).map(async (name) => {
    await script(name).catch(() => {});
    if (!parts.has(name)) throw new Error(`The file _static/live/${name}.js is missing or damaged. Run make live again.`);
  }));
  const readManifest = async () => {
    if (!manifest) await script("pages").catch(() => {});
    if (!manifest) throw new Error("This copy of the book has no Python in its pages. The command make live puts it there.");
    const page = manifest.pages[here[1]];
    if (!page) throw new Error("The Python of this copy does not know this page. Run make live again.");
    return page;
  };
  function fromBase85(text) {
    const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    const value = new Uint8Array(128);
    for (let i = 0; i < 85; i++) value[letters.charCodeAt(i)] = i;
    const short = (5 - (text.length % 5)) % 5, full = text + "~".repeat(short);
    const bytes = new Uint8Array((full.length / 5) * 4), view = new DataView(bytes.buffer);
    for (let i = 0, at = 0; i < full.length; i += 5, at += 4) {
      let word = 0;
      for (let j = 0; j < 5; j++) word = word * 85 + value[full.charCodeAt(i + j)];
      view.setUint32(at, word);
    }
    return bytes.subarray(0, bytes.length - short);
  }

  // --- the worker: its code is this function's text
  function worker() {
    const raw = new Map();
    const answer = (message) => self.postMessage(message);
    const unpack = async ({ name, blob, sha256 }) => {
      const wrong = new Error(`The file _static/live/${name}.js is damaged. Run make live again.`);
      let bytes;
      try {
        bytes = await new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
      } catch { throw wrong; }
      if (self.crypto?.subtle) {
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
        if ([...digest].map((b) => b.toString(16).padStart(2, "0")).join("") !== sha256) throw wrong;
      }
      raw.set(name, new Uint8Array(bytes));
    };
    const take = (name) => {
      if (!raw.has(name)) throw new Error(`${name} is not in this page`);
      return raw.get(name);
    };
    const boot = async () => {
      self.fetch = async (address) => {
        const name = String(address?.url ?? address).split("/").pop().split("?")[0];
        const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
        return raw.has(name) ? new Response(raw.get(name), { headers: { "Content-Type": type } })
          : Promise.reject(new Error("Python in the page has no network"));
      };
      for (const name of ["pyodide.asm.js", "pyodide.js"]) {
        const address = URL.createObjectURL(new Blob([take(name)], { type: "text/javascript" }));
        importScripts(address);
        URL.revokeObjectURL(address);
      }
      self.py = await loadPyodide({ indexURL: "https://in.the.page.invalid/", stdout: () => {}, stderr: () => {} });
      await self.py.loadPackage("openblas", { messageCallback: () => {}, checkIntegrity: false });  // linked by others
      for (const way of ["XMLHttpRequest", "WebSocket", "EventSource", "WebTransport", "importScripts", "Worker"]) self[way] = undefined;
      self.py.FS.mkdirTree("/book");
      for (const name of ["code", "data"]) self.py.unpackArchive(take(name), "zip", { extractDir: "/book" });
      for (const name of raw.keys()) if (name.endsWith(".whl")) self.py.unpackArchive(take(name), "wheel");
      raw.clear();
      self.py.runPython("import sys; sys.path.insert(0, '/book')");
      self.cells = self.py.pyimport("press.in_page");
      self.cells.start((kind, text) => answer({ kind, text }), "/book");
    };
    const tasks = {
      parts: ({ list }) => Promise.all(list.map(unpack)),
      boot,
      run: ({ source, name }) => self.cells.run(source, name),
    };
    let queue = Promise.resolve();
    self.onmessage = ({ data }) => {
      queue = queue.then(async () => {
        try { answer({ done: data.id, result: await tasks[data.task](data) }); }
        catch (error) { answer({ failed: data.id, why: String(error?.message ?? error) }); }
      });
    };
  }

  const makePython = () => {
    const address = URL.createObjectURL(new Blob([`(${worker})()`], { type: "text/javascript" }));
    const waiting = new Map();
    let made, show = () => {}, count = 0;
    const fail = (why) => { for (const { reject } of waiting.values()) reject(new Error(why)); waiting.clear(); };
    try { made = new Worker(address); }
    catch { throw new Error("This browser does not let a page opened from a file run Python. Chromium and Firefox do."); }
    made.onerror = (event) => { event.preventDefault(); fail(`Python in the page has stopped: ${event.message || "this browser refused to start it"}.`); };
    made.onmessage = ({ data }) => {
      if (data.kind) return show(data.kind, data.text);
      const { resolve, reject } = waiting.get(data.done ?? data.failed) ?? {};
      waiting.delete(data.done ?? data.failed);
      if (data.done) resolve?.(data.result); else reject?.(new Error(data.why));
    };
    const ours = {
      ran: new Set(), without: null,
      ask: (task, given = {}) => new Promise((resolve, reject) => {
        const id = ++count;
        waiting.set(id, { resolve, reject });
        made.postMessage({ id, task, ...given });
      }),
      send: (names) => ours.ask("parts", { list: names.map((name) => ({ name, ...parts.get(name) })) }),
      listen: (to) => { show = to; },
      end: () => { made.terminate(); URL.revokeObjectURL(address); fail("Stopped. The next Run starts Python again."); },
    };
    return ours;
  };
  const startPython = async (say) => {
    say("Reading Python from the folder of the book…");
    await fetchParts(manifest.parts);
    const ours = python = makePython();
    say("Starting Python…");
    await ours.send(manifest.parts);
    await ours.ask("boot");
  };

  // --- cells of the page, in the order of the notebook; those without code on the page have no place
  const places = [...document.querySelectorAll("div.cell")].filter((cell) => cell.querySelector(".cell_input pre"));
  const codeOf = (cell) => cell.querySelector(".cell_input pre").textContent.trimEnd();
  const editors = new Map();
  const placesOf = (page) => {
    const left = [...places];
    return page.map(({ source }) => {
      const at = left.findIndex((cell) => codeOf(cell) === source.trimEnd());
      return at < 0 ? null : left.splice(at, 1)[0];   // a strip may hold it elsewhere than the notebook
    });
  };
  const element = (tag, name, text = "") => Object.assign(document.createElement(tag), { className: name, textContent: text });
  const clean = (html) => {                      // what is shown asks nothing of other hosts
    const inside = Object.assign(document.createElement("template"), { innerHTML: html });
    inside.content.querySelectorAll("script, iframe, object, embed, link, meta, style, form").forEach((node) => node.remove());
    for (const node of inside.content.querySelectorAll("*")) {
      for (const { name, value } of [...node.attributes]) {
        const loads = ["src", "srcset", "href", "xlink:href", "poster", "background"].includes(name) && !/^(data:image|#)/.test(value);
        if (loads || name.startsWith("on") || name === "id" || (name === "style" && /url/i.test(value))) node.removeAttribute(name);
      }
    }
    return inside.content;
  };
  const boxOf = (cell, isLive) => {
    let box = cell.querySelector(":scope > .live-output");
    if (!box) {
      box = element("div", "live-output");
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", "Computed in this page");
      cell.append(box);
    }
    box.replaceChildren(element("p", "live-label", isLive ? "Computed in this page, on the replica" : "Computed in this page"));
    return box;
  };
  const write = (box) => (kind, text) => {
    if (kind === "html") box.append(clean(text));
    else box.append(element("pre", kind === "error" ? "live-error" : "", text.replace(/\n$/, "")));
  };

  // the page numbers the cells whose code it shows; a cell without is named by the one before it
  const numbered = (cell) => `cell ${places.indexOf(cell) + 1}`;
  const bring = (box) => {
    for (let node = box; node; node = node.parentElement) if (node.localName === "details") node.open = true;
    box.scrollIntoView({ block: "center" });
  };
  const runOne = async (page, cells, number, say) => {
    const { source, tags } = page[number], cell = cells[number];
    const before = cells.slice(0, number).findLast(Boolean) ?? places[0];
    const name = cell ? numbered(cell) : `the hidden cell after ${numbered(before)}`, title = name[0].toUpperCase() + name.slice(1);
    const edited = editors.get(cell)?.value;
    say(`Running ${name} of ${places.length}…`);
    const made = [];
    const box = cell && boxOf(cell, tags.includes("live"));
    const put = box && write(box);
    python.listen((kind, text) => { made.push({ kind, text }); put?.(kind, text); });
    const began = performance.now();
    const outcome = await python.ask("run", { source: edited ?? source, name }), seconds = (performance.now() - began) / 1000;
    python.ran.add(number);
    if (outcome === "absent") python.without ??= made.at(-1).text;
    if (box && box.children.length === 1) box.append(element("p", "live-label", "No output."));
    if (outcome === "error") {
      const where = box ?? boxOf(before, false);
      where.firstChild.textContent = `${title} ended with an error`;
      if (!box) write(where)("error", made.at(-1).text);
      bring(where);
    }
    const why = outcome === "absent" ? `${made.at(-1).text}, so this cell cannot run here. It runs in the notebook.`
      : outcome !== "error" ? ""
      : python.without ? `${title} ended with an error. An earlier cell could not run: ${python.without}.`
      : `${title} ended with an error: ${made.at(-1).text.trimEnd().split("\n").at(-1)}`;
    return { number: number + 1, name, outcome, seconds, made, why, open: Boolean(cell) };
  };
  // runs what comes before and has not run; a cell whose library is absent does not end the run, an error in another does
  const runUntil = async (cell, say, all = 0) => {
    const page = await readManifest(), cells = placesOf(page);
    const last = all ? Math.min(all, page.length) - 1 : cells.indexOf(cell);
    if (last < 0) throw new Error("The code of this cell is not the one that make live saw. Run make live again.");
    if (!python) await startPython(say);
    const done = [];
    for (let i = 0; i <= last; i++) {
      const aside = page[i].tags.includes("solution") && !all;
      if (i < last && !all && (python.ran.has(i) || aside)) continue;
      done.push(await runOne(page, cells, i, say));
      if (done.at(-1).outcome === "error" && !python.without) break;
    }
    return done;
  };

  // --- buttons
  const closed = (error) => { python?.end(); python = null; return error; };
  for (const [index, cell] of places.entries()) {
    const bar = element("div", "live-bar"), run = element("button", "live-button", "Run"), edit = element("button", "live-button", "Edit");
    const status = element("span", "live-status");
    status.setAttribute("role", "status");
    run.type = edit.type = "button";
    run.setAttribute("aria-label", `Run the cells up to code cell ${index + 1}`);
    edit.setAttribute("aria-label", `Edit code cell ${index + 1}`);
    bar.append(run, edit, element("span", "live-number", numbered(cell)), status);
    const say = (text) => { status.textContent = text; };
    const work = async () => {
      if (busy === cell) { say("Stopping…"); closed(); return; }
      if (busy) { say("Another cell is running. Stop it first."); return; }
      busy = cell;
      run.textContent = "Stop";
      run.setAttribute("aria-label", `Stop code cell ${index + 1}`);
      try {
        const done = await runUntil(cell, say), end = done.at(-1);
        say(end.why || `Done in ${end.seconds.toFixed(1)} s.${done.some((one) => one.why) ? ` ${done.find((one) => one.why).why}` : ""}`);
      } catch (error) {
        say(closed(error).message);
      } finally {
        busy = null;
        run.textContent = "Run";
        run.setAttribute("aria-label", `Run the cells up to code cell ${index + 1}`);
      }
    };
    run.addEventListener("click", work);
    edit.addEventListener("click", () => {
      const shown = cell.querySelector(".cell_input");
      const area = editors.get(cell);
      if (area) {                                // back to the code of the book
        area.remove();
        editors.delete(cell);
        shown.hidden = false;
        edit.textContent = "Edit";
        return;
      }
      const made = Object.assign(element("textarea", "live-editor"), { value: codeOf(cell), spellcheck: false });
      made.rows = made.value.split("\n").length + 1;
      made.setAttribute("aria-label", `Code of cell ${index + 1}. Tab indents. Escape, then Tab, leaves. Control and Enter run.`);
      let leaves = false;
      made.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); work(); }
        else if (event.key === "Escape") leaves = true;
        else if (event.key === "Tab" && !event.shiftKey && !leaves) {
          event.preventDefault();
          made.setRangeText("    ", made.selectionStart, made.selectionEnd, "end");
        } else if (event.key !== "Shift") leaves = false;
      });
      shown.hidden = true;
      shown.after(made);
      editors.set(cell, made);
      edit.textContent = "Undo edits";
      made.focus();
    });
    cell.querySelector(".cell_input").closest("details")?.after(bar) ?? cell.querySelector(".cell_input").after(bar);
  }
  // for the tests and the tests of live pages: the first cells of the page, or all, and what they gave
  window.liveRunAll = (most = Infinity) => runUntil(null, () => {}, most);
});
