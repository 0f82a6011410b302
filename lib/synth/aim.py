"""AIM: marginals chosen and measured round after round (McKenna et al. 2022).

Algorithms 2 and 4, "an adaptive and iterative mechanism" for a workload of marginals.
Start with every one-way marginal. Then, round after round, pick by the
exponential mechanism the marginal that the model gets most wrong over and above
the noise it would be measured with, measure it, fit the model again. A round
that teaches less than its noise doubles the precision of the next (annealing).
Only marginals are open that keep the model under a size that grows with the
part of the budget already spent. A marginal that alone is larger than the
model may ever be can never be opened, so it is no candidate from the start, and
its counts are not held.

Published constants: at most ``T = 16 d`` rounds, ``alpha = 0.9`` of a round's
budget for the measurement, 80 MB for the model. The size limit here is 1 MB by
default, which is what a laptop fits in seconds; ``max_megabytes=80`` is theirs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from tqdm import tqdm

from lib import validate
from lib.domain import Domain
from lib.synth.base import (
    Synthesizer,
    gaussian_cost,
    gaussian_scale,
    measure,
    open_accountant,
    require_megabytes,
    select,
    selection_cost,
    selection_epsilon,
    share,
)
from lib.synth.graphical import GraphicalModel
from lib.synth.junction import edges, megabytes_with, model_megabytes
from lib.synth.marginal_model import MarginalModel, Round, estimate, positions
from lib.synth.workload import Columns, Workload, all_kway, counts, downward_closure, megabytes

# candidates that a fit takes a second for, in all: 20,000 rows, columns of 5 codes, 1 MB, rho .1
PER_SECOND = 70


@dataclass(frozen=True, kw_only=True)
class AIM(Synthesizer):
    """Parameters of AIM.

    Parameters
    ----------
    degree : int
        The workload is every marginal of ``degree`` columns (fewer if the domain has fewer).
    max_megabytes : float
        AIM's MAX-SIZE.
    rounds_per_column : int
        ``T / d``; the published 16.
    alpha : float
        Share of a round's budget that measures; the published 0.9.
    iterations, last_iterations : int
        Of mirror descent at most, in a round and in the last fit.
    memory : float
        Megabytes that the candidates' tables may take, all held at once; more is refused before
        anything is spent.
    focus : tuple of str
        Columns that matter more than the others. Name them without looking at the table. Those that
        the domain does not have are ignored.
    focus_weight : float
        Each column of ``focus`` in a marginal of the workload multiplies the weight of that
        marginal by this.
    progress : bool
        Show on a terminal, before the first round, how many marginals there are, how long the fit
        may take and what the model takes at most; then the share of the budget that is spent.

    Examples
    --------
    >>> domain = Domain.of({"a": 2, "b": 2})
    >>> people = pd.DataFrame({"a": [0, 1] * 50, "b": [0, 1] * 50})
    >>> aim = AIM(rounds_per_column=2, iterations=50, last_iterations=50)
    >>> model = aim.fit(people, domain, rho=1.0, rng=np.random.default_rng(0))
    >>> [done.selected for done in model.rounds]
    [('a', 'b'), ('a', 'b')]
    """

    degree: int = 3
    max_megabytes: float = 1.0
    rounds_per_column: int = 16
    alpha: float = 0.9
    iterations: int = 200
    last_iterations: int = 1000
    memory: float = 2048.0
    focus: tuple[str, ...] = ()
    focus_weight: float = 1.0
    progress: bool = False
    name: str = "aim"

    def __post_init__(self) -> None:
        whole = "degree rounds_per_column iterations last_iterations"
        validate.fields(self, whole, partial(validate.integer, low=1))
        validate.fields(self, "max_megabytes memory focus_weight", validate.positive)
        share("alpha", self.alpha)
        validate.fields(self, "focus", validate.names)
        validate.fields(self, "progress", validate.boolean)

    def candidates(self, domain: Domain) -> Workload:
        """The marginals that may be measured, with their weights.

        Single columns, and marginals that a model of ``max_megabytes`` can hold.
        """
        focus = {*self.focus}
        workload = {
            s: self.focus_weight ** len(focus.intersection(s))
            for s in all_kway(domain, min(self.degree, len(domain)))
        }
        most, sizes = self.max_megabytes * 2**20 / 8, dict(domain)
        return {
            r: w
            for r, w in candidate_weights(workload).items()
            if len(r) == 1 or math.prod(map(sizes.__getitem__, r)) <= most
        }

    def seconds(self, domain: Domain) -> int:
        """Roughly how long a fit takes; ``PER_SECOND`` says on which table that was measured."""
        return _seconds(self.candidates(domain))

    def require_memory(self, domain: Domain) -> None:
        """Raise a ``ValueError`` if the tables of counts would take more than ``memory``."""
        candidates = self.candidates(domain)
        each = [megabytes(domain, [r]) for r in candidates]
        needed = sum(each) + 4 * max(each)
        require_megabytes(needed, self.memory, "AIM's tables of counts")

    def fit(
        self, data: pd.DataFrame, domain: Domain, *, rho: float, rng: np.random.Generator
    ) -> MarginalModel:
        """As :meth:`Synthesizer.fit`: single columns, then rounds of select, measure, estimate."""
        accountant = open_accountant(data, domain, rho, rng)
        budget = accountant.budget
        self.require_memory(domain)
        weights = self.candidates(domain)
        rounds_planned = self.rounds_per_column * len(domain)
        sigma = gaussian_scale(self.alpha * budget / rounds_planned)
        epsilon = selection_epsilon((1 - self.alpha) * budget / rounds_planned)
        exact = {r: counts(data, domain, r) for r in weights}

        measurements = [
            measure(data, domain, (c,), gaussian_cost(sigma), accountant, rng)
            for c in domain.columns
        ]
        model, total = estimate(domain, measurements, iterations=self.iterations)
        rounds: list[Round] = []
        bar = tqdm(
            total=1.0,
            initial=accountant.spent / budget,
            disable=None if self.progress else True,
            desc=f"{len(weights):,} marginals, about {_seconds(weights):,} s,"
            f" model of at most {self.max_megabytes:g} MB",
            bar_format="{desc}: {percentage:.0f}% of the budget, {elapsed}",
        )
        while (left := accountant.rho - accountant.spent) > 1e-9 * accountant.rho:
            last = left <= 2 * (gaussian_cost(sigma) + selection_cost(epsilon))
            if last:
                sigma = gaussian_scale(self.alpha * left)
                epsilon = selection_epsilon((1 - self.alpha) * left)
            price = gaussian_cost(sigma) + selection_cost(epsilon)
            spent = 1 - left / accountant.rho + price / accountant.rho
            candidates = open_candidates(weights, domain, model, spent * self.max_megabytes)
            scores = quality_scores(exact, candidates, weights, domain, model, total, sigma)
            most = max(weights[r] for r in candidates)
            chosen = candidates[select(scores, selection_cost(epsilon), most, accountant, rng)]
            before = _model_counts(domain, model, total, chosen)
            # the last measurement takes what is left, to the last bit of the budget
            rho = gaussian_cost(sigma) if not last else accountant.rho - accountant.spent
            measurements.append(measure(data, domain, chosen, rho, accountant, rng))
            model, total = estimate(
                domain,
                measurements,
                start=model,
                iterations=self.last_iterations if last else self.iterations,
            )
            change = float(np.abs(_model_counts(domain, model, total, chosen) - before).sum())
            annealed = change <= expected_noise(sigma, before.size)
            megabytes = model_megabytes(domain.sizes, tuple(model.potentials))
            rounds.append(Round(chosen, epsilon, sigma, change, megabytes, annealed and not last))
            bar.update(accountant.spent / budget - bar.n)
            if annealed:
                epsilon, sigma = 2 * epsilon, sigma / 2
        bar.close()
        return MarginalModel(domain, accountant, total, model, tuple(measurements), tuple(rounds))


def _seconds(candidates: Workload) -> int:
    return max(5, len(candidates) // PER_SECOND)


def expected_noise(sigma: float, cells: int) -> float:
    """Expected L1 size of Gaussian noise on ``cells`` cells: ``sqrt(2/pi) sigma n_r``."""
    return math.sqrt(2 / math.pi) * sigma * cells


def candidate_weights(workload: Workload) -> Workload:
    """``w_r = sum_s c_s |r & s|`` for every ``r`` in the downward closure of ``workload``."""
    of_column: dict[str, float] = {}  # a column of r adds the weight of each s that it is in
    for s, c in workload.items():
        for column in set(s):
            of_column[column] = of_column.get(column, 0.0) + c
    return {r: sum(map(of_column.__getitem__, r)) for r in downward_closure(workload)}


def open_candidates(
    weights: Workload, domain: Domain, model: GraphicalModel, megabytes: float
) -> list[Columns]:
    """The candidates with which the model stays within ``megabytes``.

    Those that the model holds already always do.
    """
    places, most = {r: positions(domain, r) for r in weights}, max(map(len, weights))
    held = {
        r
        for clique in model.tree.cliques
        for k in range(1, most + 1)
        for r in combinations(clique, k)
    }
    beyond = tuple(place for place in places.values() if place not in held)
    found = megabytes_with(domain.sizes, edges(model.potentials), beyond)
    size = dict(zip(beyond, found, strict=True))
    return [r for r, place in places.items() if size.get(place, 0.0) <= megabytes]


def quality_scores(
    exact: Mapping[Columns, np.ndarray],
    candidates: Sequence[Columns],
    weights: Workload,
    domain: Domain,
    model: GraphicalModel,
    total: float,
    sigma: float,
) -> np.ndarray:
    """Score of each candidate: the model's error on it, less the error of measuring it.

    ``q_r(D) = w_r (||M_r(D) - M_r(p)||_1 - sqrt(2/pi) sigma n_r)``.
    """

    found = zip(candidates, model.marginals(positions(domain, r) for r in candidates), strict=True)
    gains = (
        np.abs(exact[r] - total * p.ravel()).sum() - expected_noise(sigma, p.size) for r, p in found
    )
    return np.array([weights[r] * gain for r, gain in zip(candidates, gains, strict=True)])


def _model_counts(domain: Domain, model: GraphicalModel, total: float, columns) -> np.ndarray:
    return total * model.marginal(positions(domain, columns)).ravel()
