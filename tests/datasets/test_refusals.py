"""What tables, tasks and their domains refuse before any work: each by name."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from lib.datasets import Task, load, load_raw
from lib.datasets.cache import locate
from lib.domain import Domain
from studies.data.acs import load_acs
from tests.datasets.conftest import FACTS

DOMAIN = Domain.of({"a": 2, "b": 3})
TOY = Task("toy", "Toy", "toy.csv", domain=Domain.of({"a": 3, "one": 1, "p": 2, "t": 2}), **FACTS)


def task(**changed):
    return lambda: replace(TOY, **changed)


def checked(**columns):
    return lambda: DOMAIN.check(pd.DataFrame(columns))


CONSTANT = "must be columns that are not constant, got 'one'"
REFUSED = [
    (lambda: load("compas"), r"dataset must be one of .*'adult'.*, got 'compas'"),
    (lambda: load("adult", "disk"), r"source must be one of .*'replica'.*, got 'disk'"),
    (lambda: locate("db_LSAC.csv", "disk"), r"source must be one of .*'auto', got 'disk'"),
    (lambda: load_raw("x.csv"), r"file must be .*, got 'x.csv'"),
    (lambda: load_acs("XX"), "state must be"),
    (lambda: load_acs("TX", 1999), "year must be"),
    (lambda: load_acs("TX", 2018, "rent"), "task must be"),
    # a constant attribute used to come up far from here, as sizes=1
    (task(sensitive=("p", "one")), f"sensitive {CONSTANT}"),
    (task(pool=("one",)), f"pool {CONSTANT}"),
    (task(target="a"), "target must be a column of two codes, got 'a of 3'"),
    (task(protected="one"), "protected must be a column of two codes, got 'one of 1'"),
    (task(pool=("b",)), r"pool must be one of 'a'.*, got 'b'"),
    (checked(a=[0], b=[3]), r"b must be whole .*, got 3 "),
    (checked(b=[0], a=[1]), "in this order"),
    (checked(a=[0.5], b=[1]), "whole numbers"),
    (lambda: Domain(("a", "a"), (1, 2)), "columns must be different names"),
    (lambda: DOMAIN["c"], r"column must be .*, got 'c'"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_is_wrong_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
