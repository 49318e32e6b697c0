"""Walks what a function and the functions it calls read, without running
anything, and collects the Python values that tracing it freezes."""

import functools
import weakref
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType, MethodType

from graphkiln import _graphkiln
from graphkiln._src.function import code_reads, read_values
from graphkiln._src.function.baked_value import MISSING, BakedValue
from graphkiln._src.function.code_in_place import CodeInPlace

_MAX_DEPTH = 8
_MAX_VALUES = 500


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
        return read_values.is_foreign(module) or (
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
            return (
                read_values.cell_contents(cell),
                lambda: read_values.cell_contents(cell),
            )
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
            if _graphkiln.is_plain(value) or not read_values.has_attributes(
                value
            ):
                break
            value = read_values.attribute(value, attribute)
            if isinstance(value, CodeInPlace):
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
                found = read_values.attribute(found, attribute)
                if found is MISSING or isinstance(found, CodeInPlace):
                    return MISSING
            return found

        owner = look_up_root() if path else None
        key = (place[0], read.kind, name, id(owner))
        if key not in self.values:
            kind = "attribute" if path else read.kind
            self.values[key] = BakedValue(
                name, kind, _graphkiln.copied(value), place, look_up, self._functions
            )

    def _inside(self, code: CodeInPlace, depth: int) -> None:
        outer = self._functions
        if code.find_function is not None:
            self._functions = (*outer, code.find_function)
        self.function(code.function, code.arguments, depth + 1)
        self._functions = outer

    def callable(self, value: object, depth: int) -> None:
        """What a callable that the function names reads, if it is called."""
        if type(value) is FunctionType:
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
        elif not isinstance(value, type) and not read_values.is_foreign(
            type(value).__module__
        ):
            self.method(getattr(type(value), "__call__", None), value, depth)

    def method(self, function: object, instance: object, depth: int) -> None:
        """What `function` reads as a method of `instance`."""
        code = None
        if instance is not None:
            code = read_values.method_code(function, instance)
        if code is not None:
            self._inside(code, depth)


def values_read(
    function: Callable, instance: object, arguments: Mapping[str, object]
) -> tuple[BakedValue, ...]:
    """What tracing `function` now would freeze. `arguments`: the objects
    among its arguments, by name."""
    module = getattr(function, "__module__", None)
    walker = Walker(str(module).partition(".")[0])
    if instance is not None:
        walker.method(function, instance, -1)
    elif type(function) is FunctionType:
        walker.function(function, arguments, 0)
    else:
        walker.callable(function, 0)
    return tuple(walker.values.values())


_graphkiln.provide(values_read)
