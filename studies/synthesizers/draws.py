"""Mean scores over the runs, and over runs that are drawn again, for the interval of a share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from lib.ledger.authors import AUTHORS
from lib.rng import stream
from lib.stats.summary import RELATIVE, above
from studies.measures import DRAWS, resamples
from studies.synthesizers.settings import MAIN
from studies.synthesizers.summary import HIGHER, SETTING, main_fits


def drawn(frame: pd.DataFrame, metric: str, keys: Sequence[str] = SETTING) -> pd.DataFrame:
    """Mean scores over runs, a row for each of ``keys``; better ones larger.

    The first column has all runs, each further one as many that are drawn from them with
    replacement: the same ones of every setting, as a run is one split of a table. The runs that
    the authors stored belong to no split, so theirs are drawn for each setting by itself.
    """
    rows = frame.astype({"by": str, "synthesizer": str})
    wide = rows.pivot_table(index=list(keys), columns="run", values=metric)
    theirs, picks, means = AUTHORS in set(frame["dataset"]), resamples(wide.shape[1]), []
    for number, own in enumerate(wide.to_numpy()):
        stored = own[~np.isnan(own)]
        if theirs:
            rng = stream(1, "runs of the authors", metric, number)
            picks = rng.integers(0, stored.size, (DRAWS, stored.size))
            means.append(stored[picks].mean(axis=1))
        else:
            means.append(np.nanmean(own[picks], axis=1))
    found = np.column_stack([wide.mean(axis=1), np.reshape(means, (-1, DRAWS))])
    sign = 1 if metric in HIGHER else -1
    return pd.DataFrame(sign * found, index=wide.index)


def all_above(means: pd.DataFrame, better: Sequence[str], than: Sequence[str]) -> pd.DataFrame:
    """Whether each of some synthesizers has a better mean than each of others, of each setting that
    all have; empty if one has none.
    """
    if not {*better, *than} <= set(means.index.get_level_values("synthesizer")):
        return pd.DataFrame()
    each = {name: means.xs(name, level="synthesizer") for name in (*better, *than)}
    both = pd.concat(each, axis=1, join="inner").dropna()
    pairs = [above(both[one], both[other]) for one, other in product(better, than)]
    return pd.DataFrame(np.logical_and.reduce(pairs), index=both.index)


def differences(
    frame: pd.DataFrame,
    metric: str,
    synthesizers: Sequence[str] = MAIN,
    epsilons: Sequence[float] = (0, math.inf),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean scores of the stratified fits, and of the plain fits beside each."""
    fits = main_fits(frame[frame["epsilon"].between(min(epsilons), max(epsilons))])
    means = drawn(fits[fits["synthesizer"].isin(synthesizers)], metric)
    own = means[means.index.get_level_values("by") != "vanilla"]
    plain = means.xs("vanilla", level="by").reindex(own.index.droplevel("by"))
    return own, plain.set_axis(own.index)


def order_correlation(values: np.ndarray) -> np.ndarray:
    """Spearman's correlation of the last axis with its order; numbers that differ by last bits are
    tied, and NaN where all are.
    """
    own, other = values[..., None], values[..., None, :]
    tied = np.abs(own - other) <= RELATIVE * np.maximum(np.abs(own), np.abs(other))
    ranks = np.where(tied, 0.0, np.sign(own - other)).sum(axis=-1)  # twice the rank, centred
    order = np.arange(values.shape[-1]) - (values.shape[-1] - 1) / 2
    size = np.sqrt((ranks**2).sum(axis=-1) * (order**2).sum())
    with np.errstate(invalid="ignore"):
        return (ranks @ order) / np.where(size > 0, size, np.nan)
