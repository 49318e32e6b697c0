"""What public functions do with values that are no tensors.

Targets that the program registered; ragged and sparse tensors are in
_composite_dispatch.
"""

import collections.abc
import functools
import importlib
import inspect
import types
import typing
from collections.abc import Callable

from graphkiln import _graphkiln, _loading
from graphkiln._graphkiln import CompositeTensor

_MODULES = ("", "math", "nn", "strings", "bitwise", "debugging", "dtypes")


def key_of(api: object) -> object:
    """What the aliases of a function have in common; None if it is none that
    can be dispatched."""
    if type(api).__name__ == "OpFunction":
        find, (identity,) = api.__reduce__()
        if find.__name__ == "raw_op":
            return None
        return identity.removeprefix("math.").removeprefix("linalg.")
    return getattr(api, "_dispatch_key", None)


@functools.cache
def _keys(names: tuple) -> frozenset:
    found = set()
    tf = _loading.load("graphkiln")
    for module_name in _MODULES:
        module = getattr(tf, module_name) if module_name else tf
        for name in names:
            found.add(key_of(getattr(module, name, None)))
    return frozenset(found - {None})


def maps(api: object) -> int:
    """Over how many first arguments a function goes element by element, as
    the record of its op says; 0 if it does not."""
    return getattr(api, "_maps", 0)


def compares(api: object) -> bool:
    """Does it assert something of two arguments, element by element?"""
    return getattr(api, "_compares", 0) == 2


class _Target:
    """A function to call in the place of an API, and what it accepts."""

    def __init__(self, handler: Callable, call: Callable, accepts: Callable):
        self.handler = handler  # what was decorated
        self.call = call
        self.accepts = accepts


# Of one API, by its key; and of all elementwise ones.
_targets: dict[object, list[_Target]] = {}
_unary: dict[type, Callable] = {}
_binary: dict[tuple, Callable] = {}
_asserts: dict[tuple, Callable] = {}


def dispatch(api: Callable, args: tuple, kwargs: dict) -> object:
    """The result of a call for arguments that `api` cannot convert;
    NotImplemented if nothing is registered for them."""
    key = key_of(api)
    if key is None:
        return NotImplemented
    found = _matching(api, key, args, kwargs)
    if len(found) > 1:
        raise ValueError(
            "Multiple dispatch targets that were registered with "
            f"tf.dispatch_for ({found[0].handler} and {found[1].handler}) "
            f"match the arguments to {api.__name__}"
        )
    return found[0].call(*args, **kwargs) if found else NotImplemented


def _matching(api: Callable, key: object, args: tuple, kwargs: dict) -> list:
    found = []
    if _targets.get(key):
        bound = bind(api, args, kwargs)
        found += [t for t in _targets[key] if t.accepts(bound)]
    if maps(api) == 1:
        x, rest, named = first(api, args, kwargs, 1)
        for cls, handler in _unary.items():
            if isinstance(x[0], cls):
                found.append(_elementwise(handler, api, x, rest, named))
    tables = [_binary] if maps(api) == 2 else []
    if compares(api):
        tables.append(_asserts)
    for table in tables:
        x, rest, named = first(api, args, kwargs, 2)
        for classes, handler in table.items():
            if len(x) == 2 and all(map(isinstance, x, classes)):
                found.append(_elementwise(handler, api, x, rest, named))
    return found


def _elementwise(handler, api, operands, rest, named) -> _Target:
    bound = functools.partial(_with_rest, api, rest, named)
    return _Target(
        handler, lambda *args, **kwargs: handler(bound, *operands), None
    )


def _with_rest(api: Callable, rest: tuple, named: dict, *operands) -> object:
    return api(*operands, *rest, **named)


def first(api: Callable, args: tuple, kwargs: dict, count: int) -> tuple:
    """(the first `count` arguments, the other positional ones, keywords)."""
    operands, named = list(args[:count]), dict(kwargs)
    names = list(inspect.signature(api).parameters)
    for name in names[len(operands):count]:
        if name in named:
            operands.append(named.pop(name))
    return operands, args[count:], named


