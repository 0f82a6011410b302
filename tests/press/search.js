// What the search of a built book finds, in its order: node search.js HTML QUERY ... prints a list of page names for each query.
const fs = require("fs"), vm = require("vm");
const [html, ...queries] = process.argv.slice(2);
const nothing = () => {};
const element = { classList: { add: nothing, remove: nothing }, appendChild: (one) => one, dataset: {}, set innerText(_) {}, remove: nothing };
const here = {
  document: { addEventListener: nothing, getElementById: () => null, createElement: () => element, documentElement: { dataset: {} } },
  window: { addEventListener: nothing }, localStorage: { setItem: nothing }, console, URLSearchParams,
  DOCUMENTATION_OPTIONS: {}, SPHINX_HIGHLIGHT_ENABLED: true,
};
vm.createContext(here);
const run = (file) => vm.runInContext(fs.readFileSync(`${html}/${file}`, "utf8"), here);
vm.runInContext("var _ready = () => {}, Documentation = { PLURAL_EXPR: n => 0 }, _ = text => text;", here);
["_static/language_data.js", "_static/searchtools.js"].forEach(run);
vm.runInContext("Search.setIndex = (index) => { Search._index = index; }", here);
run("searchindex.js");
const find = (query) => {
  Object.assign(here, { query, location: { search: `?${new URLSearchParams({ q: query })}` } });
  return vm.runInContext("Search._performSearch(...Search._parseQuery(query)).map((item) => item[0]).reverse()", here);
};
console.log(JSON.stringify(queries.map(find)));
