// Closed forms that the explorers show. Each mirrors a function of the package `lib`, named beside it; the tests compare
// the two on random inputs (tests/book/test_explorers.py). Pure functions, no page.
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

  // where `f` changes its sign between low and high: the first such place on a grid, then bisection; scipy.optimize.brentq
  const bisect = (f, low, high) => {
    let from = f(low);
    for (let i = 0; i < 200 && high - low > 1e-14 * max(1, abs(low)); i++) {
      const middle = (low + high) / 2, value = f(middle);
      if ((value > 0) === (from > 0)) { low = middle; from = value; } else high = middle;
    }
    return (low + high) / 2;
  };
  const firstRoot = (f, low, high, cells = 80) => {
    for (let i = 0; i < cells; i++) {
      const a = low + (high - low) * i / cells, b = low + (high - low) * (i + 1) / cells;
      if ((f(a) > 0) !== (f(b) > 0)) return bisect(f, a, b);
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
  // lib.means.theory: clip_slack, noise_weights and stratified_bound (Proposition 9 with constants)
  const clipSlack = (n, gamma) => sqrt(2 * log(2 * n / gamma));
  const laplaceSumBound = (scale, k, gamma) => {
    const l = log(2 / gamma);
    return sqrt(8 * l) * scale * max(sqrt(k), sqrt(2 * l));
  };
  const stratifiedBound = ({ n, k, radius, epsilon, gamma }) =>
    laplaceSumBound((2 * radius + 2 * clipSlack(n, gamma)) / (n * epsilon), k, gamma);

  return { normalTail, raised, power, PROTOCOLS, protocol, optimalTheta, variance, supported, ratesOfCounts, ratesAt, fairness,
    bisect, firstRoot, coinpressNoise, meanAbsolute, clipSlack, stratifiedBound };
})();
