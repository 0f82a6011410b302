"""The study, in one object."""

from lib.study import Study

STUDY = Study(
    title="Demographic coherence",
    paper="coherence",
    link="https://arxiv.org/abs/2502.02709",
    runs=100,
    grids={
        "coherence_section5": "studies.coherence.grids:SECTION5",
        "coherence_dp": "studies.coherence.grids:NOISY_COUNTS",
    },
    claims="coherence.yml",
    measures=(
        "studies.coherence.claims.results",
        "studies.coherence.claims.chain",
        "studies.coherence.claims.theory",
        "studies.coherence.claims.without_dp",
    ),
    chapters=(
        "chapters/coherence/definition",
        "chapters/coherence/census",
        "chapters/coherence/dp",
        "chapters/coherence/choosing",
        "chapters/coherence/evidence",
        "chapters/coherence/proofs",
        "chapters/verdicts/ledger",
        "chapters/verdicts/method",
        "chapters/errata/coherence",
    ),
)
