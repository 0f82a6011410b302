"""Differential privacy: budgets, mechanisms, and an accountant that refuses to overspend.

>>> from lib.dp import PrivacyAccountant, Laplace, zcdp_rho
>>> accountant = PrivacyAccountant(zcdp_rho(1.0, 1e-9))
>>> round(accountant.left, 4)
0.0118
"""

from lib.dp.accountant import PrivacyAccountant
from lib.dp.conversion import delta_of, epsilon_of, rho_in_floats, rho_of_pure, zcdp_rho
from lib.dp.entries import RELATIONS, Entry
from lib.dp.gaussian import gaussian_delta, gaussian_epsilon
from lib.dp.looks import choose, noisy, observed
from lib.dp.mechanisms import Exponential, Gaussian, Laplace, Noise
