"""Group fairness and utility of a binary classifier (Arcolezi et al., Section 3.1 and 5.1)."""

from lib.fairness.metrics import (
    FAIR,
    FAIRNESS,
    RATES,
    UTILITY,
    Metric,
    evaluate,
    fairness,
    group_rates,
    rates,
    utility,
)
