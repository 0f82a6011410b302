"""Buttons to other services: each leads to a file of the repository, whose address is stated,
found, or asked for.
"""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import yaml
from sphinx_book_theme.header_buttons import launch as theme

from lib.paths import CHAPTERS as FOLDER
from lib.paths import ROOT
from press.launch import Repository, colab_cell, repository, staged_config
from press.pairs import SETUP, difference, notebook_of, sync
from tests.declared import CORE, extra, names, pins
from tests.press.conftest import CHAPTERS
from tests.press.pages import parse

ADDRESS = "https://github.com/someone/companion"
SERVICES = {
    "Binder": "https://mybinder.org/v2/gh/someone/companion/main?urlpath=lab/tree/{}",
    "Colab": "https://colab.research.google.com/github/someone/companion/blob/main/{}",
}


@pytest.fixture
def public(tmp_path):
    """A copy of the configuration with an address in it."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["repository"] |= {"url": ADDRESS, "branch": "main"}
    (tmp_path / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return tmp_path


def _buttons(config: dict, doc: str) -> dict[str, str]:
    """What the theme makes of a configuration, on one page."""
    options = config["sphinx"]["config"]["html_theme_options"]
    app = SimpleNamespace(
        config={"html_theme_options": options},
        env=SimpleNamespace(
            doc2path=lambda name: f"{name}.ipynb", metadata={doc: {"kernelspec": {}}}
        ),
    )
    *_, user, repository_name = options["repository_url"].split("/")  # as the theme splits it
    context = {
        "header_buttons": [],
        "pagename": doc,
        "sourcename": f"{doc}.ipynb",
        "page_source_suffix": ".ipynb",
        "github_url": "https://github.com",
        "github_user": user,
        "github_repo": repository_name,
    }
    theme.add_launch_buttons(app, doc, "page.html", context, None)
    return {b["text"]: b["url"] for group in context["header_buttons"] for b in group["buttons"]}


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.doc)
def test_each_button_leads_to_a_notebook_of_the_repository(page, public):
    found = _buttons(yaml.safe_load(staged_config(public)), page.doc)
    assert found == {
        service: link.format(f"{page.doc}.ipynb") for service, link in SERVICES.items()
    }
    assert (ROOT / f"{page.doc}.ipynb").is_file()


def test_pages_have_the_buttons_exactly_if_there_is_an_address(html):
    stated = repository()
    for page in CHAPTERS:
        links = [a.get("href", "") for a in parse(html / f"{page.doc}.html").of("a")]
        services = [link for link in links if "mybinder.org" in link or "colab.research" in link]
        assert len(services) == (2 if stated else 0), page.doc
        assert all(stated.url.removeprefix("https://github.com/") in link for link in services)


@pytest.fixture
def nameless(tmp_path):
    """A configuration without an address, in a folder that is no clone of anything."""
    folder = tmp_path / "nameless"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "_config.yml").write_text(
        "repository: {url: '', branch: main}\nlaunch_buttons: {binderhub_url: x, thebe: false}\n",
        encoding="utf-8",
    )
    return folder


def test_without_an_address_the_theme_is_told_of_no_service(nameless):
    assert yaml.safe_load(staged_config(nameless)) == {"launch_buttons": {"thebe": False}}


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/someone/companion",
        "https://github.com/someone/companion.git/",
        "git@github.com:someone/companion.git",
        "ssh://git@github.com/someone/companion.git",
        "https://token@github.com/someone/companion",
    ],
)
def test_a_clone_from_github_leads_to_where_it_came_from(nameless, remote):
    subprocess.run(["git", "-C", str(nameless), "remote", "add", "origin", remote], check=True)
    assert repository(nameless) == Repository(ADDRESS, "main")
    options = yaml.safe_load(staged_config(nameless))["sphinx"]["config"]["html_theme_options"]
    assert options["repository_url"] == ADDRESS
    assert ADDRESS not in colab_cell(
        nameless
    )  # that cell is committed, and the same in every clone


@pytest.mark.parametrize(
    "remote",
    ["/srv/companion", "https://example.org/someone/companion", "https://github.com/someone"],
)
def test_a_clone_from_elsewhere_has_no_address(nameless, remote):
    subprocess.run(["git", "-C", str(nameless), "remote", "add", "origin", remote], check=True)
    assert repository(nameless) is None


def test_no_second_address_is_stated():
    stated, citation = (
        repository(clone=False),
        yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8")),
    )
    assert citation.get("repository-code", stated and stated.url) == (stated and stated.url)


def test_a_page_links_its_notebook_for_download(html):
    """The launch menu of a copy without an address reads the notebook's place from this link."""
    for page in CHAPTERS:
        assert (ROOT / f"{page.doc}.ipynb").is_file()
        links = [a.get("href", "") for a in parse(html / f"{page.doc}.html").of("a")]
        assert any(link.endswith(f"_sources/{page.doc}.ipynb") for link in links), page.doc


