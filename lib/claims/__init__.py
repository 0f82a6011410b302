"""The ledger: every checkable claim, the rerun's value, and a verdict computed by code."""

from lib.claims.ledger import Claim, Row, evaluate, read_claims, summary
from lib.claims.rules import VERDICTS

__all__ = ["Claim", "Row", "VERDICTS", "read_claims", "evaluate", "summary"]
