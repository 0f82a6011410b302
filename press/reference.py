"""The pages of the part *Reference*: every public name of ``lib``.

A page lists modules; Sphinx's autodoc, autosummary and viewcode fill in names, docstrings and
sources.
"""

from __future__ import annotations

from pathlib import Path

from lib.files import template
from lib.paths import ROOT
from lib.study import studies
from press.inputs import below
from press.toc import FOLDER

PACKAGES = {  # name of the page, which is that of the package, and its title
    "ldp": "Local protocols",
    "dp": "Budgets and mechanisms",
    "synth": "Synthesizers",
    "table": "Tables by a stated schema",
    "means": "Private means",
    "coherence": "Demographic coherence",
    "fairness": "Fairness metrics",
    "audit": "Audit of your own table",
    "stats": "Statistics",
    "datasets": "Data sets",
    "runner": "Runner",
    "ledger": "Ledger",
    "plotting": "Plotting",
    "basics": "Checks, streams, domains, groups, programs",
}
BASICS = ("lib.validate", "lib.rng", "lib.domain", "lib.groups", "lib.programs")
_TEMPLATE = template(Path(__file__).parent / "templates" / "reference.rst.j2")


def modules_of(page: str, root: Path = ROOT) -> list[str]:
    """The modules that a page shows; none for the overview."""
    found = []
    for part in BASICS if page == "basics" else (f"lib.{page}",):
        base = root.joinpath(*part.split("."))
        files = [*base.parent.glob(f"{base.name}.py"), *below(base)]
        for file in sorted(file for file in files if file.suffix == ".py"):
            inner = file.relative_to(root).with_suffix("").parts
            found.append(".".join(inner).removesuffix(".__init__"))
    return found


def reference(doc: str, root: Path = ROOT) -> str:
    """The source of the reference page ``doc``."""
    titles = PACKAGES | {"overview": "Reference"}
    page = doc.removeprefix(f"{FOLDER}/")
    parts = [*(f"lib.{name}" for name in PACKAGES if name != "basics"), *BASICS]
    return _TEMPLATE.render(
        title=titles[page], parts=parts, studies=studies(), modules=modules_of(page, root)
    )
