"""Facts beside stored results: those of the tables that the results were computed on, whatever
this machine has.
"""

from __future__ import annotations

import pytest

from lib.book.count_facts import (
    count,
    count_attributes,
    count_section5,
    count_task,
    facts,
    write,
)
from lib.book.facts import STORED_TABLES, attribute_counts, section5_facts, task_facts
from lib.datasets import TASKS, load
from lib.datasets.section5 import load_section5
from lib.runner import results
from lib.studies.synthesizers.tables import table_of


@pytest.mark.parametrize("dataset", STORED_TABLES)
def test_facts_are_of_the_table_that_the_stored_results_were_computed_on(dataset):
    stored = results(f"synth_{dataset}")
    assert {facts(dataset).sha256} == set(stored.data_sha256)
    assert abs(facts(dataset).rows * 0.8 - stored.rows.iloc[0]) < 1  # a run sees four fifths


@pytest.mark.parametrize("dataset", STORED_TABLES)
def test_facts_are_what_the_real_table_says(dataset):
    if (table := table_of(dataset)).source == "replica":
        pytest.skip("needs the real data")
    assert facts(dataset) == count(table)


@pytest.mark.parametrize("dataset", TASKS)
def test_facts_of_a_task_are_what_the_real_table_says(dataset):
    if (data := load(dataset)).is_replica:
        pytest.skip("needs the real data")
    assert task_facts(dataset) == count_task(data)
    assert attribute_counts(dataset) == count_attributes(data)
    rates = [data.y[data.protected == g].mean() for g in (0, 1)]
    assert task_facts(dataset).rates() == rates


def test_facts_of_section_5_are_what_the_real_table_says():
    facts = section5_facts()
    assert {facts.sha256} == set(results("coherence_section5").data_sha256)
    assert facts.rows == facts.difficulty + facts.without + facts.not_asked
    if (table := load_section5()).data.is_replica:
        pytest.skip("needs the real data")
    assert facts == count_section5(table)


def test_facts_add_up():
    for fact in [*map(facts, STORED_TABLES), *map(task_facts, TASKS)]:
        assert sum(n for n, _ in fact.groups.values()) == fact.rows
        assert sum(hits for _, hits in fact.groups.values()) == fact.hits
        assert fact.majority == max(fact.hits, fact.rows - fact.hits) / fact.rows
        assert len(fact.rates(least=0.001)) <= len(fact.rates()) == len(fact.groups)


def test_a_replicas_facts_are_not_stored(on_replicas, tmp_path, monkeypatch):
    monkeypatch.setattr("lib.book.count_facts.table_of", lambda name: table_of(name, "replica"))
    with pytest.raises(ValueError, match="nist must be the real table, got its replica"):
        write(tmp_path / "facts.yml")
    assert not (tmp_path / "facts.yml").exists()
