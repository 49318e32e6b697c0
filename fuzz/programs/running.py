"""Runs one program in one way and notes all that can be seen of it."""

from __future__ import annotations

import contextlib
import dataclasses
import linecache
import os
import tempfile
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

@dataclasses.dataclass
class Value:
    dtype: str
    array: np.ndarray

    @classmethod
    def of(cls, tensor: Any) -> Value:
        if isinstance(tensor, (bool, int, float, str)) or tensor is None:
            return cls(type(tensor).__name__, np.asarray(tensor))
        if hasattr(tensor, "values") and hasattr(tensor, "dense_shape"):
            return cls("slices", np.asarray(tensor.values))
        array = np.asarray(tensor.numpy())
        return cls(tensor.dtype.name, array)


@dataclasses.dataclass
class Outcome:
    """Of one call."""

    values: list[Value] | None = None
    error: str | None = None
    message: str = ""
    variables: list[Value] = dataclasses.field(default_factory=list)
    printed: str = ""


@dataclasses.dataclass(frozen=True)
class Mode:
    name: str
    traced: bool = True
    passes: bool = True
    lowered: bool = True
    # None: the values of the calls; "outside", "inside": where the tape is.
    tape: str | None = None


EAGER = Mode("eager", traced=False)
TRACED = Mode("traced")
VALUES = (
    TRACED,
    Mode("without passes", passes=False),
    Mode("without lowering", lowered=False),
)
EAGER_TAPE = Mode("eager gradients", traced=False, tape="outside")
TAPES = (
    Mode("gradients of a traced call", tape="outside"),
    Mode("traced gradients", tape="inside"),
    Mode("traced gradients without passes", passes=False, tape="inside"),
    Mode("traced gradients without lowering", lowered=False, tape="inside"),
)
ALL = (EAGER, *VALUES, EAGER_TAPE, *TAPES)


def load(source: str, name: str) -> Callable:
    """The function `program` of the source, which AutoGraph can read."""
    lines = source.splitlines(keepends=True)
    linecache.cache[name] = (len(source), None, lines, name)
    scope: dict[str, Any] = {"__name__": "generated"}
    exec(compile(source, name, "exec"), scope)
    return scope["program"]


def forget(name: str) -> None:
    linecache.cache.pop(name, None)


# By what part of itself a number is changed: what sums of some dozen numbers
# lose.
UNITS = {"float32": 2.0**-19, "float64": 2.0**-48, "float16": 2.0**-9,
         "half": 2.0**-9, "bfloat16": 2.0**-6}


class Shaken:
    """A module whose constants and gradients differ from the module's in their
    last digits."""

    def __init__(self, tf: ModuleType, seed: int):
        self._tf = tf
        self._random = np.random.default_rng(seed)
        shaken = self.shaken

        class GradientTape(tf.GradientTape):
            def gradient(self, *args: Any, **options: Any) -> Any:
                return shaken(super().gradient(*args, **options))

            def jacobian(self, *args: Any, **options: Any) -> Any:
                return shaken(super().jacobian(*args, **options))

        self.GradientTape = GradientTape

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tf, name)

    def constant(self, *args: Any, **options: Any) -> Any:
        return self.shaken(self._tf.constant(*args, **options))

    def shaken(self, value: Any) -> Any:
        """With the floats in it a little larger or smaller."""
        return self._tf.nest.map_structure(
            self._shaken, value, expand_composites=True)

    def _shaken(self, value: Any) -> Any:
        tf = self._tf
        if (not tf.is_tensor(value) or isinstance(value, tf.Variable)
                or not (value.dtype.is_floating or value.dtype.is_complex)):
            return value
        unit = UNITS[value.dtype.real_dtype.name]
        factors = 1 + unit * self._random.uniform(-1, 1, value.shape)
        return value * tf.cast(factors, value.dtype)


class Runner:
    """Runs programs of one module."""

    def __init__(self, tf: ModuleType):
        self.tf = tf
        folder = tempfile.mkdtemp(prefix="programs")
        self._path = os.path.join(folder, "out.txt")
        self._is_ours = hasattr(tf, "_graphkiln")

    @contextlib.contextmanager
    def _set(self, mode: Mode) -> Iterator[None]:
        inner = getattr(self.tf, "_graphkiln", None)
        self.tf.config.run_functions_eagerly(not mode.traced)
        if inner:
            inner.set_graph_passes(mode.passes)
            inner.set_control_flow_lowering(mode.lowered)
        try:
            yield
        finally:
            self.tf.config.run_functions_eagerly(False)
            if inner:
                inner.set_graph_passes(True)
                inner.set_control_flow_lowering(True)

    def _printed(self) -> str:
        try:
            with open(self._path) as file:
                text = file.read()
            os.unlink(self._path)
        except FileNotFoundError:
            return ""
        return text

    def run(self, program: Callable, mode: Mode,
            noise: int = 0) -> list[Outcome]:
        """What each call came to, until one fails. `noise`, if not 0, is a
        seed by which last digits differ: of arguments, variables, constants
        and gradients. For eager modes."""
        tf = Shaken(self.tf, noise) if noise else self.tf
        outcomes = []
        with self._set(mode):
            self._printed()
            try:
                f, options, calls, variables = program(
                    tf, "file://" + self._path)
            except Exception as error:
                return [Outcome(error=type(error).__name__,
                                message=str(error))]
            if noise:
                calls = [tuple(tf.shaken(a) for a in call) for call in calls]
                for v in variables:
                    v.assign(tf.shaken(v.read_value()))
            run = f
            if mode.traced:
                run = tf.function(f, **options)
            if mode.tape:
                run = self._with_tapes(run, mode, variables)
                calls = calls[:2]
            for call in calls:
                done = Outcome()
                try:
                    result = run(*call)
                    done.values = [
                        Value.of(t) for t in tf.nest.flatten(result)
                    ]
                except Exception as error:
                    done.error = type(error).__name__
                    done.message = str(error)
                done.variables = [Value.of(v.read_value()) for v in variables]
                done.printed = self._printed()
                outcomes.append(done)
                if done.error:
                    break
        return outcomes

    def _with_tapes(self, f: Callable, mode: Mode, variables: list) -> Callable:
        """The first and second gradients of f by its floats."""
        tf = self.tf
        watched = [v for v in variables if v.dtype.is_floating]

        def total(tensors: list) -> Any:
            wide = [
                tf.cast(t, tf.float64) for t in tf.nest.flatten(tensors)
                if isinstance(t, float)
                or tf.is_tensor(t) and t.dtype.is_floating
            ]
            return tf.add_n([tf.reduce_sum(tf.sin(t)) for t in wide])

        def gradients(*arguments: Any) -> list:
            floats = [
                a for a in tf.nest.flatten(arguments)
                if tf.is_tensor(a) and a.dtype.is_floating
                and not isinstance(a, tf.Variable)
            ]
            sources = [*floats, *watched]
            with tf.GradientTape() as outer:
                outer.watch(floats)
                with tf.GradientTape() as inner:
                    inner.watch(floats)
                    y = total(f(*arguments))
                first = inner.gradient(
                    y, sources, unconnected_gradients="zero")
                first = [tf.convert_to_tensor(g) for g in first]
                z = total(first)
            second = outer.gradient(z, sources, unconnected_gradients="zero")
            return [
                y, *first, *(tf.convert_to_tensor(g) for g in second)
            ]

        if mode.tape == "inside":
            return tf.function(gradients, autograph=False)
        return gradients
