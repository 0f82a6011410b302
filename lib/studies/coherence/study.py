"""The study, in one object."""

from lib.runner.registry import Study

STUDY = Study(
    title="Demographic coherence",
    paper="coherence",
    link="https://arxiv.org/abs/2502.02709",
    grids={
        "coherence_section5": "lib.studies.coherence.grids:SECTION5",
        "coherence_dp": "lib.studies.coherence.grids:NOISY_COUNTS",
    },
    claims="coherence.yml",
    measures=(
        "lib.studies.coherence.claims.results",
        "lib.studies.coherence.claims.chain",
        "lib.studies.coherence.claims.theory",
    ),
    chapters=(
        "chapters/coherence/definition",
        "chapters/coherence/census",
        "chapters/coherence/dp",
        "chapters/coherence/choosing",
        "chapters/coherence/generalisation",
        "chapters/coherence/evidence",
        "chapters/coherence/proofs",
        "chapters/verdicts/ledger",
        "chapters/errata/coherence",
    ),
)
