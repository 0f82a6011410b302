"use strict";
{
  const { number, percent, outOf, crowd, COLOURS } = Explorers, F = Formulas;
  const times = (epsilon) => number(Math.exp(epsilon));

  Explorers.define("primer", {
    title: "what one private report can tell an attacker",
    controls: [
      { type: "number", name: "epsilon", label: "Budget ε", min: 0.01, max: 20, scale: "log", value: 1 },
      { type: "number", name: "prior", label: "Attacker's belief before (prior)", min: 0.001, max: 0.999, value: 0.5 },
    ],
    show({ epsilon, prior }) {
      const grid = d3.range(0, 1.0001, 0.01), corner = 1 / (1 + Math.exp(epsilon));
      const low = F.raised(prior, -epsilon), high = F.raised(prior, epsilon);
      const people = crowd(low, prior, high), found = F.power(0.05, epsilon);
      const tests = [0, corner, 1].map((alpha) => ({ alpha, power: F.power(alpha, epsilon) }));
      const region = [{ alpha: 0, low: 0, high: 0 }, { alpha: corner, low: 1 - F.power(1 - corner, epsilon), high: F.power(corner, epsilon) },
        { alpha: 1 - corner, low: 1 - F.power(corner, epsilon), high: F.power(1 - corner, epsilon) }, { alpha: 1, low: 1, high: 1 }];
      const beliefs = grid.map((p) => {
        const inside = Math.min(0.9999, Math.max(0.0001, p));
        return { prior: inside, low: F.raised(inside, -epsilon), high: F.raised(inside, epsilon) };
      });
      return {
        sentence: `At ε = ${number(epsilon)}, a report changes the odds by a factor of at most ${times(epsilon)}. ` +
          `Before the report, ${outOf(prior, people)} guesses of this attacker are right; after the report, between ${outOf(low, people)} and ${outOf(high, people)}. ` +
          `A test that accuses 5 of 100 innocent people finds at most ${outOf(found, crowd(0.05, found))} guilty ones.`,
        panels: [
          { title: "Tests that ε allows (attacker's ROC)", wide: 380, height: 320,
            describe: `The region of tests that epsilon ${number(epsilon)} allows. Its corner has a false positive rate of ${percent(corner)} and a true positive rate of ${percent(1 - corner)}.`,
            x: { label: "false positive rate", domain: [0, 1], tickFormat: "%" }, y: { label: "true positive rate", domain: [0, 1], tickFormat: "%" },
            marks: [
              Plot.areaY(region, { x: "alpha", y1: "low", y2: "high", fill: COLOURS.blue, fillOpacity: 0.15 }),
              Plot.line(tests, { x: "alpha", y: "power", stroke: COLOURS.blue, strokeWidth: 2 }),
              Plot.line([[0, 0], [1, 1]], { stroke: COLOURS.grey, strokeDasharray: "4 3" }),
              Plot.dot([{ x: corner, y: 1 - corner }], { x: "x", y: "y", r: 5, fill: COLOURS.red, tip: true,
                title: () => `randomised response: ${percent(corner)} accused wrongly, ${percent(1 - corner)} found` }),
            ] },
          { title: "What a belief can become", wide: 380, height: 320,
            describe: `A belief of ${percent(prior)} can become at least ${percent(low)} and at most ${percent(high)}.`,
            x: { label: "belief before the report", domain: [0, 1], tickFormat: "%" }, y: { label: "belief after it", domain: [0, 1], tickFormat: "%" },
            marks: [
              Plot.areaY(beliefs, { x: "prior", y1: "low", y2: "high", fill: COLOURS.blue, fillOpacity: 0.15 }),
              Plot.line(beliefs, { x: "prior", y: "high", stroke: COLOURS.blue, strokeWidth: 2 }),
              Plot.line(beliefs, { x: "prior", y: "low", stroke: COLOURS.blue, strokeWidth: 2 }),
              Plot.line([[0, 0], [1, 1]], { stroke: COLOURS.grey, strokeDasharray: "4 3" }),
              Plot.ruleX([prior], { y1: low, y2: high, stroke: COLOURS.red, strokeWidth: 3 }),
              Plot.dot([{ after: low }, { after: high }], { x: () => prior, y: "after", r: 5, fill: COLOURS.red, tip: true, title: (d) => `${percent(prior)} becomes ${percent(d.after)}` }),
            ] },
        ],
        table: {
          caption: `The most that one report at ε = ${number(epsilon)} can tell, for several beliefs.`,
          columns: ["belief before", "least after", "most after"],
          rows: [prior, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9].map((p) => [p, F.raised(p, -epsilon), F.raised(p, epsilon)]),
        },
      };
    },
  });
}