def bind(api: Callable, args: tuple, kwargs: dict) -> dict:
    """Arguments by name."""
    return inspect.signature(api).bind(*args, **kwargs).arguments


def _accepts(annotation: object, value: object) -> bool:
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(_accepts(a, value) for a in typing.get_args(annotation))
    if origin in (list, tuple, collections.abc.Sequence):
        return (
            isinstance(value, (list, tuple))
            and len(value) > 0
            and all(
                any(_accepts(a, item) for a in typing.get_args(annotation))
                for item in value
            )
        )
    return isinstance(annotation, type) and isinstance(value, annotation)


def dispatch_for_api(api: Callable, *signatures: dict) -> Callable:
    """Decorates a function that is called in the place of `api` for
    arguments of certain types.

    Args:
      api: a function of TensorFlow's API that computes with tensors.
      *signatures: each a dictionary, the name of an argument -> its type, a
        Union of types or a List of one. Without any the annotations of the
        function decorated count.

    The function takes the parameters of `api`, whatever their defaults are, or
    `*args, **kwargs`. It may leave out `name`, which is then the name scope that
    it is called in.

    Raises ValueError if `api` cannot be dispatched, or if the parameters of
    the function are not those of `api`.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.math.reduce_max)
    ... def masked_max(input_tensor: Masked, axis=None, keepdims=False,
    ...                name=None):
    ...     kept = tf.boolean_mask(input_tensor.values, input_tensor.mask)
    ...     return tf.math.reduce_max(kept, axis, keepdims)
    >>> tf.math.reduce_max(Masked([1, 9], [True, False])).numpy().item()
    1
    """
    key = key_of(api)
    if key is None:
        raise ValueError(f"{api} does not support dispatch.")
    wanted = inspect.signature(api)
    for form in signatures:
        _check_names(form, wanted)

    def decorate(target: Callable) -> Callable:
        call = _with_name(target, wanted)
        _check_parameters(inspect.signature(call), wanted)
        forms = signatures or (typing.get_type_hints(target),)
        for form in forms:
            form = {k: v for k, v in form.items() if k != "return"}
            _check_names(form, wanted)
            if not form:
                raise ValueError(
                    "The Dispatch function must have at least one annotated "
                    "parameter, or `dispatch_for_api` a signature."
                )
            _targets.setdefault(key, []).append(
                _Target(target, call, functools.partial(_fits, form))
            )
        return target

    return decorate


def _with_name(target: Callable, wanted: inspect.Signature) -> Callable:
    """`target`, which takes a `name` if the API does."""
    given = inspect.signature(target)
    parameters = list(given.parameters.values())
    if (
        "name" not in wanted.parameters
        or "name" in given.parameters
        or any(p.kind is p.VAR_KEYWORD for p in parameters)
    ):
        return target

    @functools.wraps(target)
    def named(*args, **kwargs):
        values = given_with_name.bind(*args, **kwargs).arguments
        name = values.pop("name", None)
        if name is None:
            return target(**values)
        with _graphkiln.name_scope(name):
            return target(**values)

    given_with_name = given.replace(parameters=[
        *parameters,
        inspect.Parameter(
            "name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None
        ),
    ])
    named.__signature__ = given_with_name
    return named


def _check_parameters(
    given: inspect.Signature, wanted: inspect.Signature
) -> None:
    kinds = [p.kind for p in given.parameters.values()]
    if kinds == [inspect.Parameter.VAR_POSITIONAL,
                 inspect.Parameter.VAR_KEYWORD]:
        return
    if [(p.name, p.kind) for p in given.parameters.values()] != [
        (p.name, p.kind) for p in wanted.parameters.values()
    ]:
        raise ValueError(
            f"Dispatch function's signature {_plain(given)} does not match "
            f"API's signature {_plain(wanted)}."
        )


def _check_names(form: dict, wanted: inspect.Signature) -> None:
    for name in form:
        if name not in wanted.parameters:
            raise ValueError(
                f"signature includes annotation for unknown parameter {name!r}."
            )


