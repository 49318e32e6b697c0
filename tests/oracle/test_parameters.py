"""Public functions, classes and their members take the parameters that
TensorFlow's take: the same names in the same order, given by place or by name,
with the same defaults. What is not compared is listed, with its reason."""

from __future__ import annotations

import enum
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from public_names import found, public_members, public_names  # noqa: E402

PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

HIDDEN = "TensorFlow's metaclass hides its parameters"
MORE = "ours has max_traces and on_baked_change as well"
# What differs, and why; with a dot at the end, all names that begin so.
OTHERWISE = {
    "errors.": "classes of errors take their code as well",
    "initializers.": "TensorFlow's are Keras' there",
    "distribute.experimental.TPUStrategy": "is tf.distribute.TPUStrategy here",
    "distribute.experimental.MultiWorkerMirroredStrategy":
        "is tf.distribute.MultiWorkerMirroredStrategy here",
    "compat.v1.distribute.experimental.": "are those of tf.distribute here",
    "function": MORE,
    "compat.v1.function": MORE,
    "compat.v2.function": MORE,
    "nn.silu": "ours takes a name as well",
    "nn.swish": "ours takes a name as well",
    "tensor_scatter_nd_update": "ours takes bad_indices_policy as its op does",
    "experimental.RowPartition": "made by its factories",
    "experimental.Optional": "made by its factories; an interface in TensorFlow",
    "data.experimental.Optional": "made by its factories",
    "data.Iterator": "an interface in TensorFlow",
    "Variable": HIDDEN,
    "lookup.StaticHashTable": HIDDEN,
    "lookup.StaticVocabularyTable": HIDDEN,
    "compat.v1.lookup.StaticHashTable": HIDDEN,
    "compat.v1.lookup.StaticVocabularyTable": HIDDEN,
    "lookup.experimental.DenseHashTable": HIDDEN,
    "lookup.experimental.MutableHashTable": HIDDEN,
    "saved_model.experimental.TrackableResource": HIDDEN,
    "compat.v1.saved_model.experimental.TrackableResource": HIDDEN,
    "TensorArraySpec.is_compatible_with": "as all specs' here: spec_or_value",
    "types.experimental.FunctionType": "made by its class methods",
    "compat.v1.get_local_variable": "the parameters behind the name are get_variable's",
    "compat.v1.VariableScope.get_variable":
        "the store that TensorFlow's function passes first is the scope's own",
    "compat.v1.no_regularizer": "its one parameter has a name here",
}
OURS_ALONE = "only graphkiln has it"
UNREADABLE = "TensorFlow's has no signature that Python can read"
# What cannot be compared, by why.
NOT_COMPARED = {
    UNREADABLE: """
        Graph.get_operations Graph.new_operations Graph.num_operations Operation
        compat.v1.Graph.get_operations compat.v1.Graph.new_operations
        compat.v1.Graph.num_operations compat.v1.Operation
        compat.v1.train.NanLossDuringTrainingError
        data.experimental.AutoShardPolicy.conjugate test.TestCase.failureException
        """,
}
# Defaults that differ, and why: names of functions with those of parameters, or of
# parameters alone.
SCOPE = "no name is that name: the scope of its nodes"
DEFAULTS = {
    "data.experimental.table_from_dataset hasher_spec": "a private class",
    "data.experimental.index_table_from_dataset hasher_spec": "a private class",
    "concat name": SCOPE,
    "edit_distance name": SCOPE,
    "math.logical_xor name": SCOPE,
    "range name": SCOPE,
    "split name": SCOPE,
    "stack name": SCOPE,
    "transpose name": SCOPE,
    "unstack name": SCOPE,
    "experimental.DynamicRaggedShape.Spec dtype": "int64 unless given",
    "reverse_sequence seq_axis": "must be given there, too",
    "reverse_sequence batch_axis": "None there is 0",
    "compat.v1.batch_to_space block_size": "either of two names may be given",
    "compat.v1.py_func func": "as tf.numpy_function, a decorator without it",
    "compat.v1.py_func inp": "as tf.numpy_function",
    "compat.v1.py_func Tout": "as tf.numpy_function",
    "sparse.split sp_input": "must be given there, too",
    "compat.v1.sparse.split keyword_required": "a private class",
    "compat.v1.sparse_split keyword_required": "a private class",
    "nn.experimental.stateless_dropout rng_alg": "None there says auto_select as well",
    "test.TestCase.assertProtoEqualsVersion producer": "the version of each",
    "types.experimental.FunctionType.replace parameters": "what stands for: as before",
    "types.experimental.FunctionType.replace return_annotation":
        "what stands for: as before",
}


