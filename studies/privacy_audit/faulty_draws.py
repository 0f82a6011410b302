"""Draws that are not what their looks say: what replaces a sampler or a charge of the package.

Each has the name of its fault in ``data/privacy_faults.yml``, behind an underscore.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import ndtr as _cdf
from scipy.special import ndtri as _quantile

from lib.dp import Exponential, Gaussian, Laplace, PrivacyAccountant, choose, noisy
from lib.dp.entries import ADD_OR_REMOVE, WITHIN, Promise
from lib.synth import Stratified
from lib.synth.stratified import group_sizes


def _scores(change: Callable) -> Callable:
    """A sampler of normal noise whose scores are ``change(scores, exact values, memory)``.

    ``memory`` has the scores of all looks so far: of this fit, then of the fit before.
    """
    memory: dict = {"rng": None, "now": [], "before": []}

    def release(self, values, rng):
        if memory["rng"] is not rng:
            memory.update(rng=rng, now=[], before=memory["now"])
        z = np.asarray(rng.standard_normal(np.shape(values)))
        z = np.asarray(change(z, np.asarray(values), memory))
        memory["now"].append(z)
        return values + z * self.sigma

    return release


def _again(earlier: list, z: np.ndarray) -> np.ndarray:
    return np.resize(earlier, z.shape)


_half_noise = _scores(lambda z, exact, memory: z / 2)
_less_noise = _scores(lambda z, exact, memory: 0.9 * z)
_even_noise = _scores(lambda z, exact, memory: np.sqrt(12) * (_cdf(z) - 0.5))
_coarse_noise = _scores(lambda z, exact, memory: np.round(4 * z) / 4)
_less_for_many = _scores(lambda z, exact, memory: np.where(exact > 5, 0.6, 1.0) * z)
_none_for_four = _scores(lambda z, exact, memory: z * (np.size(z) != 4))
_none_for_thousands = _scores(lambda z, exact, memory: z * (exact <= 1000))
_none_for_zeros = _scores(lambda z, exact, memory: z * (exact != 0))


@_scores
def _cut_noise(z, exact, memory):
    return _quantile(_cdf(-2.5) + (1 - 2 * _cdf(-2.5)) * _cdf(z))


@_scores
def _noise_of_look_1(z, exact, memory):
    return _again(memory["now"][-2], z) if len(memory["now"]) > 1 else z


@_scores
def _noise_of_last_fit(z, exact, memory):
    first = len(memory["now"]) == 0 and memory["before"]
    return _again(memory["before"][0], z) if first else z


@_scores
def _noise_of_cell_0(z, exact, memory):
    flat = z.ravel().copy()
    flat[2:3] = flat[:1]
    return flat.reshape(z.shape)


@_scores
def _drifting_noise(z, exact, memory):
    flat = z.ravel().copy()
    for i in range(1, flat.size):
        flat[i] = 0.6 * flat[i - 1] + 0.8 * flat[i]
    return flat.reshape(z.shape)


@_scores
def _opposite_noise(z, exact, memory):
    return -_again(memory["now"][-1], z) if len(memory["now"]) % 2 else z


@_scores
def _seed_of_data(z, exact, memory):
    return np.random.default_rng(int(np.abs(exact).sum() * 1000)).standard_normal(z.shape)


def _half_sharp(self, scores, rng):
    best, drawn = int(np.argmax(scores)), int(_select(self, scores, rng))
    return best if rng.random() < 0.5 else drawn


def _twice_as_sharp(self, scores, rng):
    return _select(replace(self, epsilon=2 * self.epsilon, rho=None), scores, rng)


def _one_noise(self, values, rng):
    return values + rng.standard_normal() * np.ones(np.shape(values)) * self.sigma


def _less_laplace(self, values, rng):
    return values + rng.laplace(0.0, 0.85, np.shape(values)) * self.scale


def _positive_laplace(self, values, rng):
    return values + np.abs(rng.laplace(0.0, 1.0, np.shape(values))) * self.scale


_select, _behind, _charge = Exponential.select, Exponential._behind, PrivacyAccountant._charge


def _noise_again(self, values, rng):
    state = rng.bit_generator.state
    rng.standard_normal(np.shape(values))
    again = np.random.default_rng(state["state"]["inc"] % 2**32)  # equal for every look of a fit
    return values + again.standard_normal(np.shape(values)) * self.sigma


def _inverse_scores(self, scores):
    return _behind(self, 1 / (1 + np.asarray(scores, dtype=float)))


def _half_deviation(rho):
    """A law that states a sensitivity of 1 and has the noise for a half."""
    law = Gaussian(sensitivity=1.0, rho=rho)
    object.__setattr__(law, "sigma", law.sigma / 2)  # a stated half would be refused
    return law


def _half_sensitivity(sensitivity, scale, **law):
    return Laplace(sensitivity=sensitivity / 2, **law)


def _best_option(self, scores, rng):
    rng.random()
    return int(np.argmax(scores))


def _charged_by_newest(self, entry, relation, by):
    """The budget is counted under the relation of the newest look."""
    self.relation, self.by = None, ()
    return _charge(self, entry, relation, by)


def _unseen(mechanism, scores, rng, what, accountant):
    accountant.spend(what, mechanism.rho, kind="selection")
    return int(mechanism.select(scores, rng))


def _options_of_data(mechanism, scores, rng, what, accountant):
    """Options whose score is not above the mean are dropped before the draw."""
    scores = np.asarray(scores, dtype=float)
    kept = np.flatnonzero(scores >= scores.mean())
    return int(kept[choose(mechanism, scores[kept], rng, what, accountant)])


def _sensitivity_of_data(mechanism, scores, rng, what, accountant):
    """The sensitivity is a share of the largest score."""
    law = Exponential.of_rho(mechanism.rho, sensitivity=max(1e-3, float(np.max(np.abs(scores)))))
    return choose(law, scores, rng, what, accountant)


_of_rho, _sizes = Exponential.of_rho, Stratified._sizes


def _sharp_selection(rho, *, sensitivity):
    return _of_rho(rho, sensitivity=sensitivity / 2)


def _no_clipping(parts, low, high):
    return parts.total / parts.own


def _uncharged(mechanism, scores, rng, what, accountant):
    return choose(mechanism, scores, rng, what)


def _uncharged_noise(mechanism, values, rng, what, accountant, sensitivity):
    return noisy(mechanism, values, rng, what, None, sensitivity)


def _sizes_not_noted(self, what, by):
    pass


_widest_promise = property(lambda self: Promise(ADD_OR_REMOVE, self.spent))
_nameless_promise = property(lambda self: Promise(WITHIN, self.price(WITHIN)))


def _exact_weights(self, data, domain, *rest):
    _sizes(self, data, domain, *rest)
    return group_sizes(data, domain, self.by)


def _strata_of_data(self, data, domain, *rest):
    sizes = np.maximum(_sizes(self, data, domain, *rest), 1.0)
    return np.where(group_sizes(data, domain, self.by) > 0, sizes, 0.0)


def _exact_total(mechanism, values, rng, what, *rest):
    answer = noisy(mechanism, values, rng, what, *rest)
    return np.asarray(values, dtype=float) if what == "number of rows" else answer
