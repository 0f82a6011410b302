"""The texts of numbers, which :mod:`lib.table.numbers` defines for every table."""

from lib.table.numbers import canonical_column, canonical_text, mapped_column

__all__ = ["canonical_column", "canonical_text", "mapped_column"]
