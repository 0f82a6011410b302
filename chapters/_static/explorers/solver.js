"use strict";
{
  const { number, COLOURS } = Explorers, F = Formulas;
  const BOUNDS = { theorem7: "Theorem 7", theorem8: "Theorem 8", tightened: "tightened", within: "within the group" };
  const WORDS = { epsilon: "budget ε", alpha: "distance α", beta: "probability β", gamma: "people in the smallest group", collection: "number of groups", n: "people in all" };
  const BEST = { epsilon: "largest", alpha: "smallest", beta: "smallest", gamma: "smallest", collection: "largest", n: "largest" };
  const ASKED = { ...WORDS, gamma: "number of people in the smallest group", n: "number of people in all" };
  // three digits, rounded to the side on which the guarantee holds; lib.coherence.answers.round_outward has four
  const outward = (x, up) => {
    const unit = 10 ** (Math.floor(Math.log10(x)) - 2);
    return (up ? Math.ceil(x / unit - 1e-9) : Math.floor(x / unit + 1e-9)) * unit;
  };
  const long = (name, x) => (["gamma", "n", "collection"].includes(name) ? number(x, 15) : number(outward(x, BEST[name] === "smallest")));
  // an answer at which the search ends is not the best one; a theorem's own largest ε is
  const answer = (name, mode, x) => {
    if (x === null) return "none";
    if (x === Infinity) return "any number";
    const largest = BEST[name] === "largest", end = name === "epsilon" ? 600 : F.SEARCHED[name][Number(largest)];
    return x === end && name !== "gamma" ? `${largest ? "more" : "less"} than ${long(name, x)}` : long(name, x);
  };
  const COLOUR = { theorem7: COLOURS.red, theorem8: COLOURS.grey, tightened: COLOURS.grey, within: COLOURS.blue }; // as in the figures of the part
  const DASH = { theorem8: "5 3" };

  // What a known release forbids: its distance has a mean of at least 2 tanh(ε/4) and is at most 2, so it exceeds α with
  // probability above β where that mean is above α + β (2 − α). lib.coherence.bounds.within_group.membership_distance
  const wall = (unknown, { alpha, beta, epsilon }, fails) => {
    const because = "because a known release then exceeds α more often than β", mean = 2 * Math.tanh(epsilon / 4);
    if (alpha === 2) return "No distance is above 2, so α = 2 promises nothing.";
    if (beta === 1) return "Every probability is at most 1, so β = 1 promises nothing.";
    if (unknown === "alpha") {
      const least = (mean - 2 * beta) / (1 - beta);
      return least > 0 ? `At ε = ${number(epsilon)}, no bound can promise an α below ${number(outward(least, false))}, ${because}.` : null;
    }
    if (unknown === "beta" && mean > alpha) return `At ε = ${number(epsilon)}, no bound can promise a β below ${number(outward((mean - alpha) / (2 - alpha), false))}, ${because}.`;
    if (unknown === "beta") return `With an ε above ${number(outward(fails, true))}, β cannot be as small as you like, because the mean distance of a known release is then above α.`;
    return `At α = ${number(alpha)}, no bound can accept an ε above ${number(outward(fails, true))}, ${because}.`;
  };

  Explorers.define("solver", {
    title: "what a coherence guarantee needs",
    controls: [
      { type: "choice", name: "unknown", label: "What to find", value: "epsilon", options: Object.entries(WORDS) },
      { type: "number", name: "alpha", label: "Distance α (0 to 2)", min: 0.01, max: 2, scale: "log", value: 0.2 },
      { type: "number", name: "beta", label: "Probability β of exceeding it", min: 1e-15, max: 1, scale: "log", value: 1e-13 },
      { type: "number", name: "epsilon", label: "Budget ε", min: 0.0001, max: 10, scale: "log", value: 0.01 },
      { type: "number", name: "gamma", label: "People in the smallest group", min: 10, max: 10000000, scale: "log", whole: true, value: 250000 },
      { type: "number", name: "n", label: "People in all", min: 100, max: 1000000000, scale: "log", whole: true, value: 5000000 },
      { type: "number", name: "collection", label: "Number of groups |C|", min: 1, max: 1000000, scale: "log", whole: true, value: 100 },
    ],
    show({ unknown, ...given }) {
      const s = Object.fromEntries(Object.entries(given).filter(([name]) => name !== unknown));
      const modes = Object.keys(BOUNDS), fits = unknown === "gamma" || unknown === "n" || s.gamma <= s.n;
      const found = modes.map((mode) => ({ mode, value: fits ? F.solve(mode, unknown, s) : null }));
      const grid = d3.range(0, 61).map((i) => 1e-4 * 1e5 ** (i / 60));
      const group = s.gamma, own = !["epsilon", "gamma"].includes(unknown); // a bound is drawn at its own answer
      const curve = found.filter(({ value }) => !own || value !== null).flatMap(({ mode, value }) =>
        grid.filter((e) => e <= F.LARGEST[mode]).map((epsilon) => ({ mode, epsilon, needed: F.requiredSize(mode, { ...s, ...(own ? { [unknown]: value } : {}), epsilon }) })))
        .filter((d) => d.needed <= 1e12);
      const say = ({ mode, value }) => `${answer(unknown, mode, value)} (${BOUNDS[mode]})`;
      const fails = "alpha" in s ? F.insufficientEpsilon(s.alpha + (s.beta ?? 0) * (2 - s.alpha)) : Infinity;
      return {
        idle: [unknown],
        sentence: s.alpha === 2 || s.beta === 1 ? [wall(unknown, s, fails)] : [
          fits && found.every(({ value }) => value === null) ? `None of the four bounds accepts any ${ASKED[unknown]}.` : fits ? `The ${BEST[unknown]} ${ASKED[unknown]} that a bound accepts: ${found.map(say).join(", ")}.` : `The smallest group has ${number(s.gamma, 15)} people, more than the ${number(s.n, 15)} in all. Make the group smaller.`,
          wall(unknown, s, fails),
        ].filter(Boolean),
        panels: [{
          title: own ? "People that a group needs, by budget, each bound at its own answer" : "People that a group needs, by budget", wide: 760, height: 320, marginLeft: 62,
          describe: `Members that each bound needs, against epsilon, on logarithmic scales. ${found.map(say).join("; ")}.`,
          x: { type: "log", label: "budget ε (log scale)", tickFormat: "~g", domain: [1e-4, 10], ticks: [0.0001, 0.001, 0.01, 0.1, 1, 10] },
          y: { type: "log", label: "people needed (log scale)", tickFormat: (d) => d3.format("~s")(d).replace("G", " bn").replace("M", " m"), ticks: 6 },
          marks: [
            ...("alpha" in s && fails <= 10 ? [Plot.ruleX([fails], { stroke: COLOURS.dark, strokeWidth: 2 }), Plot.text(["the wall"], { x: fails, frameAnchor: "top", textAnchor: "start", dx: 5, dy: 4 })] : []),
            ...(group ? [Plot.ruleY([group], { stroke: COLOURS.dark, strokeDasharray: "4 3", tip: true, title: () => `the smallest group: ${number(group, 15)} people` })] : []),
            ...modes.map((mode) => Plot.line(curve.filter((d) => d.mode === mode), { x: "epsilon", y: "needed", stroke: COLOUR[mode], strokeDasharray: DASH[mode], strokeWidth: 2 })),
            Plot.dot(found.filter((d) => unknown === "epsilon" && d.value >= 1e-4 && d.value <= 10), { x: "value", y: () => group, r: 5, fill: (d) => COLOUR[d.mode], tip: true, title: (d) => say(d) }),
            ...modes.map((mode, i) => Plot.text([BOUNDS[mode] + (mode === "theorem8" ? ", dashed" : "")], { frameAnchor: "top-left", dx: 6, dy: 16 * ((i + 3) % 4) + 4, fill: COLOUR[mode], fontWeight: 600 })),
          ],
        }],
        table: {
          caption: `The ${BEST[unknown]} valid ${ASKED[unknown]} under each bound.`,
          columns: ["bound", `${BEST[unknown]} ${ASKED[unknown]}`, "people needed at this ε"],
          rows: found.map(({ mode, value }) => {
            const said = answer(unknown, mode, value), open = value !== null && / /.test(said); // "any number", "more than 1e15"
            const full = { ...s, [unknown]: value }, epsilon = full.epsilon;
            const needed = value === null || epsilon > F.LARGEST[mode] ? null : F.requiredSize(mode, full);
            return [BOUNDS[mode], open ? said : value, needed];
          }),
        },
      };
    },
    note: "Theorems 7 and 8 are the paper's, the other two bounds are ours. δ = 0; Theorem 8 also allows a tiny δ. The slider of the number you look for is switched off. The wall: beyond it a known release exceeds α more often than β. Dashed across: the size of the smallest group. Exact arithmetic, no data.",
  });
}
