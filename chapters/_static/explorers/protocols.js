"use strict";
{
  const { number, percent, listing, COLOURS } = Explorers, F = Formulas;
  const NAMES = Object.keys(F.PROTOCOLS);

  Explorers.define("protocols", {
    title: "seven protocols side by side",
    controls: [
      { type: "number", name: "k", label: "Number of values k", min: 2, max: 500, scale: "log", whole: true, value: 41 },
      { type: "number", name: "epsilon", label: "Budget ε", min: 0.1, max: 10, scale: "log", value: 1 },
      { type: "number", name: "n", label: "People n", min: 100, max: 1000000, scale: "log", whole: true, value: 10000 },
      { type: "number", name: "frequency", label: "Share of people with the value", min: 0, max: 1, value: 0.01 },
      { type: "choice", name: "focus", label: "Protocol in colour", value: "GRR", options: NAMES.map((n) => [n, n]) },
    ],
    show({ k, epsilon, n, frequency, focus }) {
      const error = (name, e) => Math.sqrt(F.variance(F.protocol(name, k, e), n, frequency));
      const rows = NAMES.map((name) => {
        const channel = F.protocol(name, k, epsilon);
        return { name, own: channel.p, other: channel.q, error: error(name, epsilon), supports: F.supported(channel, k) };
      });
      const least = Math.min(...rows.map((r) => r.error));
      const best = rows.filter((r) => r.error <= least * (1 + 1e-9)).map((r) => r.name);
      const budgets = d3.range(0, 61).map((i) => 0.1 * 100 ** (i / 60));
      const curves = NAMES.flatMap((name) => budgets.map((e) => ({ name, e, error: error(name, e) })));
      const held = frequency === 0 ? `nobody of ${number(n, 7)} people holds` : `${frequency === 1 ? "each" : percent(frequency)} of ${number(n, 7)} people ${frequency === 1 ? "holds" : "hold"}`;
      const chance = (p) => (p < 1 && number(p) === "1" ? "above 0.999" : number(p)), points = number(100 * least);
      const times = (own) => (number(own / least) === "1" ? `larger than that of ${best[0]} by less than 1%` : `${number(own / least)} times that of ${best[0]}`);
      const own = rows.find((r) => r.name === focus), colour = (d) => (d.name === focus ? COLOURS.red : best.includes(d.name) ? COLOURS.blue : COLOURS.grey);
      const [front, back] = [(d) => d.name === focus || best.includes(d.name), (d) => d.name !== focus && !best.includes(d.name)];
      const line = (filter, width) => Plot.line(curves.filter(filter), { x: "e", y: "error", z: "name", stroke: colour, strokeWidth: width });
      return {
        sentence: `With ${number(k)} values and ε = ${number(epsilon)}, ${listing(best)} ${best.length > 1 ? "have" : "has"} the smallest error: ` +
          `the share of a value that ${held} is off by ${points} percentage ${points === "1" ? "point" : "points"} (one standard error)` +
          `${least > 0.5 ? ", although a guess of 50% is off by 50 at most" : ""}. ` +
          (best.includes(focus) ? "" : `The error of ${focus} is ${times(own.error)}. `) +
          `A report of ${focus} supports the true value with probability ${chance(own.own)}, and the expected number of supported values is ${number(own.supports)}.`,
        panels: [
          { title: "How often a report supports a value", wide: 400, marginLeft: 70,
            describe: `For each protocol the probability that a report supports the true value and another value. ${focus}: ${number(own.own)} and ${number(own.other)}.`,
            x: { label: "probability", domain: [0, 1] }, y: { label: null, domain: NAMES },
            marks: [
              Plot.ruleY(rows, { y: "name", x1: "other", x2: "own", stroke: COLOURS.grey }),
              Plot.dot(rows, { y: "name", x: "other", r: 5, stroke: COLOURS.dark, fill: "var(--pst-color-background)", tip: true, title: (d) => `${d.name}: supports another given value with probability ${number(d.other)}` }),
              Plot.dot(rows, { y: "name", x: "own", r: 5, fill: colour, tip: true, title: (d) => `${d.name}: supports the true value with probability ${number(d.own)}` }),
            ] },
          { title: "Error of an estimated share, by budget", wide: 420, marginLeft: 62, marginTop: 36,
            describe: `Standard error of each protocol against epsilon from 0.1 to 10, on logarithmic scales, for ${k} values. At epsilon ${number(epsilon)} the smallest is that of ${listing(best)}.`,
            x: { type: "log", label: "budget ε", tickFormat: "~g", ticks: [0.1, 0.3, 1, 3, 10] }, y: { type: "log", label: "standard error", tickFormat: (d) => number(d), ticks: 4 },
            marks: [
              line(back, 1), line(front, 2),
              Plot.ruleX([epsilon], { stroke: COLOURS.dark, strokeDasharray: "4 3" }),
              Plot.dot(rows, { x: () => epsilon, y: "error", r: 4, fill: colour, tip: true, title: (d) => `${d.name}: standard error ${number(d.error)}` }),
              Plot.text([...new Set([best[0], focus])].map((name) => curves.find((c) => c.name === name)), { x: "e", y: "error", text: "name", textAnchor: "start", dx: 4, dy: -4, lineAnchor: "bottom", fill: colour }),
            ] },
        ],
        table: {
          caption: `k = ${k}, ε = ${number(epsilon)}, ${number(n, 7)} people, a value that ${percent(frequency)} of them hold.`,
          columns: ["protocol", "supports the true value", "supports another value", "values supported", "standard error", "times the smallest"],
          rows: rows.map((r) => [r.name, r.own, r.other, r.supports, r.error, r.error / least]),
        },
      };
    },
    note: "Filled: the true value. Hollow: another given value. Blue: the smallest error. All values are exact.",
  });
}
