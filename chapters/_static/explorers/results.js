"use strict";
{
  const { number, COLOURS } = Explorers;
  const METRICS = { DI: "disparate impact (DI)", SPD: "statistical parity difference (SPD)", EOD: "equal opportunity difference (EOD)", OAD: "overall accuracy difference (OAD)",
    acc: "accuracy", f1: "F1", auc: "AUC of scores", recall: "recall", tpr_0: "true positive rate of group 0", tpr_1: "true positive rate of group 1" };
  // what the paper has in no figure: its AUC is that of hard labels
  const UNSEEN = ["auc", "tpr_0", "tpr_1"];
  const FAIR = { DI: 1, SPD: 0, EOD: 0, OAD: 0 };
  const PROTOCOLS = Object.keys(Formulas.PROTOCOLS);
  const withEnds = ([mean, low, high]) => (low === null ? number(mean) : `${number(mean)} [${number(low)}, ${number(high)}]`);

  Explorers.define("results", {
    title: "our results beside the paper's printed values",
    data: "results",
    controls: (data) => [
      { type: "choice", name: "dataset", label: "Data set", value: "adult", options: Object.entries(data.titles).map(([name, [title]]) => [name, title]) },
      { type: "choice", name: "metric", label: "Metric", value: "DI", options: Object.entries(METRICS) },
      { type: "choice", name: "split", label: "Budget split", value: "uniform", options: [["uniform", "uniform"], ["k-based", "k-based"]] },
      { type: "choice", name: "epsilon", label: "Budget ε of the sentence", value: "0.25", options: data.epsilons.map((e) => [String(e), String(e)]) },
      { type: "several", name: "protocols", label: "Protocols", value: "GRR+SS+RAPPOR", options: PROTOCOLS.map((p) => [p, p]) },
    ],
    show({ dataset, metric, split, epsilon, protocols }, data) {
      const chosen = PROTOCOLS.filter((p) => protocols.split("+").includes(p)), [title, zero, one] = data.titles[dataset];
      const base = data.cells[`${dataset}/NonDP`][metric][0], place = data.epsilons.indexOf(Number(epsilon));
      const rows = chosen.flatMap((protocol) => data.epsilons.map((e, i) => {
        const [mean, low, high] = data.cells[`${dataset}/${protocol}/${split}`][metric][i];
        return { protocol, e, mean, low, high };
      }));
      const printed = data.printed.filter((p) => p.dataset === dataset && p.metric === metric);
      const words = METRICS[metric].replace("group 0", zero).replace("group 1", one);
      const colour = d3.scaleOrdinal(PROTOCOLS, ["blue", "gold", "purple", "green", "pink", "grey", "dark"].map((c) => `var(--explorer-${c})`));
      const at = rows.filter((r) => r.e === data.epsilons[place]);
      const spread = d3.extent([...rows.flatMap((r) => [r.low ?? r.mean, r.high ?? r.mean]), base[1], base[2], ...printed.map((p) => p.target)]);
      // names at the right end, moved apart: at least a fifteenth of the range between two
      const step = (spread[1] - spread[0] || 1) / 15;
      const ends = rows.filter((r) => r.e === data.epsilons.at(-1)).sort((a, b) => a.mean - b.mean).map((r) => ({ ...r, at: r.mean }));
      ends.forEach((r, i) => { if (i) r.at = Math.max(r.at, ends[i - 1].at + step); });
      return {
        idle: chosen.length ? [] : ["split", "epsilon"],
        sentence: [
          `${title}, ${words}: without privacy ${withEnds(base)}.` +
            (at.length ? ` At ε = ${epsilon} (${split}): ${at.map((r) => `${r.protocol} ${withEnds([r.mean, r.low, r.high])}`).join("; ")}.` : " No protocol is chosen."),
          printed.length ? `The paper prints ${printed.map((p) => (p.epsilon === null ? `${number(p.target)} without privacy` : `about ${number(p.target)} at ε = ${p.epsilon}, over all protocols`)).join(", and ")}.` : UNSEEN.includes(metric) ? "The paper has neither a number nor a figure of this metric." : "The paper prints no number for this metric here; it shows a figure.",
        ],
        panels: [{
          title: `${title}: ${words}`, wide: 760, height: 320, marginRight: 70,
          describe: `${words} on ${title} against epsilon from 0.25 to 50, ${split} split. Without privacy ${withEnds(base)}. ${at.map((r) => `${r.protocol} at ${epsilon}: ${number(r.mean)}`).join("; ")}.`,
          x: { type: "log", label: "budget ε (log scale)", tickFormat: "~g", ticks: data.epsilons }, y: { label: words, domain: spread, nice: true, zero: false },
          marks: [
            Plot.rectY([base], { x1: data.epsilons[0], x2: data.epsilons.at(-1), y1: base[1], y2: base[2], fill: COLOURS.grey, fillOpacity: 0.25 }),
            Plot.ruleY([base[0]], { stroke: COLOURS.grey, strokeDasharray: "5 3" }),
            ...(metric in FAIR && FAIR[metric] >= spread[0] && FAIR[metric] <= spread[1] ? [Plot.ruleY([FAIR[metric]], { stroke: COLOURS.dark })] : []),
            Plot.ruleX(rows.filter((r) => r.low !== null), { x: "e", y1: "low", y2: "high", stroke: (r) => colour(r.protocol) }),
            Plot.line(rows, { x: "e", y: "mean", z: "protocol", stroke: (r) => colour(r.protocol), strokeWidth: 2 }),
            Plot.dot(rows, { x: "e", y: "mean", fill: (r) => colour(r.protocol), r: 3.5, tip: true, title: (r) => `${r.protocol}, ε = ${r.e}: ${withEnds([r.mean, r.low, r.high])}` }),
            Plot.dot(printed, { x: (p) => p.epsilon ?? data.epsilons.at(-1), y: "target", symbol: "diamond", r: 6, fill: COLOURS.red, tip: true, title: (p) => `the paper prints ${number(p.target)}: ${p.statement}` }),
            Plot.text(ends, { x: () => data.epsilons.at(-1), y: "at", text: "protocol", textAnchor: "start", dx: 8, fill: (r) => colour(r.protocol), fontWeight: 600 }),
          ],
        }],
        table: {
          caption: `${title}, ${words}, ${split} split: mean and 95% interval over runs.`,
          columns: ["protocol", "epsilon", "mean", "low", "high"],
          rows: [["without privacy", null, ...base], ...rows.map((r) => [r.protocol, r.e, r.mean, r.low, r.high]),
            ...printed.map((p) => ["printed in the paper", p.epsilon, p.target, null, null])],
        },
      };
    },
    note: "Real data, means over 20 runs with 95% t intervals. Dashed line and grey band: without privacy. Solid line: the fair value. Orange diamonds: printed in the paper (at the right edge: without privacy).",
  });
}
