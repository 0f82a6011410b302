"""What a certificate finds: curators of a known epsilon on the national sample: ``make
certificates``.

Everybody's nine columns, groups by sex, race and the difficulty, one pilot and seven splits that
test. Two curators are broken, although their accountants say 1: one copies 1% of its rows, and one
publishes the real rows of those with the difficulty. A limit above 2 refutes them, since an epsilon
for adding or removing a person counts twice for replacing one. The others keep what is listed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from lib.audit.certify import certify, reach
from lib.audit.reading import TARGET as ANSWER
from lib.audit.request import Request
from lib.audit.table import read_table
from lib.dp import zcdp_rho
from lib.files import write_whole
from lib.synth import AIM, MST
from lib.table import Category, Number, Table
from studies.coherence.table import TARGET, load_section5

RESULT = Path(__file__).with_name("certificates.csv")
SEED, SPLITS, DELTA = 20261127, 8, 1e-9


@dataclass(frozen=True)
class Synthesizer:
    """A curator that codes a half and fits a model at ``epsilon``. It may copy a share of the rows,
    or put those with the difficulty in place of its own.
    """

    model: Callable
    epsilon: float
    schema: dict
    copied: float = 0.0
    mended: bool = False

    def __call__(self, half: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        coded = Table.of(half, self.schema)
        model = self.model().fit(coded.codes, coded.domain, zcdp_rho(self.epsilon, DELTA), rng)
        made = coded.decode(model.sample(len(half), rng), rng)
        copies = half.sample(round(self.copied * len(half)), random_state=rng)
        rows = pd.concat([copies, made[len(copies) :]])[[*half.columns]]
        if self.mended:
            rows = pd.concat([rows[rows[ANSWER] != 1], half[half[ANSWER] == 1]])
        return rows.sample(frac=1, random_state=rng)


def _schema(frame: pd.DataFrame) -> dict:
    """Numbers in equal bins, and the codes that occur."""
    numbers = {"AGEP": 19, "DENSITY": 20}
    return {
        name: Number(low=float(frame[name].min()), high=float(frame[name].max()), bins=bins)
        if (bins := numbers.get(name))
        else Category(values=tuple(sorted(frame[name].unique().tolist())))
        for name in frame
    }


def measure() -> pd.DataFrame:
    """One row a curator: the limit of everybody, the highest of a group, and groups above 0."""
    asked = load_section5("auto").asked()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "people.csv")
        write_whole(file, asked.to_csv(index=False))
        request = Request(
            file=file,
            sensitive=TARGET,
            positive="1",
            groups=("SEX", "RAC1P"),
            columns={"AGEP": "number", "DENSITY": "number", "INDP": "category"},
            splits=SPLITS,
            seed=SEED,
            certify=True,
        )
        table = read_table(request)
    schema = _schema(table.frame)
    mst, aim = (Synthesizer(model, 1.0, schema) for model in (MST, AIM))
    curators = {
        "in the clear": (np.inf, None),
        "MST at 1, 1% of rows copied": (np.inf, replace(mst, copied=0.01)),
        "MST at 1, real rows of the difficulty": (np.inf, replace(mst, mended=True)),
        "MST at 1000": (2000, replace(mst, epsilon=1000.0)),
        "MST at 8": (16, replace(mst, epsilon=8.0)),
        "MST at 1": (2, mst),
        "AIM at 1": (2, aim),
    }
    rows = []
    for name, (epsilon, curator) in curators.items():
        found = certify(request, table, curator, reach(request, table)).groups
        at = found.set_index("group")
        best = found.loc[found["epsilon"].idxmax()]
        row = {
            "curator": name,
            "epsilon kept": epsilon,
            "everyone": at.loc["everyone", "epsilon"],
            "by score": at.loc["everyone", "score"],
            "highest": best["epsilon"],
            "of group": best["group"],
            "groups": len(found),
            "above 0": int((found["epsilon"] > 0).sum()),
        }
        print(row, flush=True)
        rows.append(row)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    write_whole(RESULT, measure().to_csv(index=False, float_format="%.3g"))
