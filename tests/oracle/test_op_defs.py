"""Every op has the signature that TensorFlow knows it by: a graph that we
write is one that it reads."""

from __future__ import annotations

from graphkiln import _graphkiln
from graphkiln import _proto

# What TensorFlow could mark as such. Add is not: it joins strings.
COMMUTATIVE = {"Maximum", "Minimum"}


def test_signatures(both):
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.framework import op_def_registry

    del both
    differences = []
    names = _graphkiln.op_names()
    assert len(names) > 300
    for name in names:
        theirs = op_def_registry.get(name)
        if theirs is None:
            differences.append(f"{name}: unknown to TensorFlow")
            continue
        ours = op_def_pb2.OpDef.FromString(_graphkiln.op_def(name))
        differences += compare(name, ours, theirs)
    assert differences == []


def test_names_of_functions(both):
    # With an underscore in front TensorFlow keeps its function for itself.
    differences = {
        name: (ours, theirs)
        for name in _graphkiln.op_names()
        if hasattr(both.theirs.raw_ops, name)
        and (ours := getattr(both.ours.raw_ops, name).__name__)
        != (theirs := getattr(both.theirs.raw_ops, name).__name__.lstrip("_"))
    }
    assert differences == {}


def compare(name: str, ours: object, theirs: object) -> list[str]:
    found = []
    for kind in ("input_arg", "output_arg"):
        if arguments(ours, kind) != arguments(theirs, kind):
            found.append(f"{name}: {kind}")
    mine = {a.name: a for a in ours.attr}
    expected = {a.name: a for a in theirs.attr}
    if mine.keys() != expected.keys():
        found.append(f"{name}: attributes {mine.keys() ^ expected.keys()}")
    for attr in mine.keys() & expected.keys():
        a, b = mine[attr], expected[attr]
        if (a.type, a.default_value) != (b.type, b.default_value):
            found.append(f"{name}: {attr}")
        # Fewer types or strings may be supported, but none that it refuses.
        for field in ("type", "s"):
            allowed = set(getattr(b.allowed_values.list, field))
            chosen = set(getattr(a.allowed_values.list, field))
            if allowed and (not chosen or chosen - allowed):
                found.append(f"{name}: {attr} allows {chosen - allowed}")
    if ours.is_commutative and not (
        theirs.is_commutative or name in COMMUTATIVE
    ):
        found.append(f"{name}: commutative")
    if ours.is_aggregate and not theirs.is_aggregate:
        found.append(f"{name}: aggregate")
    return found


def arguments(definition: object, kind: str) -> list[tuple]:
    return [
        (a.name, a.type, a.type_attr, a.number_attr, a.type_list_attr)
        for a in getattr(definition, kind)
    ]


def test_a_difference_is_noticed():
    ours = _proto.OpDef.FromString(_graphkiln.op_def("AddV2"))
    other = _proto.OpDef.FromString(_graphkiln.op_def("Sub"))
    assert compare("AddV2", ours, ours) == []
    assert compare("AddV2", ours, other) != []
