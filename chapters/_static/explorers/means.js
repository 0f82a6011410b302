"use strict";
{
  const { number, COLOURS } = Explorers, F = Formulas;
  // the published settings: two steps with a quarter and three quarters of rho, failure probability 0.01
  const noise = (n, rho, width, sigma) => F.coinpressNoise({ n, width, sigma, rhos: [0.25 * rho, 0.75 * rho] }).noise;

  Explorers.define("means", {
    title: "a private mean of everybody, or one for each group",
    controls: [
      { type: "number", name: "members", label: "People in the group", min: 2, max: 100000, scale: "log", whole: true, value: 100 },
      { type: "number", name: "rho", label: "Budget ρ", min: 0.001, max: 10, scale: "log", value: 0.5 },
      { type: "number", name: "distance", label: "Distance of the group's mean from everybody's", min: 0, max: 10, value: 1 },
      { type: "number", name: "sigma", label: "Spread σ inside a group", min: 0.1, max: 50, scale: "log", value: 5.69 },
      { type: "number", name: "width", label: "Width of the declared range", min: 1, max: 10000, scale: "log", value: 24 },
      { type: "number", name: "n", label: "People in all", min: 1000, max: 10000000, scale: "log", whole: true, value: 191372 },
    ],
    show({ members, rho, distance, sigma, width, n }) {
      const whole = noise(n, rho, width, sigma);
      const plain = F.meanAbsolute(distance, whole);
      const own = (m) => F.meanAbsolute(0, noise(m, rho, width, sigma));
      const most = Math.max(n, members), sizes = d3.range(0, 81).map((i) => 2 * (most / 2) ** (i / 80));
      const curve = sizes.map((m) => ({ m, own: own(m) })), now = own(members);
      const log = (x) => Math.log(x);
      const even = own(2) > plain && own(most) < plain ? Math.exp(F.bisect((t) => own(Math.exp(t)) - plain, log(2), log(most))) : null;
      const bottom = Math.min(plain, curve.at(-1).own, now) / 2, top = Math.max(curve[0].own, plain) * 2;
      const gains = now < plain, farthest = width * (1 - Math.min(members, n) / n); // with this group and all others in the range
      const impossible = members > n ? `A group of ${number(members, 7)} people is larger than the ${number(n, 8)} in all. Make the group smaller.`
        : distance > farthest ? `If the range of ${number(width)} holds, the mean of ${number(members, 7)} people among ${number(n, 8)} is at most ${number(farthest)} from everybody's mean. Move the distance or the range.` : null;
      // a number beyond the range would only say that the mean is noise
      const off = (x) => (x > width ? `more than the range of ${number(width)}` : number(x)), wild = plain > width || now > width;
      const result = members === n ? " They are everybody, so both are the same mean." : plain > width && now > width ? "" : ` They ${gains ? "gain" : "lose"} with a mean of their own.`;
      return {
        sentence: impossible ? [impossible] : [
          `A group of ${number(members, 7)} people: the private mean of everybody is off by ${off(plain)} for them, and a private mean of their own by ${off(now)} (mean size of the error).` +
            (wild ? " Where an error is larger than the range, any guess inside the range is nearer." : "") + result,
          even === null ? `At ρ = ${number(rho)}, ${own(2) < plain ? "every group gains" : "no group gains"}.` : `At ρ = ${number(rho)}, groups gain from about ${number(Math.ceil(even), 6)} people on.`,
        ],
        panels: [
          { title: "Error of the group's mean, by group size", wide: 760, marginLeft: 62,
            describe: `Error against group size on logarithmic scales. A mean of their own falls from ${number(curve[0].own)} for 2 people to ${number(curve.at(-1).own)} for ${number(most, 8)}. The mean of everybody stays at ${number(plain)}.`,
            x: { type: "log", label: "people in the group (log scale)", tickFormat: "~s", ticks: 5 },
            y: { type: "log", label: "mean error (log scale)", domain: [bottom, top], tickFormat: (d) => number(d), ticks: 5 },
            marks: [
              Plot.ruleY([plain], { stroke: COLOURS.grey, strokeWidth: 2 }),
              Plot.line(curve, { x: "m", y: "own", stroke: COLOURS.blue, strokeWidth: 2 }),
              Plot.text(["a mean of their own"], { frameAnchor: "bottom-left", dx: 6, dy: -22, fill: COLOURS.blue, fontWeight: 600 }),
              Plot.text(["the mean of everybody"], { frameAnchor: "bottom-left", dx: 6, dy: -6, fill: COLOURS.grey, fontWeight: 600 }),
              Plot.dot([{ x: members, y: now, words: "a mean of their own", c: gains ? COLOURS.blue : COLOURS.red }, { x: members, y: plain, words: "the mean of everybody", c: COLOURS.grey }],
                { x: "x", y: "y", r: 5, fill: "c", tip: true, title: (d) => `${d.words}: off by ${off(d.y)}` }),
            ] },
        ],
        table: {
          caption: `Mean size of the error at ρ = ${number(rho)}: σ = ${number(sigma)}, declared range ${number(width)} wide, ${number(n, 8)} people in all, distance ${number(distance)}.`,
          columns: ["people in the group", "mean of everybody", "mean of their own"],
          rows: [...new Set([members, 2, 10, 100, 1000, 10000, 100000])].map((m) => [m, plain, own(m)]),
        },
      };
    },
    note: "COINPRESS with the published two steps, when no value is clipped: exact. The start values are those of schooling in New York. The spread comes from an oracle and is not charged.",
  });
}
