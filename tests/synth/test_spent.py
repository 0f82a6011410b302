"""What a file was charged, what a release keeps, and an audit that reads the release's schema."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lib.audit.release import unknown_values
from lib.cli import main
from lib.cli.synthesize import kept
from lib.dp import epsilon_of, zcdp_rho
from lib.rng import stream
from lib.table import Table, read_schema
from tests.audit.asking import audited

YML = """\
hours: {low: 1, high: 79, edges: [20, 40], spikes: [0], whole: true}
race: {values: [NA, W]}
ill: {values: ['yes', 'no']}
id: ignore
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = stream(4, "spent")
    hours = np.where(rng.random(900) < 0.3, 0, rng.integers(1, 80, 900))
    people = pd.DataFrame({"hours": hours, "race": rng.choice(["NA", "W"], 900)})
    people["ill"] = np.where((hours == 0) & (rng.random(900) < 0.9), "yes", "no")
    people.assign(id=range(900)).to_csv("people.csv", index=False)
    Path("people.yml").write_text(YML, encoding="utf-8")
    return tmp_path


def synthesize(out: str, *more: str) -> int:
    words = ["synthesize", "people.csv", "--schema", "people.yml", "--out", out]
    return main([*words, "--epsilon", "1", *more])


def test_budgets_spent_on_a_file_add_up_and_rehearsals_are_none(folder, capsys):
    assert synthesize("a.csv") == 0
    assert synthesize("rehearsal.csv", "--seed", "1") == 0
    assert synthesize("b.csv", "--epsilon", "2", "--delta", "1e-6") == 0
    rho = [zcdp_rho(1, 1e-9, conversion="tight"), zcdp_rho(2, 1e-6, conversion="tight")]
    said = capsys.readouterr().out
    assert f"Releases of this file: 2, together rho {sum(rho):.4g}" in said
    assert f"(epsilon {epsilon_of(sum(rho), 1e-6):.4g}, delta 1e-06)" in said
    ledger = pd.read_csv("people.csv.spent.csv")
    assert ledger["release"].tolist() == ["a.csv", "b.csv"]
    assert ledger["rho"].tolist() == rho
    Path("people.csv.spent.csv").write_text("my notes\n", encoding="utf-8")
    assert synthesize("c.csv") == 2
    assert "ledger must be a table of when, release" in capsys.readouterr().err
    assert not Path("c.csv").exists()


HEAD = "when,release,synthesizer,epsilon,delta,rho\n"
LINE = "2024-01-01T00:00:00+00:00,a.csv,mst,1.0,1e-09,0.0123\n"
TORN = {
    "empty": "",
    "no end of a line": (HEAD + LINE)[:-2],
    "no last cell": HEAD + LINE + LINE[:40],
    "an open quote": HEAD + LINE.replace("a.csv", '"a.csv'),
    "two lines in one": HEAD + LINE.strip() + LINE,
    "a blank": "\n\n",
    "an end of a head": HEAD[:-6],
    "no text": "\0" * 40,
    "another encoding": b"\xff\xfe\xff",
}


@pytest.mark.parametrize("text", TORN.values(), ids=TORN)
def test_a_ledger_that_is_empty_or_torn_is_refused_and_nothing_is_released(folder, capsys, text):
    data = text if isinstance(text, bytes) else text.encode()
    Path("people.csv.spent.csv").write_bytes(data)
    assert synthesize("c.csv") == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ledger must be a table of when, release")
    assert "got 'people.csv.spent.csv'" in said
    assert Path("people.csv.spent.csv").read_bytes() == data
    assert not Path("c.csv").exists()


def test_what_is_kept_is_of_the_release_alone_or_said_to_be_not_private(folder, capsys):
    assert synthesize("a.csv", "--epsilon", "1e4") == 0
    said = capsys.readouterr().out
    assert re.search(r"hours +number +the schema's: 4 codes\n", said)
    assert "computed on it and its schema alone" in said
    assert "holds, which is NOT private" not in said
    assert synthesize("b.csv", "--epsilon", "1e4", "--compare", "--rows", "60") == 0
    said = capsys.readouterr().out
    assert "What people.csv holds, which is NOT private" in said
    assert "so it cannot be judged" in said
    schema = {name: c for name, c in read_schema(Path("people.yml")).items() if c != "ignore"}
    made, real = (
        pd.read_csv(name, keep_default_na=False)[[*schema]] for name in ("a.csv", "people.csv")
    )
    zero = (made["hours"] == 0).mean()
    rows = kept(Table.of(made, schema).codes, schema, Table.of(real, schema).codes)
    assert rows["column"].tolist() == ["hours", "race", "ill"]
    assert rows["shares"][0] == f"0: {zero:.1%}"
    low, high = re.fullmatch(r"(\d+) to under (\d+)", rows["median"][0]).groups()
    assert int(low) <= made["hours"].median() < int(high)
    assert float(rows["error"][1]) == pytest.approx(
        abs((made["race"] == "W").mean() - (real["race"] == "W").mean()), abs=6e-4
    )
    assert abs(zero - (real["hours"] == 0).mean()) < 0.01


def test_an_audit_by_the_schema_knows_every_value_of_a_release_by_it(folder):
    """93 to 96% of the released numbers of three columns matched nobody."""
    synthesize("a.csv", "--epsilon", "1e4")
    rows = pd.read_csv("people.csv", dtype=str, keep_default_na=False)
    for name, part in (("in", rows[:450]), ("out", rows[450:])):
        part.to_csv(f"{name}.csv", index=False)
    ask = {"file": Path("in.csv"), "holdout": Path("out.csv"), "release": Path("a.csv")}
    ask |= {"sensitive": "ill", "groups": ("race",), "learners": ("lookup",), "splits": 2}
    shares = {}
    for schema in (None, Path("people.yml")):
        audit = audited(
            **ask, schema=schema, gamma=20, columns={"hours": "number"} if schema is None else {}
        )
        shares[schema is None] = unknown_values(audit.releases).set_index("column")["share"]
    assert shares[False].max() == 0
    assert {"race = NA", "race = W"} <= set(audit.members)
    lookup = audit.exposures["lookup"]
    assert lookup.tested[audit.table.frame["hours"] == 0].mean() > 0.5  # 0 hours, mostly ill
    assert "in in.csv alone: 'id'" in " ".join(audit.table.notes)
