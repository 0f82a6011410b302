// Binder and Colab on a copy of the book that does not say where it is published: the reader says it once.
//
// With an address in _config.yml the theme makes these buttons itself.
document.addEventListener("DOMContentLoaded", () => {
  const source = document.querySelector('a[href*="_sources/"][href$=".ipynb"]');
  const bar = document.querySelector(".article-header-buttons");
  if (!source || !bar || bar.querySelector(".dropdown-launch-buttons")) return;
  const notebook = source.getAttribute("href").split("_sources/")[1];
  const services = {
    Binder: ({ name, branch }) => `https://mybinder.org/v2/gh/${name}/${branch}?urlpath=lab/tree/${notebook}`,
    Colab: ({ name, branch }) => `https://colab.research.google.com/github/${name}/blob/${branch}/${notebook}`,
  };
  const KEY = "companion-repository";
  const stored = () => {
    try { return JSON.parse(localStorage.getItem(KEY)); } catch { return null; }
  };
  const store = (repository) => {
    try { localStorage.setItem(KEY, JSON.stringify(repository)); } catch { /* asked again on the next page */ }
  };

  const dialog = document.createElement("dialog");
  dialog.className = "launch-dialog";
  dialog.setAttribute("aria-labelledby", "launch-title");
  dialog.innerHTML = `
    <form method="dialog">
      <h2 id="launch-title">Run this chapter in a browser</h2>
      <p>Binder and Colab fetch <code class="launch-notebook"></code> from a public repository on GitHub. This copy of the
        book does not say where it is published: give the address of a repository, or a fork, that holds it.</p>
      <label>Repository <input name="address" type="url" required placeholder="https://github.com/OWNER/NAME"
        pattern="https://github\\.com/[\\w.\\-]+/[\\w.\\-]+/?" title="https://github.com/OWNER/NAME"></label>
      <label>Branch <input name="branch" required value="main" pattern="[\\w.\\/\\-]+" title="the name of a branch or tag"></label>
      <div class="launch-actions"><button type="button" class="btn btn-sm" name="cancel">Cancel</button>
        <button type="submit" class="btn btn-sm btn-primary">Open</button></div>
    </form>`;
  dialog.querySelector(".launch-notebook").textContent = notebook;
  const form = dialog.querySelector("form");
  form.elements.cancel.addEventListener("click", () => dialog.close());
  let wanted = null;

  const menu = document.createElement("div");
  menu.className = "dropdown dropdown-launch-buttons";
  menu.innerHTML = `<button class="btn dropdown-toggle" type="button" data-bs-toggle="dropdown" aria-expanded="false"
    aria-label="Run this chapter in a browser" title="Run this chapter in a browser"><i class="fas fa-rocket"></i></button>
    <ul class="dropdown-menu"></ul>`;
  const item = (text, click) => {
    const link = Object.assign(document.createElement("a"), { className: "btn btn-sm dropdown-item", textContent: text });
    link.addEventListener("click", click);
    const row = document.createElement("li");
    row.append(link);
    menu.querySelector("ul").append(row);
    return link;
  };
  const ask = (service) => {
    wanted = service;
    const known = stored();
    if (known) {
      form.elements.address.value = `https://github.com/${known.name}`;
      form.elements.branch.value = known.branch;
    }
    dialog.showModal();
  };
  const links = Object.keys(services).map((service) => [service, item(service, (event) => {
    if (stored()) return;
    event.preventDefault();
    ask(service);
  })]);
  const other = item("Another repository…", (event) => { event.preventDefault(); ask(null); });
  other.href = "#";
  const refresh = () => {
    const known = stored();
    for (const [service, link] of links) {
      Object.assign(link, { href: known ? services[service](known) : "#", target: known ? "_blank" : "", rel: "noopener" });
    }
    other.parentElement.hidden = !known;
  };
  form.addEventListener("submit", () => {
    const name = form.elements.address.value.replace("https://github.com/", "").replace(/\/$/, "").replace(/\.git$/, "");
    const repository = { name, branch: form.elements.branch.value };
    store(repository);
    refresh();
    if (wanted) window.open(services[wanted](repository), "_blank", "noopener");
  });
  refresh();
  bar.prepend(menu);
  document.body.append(dialog);
});
