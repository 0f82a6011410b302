"""Words for the data sets, their groups and their sensitive attributes, as the pages use them."""

from __future__ import annotations

from lib.datasets import TASKS

TITLES = {"adult": "Adult", "acs_coverage": "ACSCoverage", "lsac": "LSAC"}
# group 0 of the protected attribute, then group 1, which the paper calls privileged
GROUPS = {
    "adult": ("women", "men"),
    "acs_coverage": ("without a disability", "with a disability"),
    "lsac": ("Black students", "other students"),
}
ATTRIBUTES = {
    "AGEP": "age",
    "DIS": "disability",
    "NATIVITY": "born abroad",
    "RAC1P": "race",
    "SCHL": "schooling",
    "SEX": "sex",
    "fam_inc": "family income",
    "fulltime": "full-time study",
    "gender": "sex",
    "age": "age",
    "education": "education",
    "hours-per-week": "hours per week",
    "lsat": "LSAT score",
    "native-country": "native country",
    "race": "race",
    "race1": "race",
    "ugpa": "college grades",
}


def title(dataset: str) -> str:
    """The name of a data set in words; one of the user's own keeps its name."""
    return TITLES.get(dataset) or (TASKS[dataset].title if dataset in TASKS else dataset)
