"""What each data file is and where its bytes come from.

One :class:`File` for each download, one :class:`Task` for each analysed table:
which file it comes from, its target, its protected attribute ``A_p``, its
sensitive attributes ``A_s`` in the order of the LDP paper's Table 2, the pool
that its appendix draws from, and the declared domain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from lib import validate
from lib.datasets.cleaning.nist import SIZES as NIST_SIZES
from lib.datasets.cleaning.nist import analysed as analysed_nist
from lib.domain import Domain

_LDP = (
    "https://raw.githubusercontent.com/hharcolezi/ldp-fairness-impact/"
    "512752136637f8478b37acaaaf9d87f06685270c/datasets/"
)
_COHERENCE = (
    "https://raw.githubusercontent.com/Satchit-Sivakumar/"
    "Enforcing-Demographic-Coherence-"
    "A-Harms-Aware-Framework-for-Reasoning-about-Private-Data-Release/"
    "dfcff90195dd9e69d8b7363f77b7236e95d65872/"
)


@dataclass(frozen=True)
class File:
    """A file with a public origin: address, SHA-256, bytes, licence, rows and columns.

    One without an address (``url=""``) is looked for in ``COMPANION_DATA`` and in the cache only.
    """

    name: str
    url: str
    sha256: str
    size: int
    licence: str
    rows: int
    columns: int


FILES: dict[str, File] = {
    f.name: f
    for f in (
        File(
            "db_adult_processed_26k.csv",
            _LDP + "db_adult_processed_26k.csv",
            "86b00911881f1a37bd5d6ee3873f73c7d13ee5b32814dfc915c534fb0ca851df",
            1174124,
            "MIT (reconstructed Adult, Ding et al. 2021); CPS microdata, public use",
            45849,
            11,
        ),
        File(
            "db_ACSCoverage.csv",
            _LDP + "db_ACSCoverage.csv",
            "d3a2713e71b6557f07b22dc0e77ff885ceac3ff522146027524d39512a007ff7",
            3319247,
            "US Census Bureau public use microdata (public domain)",
            98739,
            16,
        ),
        File(
            "db_LSAC.csv",
            _LDP + "db_LSAC.csv",
            "296a428e55cc5f2b7f4f8d9374f6c11320dfe022a64e752a582014bf0e560e1d",
            306315,
            "LSAC National Longitudinal Bar Passage Study, research use",
            20427,
            7,
        ),
        File(
            "bar_pass_prediction.csv",
            _LDP + "bar_pass_prediction.csv",
            "b75568ff25e966b4c19852105e94e8e52475191523bdcfe62df985c690baed38",
            3603608,
            "LSAC National Longitudinal Bar Passage Study, research use",
            22407,
            39,
        ),
        File(
            "national2019.csv",
            _COHERENCE + "national2019.csv",
            "cee8c02345dc9e703f7bfd190f6b88d60cce8aa051b1a1da2f076781aa2bc4f6",
            1990719,
            "NIST ACS Data Excerpts (public domain)",
            27253,
            24,
        ),
    )
}


@validate.check_types
@dataclass(frozen=True)
class Task:
    """A table to analyse: integer codes, a binary target, protected and sensitive attributes.

    ``protected`` follows the paper: code 1 is what it calls the privileged
    group. ``pool`` is what the paper's appendix draws its extra sensitive
    attributes from. ``file`` is a key of :data:`FILES`, or a :class:`File` of
    your own; ``prepare`` makes the analysed table of codes from the raw one,
    whose fields are strings; a file that holds codes already needs none.

    Raises
    ------
    ValueError
        If an attribute is not in the domain, the target or the protected one is
        not binary, or there is nothing to randomise in one of the others.
    """

    name: str
    title: str
    file: str | File
    target: str
    protected: str
    sensitive: tuple[str, ...]
    pool: tuple[str, ...]
    domain: Domain
    prepare: Callable[[pd.DataFrame], pd.DataFrame] | None = None

    def __post_init__(self) -> None:
        for role, column in (("target", self.target), ("protected", self.protected)):
            k = self._size(role, column)
            validate.require(k == 2, role, "a column of two codes", f"{column} of {k}")
        for role, columns in (("sensitive", self.sensitive), ("pool", self.pool)):
            for column in columns:
                constant = self._size(role, column) < 2
                validate.require(not constant, role, "columns that are not constant", column)

    def _size(self, role: str, column: str) -> int:
        return self.domain[validate.choice(role, column, self.domain.columns)]

    @property
    def of_file(self) -> File:
        """The file that the table is made from."""
        return self.file if isinstance(self.file, File) else FILES[self.file]

    @property
    def features(self) -> tuple[str, ...]:
        """Every column but the target, in the order of the file."""
        return tuple(c for c in self.domain.columns if c != self.target)


TASKS: dict[str, Task] = {
    t.name: t
    for t in (
        Task(
            "adult",
            "Adult (reconstructed)",
            "db_adult_processed_26k.csv",
            "income",
            "gender",
            ("gender", "race", "native-country", "age"),
            ("race", "native-country", "age", "hours-per-week", "education"),
            Domain.of(
                {
                    "age": 74,
                    "workclass": 7,
                    "education": 16,
                    "marital-status": 7,
                    "occupation": 14,
                    "native-country": 41,
                    "relationship": 6,
                    "hours-per-week": 96,
                    "gender": 2,
                    "race": 5,
                    "income": 2,
                }
            ),
        ),
        Task(
            "acs_coverage",
            "ACSPublicCoverage, Texas 2018",
            "db_ACSCoverage.csv",
            "PUBCOV",
            "DIS",
            ("DIS", "AGEP", "SEX", "SCHL"),
            ("AGEP", "SEX", "SCHL", "RAC1P", "NATIVITY"),
            Domain.of(
                {
                    "AGEP": 50,
                    "SCHL": 24,
                    "MAR": 5,
                    "SEX": 2,
                    "DIS": 2,
                    "ESP": 9,
                    "CIT": 5,
                    "MIG": 3,
                    "MIL": 5,
                    "ANC": 4,
                    "NATIVITY": 2,
                    "ESR": 7,
                    "ST": 1,
                    "FER": 3,
                    "RAC1P": 2,
                    "PUBCOV": 2,
                }
            ),
        ),
        Task(
            "lsac",
            "LSAC bar passage",
            "db_LSAC.csv",
            "pass_bar",
            "race1",
            ("race1", "gender", "fam_inc", "fulltime"),
            ("fam_inc", "gender", "fulltime", "lsat", "ugpa"),
            Domain.of(
                {
                    "fam_inc": 5,
                    "gender": 2,
                    "fulltime": 2,
                    "race1": 2,
                    "lsat": 37,
                    "ugpa": 6,
                    "pass_bar": 2,
                }
            ),
        ),
        Task(
            "nist",
            "NIST ACS excerpts 2019, aged 5 and over",
            "national2019.csv",
            "DREM",
            "SEX",
            ("SEX", "RAC1P", "AGE", "DPHY"),
            ("RAC1P", "AGE", "DPHY", "HISP", "MSP"),
            Domain.of(NIST_SIZES),
            analysed_nist,
        ),
    )
}


@validate.check_types
def task(name: str) -> Task:
    """The task called ``name``, or the one that ``"module:TASK"`` names."""
    return validate.resolve(
        "dataset", name, TASKS, lambda t: isinstance(t, Task), "a lib.datasets.Task"
    )
