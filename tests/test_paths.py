"""Where an installed package, which has no repository around it, reads and writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import studies.verdicts.command  # noqa: F401  what it names at import must not be the folder of a test
from lib import paths
from lib.cli import IN_THE_REPOSITORY, main
from lib.runner.records import provenance


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The package as a wheel lays it out, and a working folder beside it."""
    data = tmp_path / "site-packages" / "lib" / "_data"
    (data / "results").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr(paths, "IN_REPOSITORY", False)
    monkeypatch.setattr(paths, "DATA", data)
    return data / "results"


def test_results_of_an_installed_package_are_read_there_and_written_here(installed):
    file = installed / "grid.parquet"
    assert paths.to_read(file) == Path("results/grid.parquet")  # none carried: what a run makes
    file.write_text("carried", encoding="utf-8")
    assert paths.to_read(file) == file
    mine = paths.to_write(file)
    assert mine == Path("results/grid.parquet") == paths.to_read(file) == paths.to_write(mine)
    assert mine.read_text(encoding="utf-8") == "carried"  # a run goes on from there
    mine.write_text("more", encoding="utf-8")
    assert paths.to_write(file).read_text(encoding="utf-8") == "more"
    assert file.read_text(encoding="utf-8") == "carried"


def test_a_file_of_ones_own_stays_where_it_is(installed, tmp_path):
    assert paths.to_write(tmp_path / "a.parquet") == tmp_path / "a.parquet"
    assert not Path("results").exists()


@pytest.mark.parametrize("command", [*IN_THE_REPOSITORY, "claims"])
def test_what_needs_the_repository_says_so(installed, command, capsys):
    assert main([command, "--write"] if command == "claims" else [command]) == 1
    said = capsys.readouterr().err
    assert f"python -m lib {command}" in said
    assert "needs the repository" in said


def test_no_commit_of_another_project_is_stored(monkeypatch):
    """The working folder may be in a repository of its own."""
    monkeypatch.setattr("lib.runner.records.IN_REPOSITORY", False)
    assert provenance.__wrapped__()["commit"] == "unknown"


@pytest.mark.parametrize(
    ("noted", "place"),
    [
        (None, ""),  # from an index
        ('{"url": "file:///w.whl", "archive_info": {}}', " @ file:///w.whl"),
        ('{"url": "https://x/y", "vcs_info": {"vcs": "git"}}', " @ git+https://x/y"),
    ],
)
def test_an_extra_is_installed_from_where_the_package_came(installed, monkeypatch, noted, place):
    """The advised line named an index that does not have the package."""

    class Noted:
        def read_text(self, name):
            return noted

    monkeypatch.setattr(paths, "distribution", lambda name: Noted())
    assert paths.pip_install("run") == f'pip install "who-pays-for-privacy[run]{place}"'
