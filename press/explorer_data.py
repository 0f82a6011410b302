"""What the explorers look up: stored results as scripts, since a page that is opened from a file
can load nothing else. Studies are named by text.
"""

from __future__ import annotations

import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from lib.paths import BUILD, ROOT
from press.inputs import common, digest, sources
from press.toc import put

LDP, SYNTHESIZERS = "studies.ldp_fairness.explorer", "studies.synthesizers.explorer"
VERDICTS = "studies.verdicts.explorer"


def rounded(content: Any) -> Any:
    """``content`` with numbers of six significant digits; None for what is no number.

    >>> rounded({"a": [1 / 3, float("nan")], "b": 2})
    {'a': [0.333333, None], 'b': 2}
    """
    text = json.dumps(content)
    return json.loads(
        text, parse_float=lambda x: float(f"{float(x):.6g}"), parse_constant=lambda _: None
    )


def _of(module: str, function: str) -> Any:
    return getattr(import_module(module), function)()


FILES = {
    "who_pays": lambda: rounded(
        _of(SYNTHESIZERS, "group_errors") | {"ldp": _of(LDP, "group_rates")}
    ),
    "results": lambda: rounded(_of(LDP, "main_results")),
    "multiverse": lambda: _of(VERDICTS, "multiverse"),  # a verdict may hang on the last digit
}


def write_data(folder: Path) -> None:
    """Write ``NAME.js`` of each of :data:`FILES` into ``folder``; taken from ``_build`` where the
    data and the code that it was made from are the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made_from = common(ROOT) + digest(sources(f"{SYNTHESIZERS} {LDP} {VERDICTS}", ROOT), ROOT)
    kept = BUILD / "explorers" / hashlib.sha256(made_from.encode()).hexdigest()
    for name, content in FILES.items():
        file = kept / f"{name}.js"
        if not file.exists():
            text = json.dumps(content(), separators=(",", ":"), ensure_ascii=False)
            put(file, f'(globalThis.ExplorerData ??= {{}})["{name}"] = {text};\n')
        (folder / file.name).write_bytes(file.read_bytes())
