"""Python values that a trace froze: globals, closure cells and attributes
that the traced function reads.

They are found without running anything, by what the code of the function and
of the functions it calls reads, and looked up just before tracing.
"""

import copy
import enum
import functools
import inspect
import logging
import sys
import weakref
from collections.abc import Callable, Mapping
from types import CellType, FunctionType, MethodType, ModuleType

import numpy as np

from graphkiln import _code_reads
from graphkiln import _graphkiln
from graphkiln import errors
from graphkiln._graphkiln import ConcreteFunction

_MAX_DEPTH = 8
_MAX_VALUES = 500
_MAX_LEAVES = 1000
_MAX_ELEMENTS = 1 << 16
_MISSING = object()

_PLAIN = (
    bool, int, float, complex, str, bytes, type(None), range, enum.Enum,
    np.generic, np.dtype, _graphkiln.DType, _graphkiln.TensorShape,
)
_CONTAINERS = (list, tuple, dict, set, frozenset)
_FOREIGN = sys.stdlib_module_names | {"graphkiln", "numpy", "builtins"}
MODES = ("warn", "retrace", "error")


class BakedValue:
    """A Python value that a trace froze.

    Attributes:
      name: how the code names it, as `config.rate` or `self.scale`.
      value: what it was when the function was traced.
      kind: "global", "closure" or "attribute".
      file, line, function: where the code reads it.
    """

    __slots__ = (
        "name", "value", "kind", "file", "line", "function", "_look_up",
        "_expected", "_guarded", "_functions",
    )

    def __init__(
        self,
        name: str,
        kind: str,
        value: object,
        place: tuple[str, int, str],
        look_up: Callable[[], object],
        functions: tuple[Callable[[], object], ...],
    ):
        self.name = name
        self.kind = kind
        self.value = value
        self.file, self.line, self.function = place
        self._look_up = look_up
        # What later values are compared with.
        self._expected = value
        self._guarded = True
        # What finds the Functions between the traced one and the read.
        self._functions = functions

    def current(self) -> object:
        """What it is now. LookupError if it is gone."""
        value = self._look_up()
        if value is _MISSING:
            raise LookupError(f"{self.name} is gone")
        return value

    def has_changed(self) -> bool:
        """Is it something else now than when the function was traced?"""
        return not _same(self._look_up(), self.value)

    def __repr__(self) -> str:
        return (
            f"BakedValue({self.name} = {_short(self.value)}, {self.kind}, "
            f'File "{self.file}", line {self.line}, in {self.function})'
        )


