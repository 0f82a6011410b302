"""A writer that runs free, to be raced by others and killed; in a module of its own so that a new
process can import it.
"""

from __future__ import annotations

import os
import time

from lib.runner.errors import StoreBusy
from lib.runner.store import Store


def run(path: str, notes: str, first: int, step: int) -> None:
    """Append ``first``, ``first + step``, ... and fold now and then; note what has been stored."""
    number, log = first, os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while True:
        store = Store(path, version="1")
        try:
            for _ in range(20):
                store.append({"cell": f"{number:06d}", "number": number, "value": number / 7})
                os.write(log, b"%d\n" % number)
                number += step
                if number % 5 == 0:
                    store.compact()
        except StoreBusy:
            pass
        finally:
            store.close()
        time.sleep(0.001)
