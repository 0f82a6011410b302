"""DI, SPD, EOD, OAD with the paper's signs, the rates they are made of, and utility.

Group 1 is the paper's privileged group, group 0 the unprivileged one. A group
that is absent, or has no positive labels, has no rate there: NaN, and so has
every metric made of it. What would be 0/0 is NaN. Nothing is filled in and
nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real

import numpy as np

from lib import validate

FAIR: dict[str, float] = {
    "DI": 1.0,
    "SPD": 0.0,
    "EOD": 0.0,
    "OAD": 0.0,
}  # the value of a fair predictor (Eqs 1-4)
FAIRNESS: tuple[str, ...] = tuple(FAIR)
UTILITY: tuple[str, ...] = ("acc", "f1", "auc", "recall", "balanced_accuracy")
Metric = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None], float]
RATES: tuple[str, ...] = ("positive_rate", "tpr", "fpr", "acc")


def _binary(name: str, values: np.ndarray, n: int | None = None) -> np.ndarray:
    array = validate.array(name, values)
    fits = array.ndim == 1 and n in (None, array.size)
    validate.require(fits, name, f"of shape ({'n' if n is None else n},)", array.shape)
    validate.require(array.size > 0, name, "of one entry or more", array.size)
    right = _zero_or_one(array)
    if not right.all():
        raise validate.refusal(name, "0 or 1 everywhere", array[~right][0])
    return array.astype(bool)


def _zero_or_one(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "O":  # the missing value of pandas cannot be compared
        return np.array([isinstance(entry, Real | np.bool_) and entry in (0, 1) for entry in array])
    if array.dtype.kind not in "biuf":  # np.isin takes "1" for 1
        return np.zeros(array.shape, dtype=bool)
    return np.isin(array, (0, 1))


def _scores(values: np.ndarray, n: int) -> np.ndarray:
    array = validate.array("scores", values)
    fits = array.shape == (n,) and array.dtype.kind in "biuf" and not np.isnan(array).any()
    what = f"numbers of shape ({n},) without NaN"
    validate.require(fits, "scores", what, f"shape {array.shape}, dtype {array.dtype}")
    from scipy.stats import rankdata

    # the area under the curve of the ranks is that of the scores, and scikit-learn takes no
    # infinity
    return array if np.isfinite(array).all() else rankdata(array)


def _mean(mask: np.ndarray) -> float:
    return float(mask.mean()) if mask.size else float("nan")


def group_rates(y_true: np.ndarray, y_pred: np.ndarray, group: np.ndarray) -> dict[str, float]:
    """Size and rates of both groups: ``n_g, positive_rate_g, tpr_g, fpr_g, acc_g`` for g in {0, 1}.

    Parameters
    ----------
    y_true, y_pred, group : array of 0 and 1, shape (n,)
        Labels, predicted labels, protected attribute ``A_p``; n at least 1, else a ``ValueError``.

    Examples
    --------
    >>> rates = group_rates([1, 0, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0])
    >>> rates["tpr_1"], rates["tpr_0"]
    (1.0, 0.0)
    """
    validate.same_labels(y_true=y_true, y_pred=y_pred, group=group)
    y = _binary("y_true", y_true)
    hat, member = _binary("y_pred", y_pred, y.size), _binary("group", group, y.size)
    found: dict[str, float] = {}
    for g in (0, 1):
        own = member == bool(g)
        found[f"n_{g}"] = int(own.sum())
        found |= {f"{name}_{g}": rate for name, rate in rates(y[own], hat[own]).items()}
    return found


def rates(y_true: np.ndarray, y_pred: np.ndarray) -> dict[str, float]:
    """The :data:`RATES` of one group, from bool arrays of shape (n,); NaN where nobody is meant.

    >>> rates(np.array([True, False]), np.array([True, True]))
    {'positive_rate': 1.0, 'tpr': 1.0, 'fpr': 1.0, 'acc': 0.5}
    """
    validate.same_labels(y_true=y_true, y_pred=y_pred)
    y_true, y_pred = validate.array("y_true", y_true), validate.array("y_pred", y_pred)
    for name, found in (("y_true", y_true), ("y_pred", y_pred)):
        fits = found.ndim == 1 and found.dtype == bool and found.size == y_true.size
        validate.require(fits, name, "bool, of shape (n,) both", found)
    means = (y_pred, y_pred[y_true], y_pred[~y_true], y_pred == y_true)
    return dict(zip(RATES, map(_mean, means), strict=True))


def fairness(y_true: np.ndarray, y_pred: np.ndarray, group: np.ndarray) -> dict[str, float]:
    """The four metrics of Section 3.1, Eqs 1-4.

    ``DI = P[hat=1 | 0] / P[hat=1 | 1]``, ``SPD = P[hat=1 | 1] - P[hat=1 | 0]``,
    ``EOD`` and ``OAD`` the same difference of true positive rates and of accuracies. ``DI`` is
    infinite where only group 1 has no positive prediction, NaN where neither group has one.

    Parameters
    ----------
    y_true, y_pred, group : array of 0 and 1, shape (n,)
        Labels, predicted labels, protected attribute ``A_p``; n at least 1.

    Returns
    -------
    dict
        A number for each name of :data:`FAIRNESS`.

    Raises
    ------
    ValueError
        For an array that is empty, of another shape, or with other entries; for Series with other
        labels than another's.

    Examples
    --------
    >>> fairness([1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0])
    {'DI': 2.0, 'SPD': -0.5, 'EOD': 0.0, 'OAD': 0.5}
    """
    return _fairness_of(group_rates(y_true, y_pred, group))


def _fairness_of(rates: dict[str, float]) -> dict[str, float]:
    with np.errstate(divide="ignore", invalid="ignore"):
        di = float(np.float64(rates["positive_rate_0"]) / np.float64(rates["positive_rate_1"]))
    return {
        "DI": di,
        "SPD": rates["positive_rate_1"] - rates["positive_rate_0"],
        "EOD": rates["tpr_1"] - rates["tpr_0"],
        "OAD": rates["acc_1"] - rates["acc_0"],
    }


def utility(
    y_true: np.ndarray, y_pred: np.ndarray, scores: np.ndarray | None = None
) -> dict[str, float]:
    """Accuracy, F1 and recall of class 1, AUC of ``scores``, balanced accuracy.

    The published runs computed AUC from hard labels, which is the balanced accuracy; here ``auc``
    ranks ``scores`` and is NaN without them. Both are NaN where ``y_true`` has one class only,
    ``recall`` where it has no 1, and ``f1`` where ``y_pred`` has none either: with a positive on
    one side only it is 0.

    Parameters
    ----------
    y_true, y_pred : array of 0 and 1, shape (n,)
        Labels and predicted labels; n at least 1.
    scores : array of numbers, shape (n,), optional
        Larger where 1 is more likely; any unit, only their order counts, infinities included.

    Returns
    -------
    dict
        A number for each name of :data:`UTILITY`.

    Raises
    ------
    ValueError
        For labels that are empty, of another shape, or with other entries than
        0 and 1; for scores of another shape, of no numbers, or with NaN.

    Examples
    --------
    >>> utility([1, 0, 1, 0], [1, 0, 0, 0])["acc"]
    0.75
    """
    from sklearn import metrics

    validate.same_labels(y_true=y_true, y_pred=y_pred, scores=scores)
    y = _binary("y_true", y_true)
    hat = _binary("y_pred", y_pred, y.size)
    two_classes = 0 < y.sum() < y.size
    scores = None if scores is None else _scores(scores, y.size)
    return {
        "acc": float(metrics.accuracy_score(y, hat)),
        "f1": float(metrics.f1_score(y, hat, zero_division=np.nan)),
        "auc": (
            float(metrics.roc_auc_score(y, scores))
            if scores is not None and two_classes
            else float("nan")
        ),
        "recall": float(metrics.recall_score(y, hat, zero_division=np.nan)),
        "balanced_accuracy": (
            float(metrics.balanced_accuracy_score(y, hat)) if two_classes else float("nan")
        ),
    }


def evaluate(
    y_true: np.ndarray,
    y_pred: np.ndarray,
    group: np.ndarray,
    scores: np.ndarray | None = None,
    extra: Mapping[str, Metric] | None = None,
) -> dict[str, float]:
    """Every metric and rate above in one dictionary, and those of ``extra``.

    Parameters
    ----------
    y_true, y_pred, group : array of 0 and 1, shape (n,)
        Labels, predicted labels, protected attribute ``A_p``; n at least 1.
    scores : array of numbers, shape (n,), optional
        As for :func:`utility`; without them ``auc`` is NaN.
    extra : mapping name -> function ``(y_true, y_pred, group, scores)`` to a number, optional
        Metrics of your own; they get the arrays as they were given.

    Returns
    -------
    dict
        The names of :data:`FAIRNESS` and :data:`UTILITY`, ``n_g`` and each of
        :data:`RATES` with ``_0`` and ``_1``, then those of ``extra``.

    Raises
    ------
    ValueError
        As for :func:`group_rates` and :func:`utility`, and for an ``extra`` whose name is taken.

    Examples
    --------
    >>> found = evaluate([1, 0, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0])
    >>> found["EOD"], found["acc"], found["n_0"]
    (1.0, 0.75, 2)
    """
    rates = group_rates(y_true, y_pred, group)
    found = _fairness_of(rates) | utility(y_true, y_pred, scores) | rates
    extra = {} if extra is None else extra
    functions = isinstance(extra, Mapping) and all(map(callable, extra.values()))
    validate.require(functions, "extra", "a mapping of names to functions", extra)
    for name, metric in extra.items():
        what = f"names other than {', '.join(found)}"
        validate.require(name not in found, "extra", what, name)
        found[name] = float(metric(y_true, y_pred, group, scores))
    return found
