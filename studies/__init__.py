"""What the papers did: one folder for each study, with its cells, grids, claims and figures."""

STUDIES = (
    "ldp_fairness",
    "coherence",
    "private_means",
    "synthesizers",
    "cross_paper",  # the first of the companion's, whose heading the ledger has
    "pooling",
    "privacy_audit",
)  # a new study is one more line
