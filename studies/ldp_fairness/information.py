"""What one report tells about its sender: posterior and mutual information.

In all seven protocols the likelihood ``Pr[z | v]`` takes two values only: one
where ``z`` supports ``v``, a smaller one where not, and their ratio is
``L = exp(privacy_loss)``. With a prior ``pi`` and ``pi(S)`` its mass on the
support ``S``, Bayes' rule reads

    Pr[v | z] = pi_v L^[v in S] / (1 + (L - 1) pi(S)),

and the mutual information is ``p_star log L - E log(1 + (L - 1) pi(S))``. The
law of ``pi(S)`` is that of a *null* support, drawn as if the sender's value lay
outside the domain, reweighted by ``1 + (L - 1) pi(S)``. Where the prior is a
table of counts, ``n pi(S)`` is a whole number, so the null law is an exact
convolution over the values: k steps of n additions, with no list of 2^k reports.
"""

from __future__ import annotations

import numpy as np

from lib import validate
from lib.ldp.base import Protocol
from lib.ldp.grr import GRR
from lib.ldp.sampling import as_bits
from lib.ldp.subset_selection import SS

_MAX_CELLS = (
    500_000_000  # products of one convolution, or entries of a law without one; a second or so
)


def posterior(protocol: Protocol, support: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """``Pr[v | report]`` of each of m reports.

    Parameters
    ----------
    support : array of bits, shape (m, k)
        What each report supports, as from ``protocol.support``.
    prior : array, shape (k,)
        Shares or counts of the values.

    Returns
    -------
    float array of shape (m, k)
        Rows sum to one.

    Raises
    ------
    ValueError
        If a shape is another, ``support`` has entries beside 0 and 1, or
        ``prior`` an entry that is negative or not finite, or none above 0.
    """
    validate.instance("protocol", protocol, Protocol)
    prior = _prior("prior", prior, protocol.k)
    support = as_bits("support", support, protocol.k)
    tilted = prior * np.exp(protocol.privacy_loss() * (support.astype(float) - 1))
    return tilted / tilted.sum(axis=1, keepdims=True)


def entropy(counts: np.ndarray) -> float:
    """Shannon entropy in bits of the distribution ``counts / sum``: the most a report can tell.

    Parameters
    ----------
    counts : array, shape (k,)
        Shares or counts of the values, k at least 1.

    Returns
    -------
    float
        In bits, from 0 to log2 k.

    Raises
    ------
    ValueError
        If ``counts`` has another shape, an entry that is negative or not
        finite, or none above 0.
    """
    pi = _prior("counts", counts)
    pi = pi[pi > 0]
    return float(-(pi * np.log2(pi)).sum())


def null_support_mass(protocol: Protocol, counts: np.ndarray) -> np.ndarray:
    """Law of the number of people whose value lies in a null support, shape (n + 1,).

    Parameters
    ----------
    counts : array of int, shape (k,)
        How many of n people hold each value; refused as by :func:`mutual_information`.
    """
    validate.instance("protocol", protocol, Protocol)
    counts = validate.codes("counts", counts, 1 << 40)
    _prior("counts", counts, protocol.k)
    n, k = int(counts.sum()), protocol.k
    if isinstance(protocol, GRR):
        _not_too_long(n, f"{n} people")
        return np.bincount(counts.astype(np.intp), minlength=n + 1) / protocol.k
    if isinstance(protocol, SS):
        _not_too_long(
            k * protocol.omega * n, f"{k} values, subsets of {protocol.omega}, {n} people"
        )
        return _uniform_subset_mass(counts, protocol.omega)
    _not_too_long(k * n, f"{k} values, {n} people")
    return _independent_bits_mass(counts, protocol.q_star)


def mutual_information(protocol: Protocol, counts: np.ndarray) -> float:
    """Exact mutual information in bits between the value of a random person and their report.

    Parameters
    ----------
    counts : array of int, shape (k,)
        How many of the n people hold each value.

    Raises
    ------
    ValueError
        If ``counts`` has another length, a negative entry or none above 0, or
        their law would take too long: the number of people (GRR), times k (the
        others), times omega (SS) may be up to 500,000,000.
    """
    null, loss = null_support_mass(protocol, counts), protocol.privacy_loss()
    n = null.size - 1
    at = np.flatnonzero(null)
    with np.errstate(divide="ignore"):
        # log(1 + (L - 1) pi(S)), no overflow
        tilt = np.logaddexp(np.log1p(-at / n), loss + np.log(at / n))
    weight = null[at] * np.exp(tilt - tilt.max())
    weight /= weight.sum()
    return float(max(0.0, (protocol.p_star * loss - weight @ tilt) / np.log(2)))


def _prior(name: str, prior: np.ndarray, k: int | None = None) -> np.ndarray:
    """``prior`` as shares that sum to one, shape (k,), any k if none is given."""
    prior = validate.reals(name, prior)
    fits = prior.ndim == 1 and k in (None, prior.size)
    validate.require(fits, name, f"of shape ({'k' if k is None else k},)", prior.shape)
    fits = bool((prior >= 0).all() and 0 < prior.sum() < np.inf)
    validate.require(fits, name, "finite numbers >= 0, one of them above 0", prior.tolist())
    return prior / prior.sum()


def _not_too_long(cells: int, what: str) -> None:
    if cells > _MAX_CELLS:
        raise ValueError(f"counts must take at most {_MAX_CELLS} products, got {cells} ({what})")


def _independent_bits_mass(counts: np.ndarray, q: float) -> np.ndarray:
    """Sum of ``counts`` over a set that holds each value independently with probability ``q``."""
    law = np.zeros(counts.sum() + 1)
    law[0], reached = 1.0, 0
    for c in counts[counts > 0]:
        step = law[: reached + 1] * q
        law[: reached + 1] -= step
        law[c : reached + c + 1] += step
        reached += c
    return law


def _uniform_subset_mass(counts: np.ndarray, size: int) -> np.ndarray:
    """Sum of ``counts`` over a uniform subset of ``size`` values.

    Value by value: of the ``left`` values that remain, ``size - j`` are still to
    be chosen after ``j``, so the next is chosen with probability ``(size - j) / left``.
    """
    n, k = int(counts.sum()), counts.size
    law = np.zeros((size + 1, n + 1))
    law[0, 0], reached = 1.0, 0
    for i, c in enumerate(counts):
        chosen = (size - np.arange(size + 1)[:, None]).clip(0) / (k - i)
        chosen = np.minimum(chosen, 1.0)  # rows that cannot be reached any more hold nothing
        step = law[:, : reached + 1] * chosen
        law[:, : reached + 1] -= step
        law[1:, c : reached + c + 1] += step[:-1]
        reached += c
    return law[size].clip(0)
