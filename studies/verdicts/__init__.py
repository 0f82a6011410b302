"""What the ledger's pages and commands show: verdicts in words and on cards, by other rules, and
stored cells run again.
"""
