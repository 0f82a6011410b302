"""Local differential privacy: seven protocols, budget splitting and encoding (Arcolezi et al.).

Every protocol maps a value in ``0..k-1`` to a report that *supports* a set of
values. ``p_star`` is the probability that a report supports the user's own
value, ``q_star`` that it supports any other given value; the frequency
estimator and its variance follow from these two alone (``base.py``).
"""

from lib.ldp.base import Protocol
from lib.ldp.empirical_epsilon import audited_epsilon
from lib.ldp.encode import SPLITS, design_matrix, one_hot, sanitise, split_budget
from lib.ldp.grr import GRR
from lib.ldp.histogram import THE
from lib.ldp.local_hashing import BLH, OLH
from lib.ldp.registry import PROTOCOLS, ROUNDED, make, protocol_class
from lib.ldp.subset_selection import SS
from lib.ldp.unary import OUE, RAPPOR
