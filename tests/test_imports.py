"""The packages at the bottom import nothing that they do not need at once."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import packages_distributions

import pytest

from lib.paths import HOUSES, ROOT
from tests.declared import CORE, extra, names
from tests.programs import python

HEAVY = {"folktables", "jax", "lightgbm", "matplotlib", "pandas", "pooch", "requests", "sklearn"}


@pytest.mark.parametrize(
    ("package", "light"),
    [
        ("lib.ldp", {"scipy"}),
        ("lib.dp", set()),
        ("lib.fairness", {"scipy"}),
        ("lib.stats", set()),
        ("lib.coherence", {"scipy"}),
        ("lib.domain", {"scipy"}),
        ("lib.cli.audit", {"scipy"}),  # so that --help waits for nothing
        ("lib.cli.synthesize", {"scipy"}),
    ],
)
def test_importing_a_package_loads_nothing_of_weight(package, light):
    """Nothing of HEAVY, nor what ``light`` names."""
    code = f"import sys, {package}; print(*{{name.split('.')[0] for name in sys.modules}})"
    done = python("-c", code)
    assert not set(done.stdout.split()) & (HEAVY | light)


# import all below PLACES but for what is ABSENT, and say which of it lacks an extra
WITHOUT = """
import importlib, pkgutil, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            raise LACKS(f"{name} is not here", name=name)

sys.meta_path.insert(0, Blocked())
for name in ABSENT:
    sys.modules.pop(name, None)
from lib.extras import MissingExtra

for place in PLACES:
    package = importlib.import_module(place)
    for module in pkgutil.walk_packages(package.__path__, place + "."):
        try:
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
        except MissingExtra as error:
            print(error)
print("all imported")
"""


def _imported(absent: set[str], places: Iterable[str], lacks: str = "ImportError") -> str:
    """What is said when all modules of ``places`` are imported where ``absent`` is not."""
    given = f"ABSENT, PLACES, LACKS = {absent!r}, {[*places]!r}, {lacks}"
    done = python("-W", "ignore", "-c", given + WITHOUT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_package_imports_where_posix_is_not():
    """As on Windows: no module of it needs fcntl or the like, directly or by a dependency."""
    posix = {"fcntl", "grp", "pwd", "resource", "termios"}
    assert _imported(posix, HOUSES) == "all imported"


def test_the_core_imports_without_extras_or_names_them():
    """All but the book and the course, which run in a clone."""
    brings = packages_distributions()
    beyond = extra("all") - CORE
    absent = {package for package, of in brings.items() if names(of) & beyond} - {"PIL"}
    assert {"jax", "lightgbm", "optuna", "pyarrow", "nbformat"} <= absent
    said = _imported(absent, ("lib", "studies"), "ModuleNotFoundError")
    assert f'optuna, which the extra "run" brings: pip install -e "{ROOT}[run]"' in said


IN_NO_PAGE = "filelock folktables jax lightgbm mbi myst_nb optax pooch pyarrow requests"


def test_the_numerical_packages_import_in_a_page():
    """Python in the page (Pyodide) has no downloader, no LightGBM and no jax."""
    numerical = (f"lib.{name}" for name in ("ldp", "dp", "fairness", "means", "coherence"))
    assert _imported(set(IN_NO_PAGE.split()), numerical) == "all imported"
