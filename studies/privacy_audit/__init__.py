"""Whole fits audited."""