def _fits(form: dict, bound: dict) -> bool:
    return all(name in bound and _accepts(t, bound[name])
               for name, t in form.items())


def _plain(signature: inspect.Signature) -> inspect.Signature:
    return inspect.Signature([
        p.replace(annotation=p.empty) for p in signature.parameters.values()
    ])


def _register(table: dict, what: str, key: object, shown: str) -> Callable:
    def decorate(handler: Callable) -> Callable:
        if key in table:
            raise ValueError(
                f"A {what} dispatch handler ({table[key]}) has already been "
                f"registered for {shown}."
            )
        table[key] = handler
        return handler

    return decorate


def dispatch_for_unary_elementwise_apis(x_type: type) -> Callable:
    """Decorates a handler `handler(api_func, x)` of all functions that work
    element by element on one argument, where that is an `x_type`.

    Raises ValueError if the type has one.

    >>> class Boxed(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Boxed)
    ... def boxed(api_func, x):
    ...     return Boxed(api_func(x.value))
    >>> tf.abs(Boxed(-2)).value.numpy().item()
    2
    """
    return _register(_unary, "unary elementwise", x_type, str(x_type))


def dispatch_for_binary_elementwise_apis(x_type: type, y_type: type):
    """Decorates a handler `handler(api_func, x, y)` of all functions that work
    element by element on two arguments, where these are of the types.

    Raises ValueError if there is one for these types.

    >>> class Pair(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Pair, Pair)
    ... def pairs(api_func, x, y):
    ...     return Pair(api_func(x.value, y.value))
    >>> tf.add(Pair(1), Pair(2)).value.numpy().item()
    3
    """
    return _register(
        _binary, "binary elementwise", (x_type, y_type), f"{x_type} {y_type}"
    )


def dispatch_for_binary_elementwise_assert_apis(x_type: type, y_type: type):
    """Decorates a handler `handler(api_func, x, y)` of the assertions about
    two arguments, `tf.debugging.assert_equal` and the like.

    Raises ValueError if there is one for these types.

    >>> class Point(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(
    ...     Point, Point)
    ... def points(api_func, x, y):
    ...     return api_func(x.value, y.value)
    >>> tf.debugging.assert_equal(Point(1), Point(1))
    """
    return _register(
        _asserts, "binary elementwise assert", (x_type, y_type),
        f"{x_type} {y_type}",
    )


def unregister_dispatch_for(dispatch_target: Callable) -> None:
    """Forgets a function that one of the decorators registered.

    Raises ValueError if none did.

    >>> class Gone(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Gone)
    ... def handler(api_func, x):
    ...     return x
    >>> tf.experimental.unregister_dispatch_for(handler)
    """
    found = False
    for table in (_unary, _binary, _asserts):
        for key in [k for k, v in table.items() if v is dispatch_target]:
            del table[key]
            found = True
    for key, targets in _targets.items():
        kept = [t for t in targets if t.handler is not dispatch_target]
        found = found or len(kept) < len(targets)
        _targets[key] = kept
    if not found:
        raise ValueError(
            f"Function {dispatch_target} was not registered using a "
            "`@dispatch_for_*` decorator."
        )


def python_api(function: Callable, key: object = None) -> Callable:
    """A public function written in Python, which can be dispatched as those
    made of ops can."""
    key = key or (function.__module__, function.__qualname__)

    @functools.wraps(function)
    def api(*args, **kwargs):
        if _concerns(key, args, kwargs):
            above = importlib.import_module(
                "graphkiln._src.types.composite_dispatch"
            )
            result = above.dispatch(api, args, kwargs)
            if result is not NotImplemented:
                return result
        return function(*args, **kwargs)

    api._dispatch_key = key
    return api


def _concerns(key: object, args: tuple, kwargs: dict) -> bool:
    """Is there an argument that may be meant for something else?"""
    if _unary or _binary or _asserts or _targets.get(key):
        return True
    for value in (*args, *kwargs.values()):
        if isinstance(value, CompositeTensor):
            return True
        if isinstance(value, (list, tuple)):
            if any(isinstance(item, CompositeTensor) for item in value):
                return True
    return False
