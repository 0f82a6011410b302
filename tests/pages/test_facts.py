"""Facts beside stored results: those of the tables that the results were computed on, whatever
this machine has.
"""

from __future__ import annotations

import runpy

import pytest

from lib.datasets import TASKS, load
from lib.paths import DATA
from lib.runner import results
from studies.coherence.table import load_section5, section5_facts
from studies.data.facts import attribute_counts, task_facts

MAKER = runpy.run_path(str(DATA / "make_facts.py"))


@pytest.mark.parametrize("dataset", TASKS)
def test_facts_of_a_task_are_what_the_real_table_says(dataset, real_data):
    real_data(TASKS[dataset].of_file.name)
    data = load(dataset)
    assert task_facts(dataset) == MAKER["count_task"](data)
    assert attribute_counts(dataset) == MAKER["count_attributes"](data)
    rates = [data.y[data.protected == g].mean() for g in (0, 1)]
    assert task_facts(dataset).rates() == rates


def test_facts_of_section_5_add_up():
    facts = section5_facts()
    assert {facts.sha256} == set(results("coherence_section5").data_sha256)
    assert facts.rows == facts.difficulty + facts.without + facts.not_asked


def test_facts_of_section_5_are_what_the_real_table_says(real_data):
    real_data("national2019.csv")
    assert section5_facts() == MAKER["count_section5"](load_section5())


def test_no_answer_of_a_few_people_stands_beside_the_replicas():
    """The rule that the audit keeps: no outcome of a group below ten."""
    for fact in map(task_facts, TASKS):
        assert min(min(hits, n - hits) for n, hits in fact.groups.values()) >= 10


def test_a_replicas_facts_are_not_stored(tmp_path):
    with pytest.raises(ValueError, match="adult must be the real table, got its replica"):
        MAKER["write"](tmp_path / "facts.yml")
    assert not (tmp_path / "facts.yml").exists()
