"use strict";
{
  const { number, percent, COLOURS } = Explorers, F = Formulas;
  const LOW = -1.5, HIGH = 3.5;
  const ZERO = 1e-12; // sums of rounded products
  const signed = (x) => (Math.abs(x) < ZERO ? "0" : x > 0 ? `+${number(x)}` : number(x));

  Explorers.define("thresholds", {
    title: "a threshold for each group, four metrics",
    controls: [
      { type: "number", name: "zero", label: "Threshold of group 0", min: LOW, max: HIGH, value: 1 },
      { type: "number", name: "one", label: "Threshold of group 1", min: LOW, max: HIGH, value: 1 },
      { type: "number", name: "baseZero", label: "Base rate of group 0", min: 0.02, max: 0.98, value: 0.1 },
      { type: "number", name: "baseOne", label: "Base rate of group 1", min: 0.02, max: 0.98, value: 0.4 },
      { type: "number", name: "distance", label: "Mean score where Y = 1 (it is 0 where Y = 0)", min: 0, max: 4, value: 1.5 },
    ],
    show({ zero, one, baseZero, baseOne, distance }) {
      const fixed = F.ratesAt(one, baseOne, distance), at = (t) => F.fairness(F.ratesAt(t, baseZero, distance), fixed);
      const moved = F.ratesAt(zero, baseZero, distance), now = at(zero);
      const grid = d3.range(0, 101).map((i) => LOW + (HIGH - LOW) * i / 100);
      const gap = { SPD: (t) => at(t).SPD, EOD: (t) => at(t).EOD, OAD: (t) => at(t).OAD };
      const always = Object.fromEntries(Object.keys(gap).map((m) => [m, grid.every((t) => Math.abs(gap[m](t)) < ZERO)]));
      const fair = Object.fromEntries(Object.keys(gap).map((m) => [m, F.firstRoot(gap[m], LOW, HIGH)]).map(([m, t]) => [m, t !== null && Math.abs(t) < 1e-9 ? 0 : t]));
      const colour = { SPD: COLOURS.blue, EOD: COLOURS.red, OAD: COLOURS.grey };
      const lines = Object.keys(gap).flatMap((m) => grid.map((t) => ({ m, t, gap: gap[m](t) })));
      const dots = Object.keys(gap).filter((m) => fair[m] !== null && !always[m]).map((m) => ({ m, t: fair[m] }));
      const words = (m) => (always[m] ? `${m} is 0 at all` : fair[m] === null ? `${m} is 0 at none` : `${m} = 0 at ${number(fair[m])}`);
      const people = [["group 0", moved], ["group 1", fixed]];
      return {
        sentence: [
          `With threshold ${number(zero)} for group 0 and ${number(one)} for group 1, ${percent(moved.positive)} of group 0 and ${percent(fixed.positive)} of group 1 are predicted positive (SPD = ${signed(now.SPD)}); EOD = ${signed(now.EOD)} and OAD = ${signed(now.OAD)}.`,
          `Fair thresholds of group 0, from ${number(LOW)} to ${number(HIGH)}: ${words("SPD")}${fair.SPD === null ? "" : " (there DI = 1 too)"}, ${words("EOD")}, ${words("OAD")}.`,
        ],
        panels: [
          { title: "Gap between the groups, by threshold of group 0", wide: 420,
            describe: `SPD, EOD and OAD against the threshold of group 0. ${words("SPD")}; ${words("EOD")}; ${words("OAD")}.`,
            x: { label: "threshold of group 0", domain: [LOW, HIGH] }, y: { label: "group 1 minus group 0" },
            marks: [
              Plot.ruleY([0], { stroke: COLOURS.dark }),
              Plot.ruleX([zero], { stroke: COLOURS.dark, strokeDasharray: "4 3" }),
              Plot.line(lines, { x: "t", y: "gap", z: "m", stroke: (d) => colour[d.m], strokeWidth: 2 }),
              Plot.dot(dots, { x: "t", y: 0, r: 5, fill: (d) => colour[d.m], tip: true, title: (d) => `${d.m} = 0 at ${number(d.t)}` }),
              ...Object.keys(gap).map((m, i) => Plot.text([m], { frameAnchor: "bottom-right", dx: -6 - 36 * i, dy: -6, fill: colour[m], fontWeight: 600 })),
            ] },
          { title: "Rates of the two groups", wide: 380, marginLeft: 132,
            describe: people.map(([name, r]) => `${name}: positive predictions ${percent(r.positive)}, true positive rate ${percent(r.tpr)}, false positive rate ${percent(r.fpr)}, accuracy ${percent(r.acc)}`).join("; "),
            x: { label: "rate", domain: [0, 1], tickFormat: "%", ticks: 5 }, y: { label: null, domain: ["positive predictions", "true positive rate", "false positive rate", "accuracy"] },
            marks: [
              Plot.ruleY([["positive predictions", "positive"], ["true positive rate", "tpr"], ["false positive rate", "fpr"], ["accuracy", "acc"]], { y: (d) => d[0], x1: (d) => moved[d[1]], x2: (d) => fixed[d[1]], stroke: COLOURS.grey, strokeWidth: 2 }),
              ...[[fixed, COLOURS.blue, "group 1", 4, true], [moved, COLOURS.red, "group 0", 7, false]].map(([rates, colour, name, r, filled]) => Plot.dot(
                [["positive predictions", rates.positive], ["true positive rate", rates.tpr], ["false positive rate", rates.fpr], ["accuracy", rates.acc]],
                { y: (d) => d[0], x: (d) => d[1], r, fill: filled ? colour : "none", stroke: colour, strokeWidth: 2, tip: true, title: (d) => `${name}, ${d[0]}: ${percent(d[1])}` })),
              Plot.text(["group 0"], { frameAnchor: "top-left", dy: -14, fill: COLOURS.red, fontWeight: 600 }),
              Plot.text(["group 1"], { frameAnchor: "top-left", dx: 60, dy: -14, fill: COLOURS.blue, fontWeight: 600 }),
            ] },
        ],
        table: {
          caption: "Rates of each group, and the four metrics.",
          columns: ["group", "threshold", "positive predictions", "true positive rate", "false positive rate", "accuracy", "DI", "SPD", "EOD", "OAD"],
          rows: [["group 0", zero, moved.positive, moved.tpr, moved.fpr, moved.acc, now.DI, now.SPD, now.EOD, now.OAD],
            ["group 1", one, fixed.positive, fixed.tpr, fixed.fpr, fixed.acc, null, null, null, null]],
        },
      };
    },
    note: "Normal scores with spread 1 in both groups: exact. Where a metric is fair at several thresholds, the smallest is named.",
  });
}
