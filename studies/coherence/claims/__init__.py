"""Measures for the claims of the study."""
