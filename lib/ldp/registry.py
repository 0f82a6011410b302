"""Protocols by name: the paper's seven, or any other as ``"module:Class"``."""

from __future__ import annotations

from lib import validate
from lib.ldp.base import Protocol
from lib.ldp.grr import GRR
from lib.ldp.histogram import THE
from lib.ldp.local_hashing import BLH, OLH
from lib.ldp.subset import SS
from lib.ldp.unary import OUE, RAPPOR

__all__ = ["PROTOCOLS", "make", "protocol_class"]

_CLASSES = {c.name: c for c in (GRR, BLH, OLH, RAPPOR, OUE, SS, THE)}
PROTOCOLS: tuple[str, ...] = tuple(_CLASSES)


def protocol_class(name: str) -> type[Protocol]:
    """The class behind one of :data:`PROTOCOLS`, or the :class:`Protocol` that ``"module:Class"`` names."""
    return validate.resolve("protocol", name, _CLASSES, lambda c: isinstance(c, type) and issubclass(c, Protocol),
                   "a subclass of lib.ldp.Protocol")  # fmt: skip


def make(name: str, *, k: int, epsilon: float, **options) -> Protocol:
    """The protocol called ``name`` (one of :data:`PROTOCOLS`, or ``"module:Class"``) for a domain of size ``k``.

    ``options`` go to the protocol: ``g_rule`` (OLH), ``omega_rule`` (SS),
    ``theta_range`` (THE).
    """
    return protocol_class(name)(k=k, epsilon=epsilon, **options)
