"""Parity error in the readings that the paper allows (Rosenblatt et al., Definition 11).

The formula is a *sum* over strata, the sentence before it says *average*; the
published figure adds up absolute errors without dividing by the true value. It
leaves out the five largest, of all crossings with equally many strata together,
and has no term for the population; ``drop`` leaves out the largest of one crossing.
"""

from __future__ import annotations

import numpy as np

from lib import validate


def stratum_errors(
    truth: np.ndarray | float, estimate: np.ndarray | float, *, normalised: bool = True
) -> np.ndarray:
    """Absolute errors ``|f(G_i) - M(G_i)|``, divided by ``|f(G_i)|`` if ``normalised``.

    Parameters
    ----------
    truth, estimate : array or float, shapes that broadcast
        f and its private version in each stratum, in the unit of the data. An
        estimate that is NaN has an error that is NaN.
    normalised : bool
        Divide by the true values: the errors then have no unit.

    Returns
    -------
    float array of the broadcast shape
        At least 0.

    Raises
    ------
    ValueError
        If a true value is not finite, or zero where it has to be divided by,
        or the shapes do not broadcast.

    Examples
    --------
    >>> stratum_errors([2.0, 4.0], [1.0, 5.0]).tolist()
    [0.5, 0.25]
    """
    return _errors(truth, estimate, normalised)


def _errors(truth: object, estimate: object, normalised: bool, of: str = "") -> np.ndarray:
    """The errors of what the arguments ``truth`` and ``estimate``, with the ending ``of``, hold."""
    validate.boolean("normalised", normalised)
    truth = validate.reals(f"truth{of}", truth)
    estimate = validate.reals(f"estimate{of}", estimate)
    validate.broadcastable(f"estimate{of}", estimate.shape, truth.shape, f"truth{of}")
    divisible = np.isfinite(truth).all() and not (normalised and (truth == 0).any())
    what = f"finite values{' other than 0' if normalised else ''}"
    validate.require(divisible, f"truth{of}", what, truth)
    error = np.abs(truth - estimate)
    return error / np.abs(truth) if normalised else error


def parity_error(
    truth: np.ndarray | float,
    estimate: np.ndarray | float,
    truth_all: np.ndarray | float,
    estimate_all: np.ndarray | float,
    *,
    omega: float | None = None,
    reading: str = "sum",
    normalised: bool = True,
    drop: int = 0,
) -> np.ndarray:
    """Definition 11: omega times the population's error plus the strata's, over the last axis.

    Parameters
    ----------
    truth, estimate : array, shape (..., k)
        f and its private version in each stratum; k at least 1.
    truth_all, estimate_all : array, shape (...)
        The same for the population.
    omega : float, optional
        Weight of the population's error, finite and above 0; 1/k if not given, as in the paper.
    reading : {"sum", "average"}
        The printed formula adds the strata up; its text averages them (those that are not dropped).
    normalised : bool
        Divide by the true values.
    drop : int
        Leave out that many strata with the largest errors, 0 to k.

    Returns
    -------
    float array, shape (...)
        At least 0. NaN where the error of any stratum, or of the population, is
        NaN: an error that is not known is not the largest, and none is dropped for it.

    Raises
    ------
    ValueError
        If ``truth`` and ``estimate`` have no strata, ``reading`` is not known,
        ``omega`` or ``drop`` is out of range, or as :func:`stratum_errors`.

    Examples
    --------
    >>> float(parity_error([2.0, 4.0], [1.0, 5.0], 3.0, 3.0))
    0.75
    """
    validate.choice("reading", reading, ("sum", "average"))
    errors = _errors(truth, estimate, normalised)
    k = errors.shape[-1] if errors.ndim else 0
    validate.require(k > 0, "truth and estimate", "of shape (..., k) with k >= 1", errors.shape)
    validate.integer("drop", drop, low=0, high=k)
    if omega is not None:
        omega = validate.positive("omega", omega)
    kept = np.sort(errors, axis=-1)[..., : k - drop]
    strata = kept.sum(axis=-1) if reading == "sum" else kept.sum(axis=-1) / max(1, k - drop)
    population = _errors(truth_all, estimate_all, normalised, "_all")
    total = (1 / k if omega is None else omega) * population + strata
    # NaN sorts behind the largest, where drop takes it for one
    return np.where(np.isnan(errors).any(axis=-1), np.nan, total)[()]
