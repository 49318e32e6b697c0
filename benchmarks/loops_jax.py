"""Loops as JAX's compiled functions, row by row as compare.py expects them.

usage: loops_jax.py MODULE [--only=ROW,ROW]    (MODULE is there for compare.py)

The rows do the work that the rows of the same names do elsewhere: a call is
over when its result is there.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

ONLY = next((a.removeprefix("--only=").split(",") for a in sys.argv[1:]
             if a.startswith("--only=")), None)


def timed(name: str, call: Callable[[], object], seconds: float = 1.5) -> None:
    """Prints the median time of one call over at least seven rounds."""
    if ONLY and name not in ONLY:
        return
    for _ in range(3):
        jax.block_until_ready(call())
    start = time.perf_counter()
    jax.block_until_ready(call())
    repeat = max(1, int(0.05 / max(time.perf_counter() - start, 1e-7)))
    rounds: list[float] = []
    end = time.perf_counter() + seconds
    while len(rounds) < 7 or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(repeat):
            jax.block_until_ready(call())
        rounds.append((time.perf_counter() - start) / repeat)
    print(json.dumps({"name": name, "s": statistics.median(rounds),
                      "n": repeat * len(rounds)}), flush=True)


@jax.jit
def count(n: jax.Array) -> jax.Array:
    def body(state):
        i, s = state
        return i + 1, jax.lax.cond(i % 3 == 0, lambda: s + i, lambda: s - 1)

    start = (jnp.int32(0), jnp.int32(0))
    return jax.lax.while_loop(lambda state: state[0] < n, body, start)[1]


def rnn(x: jax.Array, w: jax.Array, u: jax.Array, h: jax.Array) -> jax.Array:
    def step(h, x_t):
        h = jnp.tanh(x_t @ w + h @ u)
        return h, h

    return jax.lax.scan(step, h, x)[1]


def main() -> None:
    n = jnp.int32(1000)
    timed("while_if_1000", lambda: count(n))
    draw = np.random.default_rng(0).standard_normal
    x = jnp.array(draw((50, 16, 32)), jnp.float32)
    w = jnp.array(draw((32, 64)) * 0.1, jnp.float32)
    u = jnp.array(draw((64, 64)) * 0.1, jnp.float32)
    h = jnp.zeros((16, 64))
    forward = jax.jit(rnn)
    timed("rnn50_forward", lambda: forward(x, w, u, h))
    gradient = jax.jit(jax.grad(
        lambda w, u: jnp.sum(rnn(x, w, u, h) ** 2), (0, 1)))
    timed("rnn50_gradient", lambda: gradient(w, u))


if __name__ == "__main__":
    main()
