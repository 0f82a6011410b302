"""Section 5 of the coherence paper rerun, and with one thing changed at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from lib import validate
from lib.coherence.experiment import LABELS, Setup, compare, one_split
from lib.coherence.learners import BATTERY
from lib.groups import EVERYONE, groups, to_bands
from lib.rng import stream
from lib.runner.cell import set_checked
from studies.coherence.splits import SplitCell, record_of
from studies.coherence.table import NOT_ASKED, TARGET, Section5, load_section5
from studies.data.memory import cached_by_data_location

VERSION = "1"
SEED = 20260116
WITH = "with the difficulty"
STATISTICS = ("distance", "null", "null_95", "mean_a", "mean_b")
VARIANTS = {
    "published": "the script as it is: N a third class at -10, rows 1 to 13,626 of a shuffle"
    " against the rest",
    "halves repaired": "as published, with the first row of the shuffle used, the last left out",
    "N in the middle": "as published, with the class N predicted as 0 instead of -10",
    "N dropped": "people of five and over only, two classes",
}


@dataclass(frozen=True, kw_only=True)
class Cell(SplitCell, kind="section 5"):
    """One split of one variant."""

    variant: str
    learner: str = "forest"
    labels: str = "hard"
    seed: int = SEED

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, variant=VARIANTS, learner=BATTERY, labels=LABELS)
        asked, published = (self.learner, self.labels, self.n), ("forest", "hard", 0)
        fits, what = asked == published, f"{published} with variant {self.variant!r}"
        validate.require(fits or self.variant == "N dropped", "learner, labels and n", what, asked)


def section5_grid(
    splits: range = range(100), sizes: tuple[int, ...] = (500, 1000, 2000, 5000, 10_000)
) -> Iterator[Cell]:
    """The cells: variants, learners with both kinds of prediction, and sizes.

    Sizes for the forest and the lookup.
    """
    dropped = partial(Cell, variant="N dropped")
    for split in splits:
        yield from (Cell(variant=v, split=split) for v in VARIANTS if v != "N dropped")
        for learner, labels in product(BATTERY, ("hard", "confidence")):
            yield dropped(learner=learner, labels=labels, split=split)
        for n, learner in product(sizes, ("forest", "lookup")):
            yield dropped(learner=learner, labels="confidence", n=n, split=split)


_table = cached_by_data_location()(load_section5)


def collection(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """The paper's two groups, and sex, race, age bands and crossings with names of their own."""
    shown = pd.DataFrame(
        {
            "sex": frame["SEX"].map({1: "men", 2: "women"}),
            "race": frame["RAC1P"],
            "age": to_bands(frame["AGEP"], (18, 35, 55, 75)),
            "difficulty": np.where(frame[TARGET] == 1, "with", "without"),
        }
    )
    members = {EVERYONE: np.ones(len(frame), dtype=bool), WITH: (frame[TARGET] == 1).to_numpy()}
    crossings = [("sex", "age"), ("difficulty", "sex"), ("difficulty", "age")]
    return members | groups(shown, ["sex", "race", "age"], crossings, everyone=False)


def published_labels(
    section5: Section5, cell: Cell, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Predictions of the published protocol on everybody, and who was trained on.

    The prediction of the row left out is NaN.

    The shuffle's ``loc[1:13626]`` takes rows 1 to 13,626, both ends included:
    half of 27,252, with row 0 in neither half.
    """
    order = rng.permutation(len(section5.frame))
    half = len(order) // 2
    first = 0 if cell.variant == "halves repaired" else len(order) - 2 * half
    rows = order[first : first + 2 * half]
    shuffled = section5.frame.iloc[rows]
    y = shuffled[TARGET].map({1: -1, 2: 1, NOT_ASKED: NOT_ASKED}).to_numpy()
    x = shuffled[list(section5.lens)].to_numpy()
    model = RandomForestClassifier(n_estimators=50, random_state=int(rng.integers(2**31)))
    model.fit(x[:half], y[:half])
    h = np.full(len(order), np.nan)
    h[rows] = model.predict(x)
    if cell.variant == "N in the middle":
        h[h == NOT_ASKED] = 0
    return h, np.isin(np.arange(len(order)), rows[:half])


def run_cell(cell: Cell, section5: Section5 | None = None) -> dict:
    """One split: the :data:`STATISTICS` of every group as scores, and the data's source."""
    section5 = section5 or _table()
    rng = stream(cell.seed, "section 5", cell.n, cell.split)
    setup = Setup(target=TARGET, lens=section5.lens, labels=cell.labels)
    if cell.variant == "N dropped":
        frame = cell.people(section5.asked(), "section 5 sample")
        rows = one_split(frame, collection(frame), BATTERY[cell.learner], setup, rng)
    else:
        labels = published_labels(section5, cell, rng)
        rows = compare(*labels, collection(section5.frame), setup, rng)
    return record_of(rows, STATISTICS, section5.data)
