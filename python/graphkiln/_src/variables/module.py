"""tf.Module: an object that finds the variables and modules inside it."""

import functools
import re
from collections.abc import Callable, Iterator

from graphkiln import _graphkiln
from graphkiln._graphkiln import Variable

_VALID_NAME = re.compile(r"[A-Za-z_]\w*$")


def _snake_case(name: str) -> str:
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name).lower()


class Module:
    """Base of objects that own variables.

    Args:
      name: of the module, a Python identifier; by default the class's name in
        snake case.

    >>> class Dense(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = tf.Variable(1.0, name="w")
    >>> len(Dense().variables)
    1
    """

    # Names that a search leaves out.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None):
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not _VALID_NAME.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be "
                "valid Python identifiers (e.g. a valid class name)."
            )
        self._name = name
        with _graphkiln.name_scope(name) as scope:
            self._scope_name = scope or name + "/"

    @property
    def name(self) -> str:
        """The name of this module."""
        return self._name

    @property
    def name_scope(self):
        """A context in which ops are named below this module."""
        return _graphkiln.name_scope(self._scope_name)

    @property
    def variables(self) -> tuple:
        """All variables of this module and those inside it."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> tuple:
        """All trainable variables of this module and those inside it."""
        return tuple(self._flatten(predicate=_is_trainable))

    @property
    def non_trainable_variables(self) -> tuple:
        """The variables that are not trainable."""
        return tuple(
            self._flatten(
                predicate=lambda v: _is_variable(v) and not v.trainable
            )
        )

    @property
    def submodules(self) -> tuple:
        """All modules inside this one."""
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Module)))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[object], bool] | None = None,
        attribute_traversal_key: Callable | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[object]:
        """Values of the attributes that satisfy `predicate`, once each."""
        return _walk(
            self,
            recursive,
            predicate or (lambda _: True),
            self._TF_MODULE_IGNORED_PROPERTIES,
            attribute_traversal_key,
            with_path,
            expand_composites,
            (),
            {id(self)},
        )

    @classmethod
    def with_name_scope(cls, method: Callable) -> Callable:
        """Makes a method run in the module's name scope."""

        @functools.wraps(method)
        def wrapper(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)

        return wrapper


def _is_variable(value: object) -> bool:
    return isinstance(value, Variable)


def _is_trainable(value: object) -> bool:
    return _is_variable(value) and bool(value.trainable)


def _leaves_with_paths(value: object, path: tuple) -> Iterator:
    items = _graphkiln.nest_items(value)
    if items is None:
        yield path, value
        return
    for key, child in items:
        yield from _leaves_with_paths(child, path + (key,))


def _walk(
    module, recursive, predicate, ignored, key, with_path, expand, path, seen
):
    attributes = vars(module)
    names = sorted(
        (name for name in attributes if name not in ignored),
        key=key or (lambda name: name),
    )
    inside = []
    seen_here = frozenset(seen)
    for name in names:
        try:
            leaves = list(_leaves_with_paths(attributes[name], (name,)))
        except TypeError:  # a mapping whose keys have no order
            leaves = [((name,), attributes[name])]
        for leaf_path, leaf in leaves:
            if id(leaf) in seen:
                continue
            if predicate(leaf):
                if not with_path:
                    seen.add(id(leaf))
                yield (path + leaf_path, leaf) if with_path else leaf
            if recursive and isinstance(leaf, Module):
                inside.append((path + leaf_path, leaf))
    for leaf_path, leaf in inside:
        known = seen_here if with_path else seen
        if id(leaf) in known and not predicate(leaf):
            continue
        if with_path:
            # Every path is told; only cycles end.
            seen = seen_here | {id(leaf)}
        else:
            seen.add(id(leaf))
        yield from _walk(
            leaf,
            recursive,
            predicate,
            leaf._TF_MODULE_IGNORED_PROPERTIES,
            None,
            with_path,
            expand,
            leaf_path,
            seen,
        )
