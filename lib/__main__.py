"""``python -m lib``: see :mod:`lib.cli`."""

import sys
import tempfile
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from lib.cli import main
from lib.files import clear_leftovers
from lib.paths import BUILD, RESULTS, user_cache
from lib.processes import stop_on_sigterm

if __name__ == "__main__":
    stop_on_sigterm()
    with suppress(ImportError, OSError):  # without pooch there is no cache; a folder of others
        places = [Path(tempfile.gettempdir()), BUILD, RESULTS, Path("results"), user_cache()]
        clear_leftovers(places)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # an ASCII terminal gets \u03b5 for a Greek letter
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main())