def _public() -> Iterator[tuple[str, Any]]:
    for name, value in public_names(without=("raw_ops",)):
        if callable(value):
            yield name, value
            for member in public_members(value):
                if callable(method := getattr(value, member, None)):
                    yield f"{name}.{member}", method


def _listed(function: Any) -> list[inspect.Parameter]:
    parameters = inspect.signature(function).parameters.values()
    return [p for p in parameters if p.name != "self"]


def _parameters(function: Any) -> tuple[list[str], set[str], set[str]]:
    """The names given by place or name, by place alone, and by name alone."""
    listed = _listed(function)
    return (
        [p.name for p in listed if p.kind in PLACE],
        {p.name for p in listed if p.kind is inspect.Parameter.POSITIONAL_ONLY},
        {p.name for p in listed if p.kind is inspect.Parameter.KEYWORD_ONLY},
    )


def _shown(default: Any) -> str:
    """A default in words that both modules have: dtypes by name, functions and
    classes too, what stands for nothing by its class."""
    if default is inspect.Parameter.empty:
        return "must be given"
    if isinstance(default, enum.Enum):
        return repr(default.value)
    if callable(default):
        return getattr(default, "__name__", "?")
    if type(default) is object:
        return "unset"
    return repr(getattr(default, "name", default))


def _defaults(function: Any) -> dict[str, str]:
    return {p.name: _shown(p.default) for p in _listed(function)}


NAMES = dict(_public())


def _rule(name: str) -> str:
    """The line of OTHERWISE that a name has; "" if none."""
    return next(
        (r for r in OTHERWISE
         if name == r or name.startswith(r) and r.endswith(".")), ""
    )  # fmt: skip


@pytest.mark.parametrize("name", sorted(NAMES))
def test_parameters(both, name):
    if found(both.theirs, name) is None:
        pytest.skip(OURS_ALONE)
    if rule := _rule(name):
        pytest.skip(OTHERWISE[rule])
    for why, names in NOT_COMPARED.items():
        if name in names.split():
            pytest.skip(why)
    expected, by_place, by_name = _parameters(found(both.theirs, name))
    ours, our_by_place, our_by_name = _parameters(NAMES[name])
    assert ours == expected
    assert our_by_name == by_name
    assert our_by_place <= by_place, "not to be given by name"
    theirs = _defaults(found(both.theirs, name))
    other = {
        p: (mine, theirs[p])
        for p, mine in _defaults(NAMES[name]).items()
        if mine != theirs.get(p) and f"{name} {p}" not in DEFAULTS
    }
    assert other == {}, "other defaults"


def test_what_differs_is_there(both):
    """No line of the lists is older than what it is about."""
    for rule in OTHERWISE:
        assert any(_rule(name) == rule for name in NAMES), rule
    for names in NOT_COMPARED.values():
        for name in names.split():
            with pytest.raises((TypeError, ValueError)):
                inspect.signature(found(both.theirs, name))
    for line in DEFAULTS:
        name, parameter = line.split()
        mine = _defaults(NAMES[name])[parameter]
        assert mine != _defaults(found(both.theirs, name))[parameter], line


def test_nearly_all_are_compared(both):
    compared = [
        n for n in NAMES if found(both.theirs, n) is not None and not _rule(n)
    ]
    assert len(compared) > 0.94 * len(NAMES)
