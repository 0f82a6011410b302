"""The stylised example: what each fit measures, and what it then knows."""

from __future__ import annotations

import numpy as np
import pytest

from lib.rng import stream
from studies.synthesizers.stylised import best_pair, pair_errors, two_bits


def test_a_fit_knows_the_pair_that_it_measured():
    people = two_bits(4000, {"p": 0.2, "q": 0.9, "r": 0.0}, stream(1, "stylised"))
    chosen, model = best_pair(people)
    assert chosen == ("q", "q'")
    errors = pair_errors(people, model)
    assert errors["q, q'"] == pytest.approx(0, abs=1e-6)
    assert errors["p, p'"] == pytest.approx(0.2, abs=0.05)


def test_a_strength_is_the_share_that_repeats():
    people = two_bits(20_000, {"p": 1.0, "q": 0.5, "r": 0.0}, stream(2, "stylised"))
    agree = [np.mean(people[c] == people[f"{c}'"]) for c in "pqr"]
    assert agree == pytest.approx([1.0, 0.75, 0.5], abs=0.02)
