"""What is to be audited, checked before anything is read or run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated

from lib import validate
from lib.files import ONE_A_PERSON

LEAST_ALPHA = 1e-6  # less than one person in a million moved
LEAST_SHOWN = 10  # people of a group that the report names without show_small
PEOPLE = 50_000  # from which on a second process is worth its start
LEAST_BETA = 1e-300  # the solver of the theorems has no smaller one


@dataclass(frozen=True, kw_only=True)
class Request:
    """The question of an audit: a file, what is predicted, for which groups, and from what.

    The fields and their meaning are the options of ``python -m lib audit --help``, which are
    generated from here: ``bands={"age": (18, 35)}`` is ``--bands age=18,35``.

    Raises
    ------
    ValueError
        For a value that is out of range, and for a question that has no answer.

    Examples
    --------
    >>> Request(file=Path("people.csv"), sensitive="ill", groups=("sex",)).mode
    'clear'
    >>> Request(
    ...     file=Path("people.csv"), sensitive="ill", release=Path("made.csv")
    ... )  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: release must be given with holdout (a file) or members ...
    """

    file: Annotated[Path, ONE_A_PERSON]
    sensitive: Annotated[str, "column to be predicted; a command may repeat it", "COL"]
    positive: Annotated[str | None, "its value that counts as 1, against the rest", "VALUE"] = None
    groups: Annotated[tuple[str, ...], "columns whose values are groups", "COL"] = ()
    crossings: Annotated[tuple[tuple[str, ...], ...], "combinations of columns", "A,B"] = ()
    bands: Annotated[
        Mapping[str, tuple[float, ...]], "edges; else a number's quartiles", "COL=18,35"
    ] = field(default_factory=dict)
    columns: Annotated[Mapping[str, str], "text, number, date or ignore", "COL=TYPE"] = field(
        default_factory=dict
    )
    gaps: Annotated[
        tuple[str, ...] | None, "texts that are gaps; else NA and the like among numbers", "TEXT"
    ] = None
    schema: Annotated[
        Path | None, "as of synthesize: columns are read by it, numbers in its bins", "YML"
    ] = None
    encoding: Annotated[str | None, "of files that are not UTF-8, such as cp1252", "NAME"] = None
    lens: Annotated[tuple[str, ...], "what the predictor sees; else all it can", "COL"] = ()
    release: Annotated[
        Path | None, "a finished one, or several; needs --holdout or --members", "FILE"
    ] = None
    holdout: Annotated[Path | None, "people who were left out of the release", "CSV"] = None
    members: Annotated[
        tuple[str, str] | None, "marks the rows of FILE that went into the release", "COL=VALUE"
    ] = None
    curator: Annotated[
        str | None, "rerun on each half: has {half}, {release}, perhaps {seed}", "COMMAND"
    ] = None
    timeout: Annotated[float | None, "seconds that one run of the curator may take", "SECONDS"] = (
        None
    )
    reads: Annotated[
        tuple[Path, ...],
        "files or folders that a contained curator may read, beside its half and files it names",
        "PATH",
    ] = ()
    contained: Annotated[bool, "refuse to run the curator where bubblewrap cannot contain it"] = (
        False
    )
    show_small: Annotated[
        bool, "name groups of fewer than 10 people, and quote values, in the report"
    ] = False
    learners: Annotated[
        tuple[str, ...], "forest, lookup, boosting, logistic, 'forest, leaves of 20'", "NAME"
    ] = ("forest", "lookup")
    splits: Annotated[int, "random splits, or trainings on a release"] = 20
    alphas: Annotated[tuple[float, ...], "W1 distances that no group should exceed", "ALPHA"] = (
        0.1,
        0.2,
        0.4,
        0.8,
    )
    beta: Annotated[float, "share of splits that may exceed them"] = 0.05
    gamma: Annotated[float, "least people in a group"] = 80
    cluster: Annotated[
        str | None, "whose values are households, inside or out as wholes; else people are", "COL"
    ] = None
    weights: Annotated[str | None, "of positive weights, by which people count", "COL"] = None
    count: Annotated[
        str | None, "of how many people a row stands for, in a table of counts", "COL"
    ] = None
    labels: Annotated[str, "confidence or hard"] = "confidence"
    false_alarm: Annotated[
        float, "chance that any group is flagged if nothing depends on who is in"
    ] = 0.05
    certify: Annotated[bool, "also lower limits of the curator's epsilon, group by group"] = False
    certify_delta: Annotated[float, "of the (epsilon, delta) that is tested"] = 0.0
    seed: Annotated[int, "of splits, learners and reshufflings"] = 0
    workers: Annotated[int | None, "processes; else one, and two from 50,000 people on", "N"] = None

    def __post_init__(self) -> None:
        from lib.coherence.learners import BATTERY  # scikit-learn, which --help need not wait for
        from lib.table.columns import KINDS

        validate.instance("file", self.file, Path)
        validate.instance("sensitive", self.sensitive, str)
        paths = ("schema", "release", "holdout")
        for name in (*paths, "positive", "encoding", "curator", "cluster", "weights", "count"):
            if (value := getattr(self, name)) is not None:
                validate.instance(name, value, Path if name in paths else str)
        for path in validate.sequence("reads", self.reads):
            validate.instance("reads", path, Path)
        if self.members is not None:
            members = validate.names("members", self.members)
            validate.require(len(members) == 2, "members", "a column and its value", members)
        validate.fields(self, "groups lens learners", validate.names)
        if self.gaps is not None:
            validate.names("gaps", self.gaps)
        validate.fields(self, "show_small certify", validate.boolean)
        for crossing in validate.sequence("crossings", self.crossings):
            validate.names("crossings", crossing)
        for name in self.learners:
            validate.choice("learner", name, BATTERY)
        for name, kind in self.columns.items():
            validate.choice(f"kind of {name}", kind, KINDS)
        once: dict[str, float] = {}
        for alpha in validate.sequence("alphas", self.alphas):
            once.setdefault(f"{validate.budget('alpha', alpha, low=LEAST_ALPHA, high=2):g}", alpha)
        object.__setattr__(self, "alphas", tuple(once.values()))
        object.__setattr__(self, "learners", tuple(dict.fromkeys(self.learners)))
        for name in ("learners", "alphas"):
            value = getattr(self, name)
            validate.require(len(value) > 0, name, "at least one of each", value)
        validate.fraction("beta", self.beta)
        validate.require(self.beta >= LEAST_BETA, "beta", f"at least {LEAST_BETA:g}", self.beta)
        validate.fraction("false_alarm", self.false_alarm)
        validate.positive("gamma", self.gamma)
        delta = validate.as_float(self.certify_delta)
        small = 0 <= delta < 1 and (self.certify or not delta)
        validate.require(small, "certify_delta", "in [0, 1), with certify", self.certify_delta)
        validate.require(
            self.cluster is None or not self.certify,
            "certify",
            "asked for without cluster (its theorem swaps one person for another, and whole"
            " households cannot be swapped so)",
            self.certify,
        )
        for name, low in (("splits", 2), ("seed", 0), ("workers", 1)):
            if name != "workers" or self.workers is not None:
                validate.integer(name, getattr(self, name), low=low)
        cut = {*self.groups, *chain(*self.crossings)}
        for name, edges in self.bands.items():
            validate.require(name in cut, "bands", "of a column in groups or crossings", name)
            finite = validate.finite(f"bands of {name!r}", edges)
            validate.require(finite.size > 0, f"bands of {name!r}", "finite numbers", edges)
        self._check_release()
        self._check_curator()

    def _check_release(self) -> None:
        known = [name for name in ("holdout", "members") if getattr(self, name) is not None]
        if self.release is None:
            validate.require(not known, "release", f"given, as {' and '.join(known)} is", None)
        elif len(known) != 1:
            raise ValueError(
                "release must be given with holdout (a file) or members (a column and value of the"
                f" file), one of them, got {' and '.join(known) or 'neither'}: who was left out of"
                " it must be known. A release of everybody leaves nobody to compare with, and a"
                " split drawn afterwards is independent of it, so it would look coherent whatever"
                " it holds; rerun the curator on random halves instead (curator)"
            )
        for name, column in (self.special | {"count": self.count}).items():
            other = column != self.sensitive
            validate.require(other, name, "another column than the sensitive one", column)

    def _check_curator(self) -> None:
        command = self.curator
        for path in self.reads:
            validate.require(path.exists(), "reads", "a file or folder that is there", str(path))
        if self.timeout is not None:
            validate.positive("timeout", self.timeout)
            validate.require(command is not None, "timeout", "given with a curator", None)
        needless = self.contained and command is None
        validate.require(not needless, "contained", "given with a curator", None)
        if command is None:
            return
        try:
            command_words(command)
        except ValueError as error:
            raise ValueError(
                f"curator must be a command with closed quotes ({error}), got {command!r}"
            ) from None
        both = "{half}" in command and "{release}" in command
        validate.require(both, "curator", "a command with {half} and {release}", command)
        if self.release is not None:
            raise ValueError(
                "curator must be None with a release, which is finished while a curator is rerun,"
                f" got {command!r}"
            )

    @property
    def special(self) -> dict[str, str]:
        """The columns that say how people were drawn, and nothing of them, by their options."""
        named = {"members": self.members and self.members[0]}
        named |= {"cluster": self.cluster, "weights": self.weights}
        return {name: column for name, column in named.items() if column is not None}

    @property
    def least_shown(self) -> int:
        """:data:`LEAST_SHOWN`, or 0 if small groups are to be shown."""
        return 0 if self.show_small else LEAST_SHOWN

    @property
    def least_size(self) -> float:
        """People that a group has at least: ``gamma``, and :attr:`least_shown`."""
        return max(self.gamma, self.least_shown)

    def processes(self, people: int) -> int:
        """How many work on a table of so many people."""
        return self.workers or min(2 if people >= PEOPLE else 1, os.cpu_count() or 1)

    @property
    def releases(self) -> int:
        """How many releases, or halves in the clear, there are to learn from."""
        return 1 if self.mode == "release" else self.splits

    @property
    def mode(self) -> str:
        """``"clear"``, ``"curator"`` or ``"release"``: what the predictor learns from."""
        if self.release is not None:
            return "release"
        return "clear" if self.curator is None else "curator"


def command_words(command: str) -> list[str]:
    """The words of a command line, without a shell; a backslash is a letter where paths have it.

    Examples
    --------
    >>> command_words("python 'my curator.py' {half} {release}")
    ['python', 'my curator.py', '{half}', '{release}']
    """
    lexer = shlex.shlex(command, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    if os.sep == "\\":
        lexer.escape = ""
    return list(lexer)
