"""What the pages ship of other projects comes with the licences of these."""

from __future__ import annotations

from lib.paths import CHAPTERS
from press.stage import SHIPPED, copy_licences


def test_every_package_in_the_pages_has_its_licence_there(tmp_path):
    copy_licences(tmp_path / "licences")
    names = [path.name for path in (tmp_path / "licences").iterdir()]
    for package in SHIPPED:
        assert any(name.startswith(f"{package}-license") for name in names), package
    kept = (CHAPTERS / "_static" / "licences" / "mathjax.txt").read_text("utf-8")
    assert "accepting any such warranty or additional liability." in kept  # to its end
