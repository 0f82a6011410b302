"""Statistics that several studies share."""
