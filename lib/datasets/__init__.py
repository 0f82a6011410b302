"""The data sets of the three papers: registry, download with checksum, cleaning, replicas."""

from lib.datasets.domain import Domain
from lib.datasets.load import Dataset, load
from lib.datasets.registry import FILES, TASKS, File, Task, task

__all__ = ["Domain", "Dataset", "load", "FILES", "TASKS", "File", "Task", "task"]
