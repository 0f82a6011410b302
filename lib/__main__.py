"""``python -m lib``."""

import sys

from lib.cli import main

sys.exit(main())
