// How Sphinx ranks what a search finds: lessons, then what stands behind them, then listings of names; on each shelf a title
// that has all the words of the query comes first, and else Sphinx's own score decides.
const SHELVES = [
  [/^chapters\/reference\//, 300],
  [/^chapters\/(guides|front\/status|front\/references)/, 200],
  [/^chapters\/(behind|errata|verdicts|data)\/|\/(evidence|proofs)$/, 100],
];
var Scorer = {
  score: ([doc, title, , , score]) => {
    const query = (new URLSearchParams(location.search).get("q") || "").toLowerCase().trim();
    const shelf = SHELVES.find(([place]) => place.test(doc))?.[1] ?? 0;
    return score + (query && title.toLowerCase().includes(query) ? 20 : 0) - shelf;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
