"""The study, in one object."""

from lib.study import Study

STUDY = Study(
    title="Local differential privacy and fairness",
    paper="ldp",
    link="https://inria.hal.science/hal-04175027v1",
    heading="LDP and fairness",
    runs=20,
    grids={
        "ldp_main": "studies.ldp_fairness.grids:MAIN",
        "ldp_appendix": "studies.ldp_fairness.grids:APPENDIX",
        "ldp_tuned": "studies.ldp_fairness.grids:TUNED",
        "ldp_rounded": "studies.ldp_fairness.grids:ROUNDED",
    },
    claims="ldp_fairness.yml",
    measures=(
        "studies.ldp_fairness.claims.exact",
        "studies.ldp_fairness.claims.results",
        "studies.ldp_fairness.claims.ranks",
    ),
    chapters=(
        "chapters/ldp/protocols",
        "chapters/ldp/budget",
        "chapters/ldp/fairness",
        "chapters/ldp/evidence",
        "chapters/ldp/proofs",
        "chapters/verdicts/ledger",
        "chapters/verdicts/method",
        "chapters/errata/ldp",
    ),
    published=("ldp",),
    authors={
        "argument": "grid",
        "values": {"": "authors", "ldp_appendix": "authors_appendix"},
        "measures": (
            "nondp",
            "level",
            "change",
            "largest_change",
            "largest_left",
            "share_improved",
            "small_losses",
            "split_gain",
            "largest_split_gain",
            "split_share",
            "group_gap",
            "drops_later",
            "placed",
            "best_two",
        ),
    },
)
