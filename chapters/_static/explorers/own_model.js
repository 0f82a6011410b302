"use strict";
{
  const { number, COLOURS } = Explorers, F = Formulas;
  const GROUPS = ["A", "B", "C", "D", "E"], PEOPLE = [8000, 3000, 900, 400, 60];
  const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

  Explorers.define("own_model", {
    title: "who gets a model of their own",
    controls: [
      { type: "number", name: "epsilon", label: "Budget ε (with δ = 10⁻⁹)", min: 0.05, max: 20, scale: "log", value: 1 },
      { type: "number", name: "columns", label: "Columns that a model describes (without those that make the groups)", min: 2, max: 40, whole: true, value: 8 },
      { type: "number", name: "codes", label: "Codes of a column, on average", min: 2, max: 50, value: 4.4 },
      ...GROUPS.map((g, i) => ({ type: "number", name: g, label: `People in group ${g}`, min: 1, max: 1e6, scale: "log", whole: true, value: PEOPLE[i] })),
    ],
    show({ epsilon, columns, codes, ...sizes }) {
      const people = GROUPS.map((g) => sizes[g]), least = F.breakEven({ epsilon, columns, cells: codes ** 2 });
      const shared = F.sharing(people, least), size = Math.ceil(least);
      const groups = GROUPS.map((name, i) => ({ name, people: people[i], shared: shared[i], way: !shared[i] ? "a model of its own" : people[i] < least ? "shares a model" : "shares a model, so that it has enough people" }));
      const own = groups.filter((g) => !g.shared), pool = groups.filter((g) => g.shared), filled = pool.filter((g) => g.people >= least);
      const together = d3.sum(pool, (g) => g.people);
      const epsilons = d3.range(0, 61).map((i) => 0.05 * 400 ** (i / 60));
      const curve = epsilons.map((e) => ({ e, least: F.breakEven({ epsilon: e, columns, cells: codes ** 2 }) }));
      const colour = (g) => (g.shared ? COLOURS.blue : COLOURS.red);
      return {
        sentence: [
          `With these columns and this budget a model of its own begins to pay at ${number(size, 7)} people.`,
          !pool.length ? "All five groups are large enough, so each gets a model of its own."
            : !own.length ? `${filled.length ? "Those who share would be too few without the larger groups" : "No group is large enough"}, so all five share one model, which is the model of everybody.`
            : `${own.length === 1 ? "Group" : "Groups"} ${listed(own.map((g) => g.name))} ${own.length === 1 ? "gets a model of its own" : "get a model each"}. ${pool.length === 1 ? "Group" : "Groups"} ${listed(pool.map((g) => g.name))} share${pool.length === 1 ? "s" : ""} one, with ${number(together, 7)} people.`,
          filled.length && own.length ? `Group ${listed(filled.map((g) => g.name))} would be large enough alone, and shares so that the others are not too few.` : null,
        ].filter((words) => words !== null),
        panels: [
          { title: "Who gets a model of their own", wide: 400, marginLeft: 70,
            describe: groups.map((g) => `group ${g.name}, ${number(g.people, 7)} people: ${g.way}`).join("; "),
            x: { type: "log", label: "people (log scale)", domain: [1, 1e6], tickFormat: "~s" }, y: { label: null, domain: GROUPS, tickFormat: (g) => `group ${g}` },
            marks: [
              Plot.ruleX([least], { stroke: COLOURS.dark, strokeDasharray: "4 3" }),
              Plot.ruleY(groups, { y: "name", x1: 1, x2: "people", stroke: colour, strokeWidth: 3 }),
              Plot.dot(groups, { x: "people", y: "name", r: 6, fill: colour, tip: true, title: (g) => `group ${g.name}, ${number(g.people, 7)} people: ${g.way}` }),
              Plot.text(["own"], { frameAnchor: "top-right", dx: -6, dy: 6, fill: COLOURS.red, fontWeight: 600 }),
              Plot.text(["shared"], { frameAnchor: "top-right", dx: -6, dy: 22, fill: COLOURS.blue, fontWeight: 600 }),
            ] },
          { title: "People that a model of its own needs", wide: 400,
            describe: `The number of people falls from ${number(curve[0].least, 7)} at epsilon 0.05 to ${number(curve.at(-1).least, 7)} at epsilon 20; here it is ${number(size, 7)}.`,
            x: { type: "log", label: "budget ε (log scale)", ticks: [0.05, 0.2, 1, 5, 20], tickFormat: "~g" }, y: { type: "log", label: "people (log scale)", tickFormat: "~s" },
            marks: [
              Plot.line(curve, { x: "e", y: "least", stroke: COLOURS.dark, strokeWidth: 2 }),
              Plot.ruleX([epsilon], { stroke: COLOURS.dark, strokeDasharray: "4 3" }),
              Plot.dot([{ e: epsilon, least }], { x: "e", y: "least", r: 5, fill: COLOURS.red, tip: true, title: () => `ε = ${number(epsilon)}: ${number(size, 7)} people` }),
            ] },
        ],
        table: {
          caption: `ε = ${number(epsilon)}, ${columns} columns of ${number(codes)} codes: ${number(size, 7)} people.`,
          columns: ["group", "people", "over the number needed", "model"],
          rows: groups.map((g) => [g.name, g.people, g.people / least, g.way]),
        },
      };
    },
    note: "The number is n* = 4√(2/π)·σ·K: noise of standard deviation σ on each of the K cells of a pair of columns, in a model of MST that may spend 95% of ε (5% pay for the groups' sizes). K is taken as the square of the codes of a column.",
  });
}
