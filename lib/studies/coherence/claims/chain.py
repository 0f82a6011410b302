"""Measures for the chain of theorems behind coherence: max-information to Theorem 8.

Each bound is held against an exact law, or against simulated halves where
there is none. A theorem can be refuted so, not proved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import special, stats

from lib.coherence.bounds.exact_information import max_information, membership_bits, noisy_count
from lib.coherence.bounds.max_information import approximate_dp, pure_dp
from lib.coherence.bounds.paper import (
    claim1,
    lemma1_probability,
    lemma1_size,
    size,
    theorem3_terms,
    theorem8_terms,
)
from lib.ledger.rules import Evidence
from lib.rng import stream

__all__ = ["MEASURES", "even_tail", "joint_laws"]

FALSE_ALARM = 1e-6  # of a simulated share against beta
ETAS = (1e-6, 1e-3, 0.05, 0.3)


def even_tail(members: int, distance: float) -> float:
    """Exact ``Pr[W1 > distance]`` of two random halves of ``members`` predictions.

    Half of the predictions are -1 and half +1.
    """
    half = members // 2
    inside = np.arange(half + 1)
    far = 2 * np.abs(2 * inside - half) / half > distance + 1e-12
    return float(np.exp(2 * _log_choose(half, inside[far]) - _log_choose(members, half)).sum())


def _log_choose(n: int, k: np.ndarray | int) -> np.ndarray:
    return (
        special.gammaln(n + 1)
        - special.gammaln(np.add(k, 1))
        - special.gammaln(n - np.add(k, 0) + 1)
    )


def joint_laws(
    n: int, epsilon: float, *, leak: float = 0.0
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Two curators of half of ``n`` people: ``(name, law with the true half, with a fresh one)``.

    The curators publish a noisy count and noisy membership bits; both are epsilon-DP. With
    probability ``leak`` a curator publishes the whole half instead, which makes it (epsilon,
    leak)-DP.
    """
    weights, channel = noisy_count(n=n, ones=n // 2, epsilon=epsilon)
    joint = weights[:, None] * channel
    laws = [
        ("count", joint, np.outer(weights, joint.sum(axis=0))),
        ("membership", *membership_bits(n=n, epsilon=epsilon)),
    ]
    same = math.exp(
        math.lgamma(n / 2 + 1) * 2 - math.lgamma(n + 1)
    )  # a fresh half is the published one
    for name, true, fresh in laws:
        true, fresh = ((1 - leak) * np.ravel(law) for law in (true, fresh))
        if leak:
            true, fresh = (
                np.append(true, [leak, 0.0]),
                np.append(fresh, [leak * same, leak * (1 - same)]),
            )
        yield name, true, fresh


def hoeffding_exact() -> Evidence:
    """Whether Theorem 10 holds against the exact hypergeometric law, for many populations."""
    largest, cases = 0.0, 0
    for people in (4, 10, 40, 200, 2000):
        for ones in sorted({1, people // 10, people // 3, people // 2, people - 1} - {0}):
            for sample in sorted({1, people // 4, people // 2, people - 1}):
                found = np.arange(sample + 1)
                over = found / sample - ones / people
                tail = stats.hypergeom(people, ones, sample).sf(found - 1)
                log_bound = -2 * sample * over**2
                asked = (over > 0) & (
                    log_bound > -600
                )  # below that a float cannot hold either side
                largest = max(
                    largest, float((tail[asked] / np.exp(log_bound[asked])).max(initial=0.0))
                )
                cases += int(asked.sum())
    return Evidence(
        float(largest <= 1 + 1e-9),
        detail=f"at most {largest:.2f} of the bound, over {cases:,} tails",
    )


def claim1_exact(n: int = 12) -> Evidence:
    """Whether Claim 1 holds for learners that read a noisy count, exactly.

    They predict the bit or nothing.

    The event is "the halves are more than alpha apart", for every alpha and
    every set of reports ``a >= t`` or ``a <= t`` on which the learner predicts.
    """
    worst, cases, half = -math.inf, 0, n // 2
    inside = np.arange(half + 1)
    w1 = 2 * np.abs(2 * inside - half) / half
    for epsilon in (0.1, 0.5, 1.0, 3.0):
        weights, channel = noisy_count(n=n, ones=half, epsilon=epsilon)
        true = weights[:, None] * channel
        fresh = np.outer(weights, true.sum(axis=0))
        for eta in ETAS:
            zeta = max_information(true, fresh, eta)
            for alpha in np.unique(w1)[:-1]:
                for reads in [inside >= t for t in inside] + [inside <= t for t in inside]:
                    event = np.outer(w1 > alpha, reads)
                    bound = claim1(float(fresh[event].sum()), zeta=max(zeta, 0.0), eta=eta)
                    worst, cases = max(worst, float(true[event].sum()) - bound), cases + 1
    words = (
        f"over {cases:,} events the true half's probability is below the bound by {-worst:.2g} or"
        " more"
    )
    return Evidence(float(worst <= 1e-12), detail=words)


def lemma1_exact() -> Evidence:
    """Whether Lemma 1 holds for a curator that publishes nothing.

    On exact halves of the smallest group that it covers.
    """
    largest, cases = 0.0, 0
    for alpha in (0.1, 0.2, 0.3, 0.5, 0.7, 0.9):
        for mu in (0.5, 0.1, 1e-3, 1e-6, 1e-9):
            members = 2 * math.ceil(lemma1_size(alpha, mu) / 2)
            for m in (members, 2 * members):
                bound = lemma1_probability(m, mu, zeta=0.0, eta=0.0)
                largest, cases = max(largest, even_tail(m, 2 * alpha) / bound), cases + 1
    words = (
        f"the exact probability of more than 2 alpha is at most {largest:.1e} of the bound, in"
        f" {cases} cases"
    )
    return Evidence(float(largest <= 1), detail=words)


def theorem3_exact() -> Evidence:
    """Whether Theorem 3 holds for curators with K possible reports.

    Their max-information is at most ln K.

    The learner has K unrelated predictors and the report names the one that
    fits best; independent groups add up. K = 1 publishes nothing.
    """
    largest, cases = 0.0, 0
    for alpha in (0.2, 0.5, 1.0, 1.9):
        for beta in (1.0, 0.05, 1e-6):
            for groups in (1, 1000):
                for reports in (1, 2, 1000):
                    terms = theorem3_terms(
                        alpha=alpha, beta=beta, zeta=math.log(reports) + 1e-9, collection=groups
                    )
                    tail = even_tail(2 * math.ceil(size(terms) / 2), alpha)
                    chance = -math.expm1(groups * reports * math.log1p(-tail)) if tail < 1 else 1.0
                    largest, cases = max(largest, chance / beta), cases + 1
    words = (
        f"exceeded with at most {largest:.1e} of the probability that is allowed, in {cases} cases"
    )
    return Evidence(float(largest <= 1), detail=words)


def _information(cases: Iterator[tuple[float, float]], what: str) -> Evidence:
    """Whether every exact max-information is at most its bound."""
    ratios = [exact / bound for exact, bound in cases]
    words = (
        f"the exact max-information of {what} is at most {max(ratios):.0%} of the bound, in"
        f" {len(ratios)} cases"
    )
    return Evidence(float(max(ratios) <= 1 + 1e-9), detail=words)


def pure_information() -> Evidence:
    """Whether Theorems 5 and 14 hold: exact max-information of two epsilon-DP curators."""

    def cases() -> Iterator[tuple[float, float]]:
        for n in (4, 20, 100, 200):
            for epsilon in (0.01, 0.1, 1.0, 3.0):
                for _, true, fresh in joint_laws(n, epsilon):
                    for eta in ETAS:
                        yield (
                            max_information(true, fresh, eta),
                            pure_dp(epsilon=epsilon, n=n, eta=eta),
                        )

    return _information(cases(), "a noisy count and of noisy membership bits")


def approximate_information() -> Evidence:
    """Whether Theorems 6 and 15 hold: exact max-information of two curators that leak.

    With probability delta they publish everything.

    The curator sees ``n / 2`` of ``n`` people. Settings in which the theorem gives away all of the
    probability are left out.
    """

    def cases() -> Iterator[tuple[float, float]]:
        for n in (4, 20, 100):
            for epsilon in (0.05, 0.2, 0.5):
                for delta in (1e-12, 1e-9, 1e-7):
                    for _, true, fresh in joint_laws(n, epsilon, leak=delta):
                        for t in (1.0, 3.0, 5.0):
                            given: dict[str, Any] = {
                                "epsilon": epsilon,
                                "delta": delta,
                                "n": n // 2,
                                "t": t,
                            }
                            beta, bound = approximate_dp(
                                **given, delta_hat=math.sqrt(epsilon * delta) / 15
                            )
                            if beta < 1:
                                yield max_information(true, fresh, beta), bound

    return _information(cases(), "curators that leak everything with probability delta")


def theorem8_simulated(beta: float = 0.05, draws: int = 20_000) -> Evidence:
    """Whether Theorem 8 holds for simulated halves and a learner that reads a noisy count.

    The group has the least size that the theorem covers.

    The count is that of the group's bits in the half, with two-sided geometric
    noise. If it is far from its mean the learner predicts the bit, else an
    unrelated trait, so it is more than alpha apart whenever the count shows it.
    """
    largest, cases = 0.0, 0
    for n in (10**5, 10**6):
        for epsilon in (1e-4, 1e-3):
            for alpha in (0.3, 0.6, 1.0, 2.0):
                terms = theorem8_terms(alpha=alpha, beta=beta, epsilon=epsilon, n=n, collection=1)
                members = 2 * math.ceil(size(terms) / 2)
                if members > n:
                    continue
                rng, half = stream(1, "theorem 8", n, epsilon, alpha), members // 2
                bit, trait = (
                    2
                    * np.abs(2 * rng.hypergeometric(half, half, half, size=(2, draws)) - half)
                    / half
                )
                keep = -math.expm1(-epsilon)
                noise = rng.geometric(keep, draws) - rng.geometric(keep, draws)
                told = bit + 4 * noise / half  # the distance that the report shows
                misses = int((np.where(np.abs(told) > alpha, bit, trait) > alpha).sum())
                if stats.binomtest(misses, draws, beta, alternative="greater").pvalue < FALSE_ALARM:
                    words = (
                        f"exceeds {alpha:g} in {misses / draws:.3f} of the halves of"
                        f" {members:,} people"
                    )
                    return Evidence(0.0, detail=words)
                largest, cases = max(largest, misses / draws), cases + 1
    if not cases:
        return Evidence(math.nan, detail="no group is as large as the theorem asks")
    words = (
        f"largest simulated share {largest:.4f} over {cases} cases of {draws:,} halves, beta"
        f" {beta:g}"
    )
    return Evidence(1.0, detail=words)


MEASURES: dict[str, Callable[..., Evidence]] = {
    f.__name__: f
    for f in (
        hoeffding_exact,
        claim1_exact,
        lemma1_exact,
        theorem3_exact,
        pure_information,
        approximate_information,
        theorem8_simulated,
    )
}
