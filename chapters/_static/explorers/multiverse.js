"use strict";
{
  const { number, COLOURS } = Explorers, F = Formulas;
  const VERDICTS = ["reproduced", "too close to call", "same direction", "not reproduced", "not comparable", "not run"];
  const COLOUR = { reproduced: "var(--explorer-green)", "too close to call": "var(--explorer-blue)", "same direction": "var(--explorer-gold)", "not reproduced": COLOURS.red, "not comparable": COLOURS.grey, "not run": "none" };
  const PAPERS = { stratified: "Stratified DP", ldp: "LDP and fairness", coherence: "Coherence", companion: "our statements" };
  const chosen = (data, { hyper, rounding, stratum }) => {
    const { tuned, round, kept } = data.readings;
    return data.rows.map(({ id, evidence }) => (hyper === "tuned" && tuned[id]) || (hyper !== "tuned" && rounding === "round" && round[id]) || (stratum === "kept" && kept[id]) || evidence);
  };
  const count = (list) => VERDICTS.map((v) => [v, list.filter((d) => d.verdict === v).length]).filter(([, n]) => n);
  const distance = (d) => {
    if (d.rule === "positive" && d.p !== undefined) return `p = ${number(d.p)} after the correction; the limit is 0.05`;
    return d.flip ? `${d.flip.verdict} at tolerance × ${number(d.flip.at)}` : "no tolerance changes it";
  };

  Explorers.define("multiverse", {
    title: "the ledger under other rules",
    data: "multiverse",
    controls: [
      { type: "number", name: "factor", label: "Tolerance × (1: as in the ledger)", min: 0.1, max: 10, scale: "log", value: 1 },
      { type: "choice", name: "correction", label: "Correction for many tests", value: "Holm", options: ["Holm", "Benjamini-Hochberg", "none"].map((c) => [c, c]) },
      { type: "choice", name: "hyper", label: "Hyper-parameters (LDP)", value: "published", options: [["published", "as in the published code"], ["tuned", "tuned by us"]] },
      { type: "choice", name: "rounding", label: "Rounding in SS and OLH (LDP)", value: "floor", options: [["floor", "down, as printed"], ["round", "to the nearest, as in the code"]] },
      { type: "choice", name: "stratum", label: "Smallest stratum (means)", value: "published", options: [["published", "above 0.1% of the people"], ["kept", "every stratum kept"]] },
      { type: "choice", name: "paper", label: "Rows in the table and below", value: "all", options: [["all", "all"], ...Object.entries(PAPERS)] },
    ],
    show({ factor, correction, paper, ...which }, data) {
      const found = F.verdicts(data.rows, chosen(data, which), factor, correction);
      const plain = F.verdicts(data.rows, data.rows.map((r) => r.evidence), 1, "Holm");
      const rows = data.rows.map((row, i) => ({ ...row, ...found[i], before: plain[i].verdict, moved: found[i].verdict !== plain[i].verdict, flip: F.flip(row, found[i].evidence, factor) }));
      const claims = rows.filter((r) => r.paper !== "companion" && !r.part), moved = rows.filter((r) => r.moved);
      const listed = rows.filter((r) => paper === "all" || r.paper === paper);
      const wide = 24;
      let top = 0;
      const tiles = [], names = [];
      for (const [name, words] of Object.entries(PAPERS)) {
        const own = rows.filter((r) => r.paper === name).sort((a, b) => VERDICTS.indexOf(a.before) - VERDICTS.indexOf(b.before));
        names.push({ short: `${words}: ${own.filter((r) => r.verdict === "reproduced").length} of ${own.length} rows reproduced`, words: `${words}: ${count(own).map(([v, n]) => `${n} ${v}`).join(", ")}`, y: top });
        own.forEach((r, i) => tiles.push({ ...r, x: i % wide, y: top + 1 + Math.floor(i / wide) }));
        top += 2.2 + Math.floor((own.length - 1) / wide);
      }
      const swings = listed.filter((r) => r.flip && r.flip.at >= 0.01 && r.flip.at <= 100).sort((a, b) => Math.abs(Math.log(a.flip.at / factor)) - Math.abs(Math.log(b.flip.at / factor)));
      const near = swings.slice(0, 12).map((r, i) => ({ ...r, short: `${i + 1}. ${r.statement.length > 38 ? `${r.statement.slice(0, 37).trimEnd()}…` : r.statement}` }));
      const ends = [Math.min(factor / 1.2, ...near.map((r) => r.flip.at)), Math.max(factor * 1.2, ...near.map((r) => r.flip.at))];
      const tuned = which.hyper === "tuned", many = (k, one, more) => `${k} ${k === 1 ? one : more}`;
      return {
        idle: tuned ? ["rounding"] : [],
        sentence: [
          `Of ${claims.length} claims of the papers, ${count(claims).map(([v, n]) => (v === "same direction" ? `${many(n, "comes", "come")} out in the same direction` : `${many(n, "is", "are")} ${v}`)).join(", ")}.`,
          (moved.length ? `${moved.length} of all ${rows.length} rows ${moved.length === 1 ? "differs" : "differ"} from the ledger.` : `All ${rows.length} rows are as in the ledger.`) +
            (near.length ? ` Nearest to a change: “${near[0].statement}” This would be ${near[0].flip.verdict} at tolerance × ${number(near[0].flip.at)}.` : "") + (tuned ? " The tuned runs round down; no runs combine tuned hyper-parameters with the other rounding." : ""),
        ],
        panels: [
          { title: "Every row, in the ledger's order of verdicts; a ring marks a changed verdict", wide: 760, height: 30 + 19 * top, marginLeft: 8, marginRight: 8, marginTop: 4, marginBottom: 4,
            describe: names.map((n) => n.words).join(". "),
            x: { axis: null, domain: d3.range(wide), padding: 0.1 }, y: { axis: null, domain: [-0.5, top], reverse: true },
            marks: [
              Plot.text(names, { x: () => 0, y: "y", text: "short", textAnchor: "start", dx: -8, dy: 5, fontWeight: 600 }),
              Plot.dot(tiles, { x: "x", y: "y", r: 6, symbol: "square", fill: (d) => COLOUR[d.verdict], stroke: (d) => (d.moved ? COLOURS.dark : COLOUR[d.verdict] === "none" ? COLOURS.grey : "none"), strokeWidth: (d) => (d.moved ? 3 : 1), tip: { lineWidth: 36 },
                title: (d) => `${d.id}: ${d.verdict}${d.moved ? ` (ledger: ${d.before})` : ""}\n${d.statement}\n${distance(d)}` }),
            ] },
          { title: near.length > 1 ? `The ${near.length} rows that are nearest to another verdict` : near.length ? "The row that is nearest to another verdict" : "No row is near another verdict", wide: 760, height: 40 + 22 * near.length, marginLeft: 260, marginRight: 30,
            describe: near.map((r) => `${r.short}: ${distance(r)}`).join("; ") || "No row has a tolerance that changes its verdict.",
            x: { type: "log", label: "tolerance × at the change (log scale)", domain: ends, nice: false, tickFormat: (d) => number(d, 2), ticks: [ends[0], factor, ends[1]] },
            y: { label: null, domain: near.map((r) => r.short) },
            marks: [
              Plot.ruleX([factor], { stroke: COLOURS.dark, strokeDasharray: "4 3" }),
              Plot.ruleY(near, { y: "short", x1: factor, x2: (r) => r.flip.at, stroke: COLOURS.grey }),
              Plot.dot(near, { y: "short", x: () => factor, r: 5, fill: (r) => COLOUR[r.verdict] }),
              Plot.dot(near, { y: "short", x: (r) => r.flip.at, r: 5, fill: (r) => COLOUR[r.flip.verdict], tip: { lineWidth: 36 }, title: (r) => `${r.id}: ${r.verdict}; ${distance(r)}\n${r.statement}` }),
            ] },
        ],
        table: {
          caption: `Rows under these rules (tolerance × ${number(factor)}, ${correction}).`,
          columns: ["row", "paper", "verdict", "in the ledger", "how far from another verdict", "claim"],
          rows: listed.map((r) => [r.id, PAPERS[r.paper], r.verdict, r.before, distance(r), r.statement]),
        },
      };
    },
    note: "Green: reproduced. Blue: too close to call. Gold: same direction. Orange: not reproduced. Grey: not comparable. Hyper-parameters and rounding change rows of the LDP paper; the smallest stratum changes rows on private means. All evidence is stored.",
  });
}
