"""Errors raised while tracing, told with the user's own lines."""

import linecache
import os
import types

from graphkiln import _graphkiln
from graphkiln.autograph import conversion

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class StagingError(RuntimeError):
    """An error raised while tracing whose class cannot be made from a
    message."""


class MultilineMessageKeyError(KeyError):
    """A KeyError that prints its message as it is."""

    def __init__(self, message: str, original_key: object = None):
        super().__init__(original_key)
        self._message = message

    def __str__(self) -> str:
        return self._message


def user_frames(traceback: types.TracebackType | None) -> list[tuple]:
    """(file, line, function, mark) of the user's frames from the first
    converted one inwards. The bodies of branches and loops are lines of the
    function they belong to."""
    found: list[list] = []
    converted_seen = unconverted_seen = False
    while traceback is not None:
        code = traceback.tb_frame.f_code
        root = conversion.generated.get(id(code))
        line = traceback.tb_lineno
        if root is not None:
            name = code.co_name
            if root or not found or found[-1][3] != "*":
                name = name.removeprefix("tf__")
                found.append([code.co_filename, line, name, "*"])
            else:
                found[-1][1] = line
            converted_seen, unconverted_seen = True, False
        elif converted_seen and not code.co_filename.startswith(_PACKAGE):
            mark = "" if unconverted_seen else "**"
            unconverted_seen = True
            found.append([code.co_filename, line, code.co_name, mark])
        traceback = traceback.tb_next
    return [tuple(f) for f in found]


def _text(frames: list[tuple], error: BaseException) -> str:
    lines = ["in user code:", ""]
    for file, line, name, mark in frames:
        tail = f"  {mark}" if mark else ""
        lines.append(f'    File "{file}", line {line}, in {name}{tail}')
        lines.append(f"        {linecache.getline(file, line).strip()}")
    message = str(error)
    lines += ["", f"    {type(error).__name__}: {message}", ""]
    return "\n".join(lines).replace(message, message.replace("\n", "\n    "))


def explained(error: BaseException) -> BaseException | None:
    """The error to raise instead, of the same type where that can be; None
    if `error` speaks for itself."""
    if not isinstance(error, Exception) or getattr(error, "_told", False):
        return None
    frames = user_frames(error.__traceback__)
    if not frames:
        return None
    text = _text(frames, error)
    cls = type(error)
    if cls is KeyError:
        key = error.args[0] if error.args else None
        made: BaseException = MultilineMessageKeyError(text, key)
    elif hasattr(error, "node_def") and hasattr(error, "error_code"):
        made = cls(error.node_def, error.op, text)
    else:
        made = _of_class(cls, text)
    for name, value in vars(error).items():
        if name not in vars(made):
            try:
                setattr(made, name, value)
            except AttributeError:
                continue
    made._told = True
    return made


def _of_class(cls: type, text: str) -> BaseException:
    """An error of a class whose constructor takes a message."""
    if cls.__init__ in (Exception.__init__, OSError.__init__) or (
        cls.__module__ in ("builtins", _graphkiln.__name__)
        or cls.__module__.startswith("graphkiln")
    ):
        try:
            made = cls(text)
            if str(made) == text:
                return made
        except TypeError:
            pass
    elif _takes_message(cls):
        return cls(text)
    return StagingError(text)


def _takes_message(cls: type) -> bool:
    return cls.__init__ is BaseException.__init__ or "__init__" not in vars(
        cls
    ) and all(
        "__init__" not in vars(base)
        for base in cls.__mro__
        if base.__module__ != "builtins"
    )
