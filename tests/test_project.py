"""Files around the code say the same as the code: version, licence, citation, hooks' pins,
folders in the README.
"""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

import lib
from lib.book.pairs import main as pairs_main
from lib.paths import ROOT


def _pins() -> dict[str, str]:
    text = "".join(
        (ROOT / name).read_text() for name in ("requirements.txt", "requirements-test.txt")
    )
    return dict(re.findall(r"^([\w.-]+)(?:\[[\w,]+\])?==(\S+)", text, re.M))


def test_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert lib.__version__ == project["version"] == citation["version"]
    assert f"## {lib.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_citation_has_what_the_format_asks_for_and_all_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "title", "message", "authors", "license"} <= set(citation)
    titles = {r["title"].lower() for r in citation["references"]}
    bib = (ROOT / "references.bib").read_text()
    for key in ("rosenblatt2024", "arcolezi2023", "coherence2025"):
        title = re.search(rf"{{{key},.*?title = {{(.+?)}},?\n", bib, re.S).group(1)
        assert re.sub(r"[{}]", "", title).lower() in titles, key


def test_licences_are_there():
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")
    assert "CC BY 4.0" in (ROOT / "LICENSE-TEXT.md").read_text()


def test_hooks_use_the_pins_of_the_project():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    pins, hooks = _pins(), {h["id"]: h for repo in config["repos"] for h in repo["hooks"]}
    assert {"ruff", "ruff-format", "nbstripout", "pairs"} <= set(hooks)
    for hook in hooks.values():
        for name, version in (d.split("==") for d in hook["additional_dependencies"]):
            assert pins.get(name, version) == version, name


def test_the_pairs_hook_names_a_drifted_pair(tmp_path, capsys):
    assert pairs_main(ROOT / "chapters") == 0
    (tmp_path / "page.md").write_text(
        "---\njupytext:\n  text_representation: {extension: .md, format_name: myst}\n---\n\n#"
        " Page\n"
    )
    assert pairs_main(tmp_path) == 1
    assert "page.ipynb is missing" in capsys.readouterr().out


@pytest.mark.parametrize("folder", ["chapters", "lib", "data", "tests", "benchmarks"])
def test_folders_of_the_readme_exist(folder):
    assert f"`{folder}/`" in (ROOT / "README.md").read_text()
    assert (ROOT / folder).is_dir()


def test_every_cited_work_is_in_the_bibliography_once():
    keys = re.findall(r"^@\w+\{([^,\s]+),", (ROOT / "references.bib").read_text(), re.M)
    assert len(keys) == len(set(keys))
    cited = {
        key.strip()
        for page in (ROOT / "chapters").rglob("*.md")
        for group in re.findall(r"\{cite\}`([^`]+)`", page.read_text())
        for key in group.split(",")
    }
    assert cited <= set(keys)
