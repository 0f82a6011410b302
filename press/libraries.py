"""Loads what most chapters import; :mod:`press.kernels` forks a process that has done so."""

import importlib
import os
import sys

from lib.processes import ONE_THREAD, wake_with_parent

PATH = ["", *(place for place in sys.path if place)]  # of an interpreter that has just started

wake_with_parent(children=True)  # the server of forks ends when none of them is left
os.environ |= ONE_THREAD
# what a kernel sets before a page imports matplotlib
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"

for _name in (
    "numpy pandas pyarrow.parquet scipy.stats scipy.optimize matplotlib.pyplot PIL.Image"
    " sklearn.metrics lightgbm myst_nb networkx yaml IPython"
).split():
    importlib.import_module(_name)

# what pandas takes inside a kernel, and for a terminal if it is imported before there is one
importlib.import_module("pandas").set_option("display.max_columns", 20)
