"""Tables of the pages on data."""
