"""One function a figure: takes results, returns the figure and its alternative text."""
