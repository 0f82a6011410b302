"""Demographic coherence: does a release reveal more about people in it than about others?

>>> from lib.coherence import Setting, solve
>>> solve(Setting(alpha=0.2, beta=0.05, gamma=250_000, collection=100, n=5_000_000)).unknown
'epsilon'
"""

from typing import TYPE_CHECKING

from lib import validate

if TYPE_CHECKING:
    from lib.coherence.combination import combined_p
    from lib.coherence.distances import reshuffling_p, split_distance, wasserstein1
    from lib.coherence.experiment import Setup, demcoh
    from lib.coherence.guarantee import MODES, Setting, holds
    from lib.coherence.learners import BATTERY, After, Estimator, Lookup
    from lib.coherence.solver import solve
    from lib.coherence.tracing import Tracer

__getattr__, __dir__ = validate.on_demand(__name__)
