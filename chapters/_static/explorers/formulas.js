// Closed forms that the explorers show. Each mirrors a function of the package `lib`, named beside it; the tests compare
// the two on random inputs (tests/press/test_explorers.py). Pure functions, no page.
"use strict";
globalThis.Formulas = (() => {
  const { exp, log, sqrt, floor, max, min, abs, PI } = Math;

  // --- normal law: 1 - Phi(x), to about 1e-15 (series near 0, continued fraction far out); scipy.stats.norm.sf
  const normalTail = (x) => {
    if (x < 0) return 1 - normalTail(-x);
    if (x > 38.5) return 0;
    const density = exp(-x * x / 2) / sqrt(2 * PI);
    if (x < 3) {
      let term = x, sum = x;
      for (let i = 1; i < 200 && abs(term) > 1e-18 * sum; i++) sum += term *= x * x / (2 * i + 1);
      return 0.5 - density * sum;
    }
    let tail = 0;
    for (let i = 120; i > 0; i--) tail = i / (x + tail);
    return density / (x + tail);
  };

  // --- primer: what one epsilon-LDP report can tell
  const raised = (prior, epsilon) => 1 / (1 + (1 - prior) / prior * exp(-epsilon)); // Bayes with odds times e^eps
  const power = (alpha, epsilon) => min(exp(epsilon) * alpha, 1 - exp(-epsilon) * (1 - alpha)); // best test at level alpha

  // --- the seven protocols: lib.ldp.make(name, k=k, epsilon=epsilon); p* and q* of Section 3.3 of the LDP paper
  const unary = (p, notP, q) => ({ p, notP, q });
  const hashing = (g, epsilon) => {
    const p = 1 / (1 + (g - 1) * exp(-epsilon));
    return { ...unary(p, (g - 1) * p * exp(-epsilon), 1 / g), g };
  };
  // THE's best threshold in closed form: with x = e^(eps theta/2) and a = e^(-eps/2) the variance
  // (2x - 1) / (1 + a x^2 - 2x)^2 is stationary where 3a x^2 - 2(1 + a) x + 1 = 0
  const optimalTheta = (epsilon) => {
    const a = exp(-epsilon / 2);
    return 2 / epsilon * log((1 + a + sqrt((1 + a) ** 2 - 3 * a)) / (3 * a));
  };
  const PROTOCOLS = {
    GRR: (k, epsilon) => {
      const p = 1 / (1 + (k - 1) * exp(-epsilon)), q = p * exp(-epsilon);
      return unary(p, (k - 1) * q, q);
    },
    BLH: (k, epsilon) => hashing(2, epsilon),
    OLH: (k, epsilon) => hashing(floor(exp(epsilon) + 1), epsilon),
    RAPPOR: (k, epsilon) => {
      const p = 1 / (1 + exp(-epsilon / 2)), q = p * exp(-epsilon / 2);
      return unary(p, q, q);
    },
    OUE: (k, epsilon) => unary(0.5, 0.5, exp(-epsilon) / (1 + exp(-epsilon))),
    SS: (k, epsilon) => {
      const shrink = exp(-epsilon), omega = max(1, floor(k * shrink / (1 + shrink)));
      const p = omega / (omega + (k - omega) * shrink), notP = (k - omega) * shrink / (omega + (k - omega) * shrink);
      return { ...unary(p, notP, (p * (omega - 1) + notP * omega) / (k - 1)), omega };
    },
    THE: (k, epsilon) => {
      const theta = optimalTheta(epsilon), notP = exp(epsilon * (theta - 1) / 2) / 2;
      return { ...unary(1 - notP, notP, exp(-epsilon * theta / 2) / 2), theta };
    },
  };
  const protocol = (name, k, epsilon) => PROTOCOLS[name](k, epsilon);
  // Protocol.variance(n, frequency): a holder's bit has variance p*(1-p*), another's q*(1-q*)
  const variance = ({ p, notP, q }, n, frequency) =>
    (frequency * p * notP + (1 - frequency) * q * (1 - q)) / (n * (p - q) ** 2);
  const supported = ({ p, q }, k) => p + (k - 1) * q; // expected number of values that a report supports

  // --- fairness: lib.fairness.group_rates and lib.fairness.fairness (Eqs 1-4 of the LDP paper), from counts or a normal model
  const ratesOfCounts = ({ tp, fn, fp, tn }) => ({
    positive: (tp + fp) / (tp + fn + fp + tn), tpr: tp / (tp + fn), fpr: fp / (fp + tn), acc: (tp + tn) / (tp + fn + fp + tn) });
  const ratesAt = (threshold, base, distance) => {
    const tpr = normalTail(threshold - distance), fpr = normalTail(threshold);
    return { positive: base * tpr + (1 - base) * fpr, tpr, fpr, acc: base * tpr + (1 - base) * (1 - fpr) };
  };
  const fairness = (zero, one) => ({
    DI: zero.positive / one.positive, SPD: one.positive - zero.positive, EOD: one.tpr - zero.tpr, OAD: one.acc - zero.acc });

  // where `f` is 0 between low and high: the first change of its sign on a grid, then bisection; scipy.optimize.brentq
  const bisect = (f, low, high) => {
    let from = f(low);
    for (let i = 0; i < 200 && high - low > 1e-14 * max(1, abs(low)); i++) {
      const middle = (low + high) / 2, value = f(middle);
      if ((value > 0) === (from > 0)) { low = middle; from = value; } else high = middle;
    }
    return (low + high) / 2;
  };
  const lowest = (f, low, high) => { // where `f`, which falls and then rises, is least
    for (let i = 0; i < 100; i++) {
      const a = low + (high - low) / 3, b = high - (high - low) / 3;
      if (f(a) > f(b)) low = a; else high = b;
    }
    return (low + high) / 2;
  };
  const firstRoot = (f, low, high, cells = 80) => {
    const at = (i) => low + (high - low) * i / cells, values = [];
    for (let i = 0; i <= cells; i++) {
      values.push(f(at(i)));
      if (i === 0 || i === cells) if (abs(values[i]) < 1e-12) return at(i);
      if (i === 0) continue;
      const [before, last, now] = [values[i - 2], values[i - 1], values[i]];
      const above = (x) => x > 0, side = above(last) ? 1 : -1;
      if (i > 1 && above(before) === above(last) && above(last) === above(now) && abs(last) <= abs(before) && abs(last) <= abs(now)) {
        const turn = lowest((x) => side * f(x), at(i - 2), at(i)), there = f(turn); // two changes can hide beside it, or a touch
        if (abs(there) < 1e-12) return turn;
        if (above(there) !== above(last)) return bisect(f, at(i - 2), turn);
      }
      if (above(last) !== above(now)) return bisect(f, at(i - 1), at(i));
    }
    return null;
  };

  // --- private means: the steps of COINPRESS do not depend on the data; lib.means.grouped (Algorithms 1 and 2)
  const coinpressNoise = ({ n, width, sigma, rhos, beta = 0.01 }) => {
    let half = width / 2, noise = NaN;
    rhos.forEach((rho, i) => {
      const left = rhos.length - 1 - i, b = left ? beta / (4 * (rhos.length - 1)) : beta / 4;
      const slack = sigma * sqrt(2 * log(2 * n / b));
      noise = (2 * half + 2 * slack) / n / sqrt(2 * rho);
      half = sqrt(2 * (sigma ** 2 / n + noise ** 2) * log(2 / b));
    });
    return { noise, half };
  };
  // E|distance + N(0, noise^2)|, a folded normal; without distance sqrt(2/pi) noise
  const meanAbsolute = (distance, noise) => {
    if (noise === 0) return abs(distance);
    const t = abs(distance) / noise;
    return noise * sqrt(2 / PI) * exp(-t * t / 2) + abs(distance) * (1 - 2 * normalTail(t));
  };
  // studies.private_means.theory: clip_slack, noise_weights and stratified_bound (Proposition 9 with constants)
  const clipSlack = (n, gamma) => sqrt(2 * log(2 * n / gamma));
  const laplaceSumBound = (scale, k, gamma) => {
    const l = log(2 / gamma);
    return sqrt(8 * l) * scale * max(sqrt(k), sqrt(2 * l));
  };
  const stratifiedBound = ({ n, k, radius, epsilon, gamma }) =>
    laplaceSumBound((2 * radius + 2 * clipSlack(n, gamma)) / (n * epsilon), k, gamma);

  // --- coherence: lib.coherence.bounds; members that a group needs, for alpha, beta, epsilon, n people and |C| groups
  // nodes and weights of Gauss and Legendre on [-1, 1]; numpy.polynomial.legendre.leggauss
  const legendre = (count) => {
    const nodes = [];
    for (let i = 0; i < count; i++) {
      let x = Math.cos(PI * (i + 0.75) / (count + 0.5)), slope = 1;
      for (let step = 0; step < 100; step++) {
        let last = 1, now = x;
        for (let k = 2; k <= count; k++) [last, now] = [now, ((2 * k - 1) * x * now - (k - 1) * last) / k];
        slope = count * (x * now - last) / (x * x - 1);
        const change = now / slope;
        x -= change;
        if (abs(change) < 1e-16) break;
      }
      nodes.push([x, 2 / ((1 - x * x) * slope * slope)]);
    }
    return nodes;
  };
  const NODES = legendre(64);
  const { log1p, expm1 } = Math;
  const limitDistance = (epsilon) => { // within_group.limit_distance, for epsilon up to 600
    let total = 0;
    for (const [x, weight] of NODES) {
      const w = 0.75 + 0.25 * x;
      total += weight * (log1p(expm1(epsilon) * w) / w) ** 2;
    }
    return sqrt(0.5 * 0.25 * total);
  };
  const halfSampleDistance = (members, logP, spread = 0) => { // tightened.half_sample_distance
    const q = 1 - 2 * (log(4) - logP) / members;
    if (q <= 0 || members <= 1) return Infinity;
    const root = sqrt(spread / 2) + sqrt(log(2) - logP);
    return 2 / sqrt(q * (members - 1)) + root * sqrt(8 / (q * (members - 0.5) * (1 - 1 / members)));
  };
  const halfSampleSize = (alpha, logP, spread = () => 0) => { // tightened.half_sample_size
    const excess = (members) => halfSampleDistance(members, logP, spread(members)) - alpha;
    const least = max(2, 2 * (log(4) - logP)) * (1 + 1e-12);
    let most = least;
    while (excess(most) > 0) {
      most *= 2;
      if (most > 1e260) return Infinity;
    }
    if (most === least) return least;
    let low = most / 2, high = most; // excess falls with members
    for (let i = 0; i < 200 && high - low > 1e-14 * high; i++) {
      const middle = (low + high) / 2;
      if (excess(middle) > 0) low = middle; else high = middle;
    }
    return (low + high) / 2;
  };
  const theorem3 = ({ alpha, beta, collection }, zeta, inside = 16) => { // paper.theorem3_terms (Equation 2)
    const information = zeta + log(inside * collection / beta);
    return max(33.2 * information / alpha ** 2, 144 * log(6 / alpha) / alpha ** 2, 16.6 * information, 10.6 / alpha, 80);
  };
  const REQUIRED = {
    theorem7: (s) => { // paper.theorem7_terms with max_information.pure_dp (Equation 12)
      const eta = s.beta / (2 * s.collection);
      return theorem3(s, s.epsilon ** 2 * s.n / 4 + s.epsilon * sqrt(s.n * log(2 / eta) / 4));
    },
    theorem8: (s) => theorem3(s, 133 * s.epsilon ** 2 * s.n + 12 * s.epsilon * sqrt(s.n * log(4 * s.collection / s.beta)), 32), // Equation 13
    tightened: (s) => { // tightened.tightened_size with max_information.pure_dp_tightened
      const m = s.n / 2, c = 2 / m * (s.n - 0.5) / (s.n - m) * (1 - 1 / (2 * max(m, s.n - m)));
      const v = s.epsilon ** 2 / (2 * c), zeta = v + sqrt(v * v + 2 * v * log(2 / (s.beta / 2)));
      return halfSampleSize(s.alpha, log(s.beta / (2 * s.collection)) - zeta);
    },
    within: (s) => { // within_group.within_size
      const limit = limitDistance(s.epsilon);
      if (limit >= s.alpha) return Infinity;
      return halfSampleSize(s.alpha, log(s.beta / s.collection), (m) => (m * limit ** 2 + s.epsilon ** 2) / 4);
    },
  };
  // what a theorem covers, and where a parameter is searched: lib.coherence.guarantee
  const LARGEST = { theorem7: 1, theorem8: 0.5, tightened: 600, within: 600 };
  const SEARCHED = { alpha: [1e-60, 2], beta: [1e-300, 1], gamma: [1, 1e60], collection: [1, 1e15], n: [4, 1e60], epsilon: [1e-100, 600] };
  const WHOLE = ["gamma", "n", "collection"];
  const requiredSize = (mode, s) => REQUIRED[mode](s);
  const sizeRatio = (mode, s) => { // guarantee.size_ratio, with delta 0
    if (s.gamma > s.n || s.n < 4 || s.epsilon > LARGEST[mode]) return 0;
    const needed = requiredSize(mode, s);
    return s.gamma >= needed ? s.gamma / needed : min(s.gamma / needed, 1 - 1e-16);
  };
  const edge = (ok, good, bad) => { // interval_search._edge
    if (good === bad || ok(bad)) return bad;
    for (let i = 0; i < 400; i++) {
      const middle = sqrt(good) * sqrt(bad);
      if (ok(middle)) good = middle; else bad = middle;
      if (abs(log(bad / good)) < 1e-12) break;
    }
    return good;
  };
  const wholeEdge = (ok, found, inside, end) => { // interval_search._whole
    if (found === end || inside === end) return end;
    const step = end > inside ? 1 : -1;
    let good = step > 0 ? floor(found) : Math.ceil(found);
    if (!ok(good)) good = floor(inside);
    let bad = good + step * (1 + Math.ceil(abs(good) * 1e-9));
    while (abs(bad - good) > 1) {
      const middle = floor((good + bad) / 2);
      if (middle === good || middle === bad) break;
      if (ok(middle)) good = middle; else bad = middle;
    }
    return good;
  };
  // the best valid value of `unknown`, or null; lib.coherence.solver.solve, with delta 0 and gamma in people
  const solve = (mode, unknown, s) => {
    if (unknown === "gamma") {
      const full = { ...s, gamma: s.n };
      if (sizeRatio(mode, full) < 1) return null;
      const least = Math.ceil(requiredSize(mode, full));
      return least <= floor(s.n) ? least : null;
    }
    let [low, high] = SEARCHED[unknown];
    if (unknown === "epsilon") high = LARGEST[mode];
    if (unknown === "n") low = max(low, s.gamma);
    if (WHOLE.includes(unknown)) [low, high] = [Math.ceil(low), floor(high)];
    const ok = (value) => sizeRatio(mode, { ...s, [unknown]: value }) >= 1;
    const inside = [low, high].find(ok);
    if (inside === undefined) return null; // every ratio is monotone where delta is 0
    const best = ["epsilon", "collection", "n"].includes(unknown) ? high : low;
    const found = edge(ok, inside, best);
    if (unknown === "n" && mode === "within" && found === high) return Infinity; // n plays no part
    return WHOLE.includes(unknown) ? wholeEdge(ok, found, inside, best) : found;
  };
  const insufficientEpsilon = (alpha) => (alpha < 2 ? 4 * Math.atanh(alpha / 2) : Infinity); // within_group.insufficient_epsilon

  // --- the ledger: lib.ledger.rules and lib.stats.p_values; an evidence has value, low, high, p, reference where they exist
  const LEVEL = 0.05;
  const TOO_CLOSE = "too close to call", BITS = 1e-9;
  const inside = (e, least, most) => { // true, false, or null where the interval has both sides
    const low = min(e.value, e.low ?? e.value), high = max(e.value, e.high ?? e.value);
    if (least - BITS <= low && high <= most + BITS) return true;
    return high < least - BITS || low > most + BITS ? false : null;
  };
  const sameSide = (e, target) => (e.value - e.reference) * (target - e.reference) > 0;
  const word = (met, same) => (met === null ? TOO_CLOSE : met ? "reproduced" : same ? "same direction" : "not reproduced");
  const RULES = {
    near: (e, { target, tolerance }) => word(inside(e.own_runs ? { value: e.value } : e, target - tolerance, target + tolerance), sameSide(e, target)),
    agrees: (e, { target, tolerance, runs }) => {
      const far = tolerance + (e.high === undefined ? 0 : e.high - e.value) * Math.sqrt(1 + e.runs / runs);
      if (abs(e.value - target) > far + BITS) return word(false, sameSide(e, target));
      return word(abs(e.value - e.reference) <= far ? null : true, true);
    },
    at_least: (e, { threshold }) => word(inside(e, threshold, Infinity), e.value > 0.5),
    positive: (e) => word(e.value > 0 && e.p < LEVEL ? true : e.value < 0 && e.p_opposite < LEVEL ? false : null, false),
    within: (e, { margin }) => word(e.low === undefined && e.runs ? null : inside(e, -margin, margin), false),
    returns: (e, { margin, part = 0 }) => {
      const most = max(margin, part * abs(e.reference ?? 0));
      return word(inside(e, -most, most), abs(e.value) < abs(e.reference));
    },
    true: (e) => word(e.value === 1, false),
  };
  const scaled = (rule, tolerance, factor) => { // robustness._scaled
    if (rule === "near" || rule === "agrees") return { ...tolerance, tolerance: factor * tolerance.tolerance };
    if (rule === "within" || rule === "returns") return { ...tolerance, margin: factor * tolerance.margin };
    if (rule === "at_least") return { ...tolerance, threshold: max(0, 1 - factor * (1 - tolerance.threshold)) };
    return tolerance;
  };
  const judge = ({ rule, tolerance, fixed }, evidence, factor) => {
    if (fixed) return fixed;
    if (evidence.value === undefined) return "not run";
    return evidence.comparable === false ? "not comparable" : RULES[rule](evidence, scaled(rule, tolerance, factor));
  };
  const CORRECTIONS = { // of p-values; scipy.stats.false_discovery_control for the second
    Holm: (p) => {
      const order = p.map((_, i) => i).sort((a, b) => p[a] - p[b]), found = [];
      let most = 0;
      order.forEach((place, i) => { most = max(most, (p.length - i) * p[place]); found[place] = min(1, most); });
      return found;
    },
    "Benjamini-Hochberg": (p) => {
      const order = p.map((_, i) => i).sort((a, b) => p[b] - p[a]), found = [];
      let least = 1;
      order.forEach((place, i) => { least = min(least, p.length / (p.length - i) * p[place]); found[place] = least; });
      return found;
    },
    none: (p) => [...p],
  };
  // the verdicts of all rows, for evidence by the row's place; adjusted p-values replace those of directional rows
  const verdicts = (rows, evidence, factor, correction) => {
    const tested = rows.map((_, i) => i).filter((i) => rows[i].rule === "positive" && evidence[i].p !== undefined);
    const above = CORRECTIONS[correction](tested.map((i) => evidence[i].p));
    const below = CORRECTIONS[correction](tested.map((i) => evidence[i].p_opposite));
    const final = evidence.map((e) => ({ ...e }));
    tested.forEach((i, j) => { final[i].p = above[j]; final[i].p_opposite = below[j]; });
    return rows.map((row, i) => ({ verdict: judge(row, final[i], factor), p: final[i].p, evidence: final[i] }));
  };
  // the factor of the tolerance, nearest to `factor`, at which the verdict of a row changes, and the verdict behind it
  const BEHIND = 1e-6; // beyond what counts as a tie
  const flip = (row, e, factor) => {
    if (row.fixed || e.value === undefined || e.comparable === false) return null;
    const { target, tolerance, margin, threshold } = row.tolerance, spot = [];
    const ends = row.rule === "near" && e.own_runs ? [e.value] : [e.value, e.low ?? e.value, e.high ?? e.value];
    if (row.rule === "near") spot.push(...ends.map((x) => abs(x - target) / tolerance));
    if (row.rule === "agrees") spot.push((abs(e.value - target) - ((e.high ?? e.value) - e.value) * Math.sqrt(1 + e.runs / row.tolerance.runs)) / tolerance);
    if (row.rule === "within" || row.rule === "returns") spot.push(...ends.map((x) => abs(x) / margin));
    if (row.rule === "at_least" && threshold < 1) spot.push(...ends.map((x) => (1 - x) / (1 - threshold)));
    const now = judge(row, e, factor);
    const behind = (f) => f * (f < factor ? 1 - BEHIND : 1 + BEHIND);
    const found = spot.filter((f) => f > 0).map((f) => ({ at: f, verdict: judge(row, e, behind(f)) }))
      .filter((f) => f.verdict !== now).sort((a, b) => abs(log(a.at / factor)) - abs(log(b.at / factor)));
    return found[0] ?? null;
  };

  // --- synthesizers: lib.synth.break_even, and who shares a model (lib.synth.stratified)
  const breakEven = ({ epsilon, columns, cells, sizes = 0.05, delta = 1e-9 }) => {
    const l = log(1 / delta), rho = (1 - sizes) * (sqrt(l + epsilon) - sqrt(l)) ** 2;
    return 4 * sqrt(2 / PI) * sqrt(3 * (columns - 1) / (2 * rho)) * cells;
  };
  const sharing = (people, least) => {
    const shared = people.map((n) => n <= least), sum = () => people.reduce((s, n, i) => s + (shared[i] ? n : 0), 0);
    while (shared.includes(true) && shared.includes(false) && sum() < least) {
      const next = min(...people.filter((_, i) => !shared[i]));
      shared[people.findIndex((n, i) => !shared[i] && n === next)] = true;
    }
    return shared;
  };

  return { breakEven, sharing, normalTail, raised, power, PROTOCOLS, protocol, optimalTheta, variance, supported, ratesOfCounts, ratesAt, fairness,
    bisect, firstRoot, coinpressNoise, meanAbsolute, clipSlack, stratifiedBound,
    limitDistance, halfSampleDistance, requiredSize, LARGEST, SEARCHED, solve, insufficientEpsilon,
    CORRECTIONS, judge, verdicts, flip };
})();
