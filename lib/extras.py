"""Packages that only a part of ``lib`` needs: a missing one is named with what installs it."""

from __future__ import annotations

from types import TracebackType

from lib.paths import DISTRIBUTION, HOUSES


class MissingExtra(ImportError):
    """A package is not installed that an extra of the distribution brings."""


class needs:
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

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not isinstance(error, ModuleNotFoundError) or trace is None:
            return
        missing, asked_by = error.name or "a package", trace.tb_frame.f_globals["__name__"]
        if missing.partition(".")[0] in HOUSES:
            return
        raise MissingExtra(
            f'{asked_by} needs {missing}, which the extra "{self.name}" brings:'
            f' pip install "{DISTRIBUTION}[{self.name}]"',
            name=missing,
        ) from error
