"""Functions that run parts of a session's graph as a CallableOptions says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphkiln import _graphkiln


def _is_seen_twice(operation: Any) -> bool:
    """Do two runs of it give other values, or do something twice?"""
    if not operation.op_def.is_stateful:
        return False
    if _graphkiln.has_trait(operation.type, "reads_resource"):
        return _graphkiln.has_trait(operation.type, "writes_resource")
    return any(t.dtype != _graphkiln.resource for t in operation.outputs)


class OptionsCallable:
    """Takes the values of `options.feed` and gives those of `options.fetch`, a list,
    once the targets have run.

    Tensors that are connected to others are run first, and their values fed.

    Args:
      session: what runs.
      options: the CallableOptions.
    """

    def __init__(self, session: Any, options: Any) -> None:
        self._session = session
        self._feeds = list(options.feed)
        self._fetches = list(options.fetch)
        self._targets = list(options.target)
        self._options = options.run_options if options.HasField("run_options") else None
        connections = options.tensor_connection
        self._sources = [connection.from_tensor for connection in connections]
        self._places = [connection.to_tensor for connection in connections]
        if self._sources:
            self._check_connections()

    def __call__(self, *values: Any, run_metadata: Any = None) -> list:
        if len(values) != len(self._feeds):
            raise ValueError(
                f"Expected {len(self._feeds)} values of feeds, got {len(values)}."
            )
        fed = dict(zip(self._feeds, values, strict=True))
        run = self._session.run
        if self._sources:
            made = run(self._sources, fed, options=self._options)
            fed |= zip(self._places, made, strict=True)
        wanted = [*self._fetches, *self._targets]
        results = run(
            wanted, fed or None, options=self._options, run_metadata=run_metadata
        )
        return results[: len(self._fetches)]

    def _check_connections(self) -> None:
        """Raises where an operation would run twice and that can be seen."""
        first = self._needed(self._sources, self._feeds)
        wanted = [*self._fetches, *self._targets]
        again = self._needed(wanted, [*self._feeds, *self._places])
        for name in first.keys() & again.keys():
            if _is_seen_twice(first[name]):
                raise NotImplementedError(
                    f"Operation '{name}' is used by a tensor that is connected to "
                    "another and by what is fetched: it would run twice."
                )

    def _needed(self, names: Iterable[str], fed: Iterable[str]) -> dict[str, Any]:
        """The operations that are run for these elements, by name."""
        graph, known = self._session.graph, set(fed)
        waiting = [graph.as_graph_element(name) for name in names if name not in known]
        waiting = [getattr(element, "op", element) for element in waiting]
        needed: dict[str, Any] = {}
        while waiting:
            operation = waiting.pop()
            if operation.name in needed:
                continue
            needed[operation.name] = operation
            waiting += operation.control_inputs
            waiting += (t.op for t in operation.inputs if t.name not in known)
        return needed
