"""Variables of functions that are wrapped."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphkiln import _graphkiln

_wrapping = threading.local()


class VariableHolder:
    """Names the variables that are made while a function is wrapped, and
    keeps them."""

    def __init__(self):
        self.variables: dict = {}
        self.result: object = None
        self.graph: object = None
        self._lifts = False

    @staticmethod
    def current() -> "VariableHolder | None":
        """That of the function that this thread wraps; None outside."""
        return getattr(_wrapping, "holder", None)

    @contextmanager
    def wrapping(self) -> Iterator[None]:
        """While the function is wrapped."""
        before = self.current()
        _wrapping.holder = self
        try:
            with _graphkiln.variable_creator_scope(self.create):
                yield
        finally:
            _wrapping.holder = before

    @contextmanager
    def lifting(self) -> Iterator[None]:
        """Variables that are made meanwhile are not of the function's code."""
        self._lifts = True
        try:
            yield
        finally:
            self._lifts = False

    def create(self, next_creator: Callable, collections=None, **kwargs):
        """A variable creator."""
        if self._lifts:
            return next_creator(collections=collections, **kwargs)
        with _graphkiln.name_scope(kwargs.get("name") or "Variable") as name:
            variable = next_creator(**{**kwargs, "name": name})
        self.variables[name] = variable
        names = ["variables"] if collections is None else list(collections)
        if variable.trainable and "trainable_variables" not in names:
            names.append("trainable_variables")
        self.graph.add_to_collections(names, variable)
        return variable
