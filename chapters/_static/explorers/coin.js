"use strict";
{
  const { number, percent, outOf100, COLOURS } = Explorers, F = Formulas;
  const SHARE = 0.3; // of the town that would have to say yes

  // a generator of numbers in [0, 1) that a seed decides, the same in every browser (mulberry32)
  const seeded = (seed) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const word = (yes) => (yes ? "yes" : "no");
  const side = (heads) => (heads ? "heads" : "tails");
  const answer = (truth, heads, draw) => {
    const first = draw() < heads, second = draw() < 0.5;
    return { first, second, yes: first ? truth : second };
  };

  Explorers.define("coin", {
    title: "what a coin hides, and what it lets through",
    controls: [
      { type: "choice", name: "truth", label: "Your honest answer", value: "yes", options: [["yes", "yes"], ["no", "no"]] },
      { type: "number", name: "toss", label: "Toss again", min: 1, max: 60, whole: true, value: 1 },
      { type: "number", name: "people", label: "Neighbours", min: 20, max: 5000, scale: "log", whole: true, value: 100 },
      { type: "number", name: "target", label: "Unmask neighbour", min: 1, max: 20, whole: true, value: 7 },
      { type: "number", name: "heads", label: "Chance of heads", min: 0.05, max: 0.95, value: 0.5 },
    ],
    show({ truth, toss, people, target, heads }) {
      const own = answer(truth === "yes", heads, seeded(1038 + toss)), draw = seeded(38 + toss);
      const epsilon = Math.log((1 + heads) / (1 - heads)), coin = F.protocol("GRR", 2, epsilon);
      const error = (n) => Math.sqrt(SHARE * (1 - SHARE) / n + F.variance(coin, n, SHARE));
      const files = d3.range(people).map(() => answer(draw() < SHARE, heads, draw).yes);
      let yes = 0;
      const path = files.map((said, i) => {
        yes += said;
        return { n: i + 1, yes, estimate: (yes / (i + 1) - coin.q) / (coin.p - coin.q), error: 1.96 * error(i + 1) };
      });
      const last = path[people - 1], odds = number(Math.exp(epsilon)), file = files[target - 1];
      const bet = F.raised(SHARE, file ? epsilon : -epsilon), line = path.filter((d) => d.n >= 10);
      const seen = d3.range(Math.min(people, 100)).map((i) => ({ i, x: i % 20, y: Math.floor(i / 20), yes: files[i] }));
      const milestones = [20, 50, 100, 200, 500, 1000, 2000, 5000].filter((n) => n < people);
      return {
        sentence: [
          `Your honest answer is “${truth}”. You tossed ${own.first ? "heads, so you tell it" : `tails and then ${side(own.second)}, so the coin speaks`}: your file says “${word(own.yes)}”. Anyone who thought both answers equally likely may now bet ${odds} to 1 on what the file says, and never more.`,
          `Of ${number(people, 5)} neighbours, ${number(last.yes, 5)} ${last.yes === 1 ? "file says" : "files say"} yes. Take the coins out, and the estimate is ${number(100 * last.estimate)}%${last.estimate < 0 || last.estimate > 1 ? " (no share can be, so this is noise)" : ""}; in the whole town it is ${percent(SHARE)}. In about 95 of 100 surveys like this one the estimate is within ${number(100 * last.error)} points${last.error > 0.5 ? ", although a guess of 50% is off by 50 at most" : ""}.`,
          `Now unmask neighbour ${target}. Her file says “${word(file)}”. Of all neighbours ${outOf100(SHARE)} had cheated; of the neighbours with such a file ${outOf100(bet)} had.`,
        ],
        panels: [
          { title: `The estimate settles: share who cheated, from ${number(people, 5)} files`, wide: 420, height: 230, marginLeft: 46,
            describe: `The estimate after each neighbour. After ${people} it is ${number(100 * last.estimate)}%; in the town it is ${percent(SHARE)}.`,
            x: { type: "log", label: "neighbours who have answered (log scale)", tickFormat: "~s", ticks: 4 },
            y: { label: null, domain: [-0.2, 0.8], clamp: true, tickFormat: "%" },
            marks: [
              Plot.areaY(line, { x: "n", y1: (d) => SHARE - d.error, y2: (d) => SHARE + d.error, fill: COLOURS.blue, fillOpacity: 0.15 }),
              Plot.ruleY([SHARE], { stroke: COLOURS.dark, strokeDasharray: "4 3" }),
              Plot.line(line, { x: "n", y: "estimate", stroke: COLOURS.blue, strokeWidth: 2 }),
              Plot.dot([last], { x: "n", y: "estimate", r: 5, fill: COLOURS.blue, tip: true, title: (d) => `after ${d.n}: ${number(100 * d.estimate)}%` }),
            ] },
          { title: "What the researcher can read: full for yes, empty for no", wide: 420, height: 150, marginLeft: 14, marginRight: 14, marginTop: 12, marginBottom: 12,
            describe: `${seen.length} files, ${seen.filter((d) => d.yes).length} of which say yes. Neighbour ${target} is marked: ${word(file)}.`,
            x: { axis: null, domain: [-0.5, 19.5] }, y: { axis: null, reverse: true, domain: [-0.6, 4.6] },
            marks: [Plot.dot(seen, { x: "x", y: "y", r: 6, fill: (d) => (d.yes ? (d.i === target - 1 ? COLOURS.red : COLOURS.blue) : "transparent"),
              stroke: (d) => (d.i === target - 1 ? COLOURS.red : COLOURS.blue), strokeWidth: (d) => (d.i === target - 1 ? 3 : 1.2), tip: true,
              title: (d) => `neighbour ${d.i + 1}: ${word(d.yes)}` })] },
        ],
        table: {
          caption: `The estimate as the neighbours answer; heads with a chance of ${percent(heads)}, toss ${toss}.`,
          columns: ["neighbours", "files that say yes", "estimate", "95% error of such surveys"],
          rows: [...milestones, people].map((n) => [n, path[n - 1].yes, path[n - 1].estimate, path[n - 1].error]),
        },
      };
    },
    note: `Heads: tell the truth. Tails: toss a fair coin, and say yes to heads. Dashed: the town of this explorer, where ${percent(SHARE)} cheated. Orange: the neighbour to unmask. All tosses are drawn in this page; “toss again” draws others.`,
  });
}
