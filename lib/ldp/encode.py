"""A budget split among attributes, and the homogeneous encoding of what is reported: one indicator
column per value for every protocol (Section 4, Fig. 1).

By sequential composition (Proposition 2) the attributes' budgets may add up to
``epsilon``. ``uniform`` gives each the same; ``k-based``, the paper's proposal,
gives in proportion to the domain size.

A true value is one-hot encoded (OHE), a support set becomes its indicator
vector (IVE). All columns are bits, so the design matrix is uint8, or CSR where
it is mostly zeros; LightGBM's predictions are the same for either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lib import validate
from lib.domain import Domain
from lib.ldp.base import Protocol
from lib.ldp.registry import make
from lib.ldp.sampling import indicators

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse

SPLITS: tuple[str, ...] = ("uniform", "k-based")


def split_budget(
    epsilon: float, sizes: Sequence[int], split: str, *, attributes: Sequence[str] | None = None
) -> np.ndarray:
    """Budget of each attribute, shape (d_s,); the entries sum to ``epsilon``.

    Parameters
    ----------
    epsilon : float
        The budget of a user's whole report, from 1e-9 up to 600 (``validate.EPSILON_MIN`` and
        ``EPSILON_MAX``).
    sizes : sequence of int
        Domain sizes ``k_j``, each at least 2.
    split : {"uniform", "k-based"}
        ``epsilon / d_s`` each, or ``epsilon k_j / sum_i k_i``.
    attributes : sequence of str, shape (d_s,), optional
        Their names, for the message about a share that is too small.

    Raises
    ------
    ValueError
        If ``epsilon`` or the share of an attribute is out of range, ``sizes`` is no sequence, is
        empty or has an entry that is no whole number from 2 on, or ``split`` is not known.

    Examples
    --------
    >>> split_budget(1.0, [2, 8], "k-based").tolist()
    [0.2, 0.8]
    """
    epsilon = validate.budget("epsilon", epsilon)
    sizes = validate.sequence("sizes", sizes)
    validate.require(len(sizes) > 0, "sizes", "one or more", sizes)
    k = np.array(
        [validate.integer("sizes", size, low=2, high=validate.INTEGER_MAX) for size in sizes],
        dtype=float,
    )
    uniform = validate.choice("split", split, SPLITS) == "uniform"
    if attributes is not None:
        attributes = validate.sequence("attributes", attributes)
        named = len(attributes) == len(sizes) and all(isinstance(a, str) for a in attributes)
        validate.require(named, "attributes", f"{len(sizes)} names, one for each size", attributes)
    shares = np.full(k.size, epsilon / k.size) if uniform else epsilon * k / k.sum()
    least = int(shares.argmin())  # no share is larger than epsilon, which is in range
    if shares[least] < validate.EPSILON_MIN:
        whose = f"attribute {least}" if attributes is None else repr(attributes[least])
        raise ValueError(
            f"epsilon must be larger, got {epsilon!r}: the {split} split leaves {whose} (of"
            f" {sizes[least]} values) {shares[least]:.3g} of it, less than"
            f" {validate.EPSILON_MIN:g}"
        )
    return shares


FORMS = ("dense", "csr")
_BLOCK = 1 << 20  # bits whose places are looked up at a time
_DRAWN = 1 << 26  # bits drawn at a time where only their ones are kept


def one_hot(values: np.ndarray, k: int) -> np.ndarray:
    """Indicator vectors of ``values`` in ``0..k-1`` (n,), uint8 of shape (n, k).

    Raises
    ------
    ValueError
        If an entry is no whole number in ``0 .. k-1``.

    Examples
    --------
    >>> one_hot(np.array([2, 0]), 3).tolist()
    [[0, 0, 1], [1, 0, 0]]
    """
    k = validate.integer("k", k, low=1, high=validate.INTEGER_MAX)
    return indicators(validate.codes("values", values, k), k)


def sanitise(
    frame: pd.DataFrame,
    domain: Domain,
    sensitive: Sequence[str],
    *,
    protocol: str,
    split: str,
    epsilon: float,
    rng: np.random.Generator,
    form: str = "dense",
) -> dict[str, np.ndarray | sparse.csr_array]:
    """Indicator vectors of the sensitive attributes after an epsilon-LDP report of each user.

    Parameters
    ----------
    frame : DataFrame of codes, shape (n, d)
    domain : Domain
        Declares the size of each sensitive attribute; it may have others.
    sensitive : sequence of str
        The attributes ``A_s``; each is reported by itself, with its share of
        ``epsilon`` under ``split``, in this order from ``rng``.
    protocol : str
        As in :func:`lib.ldp.registry.make`.
    split : {"uniform", "k-based"}
    epsilon : float
        The budget of a user's whole report.
    form : {"dense", "csr"}
        CSR is for large domains: users are drawn some at a time, so that no array of
        ``n * k_j`` bits is needed. Beyond 2**26 bits those are other draws from
        ``rng`` than the dense ones, of the same law.

    Returns
    -------
    dict
        Attribute to uint8 array, or CSR array of uint8, of shape (n, k_j).

    Raises
    ------
    ValueError
        If ``sensitive`` is no sequence, is empty, repeats an attribute or names one that is not in
        ``domain``, not in ``frame`` or has one value only; if ``frame`` is none or an entry of a
        column is no code of it; if ``protocol``, ``split`` or ``form`` is not known; if ``epsilon``
        or a share of it is out of a protocol's range; if ``rng`` is no generator.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": [0, 1, 1], "age": [2, 0, 1]})
    >>> domain = Domain.of({"sex": 2, "age": 3})
    >>> options = {"protocol": "GRR", "split": "uniform", "epsilon": 50.0}
    >>> reports = sanitise(people, domain, ["age"], rng=np.random.default_rng(0), **options)
    >>> reports["age"].tolist()
    [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    """
    validate.generator("rng", rng)
    validate.choice("form", form, FORMS)
    _check_table(frame, domain)
    sensitive = validate.sequence("sensitive", sensitive)
    for column in sensitive:
        validate.choice("sensitive", column, domain.columns)
    different = 0 < len(sensitive) == len(set(sensitive))
    validate.require(different, "sensitive", "one or more different attributes", sensitive)
    sizes = {column: domain[column] for column in sensitive}
    validate.require(
        min(sizes.values()) > 1, "sizes of sensitive", "2 or more: a constant is no secret", sizes
    )
    budgets = split_budget(epsilon, [*sizes.values()], split, attributes=sensitive).tolist()
    mechanisms = {
        column: make(protocol, k=sizes[column], epsilon=share)
        for column, share in zip(sensitive, budgets, strict=True)
    }
    codes = {column: _codes(frame, column, k) for column, k in sizes.items()}
    if form == "csr":
        return {c: _drawn_csr(mechanisms[c], codes[c], rng) for c in sensitive}
    return {c: mechanisms[c].privatise_support(codes[c], rng) for c in sensitive}


def _drawn_csr(
    mechanism: Protocol, values: np.ndarray, rng: np.random.Generator
) -> sparse.csr_array:
    step = max(1, _DRAWN // mechanism.k)
    starts = range(0, max(1, values.size), step)
    return _stacked(mechanism.privatise_support(values[s : s + step], rng) for s in starts)


def design_matrix(
    frame: pd.DataFrame,
    domain: Domain,
    sanitised: Mapping[str, np.ndarray | sparse.csr_array] | None = None,
    *,
    form: str = "dense",
) -> np.ndarray | sparse.csr_array:
    """Indicator columns of every attribute of ``domain``, in its order, shape (n, sum of sizes).

    Parameters
    ----------
    frame : DataFrame of codes, shape (n, d)
    domain : Domain
        The attributes that are encoded and their sizes.
    sanitised : mapping, optional
        Attribute to uint8 array of bits, dense or CSR, shape (n, k_j), as
        from :func:`sanitise`; the other attributes are one-hot encoded.
    form : {"dense", "csr"}
        uint8, or CSR in float32 (as LightGBM wants), which takes eight bytes for each one.

    Raises
    ------
    ValueError
        If a column of ``domain`` is missing or holds what is no code of it, if
        sanitised bits have another shape or type, entries beside 0 and 1 or
        belong to no attribute of ``domain``, or if ``form`` is not known.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": [0, 1], "age": [2, 0]})
    >>> design_matrix(people, Domain.of({"sex": 2, "age": 3})).tolist()
    [[1, 0, 0, 0, 1], [0, 1, 1, 0, 0]]
    """
    validate.choice("form", form, FORMS)
    _check_table(frame, domain)
    validate.require(
        isinstance(sanitised, Mapping | None),
        "sanitised",
        "a mapping of attributes to bits",
        type(sanitised),
    )
    bits = {
        column: _bits(f"sanitised[{column!r}]", reports, (len(frame), domain[column]))
        for column, reports in (sanitised or {}).items()
    }
    # a block is an attribute's bits (n, k) or, where it is as it was, its codes (n,)
    blocks = [bits[column] if column in bits else _codes(frame, column, k) for column, k in domain]
    return (_dense if form == "dense" else _csr)(blocks, domain.sizes, len(frame))


def _check_table(frame: pd.DataFrame, domain: Domain) -> None:
    import pandas as pd

    validate.require(isinstance(domain, Domain), "domain", "a lib.domain.Domain", domain)
    validate.require(isinstance(frame, pd.DataFrame), "frame", "a pandas.DataFrame", type(frame))


def _bits(name: str, bits: Any, shape: tuple[int, int]) -> np.ndarray | sparse.csr_array:
    from scipy import sparse

    if sparse.issparse(bits):
        bits = sparse.csr_array(bits, copy=True)
        bits.sum_duplicates()
        bits.eliminate_zeros()
        entries = bits.data
    else:
        bits = entries = validate.array(name, bits)
    validate.require(bits.shape == shape, name, f"of shape {shape}", bits.shape)
    validate.require(bits.dtype == np.uint8, name, "of dtype uint8", bits.dtype)
    most = int(entries.max(initial=0))
    validate.require(most < 2, name, "bits", most)
    return bits


def _codes(frame: pd.DataFrame, column: str, k: int) -> np.ndarray:
    names = list(frame.columns)
    validate.require(column in names, "frame", f"a table with a column {column!r}", names)
    return validate.codes(column, frame[column].to_numpy(), k)


def _dense(blocks: Sequence, sizes: Sequence[int], n: int) -> np.ndarray:
    matrix = np.zeros((n, sum(sizes)), dtype=np.uint8)
    parts = np.split(matrix, np.cumsum(sizes)[:-1], axis=1)
    for block, part in zip(blocks, parts, strict=False):  # no columns make one part
        if block.ndim == 1:
            part[np.arange(n), block] = 1
        else:
            part[:] = block if isinstance(block, np.ndarray) else block.toarray()
    return matrix


def _csr(blocks: Sequence, sizes: Sequence[int], n: int) -> sparse.csr_array:
    from scipy import sparse

    index = np.int32 if max(n, sum(sizes)) < 2**31 else np.int64
    ones, ends = np.ones(n, dtype=np.float32), np.arange(n + 1, dtype=index)
    columns = [sparse.csr_array((n, 0), dtype=np.float32)]
    for block, k in zip(blocks, sizes, strict=True):
        if block.ndim == 1:
            columns.append(sparse.csr_array((ones, block.astype(index), ends), shape=(n, k)))
        elif isinstance(block, np.ndarray):
            step = max(1, _BLOCK // k)
            columns.append(_stacked(block[s : s + step] for s in range(0, max(1, n), step)))
        else:
            columns.append(block)
    return sparse.hstack(columns, format="csr")


def _stacked(parts: Iterable[np.ndarray]) -> sparse.csr_array:
    """Bits of some users at a time, one under the other: dense are only those of one part."""
    from scipy import sparse

    return sparse.vstack([sparse.csr_array(part) for part in parts], format="csr")
