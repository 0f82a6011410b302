"""``python -m lib tune``: search the baseline's hyper-parameters on training folds."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from studies.ldp_fairness.tuning import search


def add_arguments(parser: ArgumentParser) -> None:
    """Which data set, how many trials, and what is maximised."""
    parser.add_argument("dataset")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--objective", default="accuracy", help="accuracy (default) or auc")


def run(args: Namespace) -> int:
    """Search, and print the five best trials."""
    best = search(args.dataset, trials=args.trials, objective=args.objective).head(5)
    columns = ["number", "max_depth", "n_estimators", "learning_rate", "accuracy", "auc"]
    print(best[columns].to_string(index=False))
    return 0
