"""Bad arguments, each among good ones: what a function refuses by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pytest


def each(
    function: Callable[..., Any], good: Mapping[str, Any], **bad: Iterable[Any]
) -> list[tuple[Callable[[], Any], str]]:
    """A call for each bad value of each argument, and the name that the message begins with."""
    return [
        (partial(function, **{**good, name: value}), name)
        for name, values in bad.items()
        for value in values
    ]


def refused(call: Callable[[], Any], name: str) -> None:
    """``call`` raises ``NAME must be WHAT, got VALUE``."""
    with pytest.raises(ValueError, match=rf"(?s)^{name}.* must .*, got "):
        call()
