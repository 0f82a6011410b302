"""What the seven protocols share: support sets, the frequency estimator and its variance.

A report ``z`` supports the set ``S(z)`` of values. With ``p_star = Pr[v in
S(z)]`` for the user's own value ``v`` and ``q_star`` for any other given value,

    f_hat(v) = (C(v) / n - q_star) / (p_star - q_star),

with ``C(v)`` the number of reports that support ``v``, is unbiased (Wang et al.
2017, Theorem 1), and its variance follows from the two probabilities alone.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from lib import validate


def snap(x: float) -> float:
    """``x``, or the whole or half number that ``x`` differs from by its last bits only.

    A size that is rounded to a whole number must be the same on every platform, and the last bits
    of ``e^epsilon`` are not.

    >>> math.exp(math.log(5)), snap(math.exp(math.log(5)))
    (4.999999999999999, 5.0)
    """
    near = round(2 * x) / 2
    return near if abs(x - near) <= 16 * math.ulp(x) else x


class Protocol(ABC):
    """An epsilon-LDP protocol for one attribute with values ``0..k-1``.

    Parameters
    ----------
    k : int
        Size of the domain, from 2 up to 2**63.
    epsilon : float
        Privacy budget, from 1e-9 up to 600 (``validate.EPSILON_MIN`` and ``EPSILON_MAX``).

    Attributes
    ----------
    p, q : float
        The protocol's own perturbation probabilities, in the paper's notation.
    p_star, q_star : float
        Probability that a report supports the user's value; any other given value.
    not_p : float or None
        ``1 - p_star`` where a protocol knows it to full precision; for large
        budgets the subtraction would lose it.

    Raises
    ------
    ValueError
        If ``k`` or ``epsilon`` is out of range.

    Notes
    -----
    The channels and the privacy loss are those of the protocol. Its bits are
    drawn with probabilities that are doubles: where ``1 - p`` is below 2**-53
    (GRR from an epsilon of about 37 on) a report is always the truth, and its
    law is off by that much.

    >>> from lib.ldp import OUE
    >>> import numpy as np
    >>> protocol = OUE(k=3, epsilon=2.0)
    >>> values = np.repeat([0, 1, 2], [700, 200, 100])
    >>> reports = protocol.privatise(values, np.random.default_rng(0))
    >>> protocol.estimate(reports).round(1).tolist()
    [0.7, 0.2, 0.2]
    """

    name: str
    p: float
    q: float
    p_star: float
    q_star: float
    not_p: float | None = None

    def __init__(self, *, k: int, epsilon: float) -> None:
        self.k = validate.integer("k", k, low=2, high=validate.INTEGER_MAX)
        self.epsilon = validate.budget("epsilon", epsilon)

    def __repr__(self) -> str:
        return f"{self.name}(k={self.k}, epsilon={self.epsilon:g})"

    @abstractmethod
    def privatise(self, values: np.ndarray, rng: np.random.Generator):
        """Randomise each user's value; returns one report per user, in the protocol's own form.

        Parameters
        ----------
        values : array of int, shape (n,)
            True values in ``0 .. k-1``.
        rng : np.random.Generator

        Raises
        ------
        ValueError
            If ``values`` has another shape or an entry outside the domain, or
            ``rng`` is no generator.
        """

    @abstractmethod
    def support(self, reports) -> np.ndarray:
        """``S(z)`` of each report as indicator vectors, uint8 of shape (n, k).

        Raises
        ------
        ValueError
            If ``reports`` are not of the form that :meth:`privatise` gives them; so do
            :meth:`support_counts`, :meth:`n_reports` and :meth:`estimate`.
        """

    def privatise_support(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Indicator vectors of fresh reports, uint8 of shape (n, k).

        The law is that of ``support(privatise(values, rng))``; a protocol whose
        support can be drawn without its report overrides this.
        """
        return self.support(self.privatise(values, rng))

    @abstractmethod
    def channel(self) -> np.ndarray:
        """Exact ``Pr[z | v]``, shape (k, number of reports); rows sum to one.

        Raises
        ------
        ValueError
            If there are too many reports to enumerate.
        """

    def log_channel(self) -> np.ndarray:
        """``log Pr[z | v]``, shape (k, number of reports); here the logarithm of :meth:`channel`.

        A protocol whose probabilities can be too small for a float overrides
        this, so that ratios are right for every budget. Reports that all values
        send alike may share a column.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.channel())

    @abstractmethod
    def privacy_loss(self) -> float:
        """``max log Pr[z | v] / Pr[z | v']``, exact, from the perturbation probabilities."""

    def support_channel(self) -> np.ndarray:
        """``Pr[v' in S(z) | v]``, shape (k, k): ``p_star`` on the diagonal, ``q_star`` off it."""
        channel = np.full((self.k, self.k), self.q_star)
        np.fill_diagonal(channel, self.p_star)
        return channel

    def support_counts(self, reports) -> np.ndarray:
        """``C(v)``, the number of reports that support each value, int64 of shape (k,)."""
        bits = self.support(reports)
        parts = (bits[i : i + 255].sum(axis=0, dtype=np.uint8) for i in range(0, len(bits), 255))
        return sum(parts, np.zeros(self.k, dtype=np.int64))

    def estimate(self, reports, project: str | None = None) -> np.ndarray:
        """Unbiased estimate of the frequencies of the k values, shape (k,); may leave [0, 1].

        Parameters
        ----------
        reports
            Of n users, as from :meth:`privatise`.
        project : {None, "simplex"}
            The nearest point of the simplex instead, by squares: frequencies that sum to one. It
            is never farther from the true ones, and biased: rare values come out too frequent on
            average, and frequent ones too rare.

        Raises
        ------
        ValueError
            If there is no report, one that the protocol does not make, or another ``project``.
        """
        validate.choice("project", project, (None, "simplex"))
        n = self.n_reports(reports)
        validate.require(n > 0, "reports", "one or more", n)
        found = (self.support_counts(reports) / n - self.q_star) / (self.p_star - self.q_star)
        if project is None:
            return found
        high = np.sort(found)[::-1]
        cuts = (high.cumsum() - 1) / np.arange(1, self.k + 1)
        return np.maximum(found - cuts[high > cuts][-1], 0.0)

    def n_reports(self, reports) -> int:
        """How many users reported."""
        try:
            return len(reports)
        except TypeError:
            raise validate.refusal(
                "reports", "one for each user, as from privatise", reports
            ) from None

    def variance(self, n: int, frequency: float | np.ndarray = 0.0) -> float | np.ndarray:
        """Exact variance of the estimate for a value that a share ``frequency`` of n users holds.

        Each user adds an independent bit, ``p_star`` or ``q_star`` as they hold
        the value or not. ``frequency=0`` is the ``Var*`` of Wang et al. (2017).

        Parameters
        ----------
        n : int
            Number of users, from 1 up to 2**63.
        frequency : float or array of floats in [0, 1]
            The result has its shape.

        Raises
        ------
        ValueError
            If ``n`` or ``frequency`` is out of range.
        """
        validate.integer("n", n, low=1, high=validate.INTEGER_MAX)
        f = validate.reals("frequency", frequency)
        validate.require(((f >= 0) & (f <= 1)).all(), "frequency", "numbers in [0, 1]", frequency)
        p, q = self.p_star, self.q_star
        not_p = 1 - p if self.not_p is None else self.not_p
        var = (f * p * not_p + (1 - f) * q * (1 - q)) / (n * (p - q) ** 2)
        return var if f.ndim else float(var)

    def _to_draw(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The values as intp, once they and what is to draw for them are found good."""
        validate.generator("rng", rng)
        return validate.codes("values", values, self.k)