def _short(value: object) -> str:
    if value is _MISSING:
        return "<gone>"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _same(a: object, b: object) -> bool:
    """Equal, and of equal types throughout."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(
            a, b, equal_nan=a.dtype.kind in "fc"
        )
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    try:
        return bool(a == b) or (a != a and b != b)
    except Exception:  # a comparison of the user's class
        return False


def _is_plain(value: object, budget: list[int] | None = None) -> bool:
    """Is it a value that a trace freezes, and small enough to keep?"""
    budget = budget if budget is not None else [_MAX_LEAVES]
    budget[0] -= 1
    if budget[0] < 0:
        return False
    if isinstance(value, _PLAIN):
        return True
    if isinstance(value, np.ndarray):
        return value.size <= _MAX_ELEMENTS and not value.dtype.hasobject
    if type(value) is dict:
        return all(
            _is_plain(k, budget) and _is_plain(v, budget)
            for k, v in value.items()
        )
    if type(value) in _CONTAINERS or (
        isinstance(value, tuple) and hasattr(value, "_fields")
    ):
        return all(_is_plain(item, budget) for item in value)
    return False


def _is_foreign(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _FOREIGN


def _copied(value: object) -> object:
    """`value` as later changes leave it."""
    changeable = isinstance(value, (*_CONTAINERS, np.ndarray))
    return copy.deepcopy(value) if changeable else value


class _Walker:
    """Collects what functions read, calling each other."""

    def __init__(self):
        self.values: dict[tuple, BakedValue] = {}
        self._visited: set[tuple] = set()
        self._functions: tuple[Callable[[], object], ...] = ()

    def function(
        self, function: object, arguments: Mapping[str, object], depth: int
    ) -> None:
        """What `function` reads; `arguments`: objects it is called with."""
        code = getattr(function, "__code__", None)
        if code is None or _is_foreign(getattr(function, "__module__", None)):
            return
        # By id: the function that is walked keeps its code alive.
        key = (id(code), *((name, id(o)) for name, o in arguments.items()))
        if (
            key in self._visited
            or depth > _MAX_DEPTH
            or len(self.values) >= _MAX_VALUES
        ):
            return
        self._visited.add(key)
        for read in _code_reads.reads_of(code):
            root = self._root(function, read, arguments)
            if root is not None:
                place = (code.co_filename, read.line, read.function)
                self._follow(*root, read, place, depth)

    def _root(self, function, read, arguments):
        """The object named, and how to find it again."""
        if read.kind == _code_reads.GLOBAL:
            table = function.__globals__
            if read.name not in table:
                return None
            return table[read.name], lambda: table.get(read.name, _MISSING)
        if read.kind == _code_reads.CLOSURE:
            names = function.__code__.co_freevars
            cell = function.__closure__[names.index(read.name)]
            return _cell_contents(cell), lambda: _cell_contents(cell)
        if read.name not in arguments:
            return None
        owner = arguments[read.name]
        try:
            reference = weakref.ref(owner)
        except TypeError:
            return owner, lambda: owner

        def look_up():
            alive = reference()
            return _MISSING if alive is None else alive

        return owner, look_up

    def _follow(self, value, look_up_root, read, place, depth) -> None:
        path: list[str] = []
        for attribute in read.attributes:
            if _is_plain(value) or not _has_attributes(value):
                break
            value = _attribute(value, attribute)
            if isinstance(value, _Code):
                self._inside(value, depth)
                return
            if value is _MISSING:
                return
            path.append(attribute)
        if _is_plain(value):
            name = ".".join([read.name, *path])
            if read.kind == _code_reads.ARGUMENT and not path:
                return  # an argument's own value is part of the call
            self._add(name, path, read, value, look_up_root, place)
        else:
            self._callable(value, depth)

    def _add(self, name, path, read, value, look_up_root, place) -> None:
        def look_up():
            found = look_up_root()
            for attribute in path:
                found = _attribute(found, attribute)
                if found is _MISSING or isinstance(found, _Code):
                    return _MISSING
            return found

        owner = look_up_root() if path else None
        key = (place[0], read.kind, name, id(owner))
        if key not in self.values:
            kind = "attribute" if path else read.kind
            self.values[key] = BakedValue(
                name, kind, _copied(value), place, look_up, self._functions
            )

    def _inside(self, code: "_Code", depth: int) -> None:
        outer = self._functions
        if code.find_function is not None:
            self._functions = (*outer, code.find_function)
        self.function(code.function, code.arguments, depth + 1)
        self._functions = outer

    def _callable(self, value: object, depth: int) -> None:
        """What a callable that the function names reads, if it is called."""
        if isinstance(value, FunctionType):
            self.function(value, {}, depth + 1)
        elif isinstance(value, MethodType):
            self._method(value.__func__, value.__self__, depth)
        elif isinstance(value, _graphkiln.Function):
            outer = self._functions
            self._functions = (*outer, weakref.ref(value))
            state = value._state
            if state.is_bound:
                self._method(state.python_function, state.instance(), depth)
            else:
                self._callable(state.python_function, depth)
            self._functions = outer
        elif isinstance(value, functools.partial):
            self._callable(value.func, depth)
        elif type(value) in (list, tuple):
            for item in value[:64]:
                self._callable(item, depth + 1)
        elif not isinstance(value, type) and not _is_foreign(
            type(value).__module__
        ):
            self._method(getattr(type(value), "__call__", None), value, depth)

    def _method(self, function: object, instance: object, depth: int) -> None:
        code = None if instance is None else _method_code(function, instance)
        if code is not None:
            self._inside(code, depth)


class _Code:
    """Found in place of a value: a function that makes it, or a method."""

    def __init__(
        self,
        function: object,
        arguments: Mapping[str, object],
        find_function: Callable[[], object] | None = None,
    ):
        self.function = function
        self.arguments = arguments
        self.find_function = find_function


def _method_code(function: object, instance: object) -> _Code | None:
    """A method of `instance`, which may be a Function; None if it is none."""
    find = None
    if isinstance(function, _graphkiln.Function):
        state, key = function._state, id(instance)
        function = state.python_function

        def find():
            reference, bound = state.bound.get(key, (lambda: None, None))
            return None if reference() is None else bound

    if not isinstance(function, FunctionType):
        return None
    return _Code(function, _first(function, instance), find)


def _first(function: FunctionType, value: object) -> dict[str, object]:
    code = function.__code__
    return {code.co_varnames[0]: value} if code.co_argcount else {}


def _cell_contents(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _has_attributes(value: object) -> bool:
    if isinstance(value, ModuleType):
        return not _is_foreign(value.__name__)
    return not isinstance(value, (_graphkiln.Tensor, _graphkiln.BaseVariable))


def _attribute(owner: object, name: str) -> object:
    """An attribute, without running any code of the user's."""
    if owner is _MISSING:
        return _MISSING
    if isinstance(owner, ModuleType):
        return vars(owner).get(name, _MISSING)
    if isinstance(owner, type):
        found = inspect.getattr_static(owner, name, _MISSING)
        return _unwrapped(found)
    found = _MISSING
    for cls in type(owner).__mro__:
        if name in vars(cls):
            found = vars(cls)[name]
            break
    if isinstance(found, (property, functools.cached_property)):
        getter = found.fget if isinstance(found, property) else found.func
        if isinstance(getter, FunctionType):
            return _Code(getter, _first(getter, owner))
        return _MISSING
    if inspect.ismemberdescriptor(found):
        return getattr(owner, name, _MISSING)
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        own = None
    if type(own) is dict and name in own:
        return own[name]
    return _method_code(found, owner) or _unwrapped(found)


