"""The ledger: every checkable claim, the rerun's value, and a verdict computed by code."""

from lib.ledger.claim import Claim, read_claims
from lib.ledger.judge import Row, evaluate, summary
from lib.ledger.rules import VERDICTS
