"""Measures for the chain of theorems behind coherence: max-information to Theorem 8.

Each bound is held against an exact law, or against simulated halves where
there is none. A theorem can be refuted so, not proved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
from scipy import special, stats

from lib.coherence.bounds.max_information import pure_dp
from lib.coherence.bounds.paper import size, theorem3_terms, theorem8_terms
from lib.ledger.rules import Evidence
from lib.rng import stream
from studies.coherence.exact_information import max_information, membership_bits, noisy_count
from studies.coherence.steps import approximate_dp, claim1, lemma1_probability, lemma1_size
from studies.measures import fact, measures_of

FALSE_ALARM = 1e-6  # of a simulated share against beta
ETAS = (1e-6, 1e-3, 0.05, 0.3)
_INFORMATION = "the exact max-information of {} is at most {{:.0%}} of the bound, in {{}} cases"


def _at_most_one(ratios: Iterable[float], words: str) -> Evidence:
    """Whether each of ``ratios``, of what is found to what is allowed, is at most 1.

    ``words`` has a place for the largest of them and one for their number.
    """
    found = [*ratios]
    return fact(max(found) <= 1 + 1e-9, words.format(max(found), len(found)))


def exceeds_too_often(misses: int, draws: int, beta: float) -> bool:
    """Whether ``misses`` of ``draws`` simulated halves refute a probability of ``beta``."""
    return stats.binomtest(misses, draws, beta, alternative="greater").pvalue < FALSE_ALARM


def even_distances(half: int, inside: np.ndarray) -> np.ndarray:
    """W1 of two halves of ``2 half`` predictions, ``half`` of them 1 and the others -1.

    ``inside`` of those that are 1 fall into one half.
    """
    return 2 * np.abs(2 * inside - half) / half


def even_tail(members: int, distance: float) -> float:
    """Exact ``Pr[W1 > distance]`` of two random halves of ``members`` predictions.

    Half of the predictions are -1 and half +1.
    """
    half = members // 2
    inside = np.arange(half + 1)
    k, log_gamma = inside[even_distances(half, inside) > distance + 1e-12], special.gammaln
    log_choices = log_gamma(half + 1) - log_gamma(k + 1) - log_gamma(half - k + 1)
    log_halves = log_gamma(members + 1) - 2 * log_gamma(half + 1)
    return float(np.exp(2 * log_choices - log_halves).sum())


def joint_laws(
    n: int, epsilon: float, *, leak: float = 0.0
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Of two curators of half of ``n`` people: laws with the true half, and with a fresh one.

    The curators publish a noisy count and noisy membership bits; both are epsilon-DP. With
    probability ``leak`` a curator publishes the whole half instead, which makes it (epsilon,
    leak)-DP.
    """
    # the chance that a fresh half is the published one
    same = math.exp(math.lgamma(n / 2 + 1) * 2 - math.lgamma(n + 1))
    for true, fresh in (count_laws(n, epsilon), membership_bits(n=n, epsilon=epsilon)):
        yield (
            np.append((1 - leak) * true, [leak, 0.0]),
            np.append((1 - leak) * fresh, [leak * same, leak * (1 - same)]),
        )


