"""The commands of ``python -m lib`` that make pages, one module each."""
