"""GEM's generator: a network whose every output is a product distribution over the columns.

A fixed batch of ``B`` noise vectors goes in; out come, for each, a distribution
over the codes of every column (a softmax a column). The model is the even
mixture of these ``B`` products, so a marginal is an average of products,

    p(t) = (1/B) sum_b prod_{i in S} P_b[i, t_i],

exactly, and differentiable in the weights. All of it is in 32 bits, which
halves the time of a step and is far finer than any noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from lib.extras import needs
from lib.synth.junction import load_jax

# what PyTorch adds to the variance of a batch
BATCH_VARIANCE = np.float32(1e-5)
# of the measured cells, a published step looks at the worst
WORST = 100
# the published rate falls to it within a round
LAST_RATE = 1e-8


def cosine(first: float, last: float, step: Any, steps: int) -> Any:
    """A rate that falls from ``first`` to ``last`` along half a cosine.

    Examples
    --------
    >>> [round(float(cosine(1.0, 0.1, step, 100)), 3) for step in (0, 50, 100)]
    [1.0, 0.55, 0.1]
    """
    return last + (first - last) * (1 + np.cos(np.pi * step / steps)) / 2


def initial_weights(
    sizes: Sequence[int], hidden: Sequence[int], inputs: int, rng: np.random.Generator
) -> list[tuple[np.ndarray, ...]]:
    """Weights and offsets of a fully connected network, drawn as He et al. (2015) do.

    Weights are normal with variance ``2 / inputs``, offsets 0.
    """
    widths = [inputs, *hidden, sum(sizes)]
    return [
        (rng.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32), np.zeros(b, np.float32))
        for a, b in pairwise(widths)
    ]


def published_weights(
    sizes: Sequence[int], hidden: Sequence[int], inputs: int, rng: np.random.Generator
) -> list[tuple[np.ndarray, ...]]:
    """Weights of the published network: residual blocks, then a layer of sums.

    A block hands on its inputs beside its own outputs, and has a scale of 1 and a shift of 0 for
    each output beside weights and offsets. These are uniform between ``-1 / sqrt(inputs)`` and
    ``1 / sqrt(inputs)``, as PyTorch draws them.
    """
    layers, width = [], inputs
    for outputs in (*hidden, sum(sizes)):
        bound = 1 / np.sqrt(width)
        drawn = (rng.uniform(-bound, bound, shape) for shape in ((width, outputs), outputs))
        layers.append(tuple(part.astype(np.float32) for part in drawn))
        width += outputs
    scales = [(np.ones(outputs, np.float32), np.zeros(outputs, np.float32)) for outputs in hidden]
    return [a + b for a, b in zip(layers, [*scales, ()], strict=True)]


@cache
def kernels() -> SimpleNamespace:
    """The compiled functions; compiled once for each shape, shared by all fits of a process.

    - ``shares(weights, z, sizes)``: one (B, size) array a column.
    - ``cell_step(...)``: one Adam step on the squared error of single cells.
    - ``published_loss(...)``: the 2-norm of the errors that are at least ``threshold``, over their
      number, and the largest error; of single cells, the :data:`WORST` of them.
    - ``published_round(...)``: all steps of a round on that loss, as the published code does.
    - ``pull_back(...)``: one Adam step from the gradient in all the shares.
    - ``blend(old, new, keep)``: running average of weights.
    """
    jax = load_jax()
    with needs("synth"):
        import jax.numpy as jnp
        import optax

    def hidden(h, a, c, *published):
        if not published:
            return jax.nn.relu(h @ a + c)
        own, (scale, shift) = h @ a + c, published
        own = (own - own.mean(axis=0)) / jnp.sqrt(own.var(axis=0) + BATCH_VARIANCE) * scale + shift
        return jnp.concatenate([jax.nn.relu(own), h], axis=1)

    def shares(weights, z, sizes):
        *inner, (w, b) = weights
        h = z
        for layer in inner:
            h = hidden(h, *layer)
        logits = h @ w + b
        cuts = np.cumsum(sizes)[:-1]
        return tuple(jax.nn.softmax(part, axis=1) for part in jnp.split(logits, cuts, axis=1))

    def answers(weights, z, cells, sizes):
        flat = jnp.concatenate(shares(weights, z, sizes), axis=1)
        return flat[:, cells].prod(axis=2).mean(axis=0)

    def cell_loss(weights, z, cells, goals, used, sizes):
        return (used * (answers(weights, z, cells, sizes) - goals) ** 2).sum()

    def adam(weights, state, gradient, rate):
        updates, state = optax.adam(rate).update(gradient, state)
        return optax.apply_updates(weights, updates), state

    @partial(jax.jit, static_argnames="sizes")
    def cell_step(weights, state, z, cells, goals, used, rate, sizes):
        loss, gradient = jax.value_and_grad(cell_loss)(weights, z, cells, goals, used, sizes)
        return *adam(weights, state, gradient, rate), loss

    @partial(jax.jit, static_argnames="sizes")
    def published_loss(weights, z, cells, goals, used, threshold, sizes):
        errors = used * jnp.abs(answers(weights, z, cells, sizes) - goals)
        off, which = jax.lax.top_k(errors, min(WORST, len(cells)))
        counted = jax.lax.stop_gradient(used[which] * (off >= threshold))
        # the root has no slope at 0
        norm = jnp.sqrt(jnp.maximum((counted * off**2).sum(), 1e-30))
        return norm / jnp.maximum(counted.sum(), 1), errors.max()

    @partial(jax.jit, static_argnames=("steps", "sizes"))
    def published_round(weights, z, cells, goals, used, average, rate, steps, sizes):
        optimizer = optax.scale_by_adam()
        rates = cosine(rate, LAST_RATE, np.arange(steps), steps)
        _, largest = published_loss(weights, z, cells, goals, used, 0.0, sizes)
        average = jnp.where(jnp.isnan(average), largest, (average + largest) / 2)
        threshold = average / 2
        off = partial(
            published_loss,
            z=z,
            cells=cells,
            goals=goals,
            used=used,
            threshold=threshold,
            sizes=sizes,
        )

        def goes_on(now):
            step, _, _, _, largest = now
            return (step < steps) & (largest >= threshold)

        def one_step(now):
            # where no cell is that far off any more, weights stay and nothing is counted
            step, weights, state, losses, _ = now
            (loss, largest), gradient = jax.value_and_grad(off, has_aux=True)(weights)
            updates, state = optimizer.update(gradient, state)
            moves = largest >= threshold
            change = jnp.where(moves, -rates[step], 0).astype(z.dtype)
            weights = optax.apply_updates(weights, jax.tree.map(lambda u: change * u, updates))
            return step + moves, weights, state, losses.at[step].set(loss), largest

        start = (0, weights, optimizer.init(weights), jnp.zeros(steps, z.dtype), largest)
        step, weights, _, losses, _ = jax.lax.while_loop(goes_on, one_step, start)
        return weights, average, losses, step

    @partial(jax.jit, static_argnames="sizes")
    def pull_back(weights, state, z, pulls, rate, sizes):
        _, back = jax.vjp(lambda w: shares(w, z, sizes), weights)
        return adam(weights, state, back(pulls)[0], rate)

    def start(weights):
        # optax's state before the first step in NumPy's zeros: jax compiles one for each shape
        shapes = jax.eval_shape(optax.adam(1.0).init, weights)
        return jax.tree.map(lambda like: np.zeros(like.shape, like.dtype), shapes)

    return SimpleNamespace(
        shares=jax.jit(shares, static_argnames="sizes"),
        cell_step=cell_step,
        published_loss=published_loss,
        published_round=published_round,
        pull_back=pull_back,
        blend=jax.jit(
            lambda old, new, keep: jax.tree.map(lambda a, b: keep * a + (1 - keep) * b, old, new)
        ),
        start=start,
    )
