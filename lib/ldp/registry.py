"""Protocols by name: the paper's seven, two with the authors' rounding, or ``"module:Class"``."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

from lib import validate
from lib.ldp.base import Protocol
from lib.ldp.grr import GRR
from lib.ldp.histogram import THE
from lib.ldp.local_hashing import BLH, OLH, RoundedOLH
from lib.ldp.subset_selection import SS, RoundedSS
from lib.ldp.unary import OUE, RAPPOR

_PAPER = {kind.name: kind for kind in (GRR, BLH, OLH, RAPPOR, OUE, SS, THE)}
PROTOCOLS: tuple[str, ...] = tuple(_PAPER)
# Protocols whose printed rule rounds down where the authors' code rounds to the nearest whole
# number.
ROUNDED: dict[str, str] = {"OLH": "OLH-rounded", "SS": "SS-rounded"}
# Further protocols of the package. The paper's experiments and claims are about its seven.
OTHERS: dict[str, str] = {}
_CLASSES: dict[str, Any] = _PAPER | OTHERS | {"OLH-rounded": RoundedOLH, "SS-rounded": RoundedSS}


def protocol_class(name: str) -> type[Protocol]:
    """The class of a protocol by its name, or the one that ``"module:Class"`` names.

    Raises
    ------
    ValueError
        If the name is not known, or names what cannot be imported or is no
        subclass of :class:`Protocol`.

    Examples
    --------
    >>> protocol_class("GRR")
    <class 'lib.ldp.grr.GRR'>
    """
    what = "a subclass of lib.ldp.Protocol"

    def fits(found: object) -> bool:
        return isinstance(found, type) and issubclass(found, Protocol)

    return validate.resolve("protocol", name, _CLASSES, fits, what)


def make(name: str, *, k: int, epsilon: float, **options) -> Protocol:
    """The protocol called ``name`` for a domain of size ``k``.

    Parameters
    ----------
    name : str
        One of :data:`PROTOCOLS`, a value of :data:`ROUNDED`, or ``"module:Class"``.
    k : int
        Size of the domain, at least 2.
    epsilon : float
        Privacy budget, from 1e-9 up to 600.
    **options
        What the protocol itself takes: ``g_rule`` (OLH), ``omega_rule`` (SS),
        ``theta_range`` (THE).

    Raises
    ------
    ValueError
        As :func:`protocol_class`; if ``k``, ``epsilon`` or the value of an
        option is out of range; for an option that the protocol does not have.

    Examples
    --------
    >>> make("OLH", k=10, epsilon=1.0, g_rule="round")
    OLH(k=10, epsilon=1)
    """
    kind = protocol_class(name)
    for option in options:
        _check_option(kind, option, options[option])
    return kind(k=k, epsilon=epsilon, **options)


def _check_option(kind: type[Protocol], option: str, value: object) -> None:
    parameters = signature(kind).parameters
    if option in parameters or any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values()):
        return
    own = [name for name in parameters if name not in ("k", "epsilon")]
    raise ValueError(
        f"options of {kind.name} must be among {', '.join(own) or 'none'}, got {option}={value!r}"
    )
