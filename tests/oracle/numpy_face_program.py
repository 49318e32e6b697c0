"""What expressions of tf.experimental.numpy give in both modules, in one mode of
promotion: how tensors behave is a matter of the whole process, so each mode has
one of its own. Prints a line of JSON for each expression.

    python numpy_face_program.py MODE [prefer_float32]
"""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np
from numpy_face_calls import CALLS, SETUP, TRACED

OFF = "as it is"


def shown_value(value: object) -> object:
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        return [x.decode() if isinstance(x, bytes) else str(x) for x in array.flat]
    if array.dtype.kind == "c":
        return [[float(x.real), float(x.imag)] for x in array.flat]
    return [float(x) for x in np.asarray(array, np.float64).flat]


def outcome(tf: object, value: object) -> object:
    """What can be compared of a value."""
    if isinstance(value, (list, tuple)) and not isinstance(value, tf.TensorShape):
        return [outcome(tf, item) for item in value]
    if isinstance(value, tf.DType):
        return f"dtype {value.name}"
    if isinstance(value, tf.TensorShape):
        return f"shape {value}"
    if isinstance(value, (np.ndarray, np.generic)):
        return ["numpy", str(value.dtype), list(value.shape), shown_value(value)]
    if hasattr(value, "dtype") and hasattr(value, "numpy"):
        weak = ", weak=True" in repr(value)
        return [
            "tensor", value.dtype.name, weak, value.shape.as_list(),
            shown_value(value.numpy()),
        ]
    if isinstance(value, (bool, int, float, complex, str, type(None))):
        return [type(value).__name__, str(value)]
    return [type(value).__name__]


def names_of(tf: object) -> dict[str, object]:
    names = {"tf": tf, "np": np, "tnp": tf.experimental.numpy}
    exec(SETUP, names)
    return names


def asked(tf: object, expression: str) -> object:
    try:
        return outcome(tf, eval(expression, names_of(tf)))
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)[:300]}


def traced(tf: object, expression: str, specs: str) -> object:
    """Static shapes and dtypes of a graph, and what it computes."""
    names = names_of(tf)
    known: list[object] = []

    def body(*args: object) -> object:
        result = eval(expression, {**names, **dict(zip("xyz", args, strict=False))})
        flat = list(result) if isinstance(result, (list, tuple)) else [result]
        known.extend(f"{t.dtype.name} {t.shape}" for t in flat)
        return result

    try:
        spec_list, values = eval(specs, names)
        f = tf.function(body, input_signature=spec_list, autograph=False)
        return [outcome(tf, f(*values)), known]
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)[:300]}


def main() -> None:
    import tensorflow

    import graphkiln

    mode, options = sys.argv[1], sys.argv[2:]
    modules = (graphkiln, tensorflow)
    for tf in modules:
        if mode != OFF:
            tf.experimental.numpy.experimental_enable_numpy_behavior(
                prefer_float32=bool(options), dtype_conversion_mode=mode
            )
    for expression in CALLS:
        ours, theirs = (asked(tf, expression) for tf in modules)
        print(json.dumps([expression, ours, theirs]))
    for expression, specs in TRACED:
        ours, theirs = (traced(tf, expression, specs) for tf in modules)
        print(json.dumps([f"{expression} of {specs}", ours, theirs]))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
