"""Measures for what the stratified paper says of means in passing, and of New York's groups.

A fresh estimate, the radius, the weight of Def. 11, Tables 1 to 3.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate
from lib.ledger.rules import LEVEL, Evidence
from lib.means.grouped import Interval, coinpress, laplace_means
from lib.rng import stream
from studies.data.newyork_aggregates import GROUPS, ROWS, VARIABLES, crossing, published_cells
from studies.measures import fact, measures_of
from studies.private_means.group_sizes import alpha_by_likelihood, alpha_by_squares, improvements
from studies.private_means.parity import parity_error

PUBLISHED = "published aggregates"


def fresh_estimate() -> Evidence:
    """Ratio of a group's noise with a fresh estimate of everybody to that without.

    Both releases are epsilon-DP, at epsilon 1.

    A record is in its group and in the whole, so each release gets half of epsilon
    (sequential composition). The detail says what the fresh estimate itself is worth.
    """
    sizes = np.array([100, 250, 650])
    x, low, high, epsilon = np.zeros(sizes.sum()), -3.0, 3.0, 1.0
    half, whole = (
        np.abs(laplace_means(x, sizes, low, high, budget, stream(1, "fresh estimate")))
        for budget in (epsilon / 2, epsilon)
    )
    weights = sizes / sizes.sum()
    fresh = (high - low) / (sizes.sum() * epsilon / 2)
    recombined = math.sqrt((((high - low) * weights / (sizes * epsilon)) ** 2).sum())
    return fact(
        np.mean(half / whole),
        f"of a group's noise; with k = {sizes.size} groups a fresh estimate of everybody at"
        f" epsilon/2 has {fresh / recombined:.2f} times the noise of the recombined one at epsilon"
        " (2/sqrt(k) for one interval)",
        reference=1.0,
    )


def coinpress_error(radius: float, steps: int, runs: int = 400) -> float:
    """Mean absolute error of COINPRESS on 1,000 standard normal values, at rho 0.5.

    It is given that the mean lies within ``radius``.

    The last step has three quarters of rho, as in the published script; the others share the rest.
    """
    rng = stream(1, "coinpress radius", radius, steps)
    x = rng.standard_normal((runs, 1000))
    rhos = (0.5,) if steps == 1 else (*[0.125 / (steps - 1)] * (steps - 1), 0.375)
    found = coinpress(
        x.ravel(), np.full(runs, 1000), Interval(low=-radius, high=radius, sigma=1), rhos, rng
    )
    return float(np.abs(found - x.mean(axis=1)).mean())


def logarithmic_radius() -> Evidence:
    """Whether COINPRESS's error grows no faster than log R, R from 10 to a million.

    With the best of up to ten steps.

    In the detail: with the two steps of the published script.
    """
    radii = (10.0, 100.0, 1e4, 1e6)
    errors = np.array([[coinpress_error(r, steps) for r in radii] for steps in range(1, 11)])
    best, two, allowed = errors.min(axis=0), errors[1], np.log10(radii)
    growth = best / best[0]
    words = (
        f"error at R = 10^6 over that at R = 10: {growth[-1]:.2f} with the best number of steps,"
        f" {two[-1] / two[0]:,.3g} with the script's two, where log R grows by {allowed[-1]:.0f}"
    )
    return fact((growth <= allowed).all(), words, runs=400, data="generated")


def population_weight(k: int = 9, reading: Literal["sum", "average"] = "average") -> Evidence:
    """Whether omega = 1/k gives everybody's error the weight of one stratum's.

    Definition 11 says an average over the strata, and prints a sum.
    """
    truth, moved = np.ones(k), np.ones(k)
    moved[0] += 0.01
    weights = {
        name: float(
            parity_error(truth, truth, 1.0, 1.01, reading=name)
            / parity_error(truth, moved, 1.0, 1.0, reading=name)
        )
        for name in ("sum", "average")
    }
    return fact(
        math.isclose(weights[reading], 1.0),
        f"k = {k}: everybody's error counts {weights['average']:.3f} times as much as a stratum's"
        f" beside the average of the definition's words, {weights['sum']:.3f} times in the printed"
        " sum",
    )


def race_sizes() -> np.ndarray:
    """People of each race in the paper's Table 3, largest first, shape (9,)."""
    return np.sort(pd.Series(GROUPS, dtype=float).groupby(level=1).sum())[::-1]