def _unwrapped(found: object) -> object:
    if isinstance(found, (staticmethod, classmethod)):
        return found.__func__
    return found


def snapshot(
    function: Callable, instance: object, arguments: Mapping[str, object]
) -> tuple[BakedValue, ...]:
    """What tracing `function` now would freeze. `arguments`: the objects
    among its arguments, by name."""
    walker = _Walker()
    if instance is not None:
        walker._method(function, instance, -1)
    elif isinstance(function, FunctionType):
        walker.function(function, arguments, 0)
    else:
        walker._callable(function, 0)
    return tuple(walker.values.values())


def settle(values: tuple[BakedValue, ...]) -> tuple[BakedValue, ...]:
    """Called when the trace is made: what tracing itself changed is left
    out of later comparisons."""
    for baked in values:
        if not _same(baked._look_up(), baked.value):
            baked._guarded = False
    return values


def _baked_values(self) -> list[BakedValue]:
    """The Python values that this trace froze: globals, closure cells and
    attributes that the function and the functions it calls read. Changes of
    them have no effect on the trace.

    >>> rate = 0.5
    >>> @tf.function
    ... def scale(x):
    ...     return x * rate
    >>> [baked] = scale.get_concrete_function(1.0).baked_values()
    >>> baked.name, baked.value, baked.kind
    ('rate', 0.5, 'global')
    """
    return list(vars(self).get("_baked", ()))


ConcreteFunction.baked_values = _baked_values


def _changes(concrete: ConcreteFunction) -> list[tuple[BakedValue, object]]:
    changed = []
    for baked in vars(concrete).get("_baked", ()):
        if baked._guarded:
            value = baked._look_up()
            if not _same(value, baked._expected):
                changed.append((baked, value))
    return changed


def _sentence(name: str, baked: BakedValue, value: object) -> str:
    return (
        f"{baked.name} was {_short(baked.value)} when {name} was traced and is "
        f"{_short(value)} now; the trace goes on with the earlier value. It is "
        f'read at File "{baked.file}", line {baked.line}, in {baked.function}. '
        "Make it a tf.Variable or an argument to let it change."
    )


def changes_to_retrace(function, concrete) -> list[tuple[str, str, str]]:
    """Frozen values that changed, where that is a reason to trace again:
    (name, before, now). Warns or raises where that was asked for instead."""
    changed = _changes(concrete)
    if not changed:
        return []
    mode = function._state.options["on_baked_change"]
    name = function._state.name
    if mode == "retrace":
        for baked, _ in changed:
            _drop_stale(baked)
        return [(b.name, _short(b.value), _short(v)) for b, v in changed]
    sentences = [_sentence(name, baked, value) for baked, value in changed]
    if mode == "error":
        raise errors.FailedPreconditionError(None, None, "\n".join(sentences))
    for baked, value in changed:
        baked._expected = _copied(value)  # each change once
    logging.getLogger("tensorflow").warning("%s", "\n".join(sentences))
    return []


def _drop_stale(baked: BakedValue) -> None:
    """Functions called on the way to the value keep no trace with it."""
    for find in baked._functions:
        inner = find()
        if inner is not None:
            for concrete in inner._traces():
                if _changes(concrete):
                    inner._drop(concrete)


def still_holds(function, concrete) -> bool:
    """May a cached call run this trace?"""
    return not changes_to_retrace(function, concrete)
