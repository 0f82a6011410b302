"""Many columns, and columns of many codes: more than NumPy's 52 labels, and than 16 bits hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib.domain import Domain
from lib.rng import stream
from lib.synth import AIM, GEM, MST, Stratified
from lib.synth.gem import GEMModel
from lib.synth.mst import Compression
from tests.synth.conftest import check

AIM_QUICK = AIM(degree=2, rounds_per_column=1, iterations=5, last_iterations=20)
GEM_QUICK = GEM(degree=2, rounds=2, steps=2, batch=4, hidden=(4,))
MST_QUICK = MST(iterations=50)


def copies(d: int, n: int = 400) -> tuple[pd.DataFrame, Domain]:
    """``d`` columns of two codes: the last is the first again, all others hang on nothing."""
    table = pd.DataFrame(stream(d, "wide").integers(0, 2, (n, d)), dtype=np.int16)
    table.columns = [f"c{i}" for i in range(d)]
    table[f"c{d - 1}"] = table["c0"]
    return table, Domain.of(dict.fromkeys(table.columns, 2))


STRATA = {"by": ("c0",), "weights": "projected"}  # a stratum of 54 columns has 53
LONG = pytest.mark.thorough("a thousand pairs")


@pytest.mark.parametrize(
    ("d", "synthesizer"),
    [
        (53, MST_QUICK),
        (54, Stratified(inner=MST_QUICK, **STRATA)),
        pytest.param(53, AIM_QUICK, marks=LONG),
        pytest.param(54, Stratified(inner=AIM_QUICK, **STRATA), marks=LONG),
        pytest.param(53, GEM_QUICK, marks=LONG),
        pytest.param(54, Stratified(inner=GEM_QUICK, **STRATA), marks=LONG),
        *(
            pytest.param(200, made, marks=LONG)
            for inner in (MST_QUICK, AIM(degree=1, rounds_per_column=1), GEM_QUICK)
            for made in (inner, Stratified(inner=inner, **STRATA))
        ),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_table_of_more_than_52_columns_is_fitted(d, synthesizer):
    table, domain = copies(d)
    model = synthesizer.fit(table, domain, rho=1.0, rng=stream(1, "fit"))
    last = f"c{d - 1}"
    check(model, ("c0",), ("c1", f"c{d - 2}"), (last, "c0"), ("c0", f"c{d // 2}", "c2"))


SIZES = [127, 128, 129, 32_767, 32_768, 32_769, 65_536, 65_537, 100_000]


@pytest.mark.parametrize("size", SIZES)
def test_codes_come_out_as_they_are_whatever_their_size(size):
    """Everybody has the last code, and so has nearly every row of a release."""
    domain = Domain.of({"a": size, "b": 2})
    people = pd.DataFrame({"a": np.full(300, size - 1), "b": np.arange(300) % 2})
    strata = {"weights": "public"}
    kinds = {
        "mst": MST_QUICK,
        "aim": AIM(rounds_per_column=1, iterations=20, last_iterations=20),
        "mst_a": Stratified(inner=MST_QUICK, by=("a",), **strata),
        "mst_b": Stratified(inner=MST_QUICK, by=("b",), **strata),
    }
    for name, synthesizer in kinds.items():
        model = synthesizer.fit(people, domain, rho=1e6, rng=stream(1, "codes", name))
        for n in (0, 1, 200):
            rows = model.sample(n, stream(2, "codes"))
            domain.check(rows)
            assert {str(kind) for kind in rows.dtypes} == {"int16" if size <= 2**15 else "int32"}
        assert (rows["a"] == size - 1).mean() > 0.9, name


@pytest.mark.parametrize("size", SIZES)
def test_codes_of_a_generator_and_of_merged_columns_come_out_as_they_are(size):
    domain = Domain.of({"a": size})
    shares = np.zeros((2, size))
    shares[:, -1] = 1
    rows = GEMModel(domain, None, 1.0, {"a": shares}).sample(5, stream(1, "gem"))  # type: ignore[arg-type]
    assert rows["a"].tolist() == [size - 1] * 5
    merged = Compression(domain, {"a": (np.arange(size) == size - 1).astype(int)})
    back = merged.expand(pd.DataFrame({"a": [1, 1]}), stream(1, "merged"))
    assert back["a"].tolist() == [size - 1] * 2
