"""GEM: a generator trained on privately chosen, privately measured marginals.

Liu, Vietri and Wu (2021). ``T`` rounds, each with an equal part of the budget: the exponential
mechanism picks what the generator gets most wrong, Gaussian noise measures it, Adam trains the
generator on everything measured so far. The weights of the last half of the rounds are averaged.

Two variants. ``"cell"`` is the published one: a query is a single cell of a
marginal. The published experiment runs it at a budget that it does not declare:
:func:`published_spending`. ``"marginal"`` measures a whole marginal for the price of a cell, since
a row moves one cell of it by one either way; its candidates are the workload's
marginals and those of fewer columns, scored as AIM's are.

The selection's part of a round is ``alpha^2 / (alpha^2 + (1 - alpha)^2)`` of
its ``rho``, which is what the published ``alpha`` comes to. The defaults of the
marginal variant (``alpha``, rounds, steps, widths) were chosen on a replica.

Two ways to train. ``"squares"`` lowers the sum of squared errors and keeps
Adam's running moments from round to round. On single cells that can fail: once
all cells are fitted, the gradients and their running mean square are tiny, and
the gradient of the next round's cell, divided by it, moves all weights far.
``"published"`` is the published network and training, in the values of :meth:`GEM.published`. The
places are those of https://github.com/lurosenb/stratify_dp at a4b7078; its folders ``algo``,
``syndata`` and ``qm`` are in ``src``. The call is ``gem_synthesizer.py:183-189``.

- The loss is the 2-norm of the errors over their number (``algo/gem.py:66-69``). It has the errors
  of at most 100 cells that are off by at least half (``algo/gem.py:72``, ``87-93``) of a running
  average of the largest error (``algo/gem.py:61-64``). Where there is none, the round ends
  (``algo/gem.py:95-96``).
- All cells of all three-way marginals are asked for (``gem_synthesizer.py:178``), at the declared
  epsilon in each round (``gem_synthesizer.py:186``): :func:`published_spending`.
- Each round has a new Adam (``algo/gem.py:75``). Its rate falls to 1e-8 within the round
  (``algo/gem.py:76``), and starts lower in each round (``algo/gem.py:47-48``, ``144-145``).
- What was measured is clipped to [0, 1] (``algo/gem.py:194``) and not asked again
  (``algo/gem.py:187``).
- Two residual blocks with batch normalisation (``syndata/generator.py:9-39``, ``176-183``) stay in
  training mode. PyTorch's own rule draws the first weights; the noise at the input stays the same.
- The past weighs 0.9 in the average of the weights (``algo/gem.py:151-166``).
- The model of a stratum has the stratum's own columns too, with one code each
  (``stratified_dataset.py:52-64``): ``Stratified(keep_columns=True)``.

What is different here, and why:

- the number of rows is a noisy count, paid for; there it is exact and free (``qm/qm.py:105``);
- the domain is declared; there it is read off the rows (``gem_synthesizer.py:147-175``);
- each fit draws its own noise; there all start from seed 0 (``algo/base.py:71-72``,
  ``149-151``);
- the average begins with the round after the first half, there in effect with the next one, because
  the first weights are overwritten (``algo/gem.py:158-164``); they weigh 0.006;
- shares and draws are in 64 bits, only the network in 32;
- strata of at most 0.1% of the rows are fitted too in the stored fits; there they are left out
  (``stratified_dataset.py:45-59``, ``104``);
- the stored fits have a network and a mixture of an eighth of the sizes, at eight times the rates
  (``GEM.published(shrink=8)``). A step of the published network takes about 100 times as long. In
  two plain fits of Texas at epsilon 1 it had mean errors of .038 and .039 where an eighth had .041
  and .044.

The generator trains in 32 bits, whose rounding depends on the processor: a
stream gives the same model to the last bit on one machine, and on another a
model that differs from it as one fit from another does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.dp import PrivacyAccountant, noisy
from lib.synth.aim import expected_noise
from lib.synth.base import (
    BUDGET_MAX,
    BUDGET_MIN,
    CELL,
    ROWS,
    Fitted,
    Synthesizer,
    gaussian,
    gaussian_cost,
    gaussian_scale,
    measure,
    open_accountant,
    require_megabytes,
    select,
    selection_cost,
    share,
)
from lib.synth.generator import cosine, initial_weights, kernels, published_weights
from lib.synth.products import cells_at, product_marginal, squared_error
from lib.synth.workload import Columns, all_kway, counts, downward_closure, megabytes

# a score of probability 0, unless all have it
NEVER = -1e300


@dataclass(frozen=True)
class GEMRound:
    """What a round chose, and the loss after each step.

    ``cell`` is the cell of the marginal on ``columns`` in the single-cell variant, else None.
    """

    columns: Columns
    cell: int | None
    sigma: float
    losses: np.ndarray


@dataclass(frozen=True)
class GEMModel(Fitted):
    """An even mixture of products of distributions, one of each column.

    ``shares[c][b]`` is component ``b``'s distribution of column ``c``.
    """

    domain: Domain
    accountant: PrivacyAccountant
    total: float
    shares: dict[str, np.ndarray]
    rounds: tuple[GEMRound, ...] = field(default=())

    def marginal(self, columns: Sequence[str]) -> np.ndarray:
        """Shares of the cells of ``columns``: the components' products, averaged."""
        return product_marginal([self.shares[c] for c in self.domain.project(columns).columns])

    def sample(self, n: int, rng: np.random.Generator) -> pd.DataFrame:
        """``n`` rows, the components in equal numbers up to rounding."""
        n = validate.integer("n", n, low=0)
        validate.generator("rng", rng)
        components = len(next(iter(self.shares.values())))
        component = rng.permutation(np.arange(n) % components)
        table = {c: cells_at(shares, component, rng.random(n)) for c, shares in self.shares.items()}
        return self.domain.narrow(pd.DataFrame(table))


