"""What the grids of the study have in common: budgets, seed, and the names of what is compared.

Pages and claims that read stored results need these and no synthesizer.
"""

VERSION = "1"
SEED = 20240216
DELTA = 1e-9
EPSILONS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0)
# the published GEM at what its script spends where epsilon is declared
AS_SPENT = "GEM, as published"
# the same at the epsilon that is declared
AS_DECLARED = "GEM, as published, at the declared budget"
BASELINES = ("real", "bootstrap", "independent")
MAIN = ("MST", "AIM", "GEM")
