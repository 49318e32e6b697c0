"""tf.debugging: what tracebacks show, and checks of every op's numbers."""

import types

from graphkiln import _graphkiln

_filtering = True
_OWN = __file__.removesuffix("_src/checks/debugging.py")


def enable_traceback_filtering():
    """Leaves our own frames out of tracebacks.

    >>> tf.debugging.enable_traceback_filtering()
    """
    global _filtering
    _filtering = True


def disable_traceback_filtering():
    """Shows our own frames in tracebacks.

    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    """
    global _filtering
    _filtering = False


def is_traceback_filtering_enabled():
    """Are our own frames left out of tracebacks?

    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return _filtering


def without_own_frames(error: BaseException) -> None:
    """Takes our own frames out of an error's traceback, if that is wanted."""
    if not _filtering:
        return
    kept, trace = [], error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_OWN):
            kept.append(trace)
        trace = trace.tb_next
    made = None
    for trace in reversed(kept):
        made = types.TracebackType(
            made, trace.tb_frame, trace.tb_lasti, trace.tb_lineno
        )
    error.__traceback__ = made


def enable_check_numerics(stack_height_limit=30, path_length_limit=50):
    """Ops that this thread makes fail if they give infinity or NaN.

    That holds for eager ops and for functions that are traced from now on.

    Args:
      stack_height_limit: accepted for compatibility; errors of graphs tell
        the line where the op was made.
      path_length_limit: the same.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.debugging.disable_check_numerics()
    """
    _graphkiln.set_check_numerics(True)


def disable_check_numerics():
    """Ops made from now on are not checked.

    >>> tf.debugging.disable_check_numerics()
    """
    _graphkiln.set_check_numerics(False)
