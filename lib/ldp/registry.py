"""Protocols by name."""

from __future__ import annotations

from lib import validate
from lib.ldp.base import Protocol
from lib.ldp.grr import GRR
from lib.ldp.histogram import THE
from lib.ldp.local_hashing import BLH, OLH
from lib.ldp.subset import SS
from lib.ldp.unary import OUE, RAPPOR

__all__ = ["PROTOCOLS", "make"]

_CLASSES = {c.name: c for c in (GRR, BLH, OLH, RAPPOR, OUE, SS, THE)}
PROTOCOLS: tuple[str, ...] = tuple(_CLASSES)


def make(name: str, *, k: int, epsilon: float, **options) -> Protocol:
    """The protocol called ``name`` (one of :data:`PROTOCOLS`) for a domain of size ``k``.

    ``options`` go to the protocol: ``g_rule`` (OLH), ``omega_rule`` (SS),
    ``theta_range`` (THE).
    """
    return _CLASSES[validate.choice("protocol", name, PROTOCOLS)](k=k, epsilon=epsilon, **options)
