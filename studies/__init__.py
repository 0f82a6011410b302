"""What the papers did: one folder for each study, with its cells, grids, claims and figures."""

STUDIES = (
    "ldp_fairness",
    "coherence",
    "private_means",
    "synthesizers",
    "pooling",
    "cross_paper",
    "privacy_audit",
)  # a new study is one more line
