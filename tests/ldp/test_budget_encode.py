"""Budget splitting and the homogeneous encoding."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lib.datasets import TASKS
from lib.domain import Domain
from lib.ldp import PROTOCOLS, SPLITS, design_matrix, make, one_hot, sanitise, split_budget
from lib.rng import stream
from tests.ldp.test_protocols import peak_of

sizes = st.lists(st.integers(2, 500), min_size=1, max_size=8)


@given(sizes=sizes, epsilon=st.floats(0.01, 100), split=st.sampled_from(SPLITS))
def test_the_parts_add_up_and_are_positive(sizes, epsilon, split):
    parts = split_budget(epsilon, sizes, split)
    assert parts.shape == (len(sizes),)
    assert (parts > 0).all()
    assert parts.sum() == pytest.approx(epsilon, rel=1e-12)


@given(k=st.integers(2, 50), d=st.integers(1, 8), epsilon=st.floats(0.01, 100))
def test_equal_domains_make_the_two_splits_equal(k, d, epsilon):
    np.testing.assert_allclose(
        split_budget(epsilon, [k] * d, "uniform"), split_budget(epsilon, [k] * d, "k-based")
    )


def test_k_based_on_adult_is_the_papers_formula():
    task = TASKS["adult"]
    k = [task.domain[c] for c in task.sensitive]
    assert k == [2, 5, 41, 74]
    np.testing.assert_allclose(split_budget(1.0, k, "k-based"), np.array(k) / 122)


@pytest.mark.parametrize(
    ("epsilon", "sizes", "split", "named"),
    [
        (0, [2], "uniform", "epsilon"),
        (1.0, [], "uniform", "sizes"),
        (1.0, [1], "uniform", "sizes"),
        (1.0, [2], "adaptive", "split"),
        (1e308, [2, 3, 1000], "k-based", r"epsilon must be .*, got 1e.308"),
        (1e-323, [2, 3, 1000], "k-based", r"epsilon must be .*, got 1e-323"),
        (9e-10, [2], "uniform", r"epsilon must be .*, got 9e-10"),
        (601, [2], "uniform", r"epsilon must be .*, got 601"),
    ],
)
def test_bad_splits_are_refused(epsilon, sizes, split, named):
    with pytest.raises(ValueError, match=named):
        split_budget(epsilon, sizes, split)


DOMAIN = Domain.of({"a": 3, "b": 2, "c": 4})
FRAME = pd.DataFrame({"a": [0, 1, 2, 1], "b": [1, 1, 0, 0], "c": [3, 0, 2, 1]})


def test_one_hot_round_trip():
    bits = one_hot(FRAME["a"].to_numpy(), 3)
    assert bits.dtype == np.uint8
    assert (bits.argmax(axis=1) == FRAME["a"]).all()
    assert (bits.sum(axis=1) == 1).all()


def test_design_matrix_keeps_the_columns_in_place_and_takes_the_reports():
    reports = {"c": np.ones((4, 4), dtype=np.uint8)}
    matrix = design_matrix(FRAME, DOMAIN, reports)
    assert matrix.shape == (4, 9)
    assert matrix.dtype == np.uint8
    assert (matrix[:, :3] == one_hot(FRAME["a"].to_numpy(), 3)).all()
    assert (matrix[:, 5:] == 1).all()
    assert (design_matrix(FRAME, DOMAIN, reports, form="csr").toarray() == matrix).all()


def test_design_matrix_refuses_reports_of_another_shape():
    with pytest.raises(
        ValueError, match=r"sanitised\['c'\] must be of shape \(4, 4\), got \(4, 3\)"
    ):
        design_matrix(FRAME, DOMAIN, {"c": np.ones((4, 3), dtype=np.uint8)})
    with pytest.raises(
        ValueError, match=r"sanitised\['c'\] must be of dtype uint8, got dtype\('float64'\)"
    ):
        design_matrix(FRAME, DOMAIN, {"c": np.full((4, 4), 0.5)})


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_sanitise_reports_each_attribute_with_its_share(protocol):
    bits = sanitise(
        FRAME,
        DOMAIN,
        ("c", "a"),
        protocol=protocol,
        split="k-based",
        epsilon=2.0,
        rng=stream(1, "x"),
    )
    assert list(bits) == ["c", "a"]
    assert bits["c"].shape == (4, 4)
    assert bits["a"].shape == (4, 3)
    rng = stream(1, "x")
    for column, k, share in (("c", 4, 4 / 7), ("a", 3, 3 / 7)):
        alone = make(protocol, k=k, epsilon=2.0 * share).privatise_support(
            FRAME[column].to_numpy(), rng
        )
        assert (bits[column] == alone).all()


# checksums of the bits below: what every stored result hangs on
PINNED = {
    "GRR": 1046287075,
    "BLH": 1683293380,
    "OLH": 808955195,
    "RAPPOR": 4292148900,
    "OUE": 4239407468,
    "SS": 2374631622,
    "THE": 764732772,
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_bits_of_a_stream_stay_what_they_were(protocol):
    """If this fails, the order or number of draws has changed: raise ldp_fairness.VERSION and
    run the grids anew.
    """
    people, domain, checksum = np.arange(700), Domain.of({"a": 3, "b": 2, "c": 90}), 0
    frame = pd.DataFrame({"a": people % 3, "b": people // 3 % 2, "c": people * 7 % 90})
    for split in SPLITS:
        for epsilon in (0.5, 6.0):
            rng = stream(1, "pinned", protocol, split, epsilon)
            bits = sanitise(
                frame,
                domain,
                ("c", "a", "b"),
                protocol=protocol,
                split=split,
                epsilon=epsilon,
                rng=rng,
            )
            for block in bits.values():
                checksum = zlib.crc32(block.tobytes(), checksum)
    assert checksum == PINNED[protocol], "raise VERSION"


def test_sanitise_refuses_an_attribute_twice():
    with pytest.raises(
        ValueError, match=r"^sensitive must be .*different attributes, got \['a', 'a'\]"
    ):
        sanitise(
            FRAME,
            DOMAIN,
            ("a", "a"),
            protocol="GRR",
            split="uniform",
            epsilon=1.0,
            rng=stream(1, "x"),
        )


@pytest.mark.parametrize(
    ("frame", "sensitive", "epsilon", "words"),
    [
        ({"a": [0], "b": [0]}, ("b", "a"), 1.0, "sizes of sensitive must be 2 or more.*'a': 1"),
        ({"b": [0, 7]}, ("b",), 1.0, r"b must be whole numbers in 0..1.*, got 7"),
        ({"b": [0, np.nan]}, ("b",), 1.0, r"b must be whole numbers.*, got nan "),
        ({"c": [0, 1]}, ("b",), 1.0, r"frame must be a table with a column 'b', got \['c'\]"),
        ({"b": [0, 1]}, ("z",), 1.0, r"sensitive must be one of .*, got 'z'"),
        ({"b": [0, 1]}, (), 1.0, "sensitive"),
        ({"b": [0, 1]}, ("b",), 1e-17, r"epsilon must be .*, got 1e-17"),
    ],
)
def test_sanitise_names_what_it_refuses(frame, sensitive, epsilon, words):
    with pytest.raises(ValueError, match=words):
        sanitise(
            pd.DataFrame(frame),
            Domain.of({"a": 1, "b": 2}),
            sensitive,
            protocol="GRR",
            split="uniform",
            epsilon=epsilon,
            rng=stream(1, "x"),
        )


@pytest.mark.parametrize("form", ["dense", "csr"])
def test_design_matrix_names_the_column_it_refuses(form):
    with pytest.raises(
        ValueError, match=r"frame must be a table with a column 'c', got \['a', 'b'\]"
    ):
        design_matrix(FRAME[["a", "b"]], DOMAIN, form=form)
    with pytest.raises(ValueError, match=r"b must be whole numbers in 0\.\.1.*, got 2"):
        design_matrix(FRAME.assign(b=2), DOMAIN, form=form)
    with pytest.raises(ValueError, match=r"sanitised\['c'\] must be bits, got 3"):
        design_matrix(FRAME, DOMAIN, {"c": np.full((4, 4), 3, dtype=np.uint8)}, form=form)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(0, 40),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=5),
)
def test_csr_is_the_dense_matrix(seed, n, sizes):
    """Some columns as they were, some with any bits; empty rows and columns too; and in scipy's
    canonical form.
    """
    rng, domain = stream(seed, "csr"), Domain.of({f"c{j}": k for j, k in enumerate(sizes)})
    frame = pd.DataFrame({c: rng.integers(0, k, n) for c, k in domain})
    bits = {c: rng.integers(0, 2, (n, k), dtype=np.uint8) for c, k in domain if rng.random() < 0.5}
    dense, csr = (design_matrix(frame, domain, bits, form=form) for form in ("dense", "csr"))
    blocks = [bits[c] if c in bits else one_hot(frame[c].to_numpy(), k) for c, k in domain]
    assert (dense == np.hstack(blocks)).all()
    expected = sparse.csr_array(dense.astype(np.float32))
    assert csr.dtype == expected.dtype
    for part in ("data", "indices", "indptr"):
        assert (getattr(csr, part) == getattr(expected, part)).all()
        assert getattr(csr, part).dtype == getattr(expected, part).dtype


def test_csr_takes_the_memory_of_its_ones():
    """In shares of the bytes of the dense matrix, which itself is made once, not twice."""
    n, k = 4_000, 10_000
    frame, domain = (
        pd.DataFrame({"a": np.arange(n) % k, "b": np.arange(n) % 2}),
        Domain.of({"a": k, "b": 2}),
    )
    reports = {
        "a": make("GRR", k=k, epsilon=1.0).privatise_support(frame["a"].to_numpy(), stream(1, "x"))
    }
    assert peak_of(lambda: design_matrix(frame, domain, form="csr")) < 0.02 * n * k
    assert peak_of(lambda: design_matrix(frame, domain, reports, form="csr")) < 0.1 * n * k
    assert peak_of(lambda: design_matrix(frame, domain)) < 1.05 * n * k


@pytest.mark.parametrize("bad", [None, 5, (k for k in (2, 3)), {2: 3}, {2, 3}, "23"])
def test_sizes_stand_in_an_order(bad):
    with pytest.raises(ValueError, match=r"^sizes must be a list or a tuple, got"):
        split_budget(1.0, bad, "uniform")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sensitive": None}, r"^sensitive must be .*, got None$"),
        ({"sensitive": "ab"}, r"^sensitive must be .*, got 'ab'"),
        ({"sensitive": [["b"]]}, r"^sensitive must be one of .*, got \['b'\]"),
        ({"sensitive": {"a": 1}}, r"^sensitive must be .*, got .'a': 1."),
        ({"frame": FRAME.to_dict("list")}, r"^frame must be a pandas.DataFrame, got .*dict"),
        ({"frame": FRAME.to_numpy()}, r"^frame must be .*, got .*ndarray"),
        ({"frame": None}, r"^frame must be .*, got .*NoneType"),
        ({"protocol": np.array(["GRR", "SS"])}, r"^protocol must be"),
        ({"split": np.array(["uniform", "k-based"])}, r"^split must be"),
    ],
)
def test_sanitise_names_what_is_of_another_kind(changed, words):
    good = {"frame": FRAME, "sensitive": ["b", "a"], "protocol": "GRR", "split": "uniform"}
    with pytest.raises(ValueError, match=words):
        sanitise(domain=DOMAIN, epsilon=1.0, rng=stream(1, "x"), **(good | changed))


def test_a_share_that_is_too_small_is_told_in_terms_of_the_budget_that_was_given():
    """It was told as ``epsilon=1.99e-12``, which nobody had given."""
    words = (
        r"^epsilon must be larger, got 1e-09: the k-based split leaves 'b' \(of 2 values\) 1\.99e-12"
        r" of it, less than 1e-09"
    )
    wide, frame = Domain.of({"c": 1002, "b": 2}), FRAME[["b", "c"]]
    rng = stream(1, "x")
    with pytest.raises(ValueError, match=words):
        sanitise(frame, wide, ("c", "b"), protocol="GRR", split="k-based", epsilon=1e-9, rng=rng)
    assert rng.random() == stream(1, "x").random()  # nothing was drawn
    with pytest.raises(
        ValueError,
        match=r"^epsilon must be larger, got 1\.5e-09.* uniform split leaves attribute 0 \(of 2 values\) 7\.5e-10",
    ):
        split_budget(1.5e-9, [2, 3], "uniform")
    assert split_budget(600, [7, 11], "uniform").sum() == 600
    assert split_budget(1e-9, [7], "k-based").tolist() == [1e-9]


def test_bits_and_codes_of_another_kind_are_named():
    with pytest.raises(
        ValueError, match=r"^sanitised\['c'\] must be of dtype uint8, got dtype\('int64'\)"
    ):
        design_matrix(FRAME, DOMAIN, {"c": np.ones((4, 4), dtype=np.int64)})
    with pytest.raises(
        ValueError, match=r"^sanitised\['c'\] must be an array: entries of one length, got"
    ):
        design_matrix(FRAME, DOMAIN, {"c": [[1], [1, 0]]})
    with pytest.raises(ValueError, match=r"^sanitised must be a mapping .*, got .*list"):
        design_matrix(FRAME, DOMAIN, [1])
    with pytest.raises(ValueError, match=r"^frame must be .*, got .*dict"):
        design_matrix(FRAME.to_dict("list"), DOMAIN)
    with pytest.raises(ValueError, match=r"^values must be an array: entries of one length, got"):
        one_hot([[1], [1, 2]], 3)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_sparse_reports_are_the_dense_ones(protocol):
    """One block of users: the same draws; design matrices of either form take either."""
    dense, bits = (
        sanitise(
            FRAME,
            DOMAIN,
            ["a", "b"],
            protocol=protocol,
            split="uniform",
            epsilon=1.0,
            rng=stream(3, "s"),
            form=form,
        )
        for form in ("dense", "csr")
    )
    assert all(bits[c].dtype == np.uint8 and (bits[c].toarray() == dense[c]).all() for c in dense)
    for form in ("dense", "csr"):
        one, two = (design_matrix(FRAME, DOMAIN, reports, form=form) for reports in (dense, bits))
        assert type(one) is type(two)
        assert (one != two).sum() == 0


def test_sparse_reports_take_the_memory_of_their_ones(monkeypatch):
    """Users are drawn some at a time, each with a report of their own, and no block is left out."""
    n, k = 20_000, 3000
    monkeypatch.setattr("lib.ldp.encode._DRAWN", 1 << 20)
    frame, domain = pd.DataFrame({"c": np.arange(n) % k}), Domain.of({"c": k})
    reports = {}

    def both():
        reports["c"] = sanitise(
            frame,
            domain,
            ["c"],
            protocol="GRR",
            split="uniform",
            epsilon=30.0,
            rng=stream(1, "sparse"),
            form="csr",
        )["c"]
        reports["matrix"] = design_matrix(frame, domain, {"c": reports["c"]}, form="csr")

    assert peak_of(both) < 0.1 * n * k
    assert (reports["matrix"].indices == frame["c"]).all()  # at this budget, the truth


@pytest.mark.parametrize(
    "bits",
    [
        sparse.csr_array(np.full((3, 2), 2, dtype=np.uint8)),
        sparse.csr_array(np.ones((3, 2))),
        sparse.csr_array(np.ones((2, 2), dtype=np.uint8)),
    ],
)
def test_sparse_bits_of_another_kind_are_named(bits):
    frame, domain = pd.DataFrame({"a": [0, 1, 0]}), Domain.of({"a": 2})
    with pytest.raises(ValueError, match=r"sanitised\['a'\] must be (bits|of shape|of dtype)"):
        design_matrix(frame, domain, {"a": bits})
    with pytest.raises(ValueError, match=r"form must be .*, got 'sparse'"):
        sanitise(
            frame,
            domain,
            ["a"],
            protocol="GRR",
            split="uniform",
            epsilon=1.0,
            rng=stream(1, "x"),
            form="sparse",
        )
