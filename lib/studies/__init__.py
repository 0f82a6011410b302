"""One folder for each study: cells, grids, claims and figures."""
