"""Calls from converted code: what is called is converted first, unless it
belongs to a library, to Python itself, or asks to be left alone."""

import functools
import inspect
import types

from graphkiln import _graphkiln
from graphkiln._src.host import logging as _logging
from graphkiln.autograph import (
    conversion,
    overloads,
    source,
    staged_list,
    verbosity,
)

_LEFT_ALONE = frozenset(
    "collections copy cProfile inspect ipdb linecache mock pathlib pdb "
    "posixpath pstats re threading urllib matplotlib numpy pandas PIL "
    "tensorflow tensorflow_probability keras tf_keras graphkiln "
    "builtins functools itertools operator math random logging os sys abc "
    "contextlib typing dataclasses enum types weakref warnings importlib "
    "unittest pytest _pytest ml_dtypes absl doctest".split()
)
# Modules of the package whose functions are programs, not the library.
_PROGRAMS = ("graphkiln.examples",)

_modules: dict[str, bool] = {}


def _is_library(module: object) -> bool:
    if not isinstance(module, str):
        return False
    known = _modules.get(module)
    if known is None:
        known = module.partition(".")[0] in _LEFT_ALONE
        known = known and not module.startswith(_PROGRAMS)
        _modules[module] = known
    return known


def autograph_artifact(function):
    """Generated code says so of its local functions; they are known by
    their code."""
    return function


# Their bodies run when somebody asks for the next value.
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def is_left_alone(function: types.FunctionType, is_root: bool = False) -> bool:
    """Is this Python function called as it is? One that is traced itself (a root)
    is converted in whatever library it stands, but for this one."""
    code = function.__code__
    if id(code) in conversion.generated or code.co_flags & _GENERATORS:
        return True
    # functools.wraps copies the mark, but the code is the wrapper's own.
    marks = function.__dict__
    if marks and marks.get("__ag_do_not_convert__") is code:
        return True
    module = function.__module__
    if is_root and isinstance(module, str):
        is_library = module.partition(".")[0] == "graphkiln" and _is_library(module)
    else:
        is_library = _is_library(module)
    # Examples of docstrings are programs, whatever module they are run in.
    return is_library and not (
        code.co_filename.startswith("<doctest ")
    )


_warned: set = set()


def warn_unconverted(function: object, reason: str) -> None:
    """Says once that a function runs as it is; in strict mode raises."""
    message = (
        f"AutoGraph could not transform {function!r} and will run it as-is.\n"
        f"Cause: {reason}\n"
        "To silence this warning, decorate the function with "
        "@tf.autograph.experimental.do_not_convert"
    )
    if verbosity.is_strict():
        raise verbosity.ConversionError(message)
    code = getattr(function, "__code__", None)
    key = id(code) if code is None else (code.co_filename, code.co_firstlineno)
    if key not in _warned:
        _warned.add(key)
        _logging.get_logger().warning("%s", message)


def converted_or_same(function, features: tuple = ()):
    """The conversion of a Python function, itself where there is none."""
    try:
        return conversion.convert(function, features)
    except source.SourceError as error:
        warn_unconverted(function, str(error))
        return function


def converted_call(f, args: tuple, kwargs: dict | None, scope=None):
    """Calls `f`, converted if it is the user's."""
    cls = type(f)
    if cls is types.FunctionType:
        if not is_left_alone(f):
            f = converted_or_same(f)
    elif cls is types.MethodType:
        function = f.__func__
        if type(function) is types.FunctionType:
            if not is_left_alone(function):
                made = converted_or_same(function)
                if made is not function:
                    args = (f.__self__, *args)
                    f = made
        elif type(function) is not _graphkiln.Function:
            return converted_call(function, (f.__self__, *args), kwargs, scope)
    elif cls is types.BuiltinFunctionType or cls is type:
        replacement = overloads.TABLE.get(f)
        if replacement is not None:
            f = replacement
    elif cls is functools.partial:
        kwargs = {**f.keywords, **(kwargs or {})}
        return converted_call(f.func, (*f.args, *args), kwargs, scope)
    elif cls is not _graphkiln.Function:
        return _call_object(f, args, kwargs, scope)
    if kwargs:
        return f(*args, **kwargs)
    return f(*args)


overloads.converted_call = converted_call


def _call_object(f, args: tuple, kwargs: dict | None, scope):
    """Calls an object of another class: by its own `__call__` if that is a
    user's Python function."""
    cls = type(f)
    if staged_list.made and args and (
        type(args[0]) is staged_list.StagedList
    ):
        f = overloads.of_list(f)
    if not isinstance(f, type) and not _is_library(cls.__module__):
        method = inspect.getattr_static(cls, "__call__", None)
        if type(method) is types.FunctionType and not is_left_alone(method):
            made = converted_or_same(method)
            return made(f, *args, **(kwargs or {}))
    return f(*args, **(kwargs or {}))


def convert_root(function, features: tuple = ()):
    """What tf.function traces in place of `function`."""
    if type(function) is types.FunctionType:
        if is_left_alone(function, is_root=True):
            return function
        return converted_or_same(function, features)
    if isinstance(function, functools.partial) or (
        type(function) is types.MethodType
    ):
        return lambda *args, **kwargs: converted_call(function, args, kwargs)
    wrapped = getattr(function, "__func__", None)
    if type(wrapped) is types.FunctionType:
        if is_left_alone(wrapped):
            return function
        made = converted_or_same(wrapped, features)
        if made is wrapped:
            return function
        return functools.partial(made, function.__self__)
    if isinstance(function, (type, types.BuiltinFunctionType)):
        return function
    return lambda *args, **kwargs: converted_call(function, args, kwargs)
