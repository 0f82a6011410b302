"""The study, in one object."""

from lib.study import Study

STUDY = Study(
    title="Whole fits audited",
    paper="companion",
    grids={
        "privacy_audit": "studies.privacy_audit.cells:AUDITS",
    },
    chapters=("chapters/foundations/audits",),
)
