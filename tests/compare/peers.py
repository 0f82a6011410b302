"""multi-freq-ldpy's clients, one user at a time, encoded as the paper's experiments encode them."""

from __future__ import annotations

import numpy as np

# the rules of that library, by our names for them
PEER_OPTIONS = {"OLH": {"g_rule": "round"}, "SS": {"omega_rule": "round"}}


def peer_support(name: str, values: np.ndarray, k: int, epsilon: float) -> np.ndarray:
    """Support sets of fresh reports, uint8 of shape (n, k), from NumPy's global generator."""
    import xxhash
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
    from multi_freq_ldpy.pure_frequency_oracles.HE import HE_Client
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Client
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

    from lib.ldp.histogram import optimal_theta

    bits = np.zeros((len(values), k), dtype=np.uint8)
    g = 2 if name == "BLH" else round(np.exp(epsilon)) + 1
    theta = optimal_theta(epsilon) if name == "THE" else None
    for i, v in enumerate(values.tolist()):
        if name == "GRR":
            bits[i, GRR_Client(v, k, epsilon)] = 1
        elif name in ("RAPPOR", "OUE"):
            bits[i] = UE_Client(v, k, epsilon, name == "OUE")
        elif name == "SS":
            bits[i, SS_Client(v, k, epsilon)] = 1
        elif name == "THE":
            bits[i] = HE_Client(v, k, epsilon) > theta
        else:
            hashed, seed = LH_Client(v, k, epsilon, name == "OLH")
            bits[i] = [xxhash.xxh32(str(u), seed=seed).intdigest() % g == hashed for u in range(k)]
    return bits
