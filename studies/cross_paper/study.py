"""The study, in one object."""

from lib.runner.registry import Study

STUDY = Study(
    title="Across the papers",
    paper="companion",
    grids={
        "across_nist": "studies.cross_paper.grids:NIST",
    },
    chapters=("chapters/across/coherence", "chapters/across/evidence"),
)
