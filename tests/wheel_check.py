"""Build the wheel, install it as the core and whole in bare environments, and use both elsewhere.

    python -m tests.wheel_check [PYTHON]

PYTHON is a version or the path of an interpreter, this one by default. ``tests/wheel_smoke.py`` says what is used.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lib.paths import ROOT

SMOKE = ROOT / "tests" / "wheel_smoke.py"
UV = str(Path(sys.executable).with_name("uv"))
LARGEST_CORE = 0.4  # of the whole, in bytes


def _call(*words: str, cwd: Path) -> str:
    done = subprocess.run(words, cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} failed\n{done.stdout}\n{done.stderr}")
    return done.stdout


def _size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def installed(folder: Path, python: str, wheel: Path, extra: str) -> tuple[dict, int]:
    """What ``wheel_smoke.py`` found in an environment with ``extra``, and its size in bytes."""
    environment, work = folder / f"{extra}-env", folder / extra
    work.mkdir()
    _call(UV, "venv", "--quiet", "--python", python, str(environment), cwd=work)
    inside = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    own = str(environment / inside)
    target = f"{wheel}[{extra}]" if extra != "core" else str(wheel)
    pins = folder / "pins.txt"
    _call(UV, "pip", "install", "--quiet", "--python", own, "-c", str(pins), target, cwd=work)
    size = _size(environment)  # before bytecode
    return json.loads(_call(own, "-I", str(SMOKE), extra, cwd=work).splitlines()[-1]), size


def printed_lines() -> list[str]:
    """What README, the guide and the lesson for practitioners print about a table of one's own."""
    pages = ("README.md", "chapters/guides/own_table.md", "chapters/coherence/audit.md")
    text = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in pages)
    blocks = re.findall(r"^```bash\n(.*?)^```", text.replace("\\\n", " "), re.DOTALL | re.M)
    own = r"^(?:\.venv/bin/)?python (-m lib (?:example|schema|synthesize|audit) .*|-m lib example)$"
    return [line for block in blocks for line in re.findall(own, block, re.M)]


def practise(folder: Path) -> int:
    """Run these lines, in their order, in the environment with all extras; how many there are."""
    bin_ = folder / "all-env" / ("Scripts" if os.name == "nt" else "bin")
    os.environ["PATH"] = f"{bin_}{os.pathsep}{os.environ['PATH']}"
    lines = [line for line in dict.fromkeys(printed_lines()) if line != "-m lib example --folder ."]
    place = folder / "a person's own"
    place.mkdir()
    for line in lines:
        _call(str(bin_ / "python"), *shlex.split(line), cwd=place)
    return len(lines)


def main(python: str = sys.executable) -> None:
    """Check both installations, and that they read the same."""
    python = str(Path(python).absolute()) if Path(python).exists() else python
    start, found, sizes = time.perf_counter(), {}, {}
    for name in ("COMPANION_DATA", "PYTHONPATH", "VIRTUAL_ENV"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        os.environ["COMPANION_CACHE"] = str(folder / "cache")
        lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
        pins = "\n".join(line for line in lines if "==" in line)
        (folder / "pins.txt").write_text(pins, encoding="utf-8")
        _call(UV, "build", "--quiet", "--wheel", "-o", str(folder), str(ROOT), cwd=folder)
        (wheel,) = folder.glob("*.whl")
        for extra in ("core", "all"):
            found[extra], sizes[extra] = installed(folder, python, wheel, extra)
        lines = practise(folder)
    core, whole = found["core"], found["all"]
    assert core["digests"] == whole["digests"], "the core reads other values than the whole"
    assert whole["without_extra"] == [], whole["without_extra"]
    assert core["without_extra"], "no example needs an extra: which are they for?"
    assert sizes["core"] < LARGEST_CORE * sizes["all"], sizes
    for extra, seen in found.items():
        print(
            f"wheel, {extra}: Python {seen['python']}, {sizes[extra] / 1e6:.0f} MB,"
            f" {len(seen['digests'])} tables read, {seen['examples']} docstrings with examples ran,"
            f" {len(seen['without_extra'])} need an extra"
        )
    print(f"{lines} printed lines ran; {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
