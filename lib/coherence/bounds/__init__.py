"""Bounds on demographic coherence: the paper's, and sharper ones."""