def test_every_notebook_starts_with_the_set_up():
    for page in CHAPTERS:
        first = nbformat.read(page.notebook, as_version=4).cells[0]
        assert first.metadata["tags"] == [SETUP], page.doc
        assert first.source == colab_cell()


def test_with_an_address_the_set_up_of_a_notebook_has_it_and_its_pair_agrees(public):
    text = public / "chapters" / "page.md"
    text.parent.mkdir()
    text.write_text((FOLDER / "data" / "lsac.md").read_text(encoding="utf-8"), encoding="utf-8")
    first, *rest = notebook_of(text, public).cells
    assert first.metadata["tags"] == [SETUP]
    assert ADDRESS in first.source
    assert [c.source for c in rest] == [
        c.source for c in notebook_of(text).cells if SETUP not in c.metadata.get("tags", [])
    ]
    nbformat.validate(notebook_of(text, public))
    exec(first.source, {})  # elsewhere than on Colab it does nothing
    sync(text.parent, public)
    assert difference(text, public) is None


@pytest.mark.parametrize("stated", [True, False])
def test_on_colab_the_set_up_clones_installs_and_goes_there(
    stated, public, nameless, monkeypatch, tmp_path
):
    calls, home = [], tmp_path / "companion"
    answers = [] if stated else [f" {ADDRESS} "]
    monkeypatch.setattr("builtins.input", lambda question: answers.pop())

    def run(command, check):
        calls.append(command)
        home.mkdir(exist_ok=True)

    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.chdir(tmp_path)
    source = colab_cell(public if stated else nameless).replace("/content/companion", str(home))
    with pytest.raises(SystemExit, match="Restart the session"):
        exec(source, {})
    exec(source, {})  # the second time nothing is fetched
    assert [c[0] for c in calls] == ["git", sys.executable]
    assert calls[0][-2:] == [ADDRESS, str(home)]
    assert ("--branch" in calls[0]) == stated
    assert (ROOT / calls[1][-1].removeprefix(f"{home}/")).is_file()
    assert Path.cwd() == home


def test_binder_has_what_it_reads():
    folder = ROOT / ".binder"
    assert (folder / "runtime.txt").read_text(encoding="utf-8").strip() == "python-3.11"
    (included,) = re.findall(
        r"^-r (\S+)", (folder / "requirements.txt").read_text(encoding="utf-8"), re.M
    )
    assert (folder / included).resolve() == ROOT / "requirements.txt"


def test_the_installed_package_is_found_from_anywhere(tmp_path):
    """What ``make`` and Binder install, ``pip install -e .``, does this."""
    try:
        distribution("who-pays-for-privacy")
    except PackageNotFoundError:
        pytest.skip("the package is not installed here: `make test` installs it")
    code = "import lib; print(lib.__file__)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(ROOT / "lib" / "__init__.py")


def test_colab_gets_what_the_package_needs_at_the_books_pins(monkeypatch):
    """But for what its own kernel and notebook server need, which stay as they are."""
    calls = []
    monkeypatch.setattr(subprocess, "run", lambda command, check: calls.append(command))
    runpy.run_path(str(ROOT / ".binder" / "colab.py"), run_name="__main__")
    pip = [sys.executable, "-m", "pip", "install", "-q"]
    assert [call[:5] for call in calls] == [pip, pip]
    assert set(calls[0][5:]) <= set(pins("dev"))
    needed = CORE | extra("synth") | extra("run") | {"myst-nb"}
    assert names(calls[0][5:]) == needed - {"ipython", "requests"}
    # so any folder finds the package, after a restart
    assert calls[1][5:] == ["--no-deps", "-e", str(ROOT)]
