"""Make a release of a table: each column shuffled among people of one sex."""

import sys

import pandas as pd

half, release = sys.argv[1:3]
people = pd.read_csv(half, dtype=str, keep_default_na=False)
for column in people.columns.drop("sex"):
    people[column] = people.groupby("sex")[column].transform(lambda v: v.sample(frac=1).tolist())
people.to_csv(release, index=False)
