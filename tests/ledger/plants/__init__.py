"""Plants of further studies, one module each: ``PLANTS`` maps the name of a measure to two plants.

:mod:`tests.ledger.test_plants` finds them. A plant is called with ``monkeypatch`` and the claim and
changes what the measure reads; the first makes the claim pass, the second makes it fail.
"""
