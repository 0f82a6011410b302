"""What the pages ship of other projects comes with the licences of these."""

from __future__ import annotations

from importlib import metadata

from lib.paths import CHAPTERS
from press.stage import SHIPPED, copy_licences


def test_every_package_in_the_pages_has_its_licence_there(tmp_path):
    copy_licences(tmp_path / "licences")
    names = [path.name for path in (tmp_path / "licences").iterdir()]
    for package in SHIPPED:
        assert any(name.startswith(f"{package}-license") for name in names), package
    kept = (CHAPTERS / "_static" / "licences" / "mathjax.txt").read_text("utf-8")
    assert "accepting any such warranty or additional liability." in kept  # to its end


def test_every_installed_theme_and_extension_of_the_book_is_among_them():
    """A new extension of ``_config.yml`` may ship files, too."""
    installed = {d.metadata["Name"].lower() for d in metadata.distributions()}
    themes = {n for n in installed if n.startswith("sphinx-") or n.endswith("-theme")}
    without_files = "comments external-toc jupyterbook-latex multitoc-numbering mathjax-offline"
    slides = {"sphinx-revealjs"}  # which copy its licence
    without = slides | {f"sphinx-{name}" for name in without_files.split()}
    missing = {n.replace("_", "-") for n in themes} - without - {*SHIPPED}
    assert not missing, f"add {missing} to SHIPPED in press/stage.py"
