"""Errors raised while tracing, told with the user's own lines."""

import linecache
import os
import types

from graphkiln import _graphkiln
from graphkiln.autograph import conversion
from graphkiln.autograph.multiline_key_error import MultilineMessageKeyError
from graphkiln.autograph.staging_error import StagingError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


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


# A line that comes more often in a row is shown so many times.
_MOST_ALIKE = 3

# What texts of errors mean for those who trace, by a part of the text.
_NOTES = (
    (
        "object does not support item assignment",
        "Tensors do not change. tf.tensor_scatter_nd_update gives a changed "
        "copy; a tf.Variable or a tf.TensorArray can be written to.",
    ),
    *((part,
        "A SymbolicTensor has no value while the function is traced. Use ops "
        "of tf in place of Python's and NumPy's functions, tf.print in place "
        "of .numpy(), or tf.py_function for what has to be Python.",
    ) for part in ("not SymbolicTensor", "'SymbolicTensor' object")),
    (
        "is out of scope and cannot be used here",
        "A tensor leaves the body of a loop or branch only as a local variable "
        "that is assigned there: assign it also before the loop, or in the "
        "other branch. What is made in each iteration goes to a "
        "tf.TensorArray, or to a list of which "
        "tf.autograph.experimental.set_element_type tells.",
    ),
)


def _note(message: str) -> str:
    for part, note in _NOTES:
        if part in message:
            return note
    return ""


def _text(frames: list[tuple], error: BaseException) -> str:
    lines = ["in user code:", ""]
    alike = 0
    for i, frame in enumerate(frames):
        alike = alike + 1 if i and frames[i - 1] == frame else 0
        if alike < _MOST_ALIKE:
            file, line, name, mark = frame
            tail = f"  {mark}" if mark else ""
            lines.append(f'    File "{file}", line {line}, in {name}{tail}')
            lines.append(f"        {linecache.getline(file, line).strip()}")
        elif i + 1 == len(frames) or frames[i + 1] != frame:
            lines.append(
                f"    [the line above {alike - _MOST_ALIKE + 1} more times]"
            )
    message = str(error)
    if note := _note(message):
        message += f"\n{note}"
    indented = message.replace("\n", "\n    ")
    lines += ["", f"    {type(error).__name__}: {indented}", ""]
    return "\n".join(lines)


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
