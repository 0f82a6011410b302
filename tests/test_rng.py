"""Streams belong to their keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.rng import seed_sequence, stream


def test_the_same_key_gives_the_same_stream_whatever_its_types():
    one = stream(3, "adult", 1.0, 2, (1, "a")).random(4)
    two = stream(np.int64(3), "adult", np.float64(1.0), np.int8(2), [1, "a"]).random(4)
    assert (one == two).all()
    assert stream(4, "adult", 1.0, 2, (1, "a")).random() != one[0]


parts = st.recursive(
    st.text(alphabet=r"as:,\()", max_size=6)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.booleans(),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=5,
)


def _typed(key):
    """``1``, ``1.0`` and ``True`` are equal in Python and different in a key; so are ``0.0`` and
    ``-0.0``.
    """
    return (
        [_typed(part) for part in key]
        if isinstance(key, tuple)
        else (type(key).__name__, repr(key))
    )


@example(one=("a,s:b",), two=("a", "b"))
@given(
    one=st.tuples(parts, parts) | st.tuples(parts), two=st.tuples(parts, parts) | st.tuples(parts)
)
def test_different_keys_never_share_a_stream(one, two):
    same = seed_sequence(0, *one).spawn_key == seed_sequence(0, *two).spawn_key
    assert same == (_typed(one) == _typed(two))


@pytest.mark.parametrize("seed", [-1, 1.5, "0", True])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="seed must be an integer >= 0, got"):
        seed_sequence(seed, "a")


def test_a_key_of_another_type_is_refused():
    with pytest.raises(ValueError, match=r"parts of the key must be .*, got None"):
        seed_sequence(0, None)
