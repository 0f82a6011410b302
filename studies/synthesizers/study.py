"""The study, in one object."""

from lib.study import Study

STUDY = Study(
    title="Stratified synthesizers",
    paper="stratified",
    grids={
        "synth_nist": "studies.synthesizers.grids:NIST",
        "synth_acs_coverage": "studies.synthesizers.grids:COVERAGE",
        "synth_ny_employment": "studies.synthesizers.grids:NEWYORK_EMPLOYMENT",
        "synth_newyork2018": "studies.synthesizers.grids:NEWYORK_2018",
    },
    claims="synthesizers.yml",
    measures=("studies.synthesizers.claims",),
    chapters=(
        "chapters/synth/mechanisms",
        "chapters/synth/census",
        "chapters/synth/groups",
        "chapters/synth/evidence",
        "chapters/synth/proofs",
        "chapters/verdicts/ledger",
        "chapters/verdicts/method",
        "chapters/errata/synthesizers",
    ),
    published=("synthesizers",),
    authors={
        "argument": "tables",
        "values": {"": "authors"},
        "measures": (
            "synth_improves_with_budget",
            "synth_stratified_better",
            "synth_surely_worse",
            "synth_cost",
            "synth_ratio",
            "synth_above",
            "synth_traded_off",
            "synth_helps",
            "synth_best",
            "synth_near_real",
            "synth_real_accuracy",
            "synth_groups_improve",
        ),
    },
)
