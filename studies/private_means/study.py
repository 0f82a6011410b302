"""The study, in one object."""

from lib.study import Study

STUDY = Study(
    title="Stratified private means",
    paper="stratified",
    link="https://arxiv.org/abs/2312.11712",
    heading="Stratified DP",
    runs=50,
    grids={
        "means_mixtures": "studies.private_means.grids:MIXTURES",
        "means_newyork2024": "studies.private_means.grids:NEWYORK",
        "means_by_group": "studies.private_means.grids:GROUPS",
        "means_newyork_census": "studies.private_means.grids:NEWYORK_CENSUS",
        "means_census": "studies.private_means.grids:CENSUS",
    },
    claims="private_means.yml",
    measures=(
        "studies.private_means.claims.census",
        "studies.private_means.claims.theory",
        "studies.private_means.claims.text",
    ),
    chapters=(
        "chapters/means/theory",
        "chapters/means/coinpress",
        "chapters/means/census",
        "chapters/means/evidence",
        "chapters/means/proofs",
        "chapters/errata/stratified",
    ),
    published=("census_means", "mixtures"),
    authors={
        "argument": "dataset",
        "values": {"": "authors"},
        "measures": (
            "mixture_small",
            "mixture_skewed",
            "mixture_stable",
            "mixture_gap",
            "mixture_ratio",
            "census_error",
            "census_improves",
            "census_parity",
        ),
    },
)
