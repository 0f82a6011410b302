"use strict";
{
  const { number, outOf, outOf100, crowd: crowdFor, COLOURS } = Explorers, F = Formulas;
  const RATES = [["tpr", "true positive rate"], ["fpr", "false positive rate"], ["positive_rate", "positive predictions"], ["acc", "accuracy"]];
  const POSITIVE = {
    adult: (group) => `${group} who earn more than 26,000 dollars`,
    acs_coverage: (group) => `people ${group} who have public insurance`,
    lsac: (group) => `${group} who pass the bar exam`,
  };
  const WHOSE = { seen: "the rows that the model saw", held: "people held out" };
  const counted = (people) => (people === 1 ? "1 person" : `${number(people, 7)} people`);
  const closest = (values, epsilon) => d3.minIndex(values, (v) => Math.abs(Math.log(v / epsilon)));

  Explorers.define("who_pays", {
    title: "who pays for privacy",
    data: "who_pays",
    controls: (data) => [
      { type: "choice", name: "group", label: "Group by sex and race (people whom the model saw)", value: "2", options: data.groups.map((g, i) => [String(i), `${g.name} (${number(g.people, 7)})`]) },
      { type: "number", name: "epsilon", label: "Budget ε", min: 0.01, max: 50, scale: "log", value: 1 },
      { type: "choice", name: "synthesizer", label: "Algorithm of the release", value: "AIM", options: Object.keys(data.seen.errors).map((n) => [n, n]) },
      { type: "choice", name: "rated", label: "Group that a classifier judges", value: "acs_coverage/1",
        options: Object.entries(data.ldp).flatMap(([name, d]) => d.groups.map((g, i) => [`${name}/${i}`, `${d.title}: ${g}`])) },
    ],
    show({ group, epsilon, synthesizer, rated }, data) {
      const own = data.groups[Number(group)], at = closest(data.epsilons, epsilon), budget = data.epsilons[at];
      const ways = [["plain", "one model for everybody", COLOURS.blue], ["own", "a model for each group", COLOURS.red]];
      const ends = (whose, way, i) => data[whose].errors[synthesizer][way][Number(group)][i];
      const yardsticks = Object.keys(WHOSE).map((whose) => {
        const errors = ways.flatMap(([way, words]) => data.epsilons.map((e, i) => ({ way, words, e, i })).filter((d) => ends(whose, way, d.i))
          .map((d) => { const [mean, low, high] = ends(whose, way, d.i); return { ...d, mean, low, high }; }));
        return { whose, words: WHOSE[whose], errors, again: data[whose].again[Number(group)], plain: ends(whose, "plain", at), own: ends(whose, "own", at), change: ends(whose, "change", at) };
      });
      const [seen, held] = yardsticks;
      const [name, side] = rated.split("/"), ldp = data.ldp[name], place = closest(ldp.epsilons, epsilon), run = ldp.epsilons[place];
      const noisy = ldp.epsilons.map((e, i) => ({ e, mean: ldp.with[`tpr_${side}`][i][0], low: ldp.with[`tpr_${side}`][i][1], high: ldp.with[`tpr_${side}`][i][2] }));
      const without = ldp.without[`tpr_${side}`][0], right = F.raised(0.5, epsilon), people = POSITIVE[name](ldp.groups[Number(side)]);
      const attackers = crowdFor(0.5, right);
      const crowd = d3.range(100).map((i) => ({ x: i % 10, y: Math.floor(i / 10), right: i < Math.round(100 * right), chance: i < 50 }));
      const nearest = (e) => (e === epsilon ? "" : ` (at ${number(e)}, the nearest ε that was run)`);
      const span = ([mean, low, high]) => `${number(mean)} [${number(low)}, ${number(high)}]`;
      // a change is one where its whole interval is on one side of 0
      const change = ({ words, change: [mean, low, high] }) => (low > 0 || high < 0
        ? `${mean < 0 ? "smaller" : "larger"} on ${words}, by ${number(Math.abs(mean))} [${number(Math.min(Math.abs(low), Math.abs(high)))}, ${number(Math.max(Math.abs(low), Math.abs(high)))}]` : `not clearly different on ${words}`);
      const rule = (e) => Plot.ruleX([e], { stroke: COLOURS.dark, strokeDasharray: "4 3" });
      const colour = Object.fromEntries(ways.map(([way, , c]) => [way, c]));
      return {
        sentence: [
          `Take ε = ${number(epsilon)}, and suppose that it is as likely as not that a person is in the data. Then at most ${outOf(right, attackers)} attackers who see a release guess right; without a release it is ${outOf(0.5, attackers)}.`,
          own.people === 1 ? `The group “${own.name}” is one person among ${WHOSE.seen}. One model for everybody describes this person with an error of ${span(seen.plain)}${nearest(budget)} (2 is the most), and a model for each group with ${span(seen.own)}. A smaller error would be no gain, because the release would say more about one person. Nobody like this person was held out.`
            : `How well do the artificial rows describe the people “${own.name}” whom the model saw? By one model for everybody the error of their tables is ${span(seen.plain)}${nearest(budget)}, where 2 is the most. Real rows drawn again, without privacy, have ${number(seen.again)}.`,
          own.people > 1 && held.plain ? `How well do the artificial rows describe people like them, who were held out? There the error is ${span(held.plain)}, and real rows drawn again have ${number(held.again)}.` : null,
          own.people > 1 && held.plain ? `With a model for each group, the error is ${change(seen)}; it is ${change(held)}.` : null,
          `If people add noise themselves, a classifier finds ${outOf100(noisy[place].mean)} ${people}${nearest(run)}; without noise it finds ${outOf100(without)}.`,
        ].filter((words) => words !== null),
        panels: [
          { title: "Attackers who guess right, of 100", wide: 260, height: 270, marginLeft: 20, marginRight: 20, marginBottom: 20,
            describe: `100 attackers as dots. At most ${outOf(right, attackers)} attackers guess right; without a release it is ${outOf(0.5, attackers)}.`,
            x: { axis: null }, y: { axis: null, reverse: true }, aspectRatio: 1,
            marks: [Plot.dot(crowd, { x: "x", y: "y", r: 8, fill: (d) => (d.right ? (d.chance ? COLOURS.grey : COLOURS.red) : "none"), stroke: COLOURS.grey, tip: true,
              title: (d) => (d.right ? (d.chance ? "right, as by a coin" : "right because of the release, at most") : "wrong") })] },
          ...yardsticks.map(({ words: where, errors, again }) => ({ title: `Error of the tables about the group “${own.name}”, on ${where}`, wide: 380,
            describe: `Error on ${where} against epsilon for ${own.name}, ${counted(own.people)}, ${synthesizer}. ${errors.map((d) => `${d.words} at ${d.e}: ${number(d.mean)}`).join("; ") || "Nobody to compare with"}.`,
            x: { type: "log", label: "budget ε (log scale)", tickFormat: "~g", ticks: data.epsilons, domain: d3.extent(data.epsilons) }, y: { label: "error (0 to 2)", domain: [0, 2], clamp: true },
            marks: [
              Plot.ruleY([again].filter((e) => e !== null), { stroke: COLOURS.grey, tip: true, title: () => `rows drawn again, without privacy: ${number(again)}` }),
              rule(budget),
              Plot.ruleX(errors, { x: "e", y1: "low", y2: "high", stroke: (d) => colour[d.way] }),
              Plot.line(errors, { x: "e", y: "mean", z: "way", stroke: (d) => colour[d.way], strokeWidth: 2 }),
              ...(errors.length ? ways : [["", "nobody was held out", COLOURS.dark]]).map(([, words, fill], i) => Plot.text([words], { frameAnchor: "bottom-left", dx: 6, dy: -6 - 16 * i, fill, fontWeight: 600 })),
              Plot.dot(errors, { x: "e", y: "mean", fill: (d) => colour[d.way], r: 4, tip: true, title: (d) => `${d.words}, ε = ${d.e}: ${span([d.mean, d.low, d.high])}` }),
            ] })),
          { title: `Found by a classifier: ${people}`, wide: 380,
            describe: `Share found against epsilon with local noise: ${noisy.map((d) => `${d.e}: ${number(d.mean)}`).join("; ")}; without noise ${number(without)}.`,
            x: { type: "log", label: "budget ε (log scale)", tickFormat: "~g", ticks: [0.25, 1, 4, 20, 50] }, y: { label: "share found", domain: [0, 1], tickFormat: "%" },
            marks: [
              Plot.ruleY([without], { stroke: COLOURS.grey, strokeWidth: 2, tip: true, title: () => `without noise: ${number(without)}` }),
              rule(run),
              Plot.ruleX(noisy, { x: "e", y1: "low", y2: "high", stroke: COLOURS.blue }),
              Plot.line(noisy, { x: "e", y: "mean", stroke: COLOURS.blue, strokeWidth: 2 }),
              Plot.dot(noisy, { x: "e", y: "mean", fill: COLOURS.blue, r: 4, tip: true, title: (d) => `ε = ${d.e}: ${number(d.mean)} [${number(d.low)}, ${number(d.high)}]` }),
            ] },
        ],
        table: {
          caption: `${own.name} (the model saw ${counted(own.people)}), with ${synthesizer} at ε = ${budget}; ${ldp.title}, ${ldp.groups[Number(side)]}, at ε = ${run}.`,
          columns: ["what", "value", "interval from", "interval to", "without privacy"],
          rows: [
            ["attackers who guess right, at most", right, null, null, 0.5],
            ...yardsticks.flatMap((y) => ways.map(([way, words]) => [`error on ${y.words}, ${words}`, ...(y[way] ?? [null, null, null]), y.again])),
            ...RATES.map(([rate, words]) => [`${words} under local noise`, ...ldp.with[`${rate}_${side}`][place], ldp.without[`${rate}_${side}`][0]]),
          ],
        },
      };
    },
    note: "Grey: without privacy (dots: right by chance). Blue: one model for everybody, and local noise. Orange: a model for each group, and what a release adds for an attacker. Errors: means of 5 runs on the NIST sample. Rates, on people whom the classifier had not seen: means over seven protocols, two budget splits and 20 runs. Vertical lines in colour are 95% intervals; the dashed line marks the budget of the runs that is nearest to yours.",
  });
}
