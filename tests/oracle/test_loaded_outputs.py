"""What loaded functions say of their results, here and in TensorFlow."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest
import tensorflow as original

import graphkiln as own

Pair = namedtuple("Pair", "u v")

BODIES = {
    "one": lambda tf, x: x * 2,
    "passed": lambda tf, x: x,
    "tuple": lambda tf, x: (x * 2, None, x),
    "nested": lambda tf, x: [x * 2, {"a": x, "b C-1": (x + 1,)}],
    "mapping": lambda tf, x: {"k": x * 2, "Z": [x, 3]},
    "fields": lambda tf, x: Pair(x, x + 1),
    "composites": lambda tf, x: {
        "r": tf.RaggedTensor.from_row_lengths(x, [tf.shape(x)[0]]),
        "s": tf.sparse.from_dense(x),
    },
}


def shown(value: Any) -> Any:
    """Equal for equal results; mappings in the order of their keys."""
    if isinstance(value, dict):
        return {key: shown(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return type(value).__name__, [shown(part) for part in value]
    return repr(value)


def save(tf: Any, folder: str) -> None:
    module = tf.Module()
    spec = tf.TensorSpec([None], tf.float32)

    def traced(body: Any) -> Any:
        return tf.function(lambda x: body(tf, x), input_signature=[spec])

    for name, body in BODIES.items():
        setattr(module, name, traced(body))
    tf.saved_model.save(module, folder, signatures={"first": module.one})


@pytest.mark.parametrize("writer", (original, own), ids=("tensorflow", "graphkiln"))
def test_results_of_loaded_functions(writer: Any, tmp_path: Any) -> None:
    save(writer, str(tmp_path))
    told = []
    for tf in (original, own):
        loaded = tf.saved_model.load(str(tmp_path))
        functions = {name: getattr(loaded, name).concrete_functions for name in BODIES}
        functions["signature"] = [loaded.signatures["first"]]
        told.append(
            {
                name: [shown(f.structured_outputs) for f in traces]
                for name, traces in functions.items()
            }
        )
    assert told[0] == told[1]
    assert "name='b" not in str(told[1])  # they stand in a list
    assert "name='tensor_1_b_c_1_0'" in str(told[1])


def test_saved_again(tmp_path: Any) -> None:
    save(own, str(tmp_path / "first"))
    loaded = own.saved_model.load(str(tmp_path / "first"))
    own.saved_model.save(loaded, str(tmp_path / "second"))
    again = own.saved_model.load(str(tmp_path / "second"))
    for name in BODIES:
        first, second = (
            getattr(model, name).concrete_functions[0].structured_outputs
            for model in (loaded, again)
        )
        assert shown(first) == shown(second), name
