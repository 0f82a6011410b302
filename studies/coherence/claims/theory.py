"""Measures for the theorems of the coherence paper: exact computations and simulations."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

from lib.coherence.bounds.max_information import corollary, largest_delta, mcdiarmid
from lib.coherence.bounds.tightened import description_length_size
from lib.coherence.guarantee import Setting
from lib.coherence.solver import solve
from lib.ledger.rules import Evidence
from lib.rng import stream
from studies.coherence.claims.chain import even_distances, even_tail, exceeds_too_often
from studies.coherence.single_column import column_distances, theorem9_size, theorem11_size
from studies.coherence.steps import approximate_dp, claim2_probability, claim2_size, hush_scovel
from studies.coherence.summary import table1
from studies.measures import fact, measures_of


def two_members(n: int) -> Evidence:
    """Probability that two people end in different halves of ``n``."""
    return fact((n / 2) / (n - 1))


def table1_row(alpha: float) -> Evidence:
    """Whether a row of Table 1 satisfies Theorem 7."""
    row = next(r for r in table1() if r["alpha"] == alpha)
    return fact(
        row["holds"], f"epsilon up to {row['largest']:.4f} would; {row['slack']:.0%} to spare"
    )


def table1_rows() -> Evidence:
    """Whether all rows of Table 1 satisfy Theorem 7."""
    rows = table1()
    return fact(all(row["holds"] for row in rows), f"{len(rows)} rows")


def section63_example(epsilon: float = 0.01) -> Evidence:
    """Whether Theorem 7 accepts ``epsilon`` in the example of Section 6.3.

    alpha .2, 100 groups of 250,000 out of 5 million, beta e^-30.
    """
    s = solve(Setting(alpha=0.2, beta=math.exp(-30), gamma=250_000, collection=100, n=5_000_000))
    return fact(s.value >= epsilon, f"the largest is {s.value:.4f}")


def moved_mass(share: float) -> Evidence:
    """W1 when ``share`` of the people move from -1 to 1."""
    moved = np.where(np.arange(1000) < 1000 * share, 1.0, -1.0)
    return fact(stats.wasserstein_distance(np.full(1000, -1.0), moved))


def claim2_exact(m: int = 368, alpha: float = 0.5, mu: float = 1e-9) -> tuple[float, float, float]:
    """Exact W1 tails of two halves of m predictions, beside Claim 2's bound.

    ``(exact, at twice alpha, stated)``; half of the predictions are +1, half -1.
    """
    assert claim2_size(alpha, mu) <= m
    return even_tail(m, alpha), even_tail(m, 2 * alpha), claim2_probability(m, mu)[1]


def claim2_statement() -> Evidence:
    """Whether Claim 2 survives the example of :func:`claim2_exact` as it is stated."""
    exact, twice, stated = claim2_exact()
    return fact(
        exact <= stated,
        f"Pr[W1 > alpha] = {exact:.1e} against at most {stated:.1e}; Pr[W1 > 2 alpha] ="
        f" {twice:.1e}",
    )


def theorem4_exact() -> Evidence:
    """Whether the tail bound holds against the exact law over a grid of urns."""
    cases = 0
    for b, a, s in (100, 40, 50), (1000, 30, 500), (60, 30, 10), (5000, 2500, 2500), (200, 5, 100):
        distances = np.arange(2, min(a, s))
        tails = stats.hypergeom(b, a, s).sf(s * a / b + distances)
        for distance, exact in zip(distances.tolist(), tails, strict=True):
            if exact > hush_scovel(distance, b=b, a=a, s=s):
                return fact(0, f"fails at b={b}, a={a}, s={s}, distance={distance}")
        cases += distances.size
    return fact(1, f"{cases} tails")


def theorem12_special() -> Evidence:
    """Whether the printed exponent for halves is at most the general one, for many n >= 3."""
    sizes = [*range(4, 200, 2), 10**4, 10**6]
    ratios = [mcdiarmid(n=n, m=n / 2) / mcdiarmid(n=n, m=n / 2, reading="paper") for n in sizes]
    words = f"the general exponent is {min(ratios):.2f} to {max(ratios):.2f} times it"
    return fact(min(ratios) >= 1, words)


def corollary2_follows() -> Evidence:
    """Whether Theorem 15 with the proof's choices gives Corollary 2, over epsilon, n and gamma."""
    held = []
    for epsilon, n, eta in product(
        (1e-4, 0.001, 0.01, 0.1, 0.5), (1, 10, 1000, 10**6), (1.0, 0.05, 1e-9)
    ):
        delta = largest_delta(epsilon=epsilon, n=n, eta=eta)
        given: dict[str, Any] = {"epsilon": epsilon, "n": n, "delta": delta}
        t, hat = math.sqrt(2 * math.log(2 / eta)), math.sqrt(epsilon * delta) / 15
        beta, bound = approximate_dp(**given, t=t, delta_hat=hat)
        held.append(beta <= eta and bound <= corollary(**given, eta=eta))
    return fact(all(held), f"{sum(held)} of {len(held)} settings")