def count_laws(n: int, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Joint laws of a half's ones and a noisy count, of the true half and of a fresh one.

    Half of the ``n`` people have a one.
    """
    weights, channel = noisy_count(n=n, ones=n // 2, epsilon=epsilon)
    true = weights[:, None] * channel
    return true, np.outer(weights, true.sum(axis=0))


def hoeffding_exact() -> Evidence:
    """Whether Theorem 10 holds against the exact hypergeometric law, for many populations."""
    ratios = []
    for people in (4, 10, 40, 200, 2000):
        shares = {1, people // 10, people // 3, people // 2, people - 1} - {0}
        for ones, sample in product(shares, {1, people // 4, people // 2, people - 1}):
            found = np.arange(sample + 1)
            over = found / sample - ones / people
            log_bound = -2 * sample * over**2
            # below that a float cannot hold either side
            asked = (over > 0) & (log_bound > -600)
            tail = stats.hypergeom(people, ones, sample).sf(found - 1)
            ratios.extend(tail[asked] / np.exp(log_bound[asked]))
    return _at_most_one(ratios, "at most {:.2f} of the bound, over {:,} tails")


def claim1_exact() -> Evidence:
    """Whether Claim 1 holds for learners that read a noisy count, exactly.

    They predict the bit or nothing.

    The event is "the halves are more than alpha apart", for every alpha and
    every set of reports ``a >= t`` or ``a <= t`` on which the learner predicts.
    """
    n, half, room = 12, 6, []
    inside = np.arange(half + 1)
    w1 = even_distances(half, inside)
    reports = [inside >= t for t in inside] + [inside <= t for t in inside]
    for epsilon in (0.1, 0.5, 1.0, 3.0):
        true, fresh = count_laws(n, epsilon)
        for eta in ETAS:
            zeta = max(max_information(true, fresh, eta), 0.0)
            for alpha, reads in product(np.unique(w1)[:-1], reports):
                event = np.outer(w1 > alpha, reads)
                bound = claim1(float(fresh[event].sum()), zeta=zeta, eta=eta)
                room.append(bound - float(true[event].sum()))
    return fact(
        min(room) >= -1e-12,
        f"over {len(room):,} events the true half's probability is below the bound by"
        f" {min(room):.2g} or more",
    )


def lemma1_exact() -> Evidence:
    """Whether Lemma 1 holds for a curator that publishes nothing.

    On exact halves of the smallest group that it covers, and of one twice as large.
    """
    alphas, mus = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9), (0.5, 0.1, 1e-3, 1e-6, 1e-9)
    return _at_most_one(
        (
            even_tail(m, 2 * alpha) / lemma1_probability(m, mu, zeta=0.0, eta=0.0)
            for alpha, mu, times in product(alphas, mus, (2, 4))
            for m in [times * math.ceil(lemma1_size(alpha, mu) / 2)]
        ),
        "the exact probability of more than 2 alpha is at most {:.1e} of the bound, in {} cases",
    )


def theorem3_exact() -> Evidence:
    """Whether Theorem 3 holds for curators with K possible reports.

    Their max-information is at most ln K.

    The learner has K unrelated predictors and the report names the one that
    fits best; independent groups add up. K = 1 publishes nothing.
    """

    def ratio(alpha: float, beta: float, groups: int, reports: int) -> float:
        zeta = math.log(reports) + 1e-9
        terms = theorem3_terms(alpha=alpha, beta=beta, zeta=zeta, collection=groups)
        tail = even_tail(2 * math.ceil(size(terms) / 2), alpha)
        return -math.expm1(groups * reports * math.log1p(-tail)) / beta

    cases = product((0.2, 0.5, 1.0, 1.9), (1.0, 0.05, 1e-6), (1, 1000), (1, 2, 1000))
    words = "exceeded with at most {:.1e} of the probability that is allowed, in {} cases"
    return _at_most_one((ratio(*case) for case in cases), words)


def pure_information() -> Evidence:
    """Whether Theorems 5 and 14 hold: exact max-information of two epsilon-DP curators."""
    ratios = (
        max_information(true, fresh, eta) / pure_dp(epsilon=epsilon, n=n, eta=eta)
        for n, epsilon in product((4, 20, 100, 200), (0.01, 0.1, 1.0, 3.0))
        for true, fresh in joint_laws(n, epsilon)
        for eta in ETAS
    )
    return _at_most_one(ratios, _INFORMATION.format("a noisy count and of noisy membership bits"))


def approximate_information() -> Evidence:
    """Whether Theorems 6 and 15 hold: exact max-information of two curators that leak.

    With probability delta they publish everything.

    The curator sees ``n / 2`` of ``n`` people. Settings in which the theorem reveals all of the
    probability are left out.
    """
    ratios = []
    for n, epsilon, delta in product((4, 20, 100), (0.05, 0.2, 0.5), (1e-12, 1e-9, 1e-7)):
        hat = math.sqrt(epsilon * delta) / 15
        for (true, fresh), t in product(joint_laws(n, epsilon, leak=delta), (1.0, 3.0, 5.0)):
            beta, bound = approximate_dp(epsilon=epsilon, delta=delta, n=n // 2, t=t, delta_hat=hat)
            if beta < 1:
                ratios.append(max_information(true, fresh, beta) / bound)
    what = "curators that leak everything with probability delta"
    return _at_most_one(ratios, _INFORMATION.format(what))


def theorem8_simulated(draws: int = 20_000) -> Evidence:
    """Whether Theorem 8 holds for simulated halves and a learner that reads a noisy count.

    The group has the least size that the theorem covers.

    The count is that of the group's bits in the half, with two-sided geometric
    noise. If it is far from its mean the learner predicts the bit, else an
    unrelated trait, so it is more than alpha apart whenever the count shows it.
    """
    beta, shares = 0.05, []
    for n, epsilon, alpha in product((10**5, 10**6), (1e-4, 1e-3), (0.3, 0.6, 1.0, 2.0)):
        terms = theorem8_terms(alpha=alpha, beta=beta, epsilon=epsilon, n=n, collection=1)
        half = math.ceil(size(terms) / 2)
        if 2 * half > n:
            continue
        rng = stream(1, "theorem 8", n, epsilon, alpha)
        bit, trait = even_distances(half, rng.hypergeometric(half, half, half, size=(2, draws)))
        keep = -math.expm1(-epsilon)
        noise = rng.geometric(keep, draws) - rng.geometric(keep, draws)
        shown = bit + 4 * noise / half  # the distance that the report shows
        misses = int((np.where(np.abs(shown) > alpha, bit, trait) > alpha).sum())
        shares.append(misses / draws)
        if exceeds_too_often(misses, draws, beta):
            words = f"exceeds {alpha:g} in {shares[-1]:.3f} of the halves of {2 * half:,} people"
            return fact(0, words)
    if not shares:
        return fact(math.nan, "no group is as large as the theorem asks")
    found = f"largest simulated share {max(shares):.4f} over {len(shares)} cases"
    return fact(1, f"{found} of {draws:,} halves, beta {beta:g}")


MEASURES = measures_of(__name__)
