"""MST and AIM as others wrote them, on the tables of ``benchmarks.reference``: ``python
reference_fit.py opendp|dpmm FOLDER``.

Runs in an environment of its own and uses nothing of ``lib``: OpenDP and dpmm
want other versions of NumPy and of the marginal-inference library than the
book. Tables go in and out as arrays of codes. Neither library's noise can be
seeded. ``AIM`` is held to the model size that ours has by default, or no fit
would end within minutes.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np


def opendp(
    codes: np.ndarray, plan: dict, name: str, epsilon: str, run: int
) -> dict[str, np.ndarray]:
    """By OpenDP; rows are drawn in its two ways, of which "round" is the default."""
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_enable_compilation_cache", False)
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    # at these rho themselves its nine parts, each rounded up, come to more than the whole, and its
    # accountant refuses
    sizes, rho = plan["sizes"][name], plan["rho"][epsilon] * (1 - 6e-6)
    algorithm = dp.mbi.MST() if name == "MST" else dp.mbi.AIM(max_size=plan["max_megabytes"])
    frame = pl.DataFrame({c: codes[:, i].astype(np.int64) for i, c in enumerate(sizes)})
    # cuts between the codes declare the domain; with keys every column would get one more code, for
    # null
    cuts = {column: list(range(k - 1)) for column, k in sizes.items()}
    unit, loss = dp.unit_of(contributions=1), dp.loss_of(rho=rho)
    context = dp.Context.compositor(data=frame.lazy(), privacy_unit=unit, privacy_loss=loss)
    query = context.query(rho=rho).select(*sizes).contingency_table(cuts=cuts, algorithm=algorithm)
    model, drawn = query.release().model, {}
    for method in ("round", "sample"):
        np.random.seed(run)  # noqa: NPY002 - rows come from NumPy's global generator
        rows = model.synthetic_data(len(codes), method).df
        drawn[method] = np.stack([np.asarray(rows[c]) for c in sizes], axis=1)
    return drawn


def dpmm(codes: np.ndarray, plan: dict, name: str, epsilon: str, run: int) -> dict[str, np.ndarray]:
    """By dpmm, which follows the authors' own code line by line. It gets the epsilon that
    comes to the same rho.
    """
    import pandas as pd
    from dpmm.models.aim import AIMGM
    from dpmm.models.mst import MSTGM

    sizes = plan["sizes"][name]
    told = {
        "epsilon": plan["tight_epsilon"][epsilon],
        "delta": plan["delta"],
        "domain": sizes,
        "random_state": np.random.RandomState(run),
        "n_jobs": 1,
    }
    model = (
        MSTGM(**told)
        if name == "MST"
        else AIMGM(degree=3, max_model_size=plan["max_megabytes"], **told)
    )
    assert abs(model.generator.rho / plan["rho"][epsilon] - 1) < 1e-3
    model.fit(pd.DataFrame(codes.astype(np.int64), columns=list(sizes)))
    return {"round": model.generate(len(codes))[list(sizes)].to_numpy()}


def _versions() -> dict[str, str]:
    found = {}
    for package in ("opendp", "dpmm", "mbi", "jax", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def main(library: str, folder: Path) -> None:
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    for name in plan["sizes"]:
        codes = np.load(folder / f"table_{name}.npy")
        for epsilon in sorted(plan["rho"], key=float, reverse=True):
            for run in range(plan["runs"]):
                out = folder / f"{library}_{name}_{epsilon}_{run}"
                if Path(f"{out}.json").exists():
                    continue
                start = time.perf_counter()
                drawn = {"opendp": opendp, "dpmm": dpmm}[library](codes, plan, name, epsilon, run)
                seconds = time.perf_counter() - start
                np.savez_compressed(
                    f"{out}.npz", **{k: v.astype(np.int16) for k, v in drawn.items()}
                )
                Path(f"{out}.json").write_text(
                    json.dumps({"wall_s": seconds, "versions": _versions()}), encoding="utf-8"
                )
                print(
                    f"{library} {name}, epsilon {epsilon}, run {run}: {seconds:.0f} s", flush=True
                )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
