"""Test a table of your own, or a release of it, for demographic coherence."""
