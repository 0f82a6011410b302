"""Attacks of ``make torture`` on files: writers that race for a lock which somebody deletes, edited
journals, links, and garbage in the place of every file that a person gives.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
import zlib
from collections.abc import Callable
from itertools import pairwise
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from tqdm import tqdm

from course.tables import read_table
from lib.audit.reading import read_csv
from lib.files import read_json, read_yaml
from lib.ledger.claim import CLAIMS, read_claims
from lib.runner.errors import StoreError
from lib.runner.store import Store
from tests.runner import race

SECONDS = 2.0  # of a processor for a file that is refused; a busy machine takes longer than one


def races(rng: np.random.Generator, count: int, folder: Path) -> list[str]:
    """Two writers, killed at random, whose lock is deleted at random: what they stored is there."""
    faults: list[str] = []
    for turn in tqdm(range(max(1, count // 10)), desc="races", disable=None):
        path = folder / f"race-{turn}.parquet"
        notes = [path.with_suffix(f".{name}") for name in "ab"]
        writers = [_race(path, notes[i], i) for i in range(2)]
        _wait_for(notes)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            time.sleep(rng.exponential(0.02))
            if rng.random() < 0.95:
                path.with_suffix(".lock").unlink(missing_ok=True)
                continue
            which = int(rng.integers(2))
            faults += _ended(writers[which])
            writers[which] = _race(path, notes[which], which)
        for writer in writers:
            faults += _ended(writer)
        faults += _lost(path, notes)
    return faults


def _race(path: Path, notes: Path, which: int) -> BaseProcess:
    """A writer that goes on where its notes end; of 0 the even numbers, of 1 the odd ones."""
    done = notes.read_text("utf-8").split() if notes.exists() else []
    first = int(done[-1]) + 2 if done else which
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.runner.race"])
    process = context.Process(target=race.run, args=(str(path), str(notes), first, 2))
    process.start()
    return process


def _wait_for(notes: list[Path]) -> None:
    """Until each writer has stored something, since it takes seconds to import."""
    end = time.monotonic() + 60
    while not all(map(Path.exists, notes)) and time.monotonic() < end:
        time.sleep(0.05)


def _ended(writer: BaseProcess) -> list[str]:
    writer.kill()
    writer.join()
    status = writer.exitcode
    return [] if status == -signal.SIGKILL else [f"a writer ended by itself, status {status}"]


def _lost(path: Path, notes: list[Path]) -> list[str]:
    noted = {int(n) for note in notes if note.exists() for n in note.read_text("utf-8").split()}
    try:
        found = Store(path, version="1").frame()
    except StoreError as error:
        return [f"after a race: {error}"]
    stored = dict(zip(found.get("number", ()), found.get("value", ()), strict=True))
    lost = sorted(noted - stored.keys())
    wrong = [number for number, value in stored.items() if value != number / 7]
    return [f"a race lost {lost[:5]}" for _ in lost[:1]] + [
        f"wrong: {wrong[:5]}" for _ in wrong[:1]
    ]


def _line(record: dict) -> bytes:
    body = json.dumps(record, sort_keys=True).encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _filled(path: Path, folded: int, count: int) -> pd.DataFrame:
    store = Store(path, version="1")
    for number in range(count):
        if number == folded and folded:
            store.compact()
        scores = [{"group": g, "error": number / 3} for g in "ab"]
        record = {"cell": f"{number:04d}", "number": number, "value": number / 7, "scores": scores}
        store.append(record | {"note": f"n {number}", "wall_s": float(number)})
    store.close()
    return Store(path, version="1").frame()


def journals(rng: np.random.Generator, count: int, folder: Path) -> list[str]:
    """A journal edited at random: other values are refused, torn lines and repetitions harmless."""
    faults = []
    for turn in tqdm(range(count), desc="edited journals", disable=None):
        path = folder / f"edited-{turn}" / "grid.parquet"
        whole = _filled(path, int(rng.integers(6)), 8)
        edit = EDITS[int(rng.integers(len(EDITS)))]
        must = edit(rng, path, whole)
        try:
            found = Store(path, version="1").frame()
        except StoreError as error:
            if must not in ("refused", "either") or str(path.parent) not in str(error):
                faults.append(f"{edit.__name__}: {error}")
            continue
        same = found.empty or found[list(whole)].equals(whole.iloc[: len(found)])
        if must == "refused" or not same or (must == "same" and len(found) < len(whole)):
            faults.append(
                f"{edit.__name__}: {len(found)} of {len(whole)} records, as they were: {same}"
            )
    return faults


def _another_value(rng: np.random.Generator, path: Path, whole: pd.DataFrame) -> str:
    """A line whose checksum is right, for a cell that has another value."""
    record = whole.to_dict("records")[int(rng.integers(len(whole)))]
    other: dict = {
        "value": rng.choice([0.123, float("inf"), 1e-5]), "number": 77, "note": "other",
        "scores": record["scores"][: int(rng.integers(1, 2))], "version": "2", "more": 1,
    }  # fmt: skip
    name = str(rng.choice(list(other)))
    with open(path.with_suffix(".journal"), "ab") as file:
        file.write(_line(record | {name: other[name]}))
    return "refused"


def _the_same_twice(rng: np.random.Generator, path: Path, whole: pd.DataFrame) -> str:
    record = whole.to_dict("records")[int(rng.integers(len(whole)))]
    with open(path.with_suffix(".journal"), "ab") as file:
        file.write(_line(record | {"wall_s": 9.0, "commit": "other"}))
    return "same"


def _truncated(rng: np.random.Generator, path: Path, whole: pd.DataFrame) -> str:
    raw = path.with_suffix(".journal").read_bytes()
    path.with_suffix(".journal").write_bytes(raw[: int(rng.integers(len(raw)))])
    return "fewer"


def _garbage_line(rng: np.random.Generator, path: Path, whole: pd.DataFrame) -> str:
    lines = path.with_suffix(".journal").read_bytes().splitlines(keepends=True)
    lines.insert(int(rng.integers(len(lines) + 1)), rng.bytes(int(rng.integers(1, 200))) + b"\n")
    path.with_suffix(".journal").write_bytes(b"".join(lines))
    return "refused"


def _odd_record(rng: np.random.Generator, path: Path, whole: pd.DataFrame) -> str:
    body = b'{"cell": "x", "version": "1", "value": %s}' % _odd_json(rng)
    with open(path.with_suffix(".journal"), "ab") as file:
        file.write(b"%08x %s\n" % (zlib.crc32(body), body.replace(b"\n", b" ")))
    return "refused"


def _torn(rng: np.random.Generator, path: Path, whole: pd.DataFrame) -> str:
    with open(path.with_suffix(".journal"), "ab") as file:
        file.write(rng.bytes(50).replace(b"\n", b".").replace(b"\r", b"."))
    return "same"


def _link(rng: np.random.Generator, path: Path, whole: pd.DataFrame) -> str:
    """The journal, or the table, becomes a link: what it leads to stays as it was."""
    there = [p for p in (path, path.with_suffix(".journal")) if p.exists()]
    own = there[int(rng.integers(len(there)))]
    target = own.with_name("somebody")
    os.replace(own, target)
    (os.symlink if own == path or rng.random() < 0.5 else os.link)(target, own)
    before, store = target.read_bytes(), Store(path, version="1")
    try:
        store.append({"cell": "new", "number": 1}) if rng.random() < 0.5 else store.compact(
            rewrite=True
        )
    except StoreError:
        return "same" if target.read_bytes() == before else "refused"
    return "refused"  # it must have been


EDITS: tuple[Callable[[np.random.Generator, Path, pd.DataFrame], str], ...] = (
    _another_value, _the_same_twice, _truncated, _garbage_line, _odd_record, _torn, _link,
)  # fmt: skip


def _odd_json(rng: np.random.Generator) -> bytes:
    n = int(10 ** rng.uniform(2, 5))
    odd = [
        b"[" * n, b'{"a":' * n, b"9" * n, b'"\\ud800"', b'"\\udc00x"', b"{}", b"[1]",
        b'{"a":1,"a":2}',
    ]  # fmt: skip
    return odd[int(rng.integers(len(odd)))]


def _odd_text(rng: np.random.Generator) -> bytes:
    """A text that is too much, too deep, or damaged."""
    n, width = int(10 ** rng.uniform(2, 6)), int(rng.integers(2, 30))
    names = [f"n{i}" for i in range(int(rng.integers(3, 40)))]
    bomb = "- &n0 [x]\n" + "".join(
        f"- &{b} [{', '.join([f'*{a}'] * width)}]\n" for a, b in pairwise(names)
    )
    files = sorted(CLAIMS.glob("*.yml"))
    real = bytearray(files[int(rng.integers(len(files)))].read_bytes())
    for _ in range(int(rng.integers(1, 20))):
        place = int(rng.integers(len(real)))
        real[place : place + int(rng.integers(3))] = rng.bytes(int(rng.integers(4)))
    tokens = ["[", "{", "- ", "? ", ": ", "&a ", "*a", "!!set ", "<<: ", "|\n", '"', "'", "\n", " "]
    tokens += ["a", "1", ".nan", "\\ud800", "#", "%TAG ! x\n", "---\n", ",", "]", "}", "\x00", "é"]
    soup = "".join(rng.choice(tokens, size=min(n, 5000)))
    deep = str(rng.choice(["[", "{a: ", "- ", "? ", '{"a":', "[["])) * n
    number = str(rng.choice(["9", "59:", "0x", "1_"])) + str(rng.choice(["9", "59:", "1_"])) * n
    twice = yaml.safe_dump([{"id": "a"}]) + "  id: b\n"
    csv_bomb = ",".join(f"c{i}" for i in range(min(n, 10**5))) + "\n" + "1," * min(n, 10**5)
    texts = [bomb, deep, number, twice, soup, csv_bomb, f"- {{a: {number}}}", '"' + "a" * n]
    raw = [bytes(real), rng.bytes(min(n, 10**5)), _odd_json(rng), b"\xed\xa0\x80", b""]
    chosen = int(rng.integers(len(texts) + len(raw)))
    return texts[chosen].encode() if chosen < len(texts) else raw[chosen - len(texts)]


READERS: dict[str, Callable[[Path], object]] = {
    "YAML": lambda path: read_yaml(path, list),
    "JSON": lambda path: read_json(path, dict),
    "claims": read_claims,
    "audit": read_csv,
    "roster": lambda path: read_table(path, ["id"]),
    "results": lambda path: Store(path, version="1"),
    "journal": lambda path: Store(path.with_suffix(".parquet"), version="1"),
}


def garbage(rng: np.random.Generator, count: int, folder: Path) -> list[str]:
    """Garbage in the place of each file that a person gives: read, or refused at once by name."""
    faults = []
    read_claims()  # what the first call imports is not counted
    for turn in tqdm(range(10 * count), desc="garbage", disable=None):
        name = list(READERS)[int(rng.integers(len(READERS)))]
        path = folder / f"garbage-{turn}.journal"
        path.write_bytes(_odd_text(rng))
        start, said = time.process_time(), ""
        try:
            READERS[name](path)
        except ValueError as error:
            if f"garbage-{turn}" not in str(error):
                said = f"without its name: {error}"
            elif len(str(error)) > 2_000:
                said = f"in {len(str(error)):,} letters"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        if (seconds := time.process_time() - start) > SECONDS:
            said += f" after {seconds:.1f} s"
        if said:
            kept = path.read_bytes()[:60]
            faults.append(f"garbage as {name} ({kept!r}...): {said[:300]}")
        path.unlink()
    return faults