def clear_column(draws: int = 20_000) -> Evidence:
    """Whether Theorem 9 holds: simulated halves of large groups, exact law of small data sets.

    Under the column's own lens a predictor is two numbers, and +1 and -1 are
    as far apart as any on every half, whatever was published.
    """
    beta, shares = 0.05, []
    for n, alpha in product((10_000, 100_000), (0.5, 1.0, 1.5, 2.0)):
        members = math.ceil(theorem9_size(alpha=alpha, beta=beta, n=n, collection=1))
        for share in (0.5, 0.1) if members <= n else ():
            rng = stream(1, "clear column", 9, n, alpha, share)
            found = column_distances(round(share * members), members, n, size=draws, rng=rng)
            shares.append(float((found > alpha).mean()))
    words = f"largest simulated share {max(shares):.4f} over {len(shares)} cases, beta {beta:g}"
    if refuted := theorem9_counterexample():
        n, ones, alpha, likely, chance = refuted
        words += (
            f"; but {ones} of {n} people with a one are more than {alpha:.2f} apart with"
            f" probability {chance:g}, at beta {likely:g}"
        )
    return fact(max(shares) <= beta and not refuted, words)


def theorem9_counterexample(
    betas: tuple[float, ...] = (0.05, 0.5, 0.65, 0.8, 0.95),
) -> tuple[int, int, float, float, float] | None:
    """First case that refutes Theorem 9 exactly: ``(n, ones, alpha, beta, chance)``, or None.

    Everyone is in the group, and ``Pr[W1 > alpha] > beta``.

    ``alpha`` is the least for which the size constraint is at most ``n``. With
    an odd number of ones the halves always differ, by 4/n at least.
    """
    for beta, n in product(betas, range(2, 41, 2)):
        alpha = theorem9_size(alpha=1.0, beta=beta, n=n, collection=1) / n * (1 + 1e-7)
        for ones in range(1, n // 2 + 1) if alpha <= 2 else ():
            inside = np.arange(n // 2 + 1)
            w1 = 2 * np.abs(2 * inside - ones) / (n // 2)
            chance = float(stats.hypergeom(n, ones, n // 2).pmf(inside)[w1 > alpha].sum())
            if chance > beta + 1e-9:
                return n, ones, alpha, beta, chance
    return None


def reading_distances(n: int, alpha: float, *, size: int, rng: np.random.Generator) -> np.ndarray:
    """W1 on everyone of a learner that picks its predictor by the count, shape (size,).

    Simulated halves of ``n``.

    Half of the people have the bit, half a trait, independently. If the count
    tells that the bit is more than ``alpha`` apart, the learner predicts the
    bit, else the trait: it exceeds alpha about twice as often as either.
    """
    quarter, half = n // 4, n // 2
    ones = rng.hypergeometric(half, half, half, size=size)
    trait = rng.hypergeometric(quarter, quarter, ones) + rng.hypergeometric(
        quarter, quarter, half - ones
    )
    bit, other = even_distances(half, np.array([ones, trait]))
    return np.where(bit > alpha, bit, other)


def clear_count(draws: int = 20_000) -> Evidence:
    """Whether Theorem 11 holds: against a learner that reads the count, and against all.

    All learners by a union bound.

    A count of n/2 bits has n/2 + 1 values, and given its coins a learner makes
    one predictor of each, so :func:`description_length_size` holds for every
    learner under every lens. Where it asks for no more people than Theorem 11
    does, the theorem follows. With ``L = ln(10 n |C|/beta)`` and a group of m
    people that is large enough for the theorem, ``alpha >= 112 sqrt(L/m)``
    because ``m <= n``, against less than ``4 sqrt(L/m)``: so it is everywhere,
    and the cases below check the arithmetic.
    """
    beta, ratios = 0.05, []
    for n, alpha in product((10**5, 10**6, 10**8, 10**12), (0.01, 0.1, 0.5, 1.0, 2.0)):
        if theorem11_size(alpha=alpha, beta=beta, n=n, collection=1) <= n <= 10**6:
            rng = stream(1, "clear count", n, alpha)
            misses = int((reading_distances(n, alpha, size=draws, rng=rng) > alpha).sum())
            if exceeds_too_often(misses, draws, beta):
                return fact(0, f"exceeds {alpha:g} in {misses / draws:.3f} of the halves of {n:,}")
        for likely, groups in ((1.0, 1), (beta, 1), (beta, 1000), (math.exp(-30), 100)):
            known: dict[str, Any] = {"alpha": alpha, "beta": likely, "n": n, "collection": groups}
            asked = theorem11_size(**known)
            if asked <= n:
                ratios.append(description_length_size(**known, counts=1) / asked)
    if max(ratios, default=2.0) > 1:
        return fact(math.nan, "our bound does not settle it")
    return fact(
        1,
        f"a union bound over the n/2 + 1 counts asks for at most {max(ratios):.2%} of the people,"
        f" in {len(ratios)} cases",
    )


def higher_epsilon() -> Evidence:
    """Whether our bound allows a larger epsilon than Theorem 7, at every alpha of Table 1."""
    ours, theirs = table1("within"), table1("theorem7")
    times = [own["largest"] / row["largest"] for own, row in zip(ours, theirs, strict=True)]
    at = next(i for i, row in enumerate(theirs) if row["alpha"] == 0.2)
    words = (
        f"{ours[at]['largest']:.3g} against {theirs[at]['largest']:.3g} at alpha 0.2;"
        f" {min(times):.0f} to {max(times):.0f} times as large over {len(times)} alphas"
    )
    return fact(min(times) > 1, words)


MEASURES = measures_of(__name__)
