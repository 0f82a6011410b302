"""Style of the figures, and figures that several studies share."""
