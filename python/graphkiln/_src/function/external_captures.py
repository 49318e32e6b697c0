"""What a ConcreteFunction captured, changed after tracing; and graphs that
keep functions which none of their operations calls."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence

from graphkiln import _graphkiln, errors, nest
from graphkiln._graphkiln import ConcreteFunction, Graph


class _Values:
    """Captures of which some are asked for at each call, once for all the
    tensors that they make together."""

    def __init__(self, name: str, placeholders: Sequence, captures: Sequence):
        self._name = name
        self._placeholders = placeholders
        self._captures = captures
        self._local = threading.local()

    def getters(self) -> list[Callable]:
        """One for each capture, to be called in this order."""
        return [
            functools.partial(self._get, i)
            for i in range(len(self._placeholders))
        ]

    def _get(self, index: int) -> _graphkiln.Tensor:
        if index == 0:
            self._local.values = self._evaluate()
        return self._local.values[index]

    def _evaluate(self) -> list:
        values = nest.flatten(
            [c() if callable(c) else c for c in self._captures],
            expand_composites=True,
        )
        wanted = self._placeholders
        if len(values) != len(wanted):
            raise ValueError(
                f"{self._name} captures {len(wanted)} tensors, got "
                f"{len(values)}: {values}."
            )
        for i, value in enumerate(values):
            if not isinstance(value, _graphkiln.Tensor):
                raise TypeError(
                    f"{self._name}: the value captured for "
                    f"'{wanted[i].op.name}' must be a tensor, got "
                    f"{type(value).__name__} ({value!r})."
                )
        return values


def set_external_captures(self: ConcreteFunction, captures: Sequence) -> None:
    """Changes what calls of this function pass for what it captured.

    Args:
      captures: for each of `captured_inputs`, in their order, a tensor of the
        same dtype and shape, or a callable that is asked for tensors at each
        call. A captured variable is given by its `handle`.

    What the values are is checked by the next call: it raises ValueError if
    they are too few or too many, TypeError for what is no tensor and
    tf.errors.InvalidArgumentError for another dtype or shape.

    >>> c = tf.constant(2.0)
    >>> f = tf.function(lambda x: x * c)
    >>> double = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    >>> double.set_external_captures([tf.constant(3.0)])
    >>> double(tf.constant(5.0)).numpy().item()
    15.0
    """
    count = len(self.inputs) - self._num_arguments
    if isinstance(captures, (list, tuple)) and len(captures) == count:
        if all(isinstance(c, _graphkiln.Tensor) for c in captures):
            try:
                return self._set_captures(captures)
            except errors.InvalidArgumentError:
                pass  # The next call says so.
    placeholders = self.inputs[self._num_arguments:]
    values = _Values(self.name.decode(), placeholders, captures)
    if not placeholders:
        # There is nothing that a call could ask for.
        values._evaluate()
    self._set_captures(values.getters())


def replace_capture_with_deferred_capture(
    self: ConcreteFunction,
    tensor: _graphkiln.Tensor,
    closure: Callable[[], object],
    spec: _graphkiln.TensorSpec,
    placeholder: _graphkiln.Tensor | None = None,
    default_value: object = None,
) -> None:
    """Puts what a closure gives at each call in place of one capture.

    Args:
      tensor: one of `captured_inputs`.
      closure: takes nothing, returns a tensor that matches `spec`.
      spec: a tf.TensorSpec that fits what was captured.
      placeholder: what stands for the capture inside, if `tensor` does not
        tell.
      default_value: accepted for compatibility.

    Raises ValueError if there is no such capture, or `spec` does not fit it.

    >>> c = tf.constant(2.0)
    >>> f = tf.function(lambda x: x * c)
    >>> scale = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    >>> scale.replace_capture_with_deferred_capture(
    ...     c, lambda: tf.constant(7.0), tf.TensorSpec([], tf.float32))
    >>> scale(tf.constant(5.0)).numpy().item()
    35.0
    """
    del default_value
    inside = self.inputs[self._num_arguments:]
    at = None
    if placeholder is not None:
        names = [t.name for t in inside]
        if placeholder.name in names:
            at = names.index(placeholder.name)
    else:
        outside = [outer for outer, _ in self.graph.captures]
        at = next((i for i, t in enumerate(outside) if t is tensor), None)
    if at is None:
        raise ValueError(
            f"Did not find `tensor` argument {tensor} in the "
            "ConcreteFunction's captured inputs list, and did not receive a "
            "placeholder argument. Thus we're unable to infer the internal "
            "placeholder. "
        )
    if not (
        spec.is_compatible_with(tensor) or spec.is_compatible_with(inside[at])
    ):
        raise ValueError(
            f"Attempting to substitute closure with spec {spec} that's "
            f"incompatible with the original capture {tensor} or the internal "
            f"placeholder {inside[at]}."
        )
    values = _Values(self.name.decode(), [inside[at]], [closure])
    captures: list = [None] * len(inside)  # as they are
    captures[at] = values.getters()[0]
    self._set_captures(captures)


def _kept(graph: Graph) -> dict[bytes, ConcreteFunction]:
    return vars(graph).setdefault("_kept_functions", {})


def add_to_graph(
    self: ConcreteFunction, g: Graph | None = None, overwrite: bool = False
) -> None:
    """Puts the function, and all that it calls, into a graph's library.

    Args:
      g: the graph; None is the one that is being built. Nothing happens
        outside of any: functions are known everywhere there.
      overwrite: accepted for compatibility. A function of the same name is
        this function.

    Raises TypeError if `g` is no graph.

    >>> g = tf.Graph()
    >>> f = tf.function(lambda x: x + 1.0)
    >>> f.get_concrete_function(tf.TensorSpec([], tf.float32)).add_to_graph(g)
    >>> len(g.as_graph_def().library.function)
    1
    """
    del overwrite
    if g is None:
        g = _graphkiln.current_graph()
        if g is None:
            return
    if not isinstance(g, Graph):
        raise TypeError(
            f"Argument `g` must be a tf.Graph. Received: {type(g).__name__}"
        )
    _kept(g)[self.name] = self


for _function in (
    set_external_captures, replace_capture_with_deferred_capture, add_to_graph
):
    setattr(ConcreteFunction, _function.__name__, _function)
