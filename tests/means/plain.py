"""Algorithms 1 and 2 as they are written, one group and one run at a time."""

from __future__ import annotations

import math

from lib.means.grouped import Interval


def uvm(x, low, high, sigma, rho, beta, normal):
    """One step. ``normal`` is the standard normal draw that the step uses."""
    n = len(x)
    slack = sigma * math.sqrt(2 * math.log(2 * n / beta))
    projected = [min(max(value, low - slack), high + slack) for value in x]
    delta = (high - low + 2 * slack) / n
    z = sum(projected) / n + normal * delta / math.sqrt(2 * rho)
    half = math.sqrt(2 * (sigma**2 / n + (delta / math.sqrt(2 * rho)) ** 2) * math.log(2 / beta))
    return z - half, z + half


def uvm_rec(x, told: Interval, rhos, normals, uvm=uvm):
    """All steps; the midpoint of the last interval."""
    low, high, t = told.low, told.high, len(rhos)
    for rho, normal in zip(rhos[:-1], normals[:-1], strict=True):
        low, high = uvm(x, low, high, told.sigma, rho, told.beta / (4 * (t - 1)), normal)
    low, high = uvm(x, low, high, told.sigma, rhos[-1], told.beta / 4, normals[-1])
    return (low + high) / 2
