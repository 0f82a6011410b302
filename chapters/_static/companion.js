// Tables that carry the class "filterable": one text box, and one menu for each column named in data-menus.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll(".filterable")) {
    const table = box.querySelector("table");
    if (!table) continue;
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    const rows = [...table.tBodies[0].rows];
    const bar = document.createElement("div");
    bar.className = "filter-bar";
    const menus = (box.dataset.menus || "").split(",").filter(Boolean).map((name) => {
      const column = heads.indexOf(name);
      const select = document.createElement("select");
      select.setAttribute("aria-label", `Filter by ${name}`);
      const values = [...new Set(rows.map((row) => row.cells[column].textContent.trim()))].sort();
      select.append(new Option(`${name}: all`, ""), ...values.map((value) => new Option(value, value)));
      bar.append(select);
      return { column, select };
    });
    const search = Object.assign(document.createElement("input"), { type: "search", placeholder: "Filter…" });
    search.setAttribute("aria-label", "Filter rows by text");
    const count = document.createElement("span");
    count.setAttribute("role", "status");
    bar.append(search, count);
    const apply = () => {
      const words = search.value.toLowerCase();
      let shown = 0;
      for (const row of rows) {
        const fits = row.textContent.toLowerCase().includes(words) &&
          menus.every(({ column, select }) => !select.value || row.cells[column].textContent.trim() === select.value);
        row.hidden = !fits;
        shown += fits;
      }
      count.textContent = `${shown} of ${rows.length}`;
    };
    bar.addEventListener("input", apply);
    box.prepend(bar);
    apply();
  }
});
