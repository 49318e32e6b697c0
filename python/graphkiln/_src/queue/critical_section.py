"""tf.CriticalSection: functions that run one after the other."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._src import ops

_EXECUTIONS = "critical_section_executions"
_running = threading.local()


@contextlib.contextmanager
def _entered(signature: tuple) -> Iterator[None]:
    """ValueError within itself: it would wait for itself."""
    stack = _running.__dict__.setdefault("stack", [])
    if signature in stack:
        raise ValueError(
            f"Attempting to lock a CriticalSection (signature={signature}) in "
            "which we are already running. This is illegal and may cause "
            "deadlocks."
        )
    stack.append(signature)
    try:
        yield
    finally:
        stack.pop()


def _identity(value: object) -> object:
    if isinstance(value, _graphkiln.Operation):
        return _graphkiln.group(value)
    return value if value is None else ops.identity(value)


def _resources_of(operations) -> set:
    return {
        tensor.name
        for operation in operations
        for tensor in operation.inputs
        if tensor.dtype == _graphkiln.resource
    }


class CriticalSection:
    """Functions that run one after the other, whichever threads call them.

    Args:
      name: of the ops.
      shared_name: under which graphs share it.
      critical_section_def: must be None.
      import_scope: takes no effect.

    >>> v = tf.Variable(0)
    >>> section = tf.CriticalSection()
    >>> section.execute(lambda: v.assign_add(1)).numpy().item()
    1
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def and name is not None:
            raise ValueError(
                f"Arguments critical_section_def={critical_section_def} and "
                f"shared_name={shared_name} are mutually exclusive. Please only "
                "specify one of them."
            )
        if critical_section_def:
            raise ValueError("Argument `critical_section_def` is not supported.")
        with _graphkiln.name_scope(name or "CriticalSection") as scope:
            with _graphkiln.init_scope():
                eager = _graphkiln.executing_eagerly()
                shared = shared_name or ("" if eager else scope)
                self._handle = raw_ops.MutexV2(shared_name=shared, name=scope)
        self._signature = ("", shared or id(self._handle))

    @property
    def name(self) -> str:
        """The name of its op in its graph."""
        return self._handle.op.name

    def execute(
        self,
        fn: Callable[[], Any],
        exclusive_resource_access: bool = True,
        name: str | None = None,
    ) -> Any:
        """Calls a function while no other is called.

        Args:
          fn: of no arguments; returns tensors.
          exclusive_resource_access: may no other section of the graph use a
            variable that `fn` does? ValueError if one does.
          name: of the ops.

        Returns:
          What `fn` does.
        """
        with _graphkiln.name_scope(name or "critical_section_execute"):
            with _entered(self._signature):
                lock = raw_ops.MutexLock(mutex=self._handle)
                eager = _graphkiln.executing_eagerly()
                graph = None if eager else _graphkiln.get_default_graph()
                before = 0 if eager else len(graph.get_operations())
                try:
                    with _graphkiln.control_dependencies([lock]):
                        result = fn()
                except BaseException:
                    if eager:
                        raw_ops.ConsumeMutexLock(mutex_lock=lock)
                    raise
            if not eager:
                made = graph.get_operations()[before:]
                self._check_resources(
                    graph, _resources_of(made), exclusive_resource_access
                )
            result = _graphkiln.nest_map(_identity, result)
            flat = [
                value
                for value in _graphkiln.nest_flatten(result)
                if value is not None
            ]
            with _graphkiln.control_dependencies(flat):
                done = raw_ops.ConsumeMutexLock(mutex_lock=lock)
            with _graphkiln.control_dependencies([] if eager else [done]):
                return _graphkiln.nest_map(_identity, result)

    def _check_resources(self, graph, resources: set, exclusive: bool) -> None:
        for signature, others, is_exclusive in graph.get_collection(_EXECUTIONS):
            if signature == self._signature or not (exclusive or is_exclusive):
                continue
            if common := resources & others:
                raise ValueError(
                    f"This execution would access resources: {sorted(common)}. "
                    f"Either this CriticalSection or {signature} requested "
                    "exclusive resource access of this resource. Did you mean to "
                    "call execute with keyword argument "
                    "exclusive_resource_access=False?"
                )
        graph.add_to_collection(
            _EXECUTIONS, (self._signature, resources, exclusive)
        )
