"""tf.Module: an object that finds the variables and modules inside it."""

import functools
import re
from collections.abc import Callable, Iterator

from graphkiln import _graphkiln
from graphkiln._graphkiln import Variable
from graphkiln._src.checkpoint.auto_trackable import AutoTrackable

_WORD_BEGINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])")


def _snake_case(name: str) -> str:
    return _WORD_BEGINS.sub("_", name).lower()


class Module(AutoTrackable):
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

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not _graphkiln.is_module_name(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be "
                "valid Python identifiers (e.g. a valid class name)."
            )
        self._name = name
        with _graphkiln.name_scope(name) as scope:
            self._name_scope = _graphkiln.name_scope(scope or name + "/")

    @property
    def name(self) -> str:
        """The name of this module."""
        return self._name

    @property
    def name_scope(self) -> _graphkiln.name_scope:
        """A context in which ops are named below this module."""
        return self._name_scope

    @property
    def variables(self) -> tuple:
        """All variables of this module and those inside it."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple:
        """All trainable variables of this module and those inside it."""
        return tuple(self._flatten(predicate=_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple:
        """The variables that are not trainable."""
        return tuple(
            self._flatten(
                predicate=lambda v: _is_variable(v) and not v.trainable,
                expand_composites=True,
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
        """Leaves of the attributes that satisfy `predicate`: those of a module
        before those of the modules in it.

        Args:
          recursive: whether to walk the modules found as well.
          predicate: of leaves; without one, all are told.
          attribute_traversal_key: by which names of attributes are sorted.
          with_path: tells (path, leaf) by every path; else each leaf once.
          expand_composites: tells composites' parts in place of them.
        """
        return _graphkiln.ModuleWalk(
            self,
            Module,
            recursive,
            predicate,
            attribute_traversal_key,
            with_path,
            expand_composites,
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
