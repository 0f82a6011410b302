"""Draws that are not what their looks say: what replaces a sampler or a charge of the package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

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


def _of_look_before_last(z, exact, memory):
    return _again(memory["now"][-2], z) if len(memory["now"]) > 1 else z


def _of_last_fit(z, exact, memory):
    place = len(memory["now"])
    first = place == 0 and memory["before"]
    return _again(memory["before"][0], z) if first else z


def _third_from_first(z, exact, memory):
    flat = z.ravel().copy()
    flat[2:3] = flat[:1]
    return flat.reshape(z.shape)


def _drifting(z, exact, memory):
    flat = z.ravel().copy()
    for i in range(1, flat.size):
        flat[i] = 0.6 * flat[i - 1] + 0.8 * flat[i]
    return flat.reshape(z.shape)


def _opposite(z, exact, memory):
    return -_again(memory["now"][-1], z) if len(memory["now"]) % 2 else z


def _seeded_by_exact(z, exact, memory):
    seed = int(np.abs(exact).sum() * 1000)
    return np.random.default_rng(seed).standard_normal(z.shape)


def _half_sharp(self, scores, rng):
    best, drawn = int(np.argmax(scores)), int(_select(self, scores, rng))
    return best if rng.random() < 0.5 else drawn


def _twice_as_sharp(self, scores, rng):
    return _select(replace(self, epsilon=2 * self.epsilon, rho=None), scores, rng)


def _half_laplace(self, values, rng):
    return values + np.abs(rng.laplace(0.0, 1.0, np.shape(values))) * self.scale


_select, _behind, _charge = Exponential.select, Exponential._behind, PrivacyAccountant._charge


def _release_again(self, values, rng):
    state = rng.bit_generator.state
    rng.standard_normal(np.shape(values))
    again = np.random.default_rng(state["state"]["inc"] % 2**32)  # equal for every look of a fit
    return values + again.standard_normal(np.shape(values)) * self.sigma


def _half_deviation(rho):
    """A law that states a sensitivity of 1 and has the noise for a half."""
    law = Gaussian(sensitivity=1.0, rho=rho)
    object.__setattr__(law, "sigma", law.sigma / 2)  # a stated half would be refused
    return law


def _half_as_sensitive(sensitivity, scale, **law):
    return Laplace(sensitivity=sensitivity / 2, **law)


def _select_best(self, scores, rng):
    rng.random()
    return int(np.argmax(scores))


def _charge_by_newest(self, entry, relation, by):
    """The budget is counted under the relation of the newest look."""
    self.relation, self.by = None, ()
    return _charge(self, entry, relation, by)


def _choose_unseen(mechanism, scores, rng, what, accountant):
    accountant.spend(what, mechanism.rho, kind="selection")
    return int(mechanism.select(scores, rng))


def _choose_among_seen(mechanism, scores, rng, what, accountant):
    """Options whose score is not above the mean are dropped before the draw."""
    scores = np.asarray(scores, dtype=float)
    kept = np.flatnonzero(scores >= scores.mean())
    return int(kept[choose(mechanism, scores[kept], rng, what, accountant)])


def _choose_by_scores(mechanism, scores, rng, what, accountant):
    """The sensitivity is a share of the largest score."""
    law = Exponential.of_rho(mechanism.rho, sensitivity=max(1e-3, float(np.max(np.abs(scores)))))
    return choose(law, scores, rng, what, accountant)


_of_rho, _sizes = Exponential.of_rho, Stratified._sizes


def _exact_weights(self, data, domain, *rest):
    _sizes(self, data, domain, *rest)
    return group_sizes(data, domain, self.by)


def _strata_of_the_data(self, data, domain, *rest):
    sizes = np.maximum(_sizes(self, data, domain, *rest), 1.0)
    return np.where(group_sizes(data, domain, self.by) > 0, sizes, 0.0)


def _exact_total(mechanism, values, rng, what, *rest):
    answer = noisy(mechanism, values, rng, what, *rest)
    return np.asarray(values, dtype=float) if what == "number of rows" else answer


DRAWS: dict[str, Any] = {
    "half_noise": _scores(lambda z, exact, memory: z / 2),
    "less_noise": _scores(lambda z, exact, memory: 0.9 * z),
    "one_noise": lambda self, values, rng: (
        values + rng.standard_normal() * np.ones(np.shape(values)) * self.sigma
    ),
    "noise_again": _release_again,
    "noise_of_look_1": _scores(_of_look_before_last),
    "noise_of_last_fit": _scores(_of_last_fit),
    "noise_of_cell_0": _scores(_third_from_first),
    "drifting_noise": _scores(_drifting),
    "opposite_noise": _scores(_opposite),
    "seed_of_data": _scores(_seeded_by_exact),
    "cut_noise": _scores(
        lambda z, exact, memory: _quantile(_cdf(-2.5) + (1 - 2 * _cdf(-2.5)) * _cdf(z))
    ),
    "even_noise": _scores(lambda z, exact, memory: np.sqrt(12) * (_cdf(z) - 0.5)),
    "coarse_noise": _scores(lambda z, exact, memory: np.round(4 * z) / 4),
    "less_for_many": _scores(lambda z, exact, memory: np.where(exact > 5, 0.6, 1.0) * z),
    "none_for_four": _scores(lambda z, exact, memory: z * (np.size(z) != 4)),
    "none_for_thousands": _scores(lambda z, exact, memory: z * (exact <= 1000)),
    "none_for_zeros": _scores(lambda z, exact, memory: z * (exact != 0)),
    "positive_laplace": _half_laplace,
    "less_laplace": lambda self, values, rng: (
        values + rng.laplace(0.0, 0.85, np.shape(values)) * self.scale
    ),
    "best_option": _select_best,
    "half_sharp": _half_sharp,
    "twice_as_sharp": _twice_as_sharp,
    "inverse_scores": lambda self, scores: _behind(self, 1 / (1 + np.asarray(scores, dtype=float))),
    "options_of_data": _choose_among_seen,
    "sensitivity_of_data": _choose_by_scores,
    "half_deviation": _half_deviation,
    "half_sensitivity": _half_as_sensitive,
    "sharp_selection": lambda rho, *, sensitivity: _of_rho(rho, sensitivity=sensitivity / 2),
    "no_clipping": lambda parts, low, high: parts.total / parts.own,
    "uncharged": lambda mechanism, scores, rng, what, accountant: choose(
        mechanism, scores, rng, what
    ),
    "uncharged_noise": lambda mechanism, values, rng, what, accountant, sensitivity: noisy(
        mechanism, values, rng, what, None, sensitivity
    ),
    "charged_by_newest": _charge_by_newest,
    "sizes_not_noted": lambda self, what, by: None,
    "widest_promise": property(lambda self: Promise(ADD_OR_REMOVE, self.spent)),
    "nameless_promise": property(lambda self: Promise(WITHIN, self.price(WITHIN))),
    "unseen": _choose_unseen,
    "exact_weights": _exact_weights,
    "strata_of_data": _strata_of_the_data,
    "exact_total": _exact_total,
}
