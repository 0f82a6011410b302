"""Across the papers."""