def group_total() -> Evidence:
    """Whether Table 3 adds up to n and fits the published aggregates.

    No group may have fewer people than the aggregates of the script count there.
    """
    total = sum(GROUPS.values())
    counted = crossing(published_cells(), "SEX", "RAC1P")["n_SCHL"]
    fits = all(GROUPS[group] >= people for group, people in counted.items())
    fit = "fit" if fits else "do not fit"
    words = f"{total:,}; the counts of {len(counted)} published groups {fit}"
    return fact(total == ROWS and fits, words, data=PUBLISHED)


def race_shares() -> Evidence:
    """Whether the five printed shares are those of Table 3, to the printed digits."""
    shares, printed = race_sizes()[:5] / ROWS, (0.70, 0.12, 0.086, 0.056, 0.029)
    rounding = (0.005, 0.005, 0.0005, 0.0005, 0.0005)
    ok = (np.abs(shares - printed) <= rounding).all()
    return fact(ok, ", ".join(f"{s:.3f}" for s in shares), data=PUBLISHED)


def race_alpha(alpha: float) -> Evidence:
    """The most likely alpha; in words, the one that matches the sum of squared shares, and how
    likely ``alpha`` is.
    """
    sizes = race_sizes()
    return fact(
        alpha_by_likelihood(sizes),
        f"the sum of squared shares gives {alpha_by_squares(sizes):.3f}; twice the loss of log"
        f" likelihood at {alpha:g}: {_likelihood_loss(sizes, alpha):.2f}",
        data=PUBLISHED,
    )


def likely_alpha(alpha: float) -> Evidence:
    """Whether ``alpha`` lies in the 95% likelihood set of the shares (Wilks)."""
    sizes = race_sizes()
    loss, most = _likelihood_loss(sizes, alpha), stats.chi2.isf(LEVEL, 1)
    return fact(
        loss <= most,
        f"twice the loss of log likelihood {loss:.2f}, {most:.2f} allowed; the most likely alpha is"
        f" {alpha_by_likelihood(sizes):.3f}, the sum of squared shares gives"
        f" {alpha_by_squares(sizes):.3f}",
        data=PUBLISHED,
    )


def _likelihood_loss(sizes: np.ndarray, alpha: float) -> float:
    """Twice the log likelihood that the symmetric Dirichlet law of ``alpha`` lacks to the best."""
    shares = sizes / sizes.sum()
    laws = (np.full(sizes.size, a) for a in (alpha_by_likelihood(sizes), alpha))
    best, own = (stats.dirichlet.logpdf(shares / shares.sum(), law) for law in laws)
    return float(2 * (best - own))


def race_improvement(reading: str) -> Evidence:
    """How much better than the worst case, at alpha .13, in one reading of
    :func:`~studies.private_means.group_sizes.improvements`.

    Other readings are in words.

    The reference is 0: the worst case itself.
    """
    readings = improvements(race_sizes(), 0.13)
    value = readings[validate.choice("reading", reading, readings)]
    others = "; ".join(f"{name} {v:.0%}" for name, v in readings.items() if v != value)
    return fact(value, f"other readings: {others}", data=PUBLISHED, reference=0.0)


def table1() -> Evidence:
    """Whether Table 1's counts and means are those of the published aggregates.

    Added up over a crossing that is printed whole.
    """
    by_age, places = crossing(published_cells(), "AGEP"), {}
    for name, variable in VARIABLES.items():
        n, total = round(by_age[f"n_{name}"].sum()), by_age[f"sum_{name}"].sum()
        # of a printed number, whose last bits are none of its digits
        decimals = len(repr(round(float(variable.mean), 6)).partition(".")[2])
        near = abs(total / n - variable.mean) <= 0.5 * 10**-decimals + 1e-9 * abs(variable.mean)
        places[name] = f"{n:,}, {total / n:,.3f}", n == variable.n and near
    return _as_printed(places)


