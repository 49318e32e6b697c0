"""Ops that only GPUs run: graphs hold them with TensorFlow's shapes, gradients and
errors."""

from __future__ import annotations

import re

import graphkiln
import pytest

tensorflow = pytest.importorskip("tensorflow")

LAYERS = {
    "input": [4, 2, 3],
    "input_h": [1, 2, 5],
    "input_c": [1, 2, 7],
    "params": [100],
}
LENGTHS = {"sequence_lengths": [2]}
RESULTS = {
    "output": [4, 2, 5],
    "output_h": [1, 2, 5],
    "output_c": [1, 2, 5],
    "output_backprop": [4, 2, 5],
    "output_h_backprop": [1, 2, 5],
    "output_c_backprop": [1, 2, 5],
    "reserve_space": [9],
}
SIZES = {"num_layers": [], "num_units": [], "input_size": []}
TYPES = {
    "sequence_lengths": "int32",
    "host_reserved": "int8",
    **dict.fromkeys(SIZES, "int32"),
}
WAYS = [
    {"direction": "bidirectional"},
    {"rnn_mode": "gru"},
    {"rnn_mode": "rnn_tanh", "direction": "bidirectional"},
]
FORWARD = {
    "CudnnRNN": LAYERS,
    "CudnnRNNV2": LAYERS,
    "CudnnRNNV3": {**LAYERS, **LENGTHS},
}
BACKWARD = {
    "CudnnRNNBackprop": {**LAYERS, **RESULTS},
    "CudnnRNNBackpropV2": {**LAYERS, **RESULTS, "host_reserved": [3]},
    "CudnnRNNBackpropV3": {**LAYERS, **RESULTS, **LENGTHS, "host_reserved": [3]},
}


def _variants(shapes):
    """These shapes, and for each of them an unknown one and one of other rank."""
    yield shapes
    for name, shape in shapes.items():
        for other in (None, [None] * len(shape), [3] * (len(shape) + 1)):
            yield {**shapes, name: other}


def _cases():
    for op, shapes in FORWARD.items():
        yield from ((op, [shapes], way) for way in WAYS)
        yield op, list(_variants(shapes)), {}
        yield op, [{**shapes, "input_c": [1]}], {"rnn_mode": "gru"}
    yield "CudnnRNNV3", [FORWARD["CudnnRNNV3"]], {"num_proj": 2, "time_major": False}
    for op, shapes in BACKWARD.items():
        yield op, list(_variants(shapes)), {}
    yield "CudnnRNNParamsSize", list(_variants(SIZES)), {"T": "float32", "S": "int64"}
    canonical = list(_variants({**SIZES, "params": [9]}))
    yield "CudnnRNNParamsToCanonical", canonical, {"num_params": 2}
    counts = {"num_params_weights": 2, "num_params_biases": 1}
    yield "CudnnRNNParamsToCanonicalV2", canonical, counts


def _shapes(tf, op, shapes, attrs):
    attrs = {
        name: getattr(tf, value) if name in ("S", "T") else value
        for name, value in attrs.items()
    }
    specs = {
        name: tf.TensorSpec(shape, getattr(tf, TYPES.get(name, "float32")))
        for name, shape in shapes.items()
    }
    call = tf.function(lambda **given: getattr(tf.raw_ops, op)(**given, **attrs))
    try:
        outputs = call.get_concrete_function(**specs).outputs
    except ValueError as error:
        found = str(error)
        return re.search(r"Shape must be rank \d but is rank \d", found).group()
    return [(output.dtype.name, str(output.shape)) for output in outputs]


@pytest.mark.parametrize(
    "op, variants, attrs", list(_cases()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_shapes(op, variants, attrs):
    for shapes in variants:
        ours = _shapes(graphkiln, op, shapes, attrs)
        assert ours == _shapes(tensorflow, op, shapes, attrs), shapes


def _packed_shapes(tf, op):
    weights, biases = [tf.TensorSpec([2, 3])] * 2, [tf.TensorSpec([2])] * 2
    call = tf.function(
        lambda n, w, b: getattr(tf.raw_ops, op)(
            num_layers=n, num_units=n, input_size=n, weights=w, biases=b
        )
    )
    specs = tf.TensorSpec([], tf.int32), weights, biases
    return [str(o.shape) for o in call.get_concrete_function(*specs).outputs]


@pytest.mark.parametrize(
    "op", ["CudnnRNNCanonicalToParams", "CudnnRNNCanonicalToParamsV2"]
)
def test_packed_parameters(op):
    assert _packed_shapes(graphkiln, op) == _packed_shapes(tensorflow, op)


def _inputs(tf, op):
    return {
        name: tf.zeros(shape, getattr(tf, TYPES.get(name, "float32")))
        for name, shape in FORWARD[op].items()
    }


def _gradient(tf, op, **attrs):
    @tf.function
    def gradients():
        given = _inputs(tf, op)
        with tf.GradientTape() as tape:
            tape.watch([v for v in given.values() if v.dtype.is_floating])
            outputs = getattr(tf.raw_ops, op)(**given, **attrs)
            loss = tf.reduce_sum(outputs[0])
        found = tape.gradient(loss, list(given.values()))
        return [g for g in found if g is not None]

    graph = gradients.get_concrete_function().graph
    back = [n for n in graph.as_graph_def().node if "Backprop" in n.op]
    shapes = [str(t.shape) for t in gradients.get_concrete_function().outputs]
    return shapes, [(n.op, sorted(n.attr)) for n in back]


@pytest.mark.parametrize("op", FORWARD)
def test_gradients(op):
    (shapes, nodes), theirs = _gradient(graphkiln, op), _gradient(tensorflow, op)
    assert shapes == theirs[0] and len(shapes) == 4
    assert nodes[0][0] == theirs[1][0][0] and len(nodes) == len(theirs[1])
    for tf in (graphkiln, tensorflow):
        with pytest.raises(ValueError, match=f"To use {op} in gradients, is_training"):
            _gradient(tf, op, is_training=False)


@pytest.mark.parametrize("op", FORWARD)
def test_running_one_fails(op):
    for tf in (graphkiln, tensorflow):
        with pytest.raises(tf.errors.NotFoundError, match=f"device for node:.*{op}"):
            getattr(tf.raw_ops, op)(**_inputs(tf, op))
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=f"No OpKernel was registered to support Op '{op}'(.|\n)*"
            r"Registered devices: \[CPU",
        ):
            call = getattr(tf.raw_ops, op)
            tf.function(lambda tf=tf, call=call: call(**_inputs(tf, op))[0] + 1.0)()
