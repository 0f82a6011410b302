"""Demographic coherence."""
