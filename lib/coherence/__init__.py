"""Demographic coherence: does a release reveal more about people in it than about others?

>>> from lib.coherence import Setting, solve
>>> solve(Setting(alpha=0.2, beta=0.05, gamma=250_000, collection=100, n=5_000_000)).unknown
'epsilon'
"""

from importlib import import_module
from typing import Any

# imported when they are asked for: the bounds want neither scikit-learn nor pandas
_PLACES = {
    "combined_p": "lib.coherence.combination:combined_p",
    "reshuffling_p": "lib.coherence.distances:reshuffling_p",
    "split_distance": "lib.coherence.distances:split_distance",
    "wasserstein1": "lib.coherence.distances:wasserstein1",
    "Setup": "lib.coherence.experiment:Setup",
    "demcoh": "lib.coherence.experiment:demcoh",
    "MODES": "lib.coherence.guarantee:MODES",
    "Setting": "lib.coherence.guarantee:Setting",
    "holds": "lib.coherence.guarantee:holds",
    "BATTERY": "lib.coherence.learners:BATTERY",
    "After": "lib.coherence.learners:After",
    "Estimator": "lib.coherence.learners:Estimator",
    "Lookup": "lib.coherence.learners:Lookup",
    "solve": "lib.coherence.solver:solve",
    "Tracer": "lib.coherence.learners:Tracer",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name].partition(":")[0]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
