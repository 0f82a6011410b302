"""Group sizes and Theorem 10: the Dirichlet alpha, and "percent better than the worst case"."""

from __future__ import annotations

import numpy as np
from scipy import optimize, special

from lib import validate
from studies.private_means.theory import vector

_RANGE = (1e-4, 1e4)
_LEAST = 5e-324  # the least float above 0


def _shares(sizes: np.ndarray) -> np.ndarray:
    sizes = vector("sizes", sizes, _LEAST, 2)
    return sizes / sizes.sum()


def alpha_by_squares(sizes: np.ndarray) -> float:
    """The Dirichlet alpha whose mean sum of squared shares is that of ``sizes``.

    The mean is (1 + alpha) / (1 + k alpha).

    Examples
    --------
    >>> round(alpha_by_squares([900, 80, 20]), 3)
    0.126
    """
    g = _shares(sizes)
    s = float((g**2).sum())
    excess = g.size * s - 1
    return float("inf") if excess <= 1e-15 else (1 - s) / excess


def alpha_by_likelihood(sizes: np.ndarray) -> float:
    """The alpha of the symmetric Dirichlet law that makes these shares the most likely.

    Examples
    --------
    >>> round(alpha_by_likelihood([900, 80, 20]), 2)
    0.43
    """
    g = _shares(sizes)

    def loss(log_alpha: float) -> float:
        a = np.exp(log_alpha)
        return -(
            special.gammaln(a * g.size) - g.size * special.gammaln(a) + (a - 1) * np.log(g).sum()
        )

    return float(np.exp(optimize.minimize_scalar(loss, bounds=np.log(_RANGE), method="bounded").x))


def log_dirichlet(alpha: float, k: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Logs of ``k`` shares drawn from the symmetric Dirichlet law, also for a small ``alpha``.

    Returns
    -------
    float array of shape (draws, k)

    Examples
    --------
    >>> log_dirichlet(0.001, 2, 3, np.random.default_rng(0)).max(axis=1).round(3).tolist()
    [0.0, 0.0, 0.0]
    """
    alpha = validate.positive("alpha", alpha)
    validate.integer("k", k, low=1)
    validate.integer("draws", draws, low=1)
    validate.generator("rng", rng)
    # the log of a Gamma(alpha) variable, which itself may be too small for a float
    logs = np.log(rng.gamma(alpha + 1, size=(draws, k))) + np.log(rng.random((draws, k))) / alpha
    return logs - np.logaddexp.reduce(logs, axis=1, keepdims=True)


def expected_logs(alpha: float, k: int, n: float) -> float:
    """Theorem 10: the expected sum of log sizes, k (digamma(alpha) - digamma(k alpha) + log n).

    Examples
    --------
    >>> round(expected_logs(1.0, 3, 1000), 2)
    16.22
    """
    # digamma of a smaller number is infinite
    alpha = validate.budget("alpha", alpha, low=1e-300, high=1e300)
    validate.integer("k", k, low=1)
    n = validate.positive("n", n)
    return float(k * (special.digamma(alpha) - special.digamma(k * alpha) + np.log(n)))


def log_sums(sizes: np.ndarray) -> dict[str, float]:
    """Sum of log sizes: of ``sizes``, of equal groups (worst), and of one large group (best).

    In the best case the other groups have one person each; the paper prints another number.

    Examples
    --------
    >>> {name: round(x, 1) for name, x in log_sums([900, 80, 20]).items()}
    {'observed': 14.2, 'worst': 17.4, 'best': 6.9, 'best as printed': 8.9}
    """
    sizes = vector("sizes", sizes, 1, 2)
    k, n = sizes.size, sizes.sum()
    return {
        "observed": float(np.log(sizes).sum()),
        "worst": float(k * np.log(n / k)),
        "best": float(np.log(n - k + 1)),
        "best as printed": float(k - 1 + np.log(n - k)) if n > k else -np.inf,
    }


def improvements(sizes: np.ndarray, alpha: float) -> dict[str, float]:
    """How much better than the worst case, by name of the reading; 1 is the best case.

    Where no best case is named, 1 means no error.
    ``relative to best``: (worst - expected) / (worst - best), 0 at the worst
    case. The squares of the errors hold ``k R^2`` beside these sums of logs in
    all three cases, so this reading alone is the same for every ``R``. ``what
    exceeds the best``: 1 - (expected - best) / worst. ``square roots``: of the
    three sums, as errors go. The other readings are named for what replaces the
    expectation or the scale.

    Examples
    --------
    >>> readings = improvements([900, 80, 20], 0.13)
    >>> round(readings["observed sizes, relative to the true best case"], 2)
    0.31
    """
    sizes = vector("sizes", sizes, 1, 2)
    logs = log_sums(sizes)
    validate.require(logs["worst"] > 0, "sizes", "those of more people than groups", sizes)
    expected = expected_logs(alpha, sizes.size, float(sizes.sum()))
    worst, printed = logs["worst"], logs["best as printed"]
    values = {"expected": expected, "observed sizes": logs["observed"]}
    lowest = {"the printed best case": printed, "the true best case": logs["best"], "zero": 0.0}
    readings = {
        f"{what}, relative to {end}": (worst - value) / (worst - low)
        for what, value in values.items()
        for end, low in lowest.items()
    }
    roots = np.sqrt(np.maximum([worst, expected, printed], 0.0))
    return readings | {
        "expected, what exceeds the printed best case as a share of the worst": (
            1 - (expected - printed) / worst
        ),
        "square roots, expected, relative to the printed best case": float(
            (roots[0] - roots[1]) / (roots[0] - roots[2])
        ),
    }
