"""The tested package that the chapters import; ``ARCHITECTURE.md`` shows its rooms and rules."""

__version__ = "1.0.0"
