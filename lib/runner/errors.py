"""What the store raises."""

from __future__ import annotations


class StoreError(ValueError):
    """A results file that cannot be used as it is; nothing in it was changed."""


class StoreBusy(StoreError):
    """Another process is writing."""
