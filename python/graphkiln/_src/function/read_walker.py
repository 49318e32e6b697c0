"""Walks what a function and the functions it calls read, without running
anything, and collects the Python values that tracing it freezes."""

import enum
import functools
import inspect
import sys
import weakref
from collections.abc import Callable, Mapping
from types import CellType, CodeType, FunctionType, MethodType, ModuleType

from graphkiln import _graphkiln
from graphkiln._src.function import code_reads

MISSING = object()
_MAX_DEPTH = 8
_MAX_VALUES = 500
_FOREIGN = sys.stdlib_module_names | {"graphkiln", "numpy", "builtins"}


def shown(value: object) -> str:
    """`value` in a line of text."""
    if value is MISSING:
        return "<gone>"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


class BakedValue:
    """A Python value that a trace froze.

    Attributes:
      name: how the code names it, as `config.rate` or `self.scale`.
      value: what it was when the function was traced; of a large array only
        a `LargeArray` with its shape and dtype.
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
        if value is MISSING:
            raise LookupError(f"{self.name} is gone")
        return value

    def __repr__(self) -> str:
        return (
            f"BakedValue({self.name} = {shown(self.value)}, {self.kind}, "
            f'File "{self.file}", line {self.line}, in {self.function})'
        )


def _is_foreign(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _FOREIGN


class Walker:
    """Collects what functions read, calling each other."""

    def __init__(self, package: str):
        self._package = package  # of the traced function
        self.values: dict[tuple, BakedValue] = {}
        self._visited: set[tuple] = set()
        self._functions: tuple[Callable[[], object], ...] = ()

    def function(
        self, function: object, arguments: Mapping[str, object], depth: int
    ) -> None:
        """What `function` reads; `arguments`: objects it is called with."""
        code = getattr(function, "__code__", None)
        if code is None or self._is_installed(function, code):
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
        for read in code_reads.reads_of(code):
            root = self._root(function, read, arguments)
            if root is not None:
                place = (code.co_filename, read.line, read.function)
                self._follow(*root, read, place, depth)

    def _is_installed(self, function: FunctionType, code: CodeType) -> bool:
        """Is it of a library, and of another than the traced function?"""
        module = function.__module__
        return _is_foreign(module) or (
            "site-packages" in code.co_filename
            and isinstance(module, str)
            and module.partition(".")[0] != self._package
        )

    def _root(self, function, read, arguments):
        """The object named, and how to find it again."""
        if read.kind == code_reads.GLOBAL:
            table = function.__globals__
            if read.name not in table:
                return None
            return table[read.name], lambda: table.get(read.name, MISSING)
        if read.kind == code_reads.CLOSURE:
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
            return MISSING if alive is None else alive

        return owner, look_up

    def _follow(self, value, look_up_root, read, place, depth) -> None:
        path: list[str] = []
        for attribute in read.attributes:
            if _graphkiln.is_plain(value) or not _has_attributes(value):
                break
            value = _attribute(value, attribute)
            if isinstance(value, _Code):
                self._inside(value, depth)
                return
            if value is MISSING:
                return
            path.append(attribute)
        if _graphkiln.is_plain(value):
            name = ".".join([read.name, *path])
            if read.kind == code_reads.ARGUMENT and not path:
                return  # an argument's own value is part of the call
            self._add(name, path, read, value, look_up_root, place)
        else:
            self.callable(value, depth)

    def _add(self, name, path, read, value, look_up_root, place) -> None:
        def look_up():
            found = look_up_root()
            for attribute in path:
                found = _attribute(found, attribute)
                if found is MISSING or isinstance(found, _Code):
                    return MISSING
            return found

        owner = look_up_root() if path else None
        key = (place[0], read.kind, name, id(owner))
        if key not in self.values:
            kind = "attribute" if path else read.kind
            self.values[key] = BakedValue(
                name, kind, _graphkiln.copied(value), place, look_up, self._functions
            )

    def _inside(self, code: "_Code", depth: int) -> None:
        outer = self._functions
        if code.find_function is not None:
            self._functions = (*outer, code.find_function)
        self.function(code.function, code.arguments, depth + 1)
        self._functions = outer

    def callable(self, value: object, depth: int) -> None:
        """What a callable that the function names reads, if it is called."""
        if isinstance(value, FunctionType):
            self.function(value, {}, depth + 1)
        elif isinstance(value, MethodType):
            self.method(value.__func__, value.__self__, depth)
        elif isinstance(value, _graphkiln.Function):
            outer = self._functions
            self._functions = (*outer, weakref.ref(value))
            if value._is_bound:
                self.method(value._unbound, value._instance, depth)
            else:
                self.callable(value._unbound, depth)
            self._functions = outer
        elif isinstance(value, functools.partial):
            self.callable(value.func, depth)
        elif type(value) in (list, tuple):
            for item in value[:64]:
                self.callable(item, depth + 1)
        elif not isinstance(value, type) and not _is_foreign(
            type(value).__module__
        ):
            self.method(getattr(type(value), "__call__", None), value, depth)

    def method(self, function: object, instance: object, depth: int) -> None:
        """What `function` reads as a method of `instance`."""
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
        find = functools.partial(function._of_object, id(instance))
        function = function._unbound
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
        return MISSING


def _has_attributes(value: object) -> bool:
    if isinstance(value, ModuleType):
        return not _is_foreign(value.__name__)
    return not isinstance(value, (_graphkiln.Tensor, _graphkiln.BaseVariable))


def _attribute(owner: object, name: str) -> object:
    """An attribute, without running any code of the user's."""
    if owner is MISSING:
        return MISSING
    if isinstance(owner, ModuleType):
        return vars(owner).get(name, MISSING)
    if isinstance(owner, type):
        if issubclass(owner, enum.Enum):
            return MISSING  # cannot change
        found = inspect.getattr_static(owner, name, MISSING)
        return _unwrapped(found, owner)
    found = MISSING
    for cls in type(owner).__mro__:
        if name in vars(cls):
            found = vars(cls)[name]
            break
    if isinstance(found, (property, functools.cached_property)):
        getter = found.fget if isinstance(found, property) else found.func
        if isinstance(getter, FunctionType):
            return _Code(getter, _first(getter, owner))
        return MISSING
    if inspect.ismemberdescriptor(found):
        return getattr(owner, name, MISSING)
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        own = None
    if type(own) is dict and name in own:
        return own[name]
    return _method_code(found, owner) or _unwrapped(found, type(owner))


def _unwrapped(found: object, cls: type) -> object:
    if isinstance(found, classmethod):
        return _method_code(found.__func__, cls) or MISSING
    return found.__func__ if isinstance(found, staticmethod) else found


def values_read(
    function: Callable, instance: object, arguments: Mapping[str, object]
) -> tuple[BakedValue, ...]:
    """What tracing `function` now would freeze. `arguments`: the objects
    among its arguments, by name."""
    module = getattr(function, "__module__", None)
    walker = Walker(str(module).partition(".")[0])
    if instance is not None:
        walker.method(function, instance, -1)
    elif isinstance(function, FunctionType):
        walker.function(function, arguments, 0)
    else:
        walker.callable(function, 0)
    return tuple(walker.values.values())


_graphkiln.provide(shown, values_read)
