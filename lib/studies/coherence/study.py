"""The study, in one object."""

from lib.runner.registry import Study

STUDY = Study(
    title="Demographic coherence",
    paper="coherence",
    grids={
        "coherence_section5": "lib.studies.coherence.grids:SECTION5",
        "coherence_dp": "lib.studies.coherence.grids:NOISY_COUNTS",
    },
    measures=(
        "lib.studies.coherence.claims.results",
        "lib.studies.coherence.claims.chain",
        "lib.studies.coherence.claims.theory",
    ),
)
