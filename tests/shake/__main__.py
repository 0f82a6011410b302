"""The book under other arithmetic: ``python -m tests.shake``, or ``make shake``."""

from __future__ import annotations

from argparse import ArgumentParser

from tests.shake.reseed import reseed
from tests.shake.shake import VARIANTS, shake


def main() -> int:
    """Compare, and print every guard with its margin; 1 if anything differs or is too near."""
    parser = ArgumentParser(prog="python -m tests.shake", description=__doc__)
    option = parser.add_argument
    names = ", ".join(VARIANTS)
    option("--only", nargs="+", default=tuple(VARIANTS), metavar="NAME", help=f"of: {names}")
    option("--pages", nargs="+", metavar="PAGE", help="only these, e.g. chapters/ldp/proofs")
    option("--without-claims", action="store_true", help="pages alone")
    option("--seeds", type=int, help="instead, run the pages with so many master seeds")
    option("--workers", type=int, default=2)
    given = parser.parse_args()
    if given.seeds is not None:
        return int(reseed(given.seeds, given.pages, workers=given.workers) > 0)
    claims = not given.without_claims
    return int(shake(given.only, given.pages, claims=claims, workers=given.workers) > 0)


if __name__ == "__main__":
    raise SystemExit(main())
