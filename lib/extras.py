"""Packages that only a part of ``lib`` needs: a missing one is named with what installs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb

from lib.paths import HOUSES, pip_install


class MissingExtra(ImportError):
    """A package is not installed that an extra of the distribution brings."""


@contextmanager
def needs(name: str) -> Iterator[None]:
    """Imports of packages that the extra ``name`` of the distribution brings.

    Raises
    ------
    MissingExtra
        In place of a ``ModuleNotFoundError`` of another project's package.

    Examples
    --------
    >>> with needs("synth"):  # doctest: +ELLIPSIS
    ...     import no_such_package
    Traceback (most recent call last):
    lib.extras.MissingExtra: ... no_such_package, which the extra "synth" brings: pip install ...
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = error.name or "a package"
        if missing.partition(".")[0] in HOUSES:
            raise
        _, (asking, _), *_ = walk_tb(error.__traceback__)  # the first is this one
        raise MissingExtra(
            f'{asking.f_globals["__name__"]} needs {missing}, which the extra "{name}" brings:'
            f" {pip_install(name)}",
            name=missing,
        ) from error
