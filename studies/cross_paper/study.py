"""The study, in one object."""

from lib.study import Study

STUDY = Study(
    title="Across the papers",
    paper="companion",
    heading="Companion",
    grids={"across_nist": "studies.cross_paper.grids:NIST"},
    chapters=("chapters/across/coherence", "chapters/across/evidence"),
)
