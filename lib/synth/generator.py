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

import numpy as np

from lib.extras import needs
from lib.synth.adapter import load_jax


def initial_weights(
    sizes: Sequence[int], hidden: Sequence[int], inputs: int, rng: np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights and offsets of a fully connected network, drawn as He et al. (2015) do.

    Weights are normal with variance ``2 / inputs``, offsets 0.
    """
    widths = [inputs, *hidden, sum(sizes)]
    return [
        (rng.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32), np.zeros(b, np.float32))
        for a, b in pairwise(widths)
    ]


@cache
def kernels() -> SimpleNamespace:
    """The compiled functions; compiled once for each shape, shared by all fits of a process.

    - ``shares(weights, z, sizes)``: one (B, size) array a column.
    - ``cell_step(...)``: one Adam step on the squared error of single cells.
    - ``published_round(...)``: all steps of a round on the absolute error of single cells, as the
      published code does.
    - ``pull_back(...)``: one Adam step from the gradient in all the shares.
    - ``blend(old, new, keep)``: running average of weights.
    """
    jax = load_jax()
    with needs("synth"):
        import jax.numpy as jnp
        import optax

    def shares(weights, z, sizes):
        *inner, (w, b) = weights
        h = z
        for a, c in inner:
            h = jax.nn.relu(h @ a + c)
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

    @partial(jax.jit, static_argnames=("steps", "sizes"))
    def published_round(weights, z, cells, goals, used, average, rate, steps, sizes):
        optimizer = optax.scale_by_adam()

        def errors(weights):
            return used * jnp.abs(answers(weights, z, cells, sizes) - goals)

        largest = errors(weights).max()
        average = jnp.where(jnp.isnan(average), largest, (average + largest) / 2)
        threshold = average / 2

        def loss_and_largest(weights):
            off = errors(weights)
            counted = jax.lax.stop_gradient(used * (off >= threshold))
            return (counted * off).sum() / jnp.maximum(counted.sum(), 1), off.max()

        def goes_on(now):
            step, _, _, _, largest = now
            return (step < steps) & (largest >= threshold)

        def one_step(now):
            # where no cell is that far off any more, weights stay and nothing is counted
            step, weights, state, losses, _ = now
            (loss, largest), gradient = jax.value_and_grad(loss_and_largest, has_aux=True)(weights)
            updates, state = optimizer.update(gradient, state)
            moves = largest >= threshold
            change = jnp.where(moves, -rate * (1 + jnp.cos(jnp.pi * step / steps)) / 2, 0)
            change = change.astype(z.dtype)
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
        published_round=published_round,
        pull_back=pull_back,
        blend=jax.jit(
            lambda old, new, keep: jax.tree.map(lambda a, b: keep * a + (1 - keep) * b, old, new)
        ),
        start=start,
    )
