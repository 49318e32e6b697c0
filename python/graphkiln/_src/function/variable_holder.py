"""Variables of functions that are wrapped."""

from collections.abc import Callable

from graphkiln import _graphkiln


class VariableHolder:
    """Names the variables that are made while a function is wrapped, and
    keeps them."""

    def __init__(self):
        self.variables: dict = {}
        self.result: object = None
        self.graph: object = None

    def create(self, next_creator: Callable, collections=None, **kwargs):
        """A variable creator."""
        with _graphkiln.name_scope(kwargs.get("name") or "Variable") as name:
            variable = next_creator(**{**kwargs, "name": name})
        self.variables[name] = variable
        names = ["variables"] if collections is None else list(collections)
        if variable.trainable and "trainable_variables" not in names:
            names.append("trainable_variables")
        self.graph.add_to_collections(names, variable)
        return variable
