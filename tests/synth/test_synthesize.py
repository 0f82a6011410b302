"""A release by one command: what it holds, what it cost, what it promises, what it leaves."""

from __future__ import annotations

import copy
import math
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lib.cli import main
from lib.cli.synthesize import account
from lib.dp import epsilon_of, zcdp_rho
from lib.synth import AIM, MST, Stratified, break_even
from lib.synth.mst import MSTModel
from lib.table import Table, read_schema
from lib.table.reading import read_file

SCHEMA = """
sex: {values: [f, m]}
race: {values: [a, b, c], missing: true, other: another}
age: {low: 0, high: 99, bins: 10, whole: true, clip: true}
ill: {values: ["yes", "no"]}
name: ignore
"""


def people(n: int = 2000) -> pd.DataFrame:
    """Women are young and ill, men neither; some races are not stated, and some are gaps."""
    rng = np.random.default_rng(3)
    woman = rng.random(n) < 0.3
    return pd.DataFrame(
        {
            "sex": np.where(woman, "f", "m"),
            "race": rng.choice(["a", "b", "d", ""], n),
            "age": np.where(woman, rng.integers(0, 50, n), rng.integers(50, 120, n)),
            "ill": np.where(woman, "yes", "no"),
            "name": [f"person {i}" for i in range(n)],
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """With a table and its schema, and the working folder."""
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    Path("people.yml").write_text(SCHEMA, encoding="utf-8")
    return tmp_path


def synthesize(*more: str, out: str = "release.csv") -> int:
    """Make a release in place of an earlier one."""
    for path in (Path(out), Path(out).with_suffix(".schema.yml")):
        path.unlink(missing_ok=True)
    words = ["synthesize", "people.csv", "--schema", "people.yml", "--out", out]
    return main([*words, "--epsilon", "1", *more])  # the last of an option counts


@pytest.mark.parametrize("more", [[], ["--by", "sex,race"], ["--synthesizer", "aim"]])
def test_a_release_with_little_noise_has_the_people_that_there_are(folder, more, capsys):
    assert synthesize("--epsilon", "1e5", *more) == 0
    made, real = pd.read_csv("release.csv", keep_default_na=False), people()
    assert list(made) == ["sex", "race", "age", "ill"]
    assert abs(len(made) - 2000) <= 5
    assert ((made["sex"] == "f") == (made["ill"] == "yes")).mean() > 0.99
    assert ((made["sex"] == "f") == (made["age"] < 50)).mean() > 0.99
    assert made["age"].between(0, 99).all()  # the oldest are clipped
    expected = real["race"].replace("d", "another").value_counts(normalize=True)
    assert made["race"].value_counts(normalize=True).sub(expected).abs().max() < 0.01
    promised = r"Promised: rho .* \(epsilon 100000, delta 1e-09\), .* 'add or remove'"
    assert re.search(promised, capsys.readouterr().out)
    assert Path("release.csv").stat().st_mode & 0o077 == 0


def test_a_seed_is_no_promise_and_without_one_noise_is_fresh(folder, capsys):
    seeded = [Path(f"{i}.csv") for i in range(2)]
    for out in seeded:
        synthesize("--seed", "5", out=str(out))
        assert "NOT promised, for the noise was drawn from seed 5" in capsys.readouterr().out
    assert seeded[0].read_bytes() == seeded[1].read_bytes()
    synthesize(out="fresh.csv")
    assert Path("fresh.csv").read_bytes() != seeded[0].read_bytes()


@pytest.fixture
def generators(monkeypatch) -> list[list[np.random.Generator]]:
    """Of each command, copies of the generators that fit, sample and decode get, as they get them."""
    commands: list[list[np.random.Generator]] = []

    def watch(owner: type, name: str) -> None:
        method = getattr(owner, name)

        def watched(self, *arguments, **named):
            if name == "fit":
                commands.append([])
            commands[-1].append(copy.deepcopy([*arguments, *named.values()][-1]))
            return method(self, *arguments, **named)

        monkeypatch.setattr(owner, name, watched)

    for owner, name in ((MST, "fit"), (MSTModel, "sample"), (Table, "decode")):
        watch(owner, name)
    return commands


@pytest.mark.parametrize("seeded", [True, False])
def test_released_numbers_are_no_outputs_of_what_drew_the_noise(folder, generators, seeded):
    """A number in the bin [0, 1) is an output; all of the first million are looked up."""
    Path("people.csv").write_text("x\n" + "0.5\n" * 500, encoding="utf-8")
    Path("people.yml").write_text("x: {low: 0, high: 1, bins: 1}", encoding="utf-8")
    for _ in range(2):
        assert synthesize(*["--seed", "7"] * seeded) == 0
    for noise, *others in generators:
        released = np.array(
            Path("release.csv").read_text(encoding="utf-8").split()[1:], dtype=float
        )
        streams = [generator.random(10**6) for generator in (noise, *others)]
        assert not np.isin(released, streams[0]).any()
        assert len(streams) == 3
        assert not np.isin(streams[0], streams[1]).any()
    assert np.isin(released, streams[1]).all()  # what drew them was found
    roots = [one.bit_generator.seed_seq for noise, rows, _ in generators for one in (noise, rows)]
    keys = {(root.entropy, root.spawn_key) for root in roots}
    assert len(keys) == (2 if seeded else 4)
    assert seeded or len({root.entropy for root in roots}) == 4  # none is derived from another


LONG = pytest.mark.thorough("compiles for each table")
COMMANDS = [
    [],
    ["--synthesizer", "aim"],
    pytest.param(["--synthesizer", "gem"], marks=LONG),
    ["--by", "sex"],
    ["--rows", "1"],
]


@pytest.mark.parametrize("more", COMMANDS, ids=" ".join)
def test_nobody_and_one_person_get_the_same_kind_of_answer(folder, more, capsys):
    """A release; a refusal would tell that there is nobody."""
    said = []
    for n in (0, 1):
        people(n).to_csv("people.csv", index=False)
        assert synthesize(*more) == 0
        made = pd.read_csv("release.csv", keep_default_na=False)
        assert made.columns.tolist() == ["sex", "race", "age", "ill"]
        assert len(made) >= 1
        stated = read_schema(Path("people.yml"))
        Table.of(read_file("release.csv"), {name: stated[name] for name in made})
        said.append(capsys.readouterr().out)
    kinds = [re.sub(r"[\d.,e+-]+", "N", text).splitlines()[-6:] for text in said]
    assert kinds[0] == kinds[1]


def without_people(monkeypatch) -> None:
    """Fits that see nobody, so that they say nothing of anybody."""
    for kind in (MST, AIM, Stratified):
        fit = kind.fit

        def blind(self, data, domain, *, rho, rng, fit=fit):
            return fit(self, data.head(0), domain, rho=rho, rng=rng)

        monkeypatch.setattr(kind, "fit", blind)


NEIGHBOURS = {
    "a text among numbers": ([*"123456"] * 30 + ["inf"] * 4, "3"),
    "a number among texts": ([*"123456"] * 30 + ["inf"] * 4, "inf"),
    "another spelling": ([*"123456"] * 30 + ["1.0"], "1.0"),
    "one of a text": (["a", "b"] * 20, "b"),
    "a number within the range": ([str(i) for i in range(30)] * 2, "7"),
    "a gap": (["a", "b", ""] * 20, ""),
}


@pytest.mark.parametrize("more", [[], ["--by", "ill"], ["--synthesizer", "aim"]])
@pytest.mark.parametrize(("values", "one"), NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_beside_the_rows_nothing_depends_on_one_person_more(
    folder, values, one, more, capsys, monkeypatch
):
    """Drafts of neighbours that state one schema: what is written and printed is the same, once
    the fit is.
    """
    without_people(monkeypatch)
    answers = []
    for column in (values, [*values, one]):
        people = pd.DataFrame({"x": column, "ill": (["yes", "no"] * len(column))[: len(column)]})
        people.to_csv("people.csv", index=False)
        Path("people.yml").unlink()
        assert main(["schema", "people.csv", "--out", "people.yml"]) == 0
        draft = Path("people.yml").read_text(encoding="utf-8")
        capsys.readouterr()
        assert synthesize("--seed", "3", *more) == 0
        written = {path.name: path.read_bytes() for path in folder.glob("release*")}
        answers.append((written, capsys.readouterr()))
        assert read_schema(Path("release.schema.yml")) == read_schema(Path("people.yml"))
        assert "#" in draft
        assert b"#" not in written["release.schema.yml"]
    assert answers[0] == answers[1]


def test_the_account_adds_up_to_what_was_asked_for(folder):
    """In every part, too: a row is in one of them, and pays for the sizes as well."""
    table = Table.of(read_file("people.csv"), "people.yml")
    rho = zcdp_rho(1.0, 1e-9, conversion="tight")
    assert epsilon_of(rho, 1e-9) <= 1
    whole = MST().fit(table.codes, table.domain, rho=rho, rng=np.random.default_rng(0))
    spent = account(whole.accountant)
    assert spent["all"].sum() == pytest.approx(rho)
    assert spent["looks"].tolist() == [4, 3, 3]  # columns, choices, pairs
    wrapper = Stratified(inner=MST(), by=("sex",), weights="projected")
    split = wrapper.fit(table.codes, table.domain, rho=rho, rng=np.random.default_rng(0))
    spent = account(split.accountant).groupby("part")["all"].sum()
    assert spent.drop("").add(spent[""]).tolist() == pytest.approx([rho, rho])


@pytest.mark.parametrize(
    ("change", "more", "named"),
    [
        (("people.csv", "f,", "x,"), [], "'sex'.*'x'"),
        (("people.yml", "low: 0", "low: 100"), [], "people.yml, column 'age': low"),
        (("people.csv", None, ""), [], "people.csv"),
        (("people.csv", None, "sex,race\n"), [], "'age'"),
        *((None, [f"--{name}", value], f"{name.replace('-', '_')} must be") for name, value in (
            ("by", "sex,religion"), ("epsilon", "-1"), ("delta", "2"), ("rows", "0"), ("seed", "-1"), ("audit-sensitive", "name"),
            ("out", "people.csv"))),
        (None, ["--schema", "people.schema.yml", "--out", "people.tsv"], "without its .schema.yml"),
    ],
)  # fmt: skip
def test_bad_input_is_named_and_nothing_is_written(folder, change, more, named, capsys):
    if change is not None:
        name, old, new = change
        text = Path(name).read_text(encoding="utf-8")
        Path(name).write_text(new if old is None else text.replace(old, new, 1), encoding="utf-8")
    Path("people.schema.yml").write_text(SCHEMA, encoding="utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert synthesize(*more) == 2
    assert re.search(named, capsys.readouterr().err)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_draft_warns_and_overwrites_nothing(folder, capsys):
    assert main(["schema", "people.csv", "--out", "draft.yml"]) == 0
    assert "NOT private" in capsys.readouterr().out
    text = Path("draft.yml").read_text(encoding="utf-8")
    assert "NOT private" in text
    assert "person 1" not in text  # an identifier is left out
    assert main(["schema", "people.csv", "--out", "draft.yml"]) == 2
    assert synthesize() == 0
    before = Path("release.csv").read_bytes()
    command = "synthesize people.csv --schema people.yml --epsilon 1 --out release.csv"
    assert main(command.split()) == 2
    assert "out must be a new file" in capsys.readouterr().err
    assert Path("release.csv").read_bytes() == before
    Path("people.yml").write_text(text, encoding="utf-8")
    assert synthesize() == 0


def test_a_release_by_groups_says_who_shares_a_model(folder, capsys):
    """By the values of the file; sizes are within six deviations of their noise."""
    assert synthesize("--epsilon", "20", "--by", "race") == 0
    told = capsys.readouterr().out
    table = Table.of(read_file("people.csv"), "people.yml")
    rho = 0.95 * zcdp_rho(20, 1e-9, conversion="tight")
    least = break_even(table.domain, by=("race",), rho=rho)
    assert f"at least {math.ceil(least):,} people" in told
    found = re.findall(r"^  race = (\w+): ([\d,]+) people, (.*)$", told, re.MULTILINE)
    real = people()["race"].replace({"d": "another", "": "missing"}).value_counts()
    assert {name for name, _, _ in found} == {*real.index, "c"}  # of which there is nobody
    real["c"] = 0
    for name, size, _ in found:
        near = abs(int(size.replace(",", "")) - real[name])
        assert near <= 1 + 6 / math.sqrt(2 * 0.05 * rho / 0.95)
    assert real.drop("c").min() > least
    ways = [way for _, _, way in found]  # by size: with nobody shares who is next
    assert ways == [*["its own"] * 3, "shared, so that those who share are enough", "shared"]


@pytest.mark.thorough("runs the curator, four fits")
def test_the_printed_audit_runs(folder, capsys):
    synthesize("--by", "sex")
    command = capsys.readouterr().out.splitlines()[-1]
    words = shlex.split(command.replace("COL", "ill"))
    assert words[:4] == ["python", "-m", "lib", "audit"]
    few = ["--splits", "2", "--learners", "lookup", "--quiet"]
    assert main([*words[3:], *few]) == 0
    assert "Dependence:" in capsys.readouterr().out
