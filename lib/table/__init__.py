"""A user's table: its file read strictly (:mod:`~lib.table.reading`), how each column is read
(:mod:`~lib.table.columns`), and its codes, by a schema that is stated and not learnt.

>>> import pandas as pd
>>> from lib.table import Category, Table
>>> people = pd.DataFrame({"sex": ["f", "m", None]})
>>> Table.of(people, {"sex": Category(values=("f", "m"), missing=True)}).codes["sex"].tolist()
[0, 1, 2]
"""

from lib.table.coding import Table
from lib.table.kinds import Category, Date, Number
from lib.table.schema import read_schema, schema_text
