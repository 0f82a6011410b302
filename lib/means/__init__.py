"""Private means of groups and of everybody: clipped Laplace, COINPRESS, and both stratified."""

from lib.means.grouped import Interval, coinpress, coinpress_path, laplace_means, recombine
from lib.means.stratified import StratifiedMean, holdout_weights, strat_coinpress, strat_laplace
