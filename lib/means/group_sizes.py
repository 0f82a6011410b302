"""What a vector of group sizes says about Theorem 10: alpha by two readings, and "percent better
than the worst case".
"""

from __future__ import annotations

import numpy as np
from scipy import optimize, special

from lib import validate

__all__ = [
    "alpha_by_squares",
    "alpha_by_likelihood",
    "alpha_by_simulation",
    "expected_logs",
    "log_sums",
    "improvements",
]

_RANGE = (1e-4, 1e4)


def _shares(sizes: np.ndarray) -> np.ndarray:
    sizes = validate.reals("sizes", sizes)
    if sizes.ndim != 1 or sizes.size < 2 or not (sizes > 0).all() or not np.isfinite(sizes).all():
        raise ValueError(f"sizes={sizes!r} are not allowed: at least two finite numbers > 0 are")
    return sizes / sizes.sum()


def alpha_by_squares(sizes: np.ndarray) -> float:
    """The alpha whose mean sum of squared shares, (1 + alpha) / (1 + k alpha), is that of
    ``sizes``.
    """
    g = _shares(sizes)
    s = float((g**2).sum())
    excess = g.size * s - 1
    return float("inf") if excess <= 1e-15 else (1 - s) / excess


def alpha_by_likelihood(sizes: np.ndarray) -> float:
    """Maximum likelihood for the one vector there is: the symmetric Dirichlet density of the
    shares.
    """
    g = _shares(sizes)

    def loss(log_alpha: float) -> float:
        a = np.exp(log_alpha)
        return -(
            special.gammaln(a * g.size) - g.size * special.gammaln(a) + (a - 1) * np.log(g).sum()
        )

    return float(np.exp(optimize.minimize_scalar(loss, bounds=np.log(_RANGE), method="bounded").x))


def alpha_by_simulation(
    sizes: np.ndarray, alphas: np.ndarray, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Mean squared distance of sorted Dirichlet draws to the sorted shares, one number an alpha
    (a Monte-Carlo search).
    """
    g = np.sort(_shares(sizes))[::-1]
    validate.integer("draws", draws, low=1)
    found = np.empty(len(alphas))
    for i, alpha in enumerate(alphas):
        validate.positive("alphas", alpha)
        gammas = np.log(
            rng.gamma(alpha + 1, size=(draws, g.size))
        )  # log of a Gamma(alpha) draw, safe for small alpha
        logs = gammas + np.log(rng.random((draws, g.size))) / alpha
        drawn = np.sort(special.softmax(logs, axis=1), axis=1)[:, ::-1]
        found[i] = ((drawn - g) ** 2).sum(axis=1).mean()
    return found


def expected_logs(alpha: float, k: int, n: float) -> float:
    """Theorem 10 (an equality): E sum log(g_i n) = k (digamma(alpha) - digamma(k alpha) + log
    n).
    """
    validate.positive("alpha", alpha)
    return float(k * (special.digamma(alpha) - special.digamma(k * alpha) + np.log(n)))


def log_sums(sizes: np.ndarray) -> dict[str, float]:
    """Sum of log sizes: of ``sizes``, of equal ones (worst), of one large group and singletons
    (best), and as printed.
    """
    sizes = validate.reals("sizes", sizes)
    _shares(sizes)
    k, n = sizes.size, sizes.sum()
    return {
        "observed": float(np.log(sizes).sum()),
        "worst": float(k * np.log(n / k)),
        "best": float(np.log(n - k + 1)),
        "best as printed": float(k - 1 + np.log(n - k)) if n > k else -np.inf,
    }


def improvements(sizes: np.ndarray, alpha: float) -> dict[str, float]:
    """Being better than the worst case, by name of the reading; 1 is the best case, or no error
    where no best case is named.

    ``relative to best``: (worst - expected) / (worst - best), 0 at the worst
    case. The squares of the errors hold ``k R^2`` beside these sums of logs in
    all three cases, so this reading alone is the same for every ``R``. ``what
    exceeds the best``: 1 - (expected - best) / worst. ``square roots``: of the
    three sums, as errors go. The other readings are named for what replaces the
    expectation or the scale.
    """
    logs = log_sums(sizes)
    expected = expected_logs(alpha, len(sizes), float(np.sum(sizes)))
    worst, printed, best, observed = (
        logs[name] for name in ("worst", "best as printed", "best", "observed")
    )

    def relative(value: float, lowest: float) -> float:
        return (worst - value) / (worst - lowest)

    roots = np.sqrt(np.maximum([worst, expected, printed], 0.0))
    return {
        "expected, relative to the printed best case": relative(expected, printed),
        "expected, relative to the true best case": relative(expected, best),
        "expected, relative to zero": relative(expected, 0.0),
        "observed sizes, relative to the printed best case": relative(observed, printed),
        "observed sizes, relative to the true best case": relative(observed, best),
        "observed sizes, relative to zero": relative(observed, 0.0),
        "expected, what exceeds the printed best case as a share of the worst": (
            1 - (expected - printed) / worst
        ),
        "square roots, expected, relative to the printed best case": float(
            (roots[0] - roots[1]) / (roots[0] - roots[2])
        ),
    }