def _as_printed(places: dict[str, tuple[str, bool]], what: str = "") -> Evidence:
    """Whether all numbers are as printed: by their names, those found and whether they are."""
    words = what + "; ".join(f"{name} {found}" for name, (found, _) in places.items())
    wrong = [name for name, (_, right) in places.items() if not right]
    words += f"; not as printed: {', '.join(wrong)}" if wrong else ""
    return fact(not wrong, words, data=PUBLISHED)


# Table 2: mean, standard deviation, median of the columns that other published numbers give
_TABLE2 = {"SEX": (1.517, 0.5, 2), "RAC1P": (2.186, 2.342, 1), "AGEP": (1.687, 1.234, 2)}


def table2_newyork() -> Evidence:
    """Whether Table 2's mean, deviation and median follow from other published numbers.

    Of sex, race and age band, from Table 3 and the aggregates.

    The people under three, of whom the aggregates say nothing, are in the first age band.
    """
    groups = pd.Series(GROUPS)
    ages = crossing(published_cells(), "AGEP")["n_SCHL"].to_numpy(dtype=float)
    ages[0] += ROWS - ages.sum()
    laws = {
        "SEX": groups.groupby(level=0).sum(),
        "RAC1P": groups.groupby(level=1).sum(),
        "AGEP": pd.Series(ages, index=range(5)),
    }
    places = {}
    for name, (mean, std, median) in _TABLE2.items():
        codes, share = laws[name].index.to_numpy(dtype=float), laws[name] / laws[name].sum()
        found = (codes * share).sum()
        spread = math.sqrt(((codes - found) ** 2 * share).sum())
        middle = codes[np.searchsorted(share.cumsum(), 0.5)]
        near = abs(found - mean) <= 5e-4 and abs(spread - std) <= 5e-4
        places[name] = f"{found:.3f}, {spread:.3f}, {middle:.0f}", near and middle == median
    return _as_printed(places, "mean, deviation, median: ")


def stylised_selection(strengths: tuple[float, float, float] = (0.6, 0.8, 0.8)) -> Evidence:
    """Whether an example as Appendix C describes exists.

    One measurement, best for everybody, second best in each stratum.

    Two strata of equal size and three pairs of bits. The first pair is dependent in both, the
    second in the first stratum only, the third in the second only; without noise, a pair's score is
    how far it is from independence.
    """
    p, q, r = strengths
    tables = [dict(zip("pqr", map(_dependent, law), strict=True)) for law in ((p, q, 0), (p, 0, r))]
    everybody = {pair: (tables[0][pair] + tables[1][pair]) / 2 for pair in "pqr"}

    def order(of: dict[str, np.ndarray]) -> list[str]:
        return sorted(of, key=lambda pair: -_from_independence(of[pair]))

    measured = {order(t)[0] for t in tables}
    best = order(everybody)[0]
    second = all(order(t)[1] == best for t in tables)
    left, yes_no = _from_independence(everybody[best]), ("no", "yes")
    return fact(
        second and best not in measured and left > 0,
        f"everybody's best pair is second in both strata: {yes_no[second]}; nobody measures it:"
        f" {yes_no[best not in measured]}; its error is {left:.2f} (of 2) after the strata's models"
        " are added up, 0 with one model",
    )


def _dependent(strength: float) -> np.ndarray:
    """Law of two fair bits of which the second repeats the first with probability ``strength``.

    Else it is drawn again.
    """
    return strength * np.eye(2) / 2 + (1 - strength) / 4


def _from_independence(law: np.ndarray) -> float:
    return float(np.abs(law - np.outer(law.sum(axis=1), law.sum(axis=0))).sum())


MEASURES = measures_of(__name__)
