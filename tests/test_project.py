"""Files around the code say the same as the code: version, licence, citation, hooks' pins,
folders in the README.
"""

from __future__ import annotations

import re

import pytest
import yaml

import lib
from lib.datasets.registry import FILES, TASKS
from lib.paths import HOUSES, ROOT
from tests.declared import CORE, PROJECT, extra, group, names, pins


def _text(*names: str) -> str:
    return ROOT.joinpath(*names).read_text(encoding="utf-8")


CITATION = yaml.safe_load(_text("CITATION.cff"))


def test_one_version():
    assert lib.__version__ == PROJECT["project"]["version"] == CITATION["version"]


def test_the_citation_has_what_the_format_asks_for_and_all_papers():
    assert {"cff-version", "title", "message", "authors", "license"} <= set(CITATION)
    titles = {r["title"].lower() for r in CITATION["references"]}
    bib = _text("references.bib")
    for key in ("rosenblatt2024", "arcolezi2023", "coherence2025"):
        title = re.search(rf"{{{key},.*?title = {{(.+?)}},?\n", bib, re.S).group(1)
        assert re.sub(r"[{}]", "", title).lower() in titles, key


def test_licences_are_there():
    assert _text("LICENSE").startswith("MIT License")
    assert "CC BY 4.0" in _text("LICENSE-TEXT.md")


def test_what_is_for_research_use_is_not_licensed_more_freely():
    """The text of the licence names every such table as an exception."""
    text = _text("LICENSE-TEXT.md")
    bound = {name for name, task in TASKS.items() if "research use" in FILES[task.file].licence}
    assert bound == {"lsac"}
    assert all(f"The replica of {name.upper()} is\n**not**" in text for name in bound)


def test_hooks_use_the_pins_of_the_project():
    config = yaml.safe_load(_text(".pre-commit-config.yaml"))
    hooks = {hook["id"]: hook for repo in config["repos"] for hook in repo["hooks"]}
    locked = dict(pin.split("==") for pin in pins("dev"))
    assert {"ruff", "ruff-format", "nbstripout", "pairs"} <= set(hooks)
    for hook in hooks.values():
        for name, version in (d.split("==") for d in hook["additional_dependencies"]):
            assert locked.get(name, version) == version, name


RUNTIME = CORE | extra("synth") | extra("run")


@pytest.mark.parametrize(
    ("lock", "declared", "least"),
    [
        ("dev", RUNTIME | extra("book") | group("dev"), 80),
        ("compare", RUNTIME | group("compare"), 80),
        ("course", group("course"), 20),
        ("students", CORE | group("students"), 80),
        ("students-synth", extra("synth"), 5),
    ],
)
def test_a_lock_pins_all_that_is_declared_and_hashes_it(lock, declared, least):
    text = _text("locks", f"{lock}.txt")
    assert declared <= names(pins(lock))
    entries = re.split(r"\n(?=[\w.-]+==)", text)[1:]
    assert len(entries) == len(pins(lock)) > least
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_requirements_are_the_pins_of_the_lock_and_the_package():
    text = _text("requirements.txt")
    first, *rest = [line for line in text.splitlines() if not line.startswith("#")]
    assert first == "-e ."
    lock = _text("locks", "dev.txt")
    assert rest == re.findall(r"^([\w.-]+==[^\\\n]*[^\\\s])", lock, re.M)


def test_the_extras_are_those_that_the_package_names():
    stated = PROJECT["project"]["optional-dependencies"]
    (whole,) = stated["all"]
    assert set(re.search(r"\[(.*)\]", whole)[1].split(",")) == set(stated) - {"all"}
    asked = {
        name
        for house in HOUSES
        for file in (ROOT / house).rglob("*.py")
        for name in re.findall(r'with needs\("(\w+)"\)', file.read_text(encoding="utf-8"))
    }
    assert asked == set(stated) - {"all"}


def test_one_address():
    """Once the book states its public address, an installed package states it, too."""
    urls = PROJECT["project"].get("urls", {})
    config = yaml.safe_load(_text("_config.yml"))
    options = config["sphinx"]["config"]["html_theme_options"]
    assert urls.get("Repository", "") == options.get("repository_url", "")


def test_the_locks_agree():
    """The peers are compared with, and measured beside, what the book runs on."""
    book, peers = set(pins("dev")), set(pins("compare"))
    assert {p for p in peers - book if names([p]) & names(book)} == set()
    # otter's environment finds the book's packages in the book's
    assert names(pins("course")) & names(book) == set()
    students = {*pins("students"), *pins("students-synth")}
    assert students - {*pins("course"), *book} == set()


@pytest.mark.parametrize("folder", ["chapters", *HOUSES, "data", "tests", "benchmarks"])
def test_folders_of_the_readme_exist(folder):
    assert f"`{folder}/`" in _text("README.md")
    assert (ROOT / folder).is_dir()


def test_every_cited_work_is_in_the_bibliography_once():
    keys = re.findall(r"^@\w+\{([^,\s]+),", _text("references.bib"), re.M)
    assert len(keys) == len(set(keys))
    cited = {
        key.strip()
        for page in (ROOT / "chapters").rglob("*.md")
        for group in re.findall(r"\{cite\}`([^`]+)`", page.read_text(encoding="utf-8"))
        for key in group.split(",")
    }
    assert cited <= set(keys)


# one idea each, but longer; each that is split leaves this list
LONG = {"lib/dp/certificate.py", "lib/means/grouped.py", "lib/synth/gem.py"}


def test_modules_are_short():
    """At most 350 lines, but for those of the list."""
    files = [file for house in HOUSES for file in (ROOT / house).rglob("*.py")]
    lines = {str(f.relative_to(ROOT)): len(f.read_text("utf-8").splitlines()) for f in files}
    assert {name for name, n in lines.items() if n > 350} == LONG


def test_actions_are_pinned_by_commit():
    text = _text(".github", "workflows", "ci.yml")
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []


def test_help_names_every_target_of_make():
    text = _text("Makefile")
    targets = set(re.search(r"^\.PHONY: (.*)$", text, re.M)[1].split())
    said = text.partition("help:\n")[2].partition("\n\n")[0]
    helped = set(re.findall(r"(?:  |; )make ([a-z-]+)", said))
    assert helped == targets - {"help"}


def test_the_changelog_is_read_in_two_minutes():
    """At 250 words a minute; its newest section is the version of the package."""
    text = _text("CHANGELOG.md")
    assert len(text.split()) <= 500
    assert re.findall(r"^## ([\d.]+)", text, re.M)[0] == lib.__version__
    gone = list(re.findall(r"`((?:lib|studies|press|course)\.[\w.]+)`", text))
    assert gone  # of the table of what moved
