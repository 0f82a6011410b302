"""Checks of arguments; every error reads ``NAME must be WHAT, got VALUE``.

:func:`resolve` also lets in what is not in this package: ``"module:object"``
wherever a protocol, a task or a grid has a name. The object is imported where
the name is used, so a worker process, a Dask worker and ``python -m lib run``
find what the notebook found, and the name in a record says which code made it.
There is no registry to fill, and none that a new process would have to be told of.
"""

from typing import TYPE_CHECKING

from lib.validate.checks import (
    EPSILON_MAX,
    EPSILON_MIN,
    INTEGER_MAX,
    array,
    boolean,
    broadcastable,
    budget,
    choice,
    codes,
    column,
    finite,
    fraction,
    generator,
    integer,
    positive,
    reals,
    refusal,
    require,
    sequence,
    vector,
)
from lib.validate.lookup import on_demand, resolve

if TYPE_CHECKING:
    from lib.validate.annotations import check_types

__getattr__, __dir__ = on_demand(__name__)
