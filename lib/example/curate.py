"""Make a release of a table: each column shuffled among people of one sex."""

import sys

import pandas as pd


def shuffled(values: pd.Series) -> list[str]:
    """The values of one column and one sex, in another order."""
    return values.sample(frac=1).tolist()


if __name__ == "__main__":
    half, release = sys.argv[1:3]
    people = pd.read_csv(half, dtype=str, keep_default_na=False)
    for column in people.columns.drop("sex"):
        people[column] = people.groupby("sex")[column].transform(shuffled)
    people.to_csv(release, index=False)
