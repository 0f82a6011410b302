"""The tested package that the chapters import.

A module imports only from floors below its own:

====  =======================================================
5     ``cli.py`` (``python -m lib ...``)
4     ``book/``  ``claims/``  ``plots/``
3     ``experiments/`` (grids of the papers; sweep, store)
2     ``ldp/``  ``fairness/``  ``coherence/``  ``means/``  ``synth/``
1     ``datasets/``  ``dp/``
0     ``paths.py``  ``rng.py``  ``validate.py``
====  =======================================================

``tests/test_floors.py`` reads every import and fails on one that climbs.
"""

__version__ = "0.1.0"
