"""Figures of the foundations."""
