"""Objects whose attributes a checkpoint follows."""

from __future__ import annotations

import functools

from graphkiln import _graphkiln
from graphkiln._src.checkpoint import data_structures  # noqa: F401
from graphkiln._src.checkpoint.trackable import TOLD, Trackable
from graphkiln._src.checkpoint.tracked_containers import NoDependency
from graphkiln._src.checkpoint.waiting import facts_of

# Nothing is imported for annotations: a program that loads a small model would
# wait for `typing` longer than for the model.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_IS_TRACKING = "_self_setattr_tracking"
_FUNCTIONS = (_graphkiln.Function, _graphkiln.ConcreteFunction)


class AutoTrackable(Trackable):
    """Base of objects whose attributes are saved with them.

    Lists, dictionaries and tuples become, as attributes, those of classes that
    know what is in them and whether a checkpoint still finds it.

    >>> class Counter(tf.__internal__.tracking.AutoTrackable):
    ...     def __init__(self):
    ...         self.turns = tf.Variable(0)
    ...         self.history = [self.turns]
    >>> checkpoint = tf.train.Checkpoint(counter=Counter())
    >>> Counter().history._trackable_children()
    {'0': <tf.Variable 'Variable:0' shape=() dtype=int32, numpy=0>}
    """

    __setattr__ = _graphkiln._set_tracked_attribute

    def __delattr__(self, name: str) -> None:
        self._delete_tracking(name)
        super().__delattr__(name)

    def _delete_tracking(self, name: str) -> None:
        facts_of(self).get(TOLD, {}).pop(name, None)

    def _add_trackable_child(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def _no_dependency(self, value: Any) -> Any:
        return NoDependency(value)

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        if save_type != "savedmodel":
            return super()._trackable_children(save_type, **kwargs)
        functions = dict(_functions_of(self))
        for function in functions.values():
            if isinstance(function, _graphkiln.Function):
                # One with a signature is traced, which may make variables.
                function._trackable_children(save_type)
        told = super()._trackable_children(save_type, **kwargs)
        children = {n: c for n, c in told.items() if not isinstance(c, _FUNCTIONS)}
        for name, function in functions.items():
            if children.get(name, function) is not function:
                raise ValueError(
                    "Can't save object because it has multiple children with the "
                    f"same name. Object: {self}, attribute name: {name}, child 1: "
                    f"{children[name]}, child 2: {function}"
                )
        children.update(functions)
        return children


def _functions_of(value: Any) -> Any:
    """The functions among the attributes of an object and of its class. Properties
    are not asked: they may do anything."""
    found = {name: None for cls in type(value).__mro__ for name in vars(cls)}
    found.update(dict.fromkeys(facts_of(value)))
    for name in sorted(found):
        if isinstance(getattr(type(value), name, None), property):
            continue
        member = getattr(value, name, None)
        if isinstance(member, _FUNCTIONS):
            yield name, member


def no_automatic_dependency_tracking(method: Callable) -> Callable:
    """A method during which attributes that are set are not tracked.

    >>> class Owner(tf.__internal__.tracking.AutoTrackable):
    ...     @tf.__internal__.tracking.no_automatic_dependency_tracking
    ...     def __init__(self):
    ...         self.helper = tf.Variable(1.0)
    >>> len(tf.train.TrackableView(Owner()).descendants())
    1
    """

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, _IS_TRACKING, True)
        object.__setattr__(self, _IS_TRACKING, False)
        try:
            return method(self, *args, **kwargs)
        finally:
            object.__setattr__(self, _IS_TRACKING, before)

    return untracked
