"""The op table's calls on both: signatures, values, dtypes, shapes."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import pytest

import graphkiln

sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "ops"))

import cases  # noqa: E402
import known_gaps  # noqa: E402

OPS = cases.called_ops()
NOT_COMPARED = {
    "Timestamp": "no two calls agree",
    "CTCLossV2": "TensorFlow has no kernel for CPUs",
    "GenerateBoundingBoxProposals": "TensorFlow has no kernel for CPUs",
    "Conv2DBackpropInputV2": "TensorFlow has no kernel for CPUs",
    "Conv2DBackpropFilterV2": "TensorFlow has no kernel for CPUs",
    "MaxPoolGradGradWithArgmax": "TensorFlow has no kernel for CPUs",
    "MaxPoolGradWithArgmax": "TensorFlow takes int64 places alone",
    "AccumulateNV2": "TensorFlow runs it in graphs only",
    "StatefulRandomBinomial": "the constant that TensorFlow's variable began "
    "with shows through; test_special_and_quantize.py compares draws",
    **dict.fromkeys(
        ("FFTND", "IFFTND", "RFFTND", "IRFFTND"),
        "TensorFlow has no kernel for CPUs",
    ),
    "Eig": "vectors are unique but for their phases; test_linalg.py compares",
    "Svd": "vectors are unique but for their phases; test_linalg.py compares",
}
# Dtypes whose values differ on purpose.
DIFFERENT = {
    ("BlockLSTMGrad", "float16"): "TensorFlow adds up in half",
    ("BlockLSTMGradV2", "float16"): "TensorFlow adds up in half",
    ("CTCLoss", "float64"): "sums pass through float's exp, which differ",
    ("Round", "int32"): "TensorFlow's raw op gives zeros",
    ("Round", "int64"): "TensorFlow's raw op gives zeros",
    ("ResizeBilinearGrad", "float64"): "TensorFlow's products are floats",
    ("ResizeBicubicGrad", "float64"): "TensorFlow's products are floats",
    ("SelfAdjointEigV2", "complex64"): "vectors are unique but for their phases",
}
# Where TensorFlow has no kernel there is nothing to compare with.
# What they keep for their gradient has a shape [0] or, where TensorFlow computes by
# oneDNN, which depends on the processor, none.
RESERVING = ("FusedBatchNormV3", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
NO_KERNEL = ("No OpKernel was registered", "Could not find device for node")
# Dtypes whose errors add up: this many units of the dtype's own tolerance.
SLACK = {"float16": 8.0, "bfloat16": 4.0}
# Whose values are sums of much larger ones, which TensorFlow adds in an order that its
# processor's registers give.
SUMMED = ("BlockLSTMGradV2",)


def is_random(op: str) -> bool:
    return "random" in cases.record(op)["traits"]


def definition(record: dict[str, Any]) -> dict[str, Any]:
    """A record in the words of TensorFlow's OpDef."""

    def args(which: str) -> list[tuple[Any, ...]]:
        return [
            (
                a["name"],
                a["type"].as_datatype_enum if a["type"] else 0,
                a["type_attr"],
                a["number_attr"],
                a["type_list_attr"],
            )
            for a in record[which]
        ]

    return {
        "inputs": args("inputs"),
        "outputs": args("outputs"),
        "attrs": {
            a["name"]: (a["type"], a["has_default"], a["minimum"] or 0)
            for a in record["attrs"]
        },
        "types": {
            a["name"]: {t.as_datatype_enum for t in a["allowed_types"]}
            for a in record["attrs"]
        },
        "strings": {a["name"]: set(a["allowed_strings"]) for a in record["attrs"]},
    }


def their_definition(op_def: Any) -> dict[str, Any]:
    def args(which: Any) -> list[tuple[Any, ...]]:
        return [
            (a.name, a.type, a.type_attr, a.number_attr, a.type_list_attr)
            for a in which
        ]

    return {
        "inputs": args(op_def.input_arg),
        "outputs": args(op_def.output_arg),
        "attrs": {
            a.name: (a.type, a.HasField("default_value"), a.minimum)
            for a in op_def.attr
        },
        "types": {
            a.name: set(a.allowed_values.list.type) for a in op_def.attr
        },
        "strings": {
            a.name: {s.decode() for s in a.allowed_values.list.s}
            for a in op_def.attr
        },
    }


def default_of(attr: Any) -> Any:
    value = attr.default_value
    kind = value.WhichOneof("value")
    if kind == "list":
        items = value.list
        for field in ("i", "f", "b", "type", "s"):
            if getattr(items, field):
                return list(getattr(items, field))
        return []
    return getattr(value, kind)


@pytest.mark.parametrize("op", OPS)
def test_signature(both, op: str):
    from tensorflow.python.framework import op_def_registry

    theirs = op_def_registry.get(op)
    assert theirs is not None, "TensorFlow has no such op"
    record = cases.record(op)
    assert definition(record) == their_definition(theirs)
    ours = {a["name"]: a for a in record["attrs"]}
    for attr in theirs.attr:
        if not attr.HasField("default_value"):
            continue
        kind, mine = attr.type, ours[attr.name]["default"]
        expected = default_of(attr)
        if kind == "type":
            mine = mine.as_datatype_enum
        elif kind in ("shape", "tensor", "func"):
            continue
        assert mine == expected, attr.name


@pytest.mark.parametrize("op", OPS)
def test_arguments_of_the_raw_op(both, op: str):
    with known_gaps.gaps(known_gaps.RAW_ARGUMENTS, op):
        ours, theirs = (
            set(inspect.signature(getattr(tf.raw_ops, op)).parameters)
            for tf in (both.ours, both.theirs)
        )
        assert ours == theirs


def outcome(tf: Any, case: cases.Case) -> tuple[Any, Exception | None]:
    try:
        return case.run(tf), None
    except Exception as error:
        return None, error


@pytest.mark.parametrize("op", OPS)
def test_values(both, op: str):
    if op in NOT_COMPARED:
        pytest.skip(NOT_COMPARED[op])
    with known_gaps.gaps(known_gaps.ORACLE_VALUES, op):
        compared = 0
        for dtype in cases.dtypes(op):
            if (op, dtype) in DIFFERENT:
                continue
            case = cases.make(op, dtype)
            theirs, refused = outcome(both.theirs, case)
            if refused is not None:
                text = str(refused)
                unsupported = any(t in text for t in NO_KERNEL)
                kind = type(refused).__name__
                if unsupported or kind in ("UnimplementedError", "ValueError"):
                    continue
            ours, error = outcome(both.ours, case)
            assert type(error).__name__ == type(refused).__name__, (
                f"{dtype}: {error!r} {error} against {refused!r} {refused}"
            )
            compared += 1
            if error is not None:
                continue
            assert len(ours) == len(theirs)
            for mine, expected in zip(ours, theirs, strict=True):
                assert mine.dtype == expected.dtype
                if op in RESERVING and {mine.shape, expected.shape} == {(), (0,)}:
                    continue
                assert mine.shape == expected.shape
                if is_random(op) and "Stateless" not in op:
                    continue
                name = str(mine.dtype)
                rtol = cases.tolerance(name) * SLACK.get(name, 1.0)
                cases.assert_close(mine, expected, rtol, of_largest=op in SUMMED)
        assert compared or not cases.dtypes(op)


def test_both_are_different_modules(both):
    assert both.ours is graphkiln
    assert both.theirs is not graphkiln
