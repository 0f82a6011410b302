"""``python -m lib``: see :mod:`lib.cli`."""

import sys

from lib.cli import main
from lib.processes import stop_on_sigterm

if __name__ == "__main__":
    stop_on_sigterm()
    sys.exit(main())
