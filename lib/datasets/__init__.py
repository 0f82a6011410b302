"""The data sets of the three papers: registry, download with checksum, cleaning, replicas."""

from lib.datasets.cache import DataError, Unavailable
from lib.datasets.load import Dataset, load, load_raw
from lib.datasets.registry import FILES, TASKS, File, Task, task