@dataclass(frozen=True, kw_only=True)
class GEM(Synthesizer):
    """Parameters of GEM.

    Parameters
    ----------
    variant : {"marginal", "cell"}
    degree : int
        Marginals of that many columns are the workload.
    rounds : int
        ``T``; :meth:`published` has 100.
    alpha : float
        How a round is split between selection and measurement; the published 0.67 selects with 80%,
        0.25 with 10%.
    count_share : float
        Part of the budget for a noisy number of rows, which the published code takes from the data.
    hidden, inputs, batch : network
        Widths of the hidden layers, of the noise, and the number ``B`` of products.
    training : {"squares", "published"}
        ``"published"``, for single cells only: the published network and training, see the module.
    steps : int
        Adam steps per round; with ``training="published"``, at most.
    rate : float
        Adam's learning rate; with ``training="published"``, at the start of the first round.
    last_rate : float
        At the start of the last round, with ``training="published"``.
    keep : float
        Weight of the past in the running average over the last half of the rounds.
    memory : float
        Megabytes that a fit may take. It holds the counts of every candidate; with single cells,
        scores and probabilities of every cell beside them. More is refused before anything is
        spent.

    Examples
    --------
    >>> GEM.published(rounds=10).rounds, round(GEM().select_share, 2)
    (10, 0.1)
    """

    variant: str = "marginal"
    degree: int = 3
    rounds: int = 20
    alpha: float = 0.25
    count_share: float = 0.02
    hidden: tuple[int, ...] = (64, 128)
    inputs: int = 16
    batch: int = 100
    training: str = "squares"
    steps: int = 100
    rate: float = 3e-3
    last_rate: float = 1e-5
    keep: float = 0.5
    memory: float = 2048.0
    name: str = "gem"

    def __post_init__(self) -> None:
        validate.choice("variant", self.variant, ("marginal", "cell"))
        ways = ("squares", "published")[: 2 if self.variant == "cell" else 1]
        validate.choice("training", self.training, ways)
        whole = partial(validate.integer, low=1)
        validate.fields(self, "degree rounds inputs batch steps", whole)
        hidden = tuple(whole("hidden", one) for one in validate.sequence("hidden", self.hidden))
        object.__setattr__(self, "hidden", hidden)
        validate.fields(self, "alpha count_share", share)
        validate.fields(self, "rate last_rate memory", validate.positive)
        validate.fraction("keep", self.keep, open_ends=False)

    @classmethod
    def published(cls, *, shrink: int = 1, **changes) -> GEM:
        """GEM as published, in the values of the published call.

        ``shrink`` divides the widths of the network and the number of products, and multiplies the
        learning rates: a layer that is half as wide moves half as far at the same rate.

        Examples
        --------
        >>> GEM.published().hidden, GEM.published(shrink=8).hidden
        ((1024, 1024), (128, 128))
        """
        shrink = validate.integer("shrink", shrink, low=1, high=512)
        settings: dict[str, Any] = {
            "variant": "cell",
            "degree": 3,
            "rounds": 100,
            "alpha": 0.67,
            "hidden": (1024 // shrink, 1024 // shrink),
            "inputs": 512 // shrink,
            "batch": 1000 // shrink,
            "training": "published",
            "steps": 100,
            "rate": 1e-4 * shrink,
            "last_rate": 1e-5 * shrink,
            "keep": 0.9,
        }
        return cls(**settings | changes)

    @property
    def select_share(self) -> float:
        """The selection's part of a round's ``rho``: ``alpha^2 / (alpha^2 + (1 - alpha)^2)``."""
        return self.alpha**2 / (self.alpha**2 + (1 - self.alpha) ** 2)

    def candidates(self, domain: Domain) -> tuple[Columns, ...]:
        """The marginals of which one, or one cell, is asked for in a round."""
        workload = all_kway(domain, min(self.degree, len(domain)))
        return tuple(workload) if self.variant == "cell" else downward_closure(workload)

    def require_memory(self, domain: Domain) -> None:
        """Raise a ``ValueError`` if a fit would take more than ``memory``."""
        marginals = self.candidates(domain)
        tables = megabytes(domain, marginals)
        largest = max(megabytes(domain, [s]) for s in marginals)
        if self.variant == "cell":  # counts, scores, and four arrays of the draw
            needed = 6 * tables + 3 * largest
        else:  # counts, and what was measured in each round
            needed = tables + (2 * self.rounds + 5) * largest
        # of each product, and its gradient
        joint = 3 * self.batch * max(megabytes(domain, [s[:-1]]) for s in marginals)
        require_megabytes(needed + joint, self.memory, "GEM's tables")

    def fit(
        self, data: pd.DataFrame, domain: Domain, *, rho: float, rng: np.random.Generator
    ) -> GEMModel:
        """As :meth:`Synthesizer.fit`: rounds of select, measure and training of the network."""
        accountant = open_accountant(data, domain, rho, rng)
        budget = accountant.budget
        self.require_memory(domain)
        workload = self.candidates(domain)
        exact = {s: counts(data, domain, s) for s in workload}
        noise = gaussian(self.count_share * budget)
        rows = noisy(noise, len(data), rng, "number of rows", accountant, ROWS)
        total = max(1.0, float(rows))
        trainer = _Trainer(self, domain, rng)
        rounds = []
        for t in range(self.rounds):
            left = (budget - accountant.spent) / (self.rounds - t)
            columns, cell, goal, sigma = self._ask(
                data, exact, trainer, total, left, accountant, rng
            )
            rounds.append(GEMRound(columns, cell, sigma, trainer.train(columns, cell, goal)))
            if t >= self.rounds // 2:
                trainer.average()
        return GEMModel(domain, accountant, total, trainer.shares(trainer.mean), tuple(rounds))

    def _ask(self, data, exact, trainer, total, rho, accountant, rng):
        """Select and measure: what was chosen, its noisy share(s) of the rows, the sigma."""
        sigma = gaussian_scale((1 - self.select_share) * rho)
        shares, names = trainer.shares(), list(exact)

        def error(s: Columns) -> np.ndarray:
            # one marginal at a time: all together are as large as the counts
            return np.abs(exact[s] - total * product_marginal([shares[c] for c in s]).ravel())

        if self.variant == "marginal":
            gains = [error(s).sum() - expected_noise(sigma, exact[s].size) for s in names]
            columns = names[select(np.array(gains), self.select_share * rho, 1.0, accountant, rng)]
            m = measure(data, trainer.domain, columns, gaussian_cost(sigma), accountant, rng)
            return columns, None, m.noisy / total, sigma
        ends = np.cumsum([table.size for table in exact.values()])
        scores = np.empty(ends[-1])
        for s, end in zip(exact, ends, strict=True):
            scores[end - exact[s].size : end] = error(s)
        # a query that was asked before teaches nothing; as published, it cannot be drawn again
        scores[trainer.asked] = NEVER if self.training == "published" else 0.0
        place = select(scores, self.select_share * rho, 1.0, accountant, rng)
        trainer.asked.append(place)
        which = np.searchsorted(ends, place, side="right")
        columns = names[which]
        cell = int(place - ends[which] + exact[columns].size)
        what = f"measure cell {cell} of " + ",".join(columns)
        noise = gaussian(gaussian_cost(sigma), sigma)
        measured = noisy(noise, exact[columns][cell], rng, what, accountant, CELL)
        return columns, cell, float(measured) / total, sigma


class _Trainer:
    """The generator under training; the only state that changes during a fit."""

    def __init__(self, settings: GEM, domain: Domain, rng: np.random.Generator) -> None:
        self.settings, self.domain = settings, domain
        self.z = rng.normal(size=(settings.batch, settings.inputs)).astype(np.float32)
        draw = published_weights if settings.training == "published" else initial_weights
        self.weights = draw(domain.sizes, settings.hidden, settings.inputs, rng)
        self.state = kernels().start(self.weights)
        self.asked: list[int] = []
        self.mean: Any = None
        self.goals: dict[Columns, list] = {}
        slots, degree = settings.rounds, min(settings.degree, len(domain))
        ends = np.cumsum((0, *domain.sizes))
        self.first = dict(zip(domain.columns, ends, strict=False))  # places of the columns' codes
        self.cells = np.zeros((slots, degree), int)
        self.values, self.used = np.zeros((2, slots), np.float32)
        self.running = np.float32(np.nan)  # average of the largest error, for published training

    def shares(self, weights=None) -> dict[str, np.ndarray]:
        """Each component's distribution of each column, in 64 bits."""
        weights = self.weights if weights is None else weights
        parts = kernels().shares(weights, self.z, self.domain.sizes)
        wide = [np.asarray(part, dtype=float) for part in parts]
        shares = [part / part.sum(axis=1, keepdims=True) for part in wide]
        return dict(zip(self.domain.columns, shares, strict=True))

    def train(self, columns, cell, goal) -> np.ndarray:
        """Take in one more measurement and train on all; the loss before each step."""
        if cell is None:
            self.goals.setdefault(columns, []).append(goal)
            return self._train_marginals()
        slot = int(self.used.sum())
        codes = np.unravel_index(cell, self.domain.project(columns).sizes)
        self.cells[slot] = [self.first[c] for c in columns] + np.array(codes)
        self.values[slot], self.used[slot] = goal, 1.0
        published = self.settings.training == "published"
        return self._train_published(slot) if published else self._train_cells()

    def _train_cells(self) -> np.ndarray:
        losses = []
        for _ in range(self.settings.steps):
            self.weights, self.state, loss = kernels().cell_step(
                self.weights,
                self.state,
                self.z,
                self.cells,
                self.values,
                self.used,
                self.settings.rate,
                self.domain.sizes,
            )
            losses.append(float(loss))
        return np.array(losses)

    def _train_published(self, slot: int) -> np.ndarray:
        own = self.settings
        self.values[slot] = np.clip(self.values[slot], 0, 1)
        self.weights, self.running, losses, steps = kernels().published_round(
            self.weights,
            self.z,
            self.cells,
            self.values,
            self.used,
            self.running,
            float(cosine(own.rate, own.last_rate, slot, own.rounds)),
            own.steps,
            self.domain.sizes,
        )
        return np.asarray(losses)[: int(steps)]

    def _train_marginals(self) -> np.ndarray:
        goals = [(s, np.mean(g, axis=0).astype(np.float32), len(g)) for s, g in self.goals.items()]
        losses = []
        for _ in range(self.settings.steps):
            shares = kernels().shares(self.weights, self.z, self.domain.sizes)
            parts = dict(zip(self.domain.columns, map(np.asarray, shares), strict=True))
            pulls = {c: np.zeros_like(part) for c, part in parts.items()}
            losses.append(0.0)
            for s, goal, times in goals:
                value, pull = squared_error([parts[c] for c in s], goal)
                losses[-1] += times * value
                for c, p in zip(s, pull, strict=True):
                    pulls[c] += times * p
            every = tuple(pulls.values())
            self.weights, self.state = kernels().pull_back(
                self.weights, self.state, self.z, every, self.settings.rate, self.domain.sizes
            )
        return np.array(losses)

    def average(self) -> None:
        """Take the weights of now into the running average."""
        blend, keep = kernels().blend, self.settings.keep
        self.mean = self.weights if self.mean is None else blend(self.mean, self.weights, keep)


def published_spending(epsilon: float, *, rounds: int = 100) -> dict[str, float]:
    """What GEM spends if the declared ``epsilon`` is used as the parameter of every round.

    With the published ``alpha = 0.67``. Where the parameter ``eps_0`` of a round should be derived
    from the declared budget, the published experiment passes ``eps_0 = epsilon``. With ``n``
    rows, a round of GEM's code

    - draws a cell with probability proportional to ``exp(alpha eps_0 n |gap|)``, ``gap`` being
      between shares: an exponential mechanism of parameter ``2 alpha eps_0``, which costs ``(2
      alpha eps_0)^2 / 8``;
    - adds to its share Gaussian noise of scale ``1 / ((1 - alpha) eps_0 n)``, which costs ``((1 -
      alpha) eps_0)^2 / 2``.

    That is ``(alpha^2 + (1 - alpha)^2) eps_0^2 / 2`` a round, as GEM's own account has it.

    Returns
    -------
    dict
        ``sigma`` of the noise on a count, in rows; ``selection``, the exponential mechanism's
        parameter; ``rho_round``, and ``rho`` of all rounds.

    Examples
    --------
    >>> spent = published_spending(1.0)
    >>> round(spent["rho_round"], 3), round(spent["rho"], 1)
    (0.279, 27.9)
    """
    epsilon = validate.budget("epsilon", epsilon, low=BUDGET_MIN, high=BUDGET_MAX)
    rounds = validate.integer("rounds", rounds, low=1)
    alpha = 0.67
    sigma, selection = 1 / ((1 - alpha) * epsilon), 2 * alpha * epsilon
    rho = gaussian_cost(sigma) + selection_cost(selection)
    return {"sigma": sigma, "selection": selection, "rho_round": rho, "rho": rounds * rho}
