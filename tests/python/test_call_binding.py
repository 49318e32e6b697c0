"""Calls of functions are bound as Python binds them: random signatures and
random calls, of which both take the same ones with the same values."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable

import pytest

import graphkiln as tf

NAMES = "abcdef"


def signature(rng: random.Random) -> str:
    """The parameters of a function, as they are written."""
    names = list(NAMES[: rng.randrange(1, 6)])
    positional = names[: rng.randrange(len(names) + 1)]
    only = names[len(positional):]
    with_default = False
    parts = []
    slash = rng.randrange(len(positional) + 1) if rng.random() < 0.4 else 0
    for i, name in enumerate(positional):
        with_default |= rng.random() < 0.3
        parts.append(f"{name}={i * 10}" if with_default else name)
        if i + 1 == slash:
            parts.append("/")
    if rng.random() < 0.4:
        parts.append("*args")
    elif only:
        parts.append("*")
    parts += [
        f"{name}={i * 100}" if rng.random() < 0.5 else name
        for i, name in enumerate(only)
    ]
    if rng.random() < 0.3:
        parts.append("**kwargs")
    return ", ".join(parts)


def function(parameters: str) -> tuple[Callable, list]:
    """A function that keeps what it is called with."""
    seen: list = []
    scope: dict = {"seen": seen}
    exec(
        f"def f({parameters}):\n    seen.append(dict(locals()))\n    return 0",
        scope,
    )
    return scope["f"], seen


def call(rng: random.Random, parameters: str) -> tuple[list, dict]:
    """Half of them give each parameter a value, in one way or another."""
    if rng.random() < 0.5:
        args = [rng.randrange(1000) for _ in range(rng.randrange(5))]
        names = rng.sample([*NAMES, "g", "self", "args"], rng.randrange(4))
        return args, {name: rng.randrange(1000) for name in names}
    args, kwargs = [], {}
    for p in inspect.signature(eval(f"lambda {parameters}: 0")).parameters:
        if p in NAMES and (kwargs or rng.random() < 0.4):
            kwargs[p] = rng.randrange(1000)
        elif p in NAMES:
            args.append(rng.randrange(1000))
    return args, kwargs


def outcome(f: Callable, seen: list, args: list, kwargs: dict) -> object:
    seen.clear()
    try:
        f(*args, **kwargs)
    except TypeError:
        return "TypeError"
    return seen[-1]


@pytest.mark.parametrize("seed", range(60))
def test_binds_as_python_does(seed: int) -> None:
    rng = random.Random(seed)
    parameters = signature(rng)
    plain, seen = function(parameters)
    for _ in range(25):
        args, kwargs = call(rng, parameters)
        expected = outcome(plain, seen, args, kwargs)
        traced = tf.function(plain, autograph=False)
        got = outcome(traced, seen, args, kwargs)
        assert got == expected, (parameters, args, kwargs)
        if expected == "TypeError":
            continue
        # Calls alike find the trace by their words, others have their own.
        seen.clear()
        traced(*args, **kwargs)
        assert not seen, (parameters, args, kwargs)


@pytest.mark.parametrize("seed", range(20))
def test_tensors_find_their_places(seed: int) -> None:
    """A remembered call gives each input its own tensor, whatever order the
    arguments are written in."""
    rng = random.Random(seed)

    @tf.function
    def f(a, *args, b, **kwargs):
        rest = [kwargs[name] for name in sorted(kwargs)]
        flat = tf.nest.flatten([a, args, b, rest])
        return [x * float(10 ** i) for i, x in enumerate(flat)], len(flat)

    def value() -> object:
        kind = rng.randrange(4)
        if kind == 0:
            return [tf.constant(rng.random()), tf.constant(rng.random())]
        if kind == 1:
            return {"y": tf.constant(rng.random()), "x": tf.constant(1.0)}
        if kind == 2:
            return (tf.constant(rng.random()), {"z": tf.constant(2.0)})
        return tf.constant(rng.random())

    names = rng.sample(["b", "c", "e", "d"], 3)
    names = names if "b" in names else ["b", *names]
    kinds = rng.getstate()
    for _ in range(3):
        rng.setstate(kinds)
        args = [value() for _ in range(3)]
        kwargs = {name: value() for name in sorted(names)}
        # The same kinds with other numbers.
        args, kwargs = tf.nest.map_structure(
            lambda x: x + rng.random(), (args, kwargs)
        )
        rng.shuffle(names)
        result, n = f(*args, **{name: kwargs[name] for name in names})
        rest = [kwargs[k] for k in sorted(set(kwargs) - {"b"})]
        flat = tf.nest.flatten([args[0], tuple(args[1:]), kwargs["b"], rest])
        assert n == len(flat)
        for i, (x, y) in enumerate(zip(result, flat)):
            assert x.numpy() == pytest.approx(y.numpy() * 10.0 ** i)
    assert f.experimental_get_tracing_count() == 1
