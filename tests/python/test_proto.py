"""graphkiln._proto: real messages that live beside the real TensorFlow."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import subprocess
import sys

import pytest
from graphkiln import _proto

needs_tensorflow = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None,
    reason="compares with the real TensorFlow",
)


def run(code: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr


def test_importing_does_not_load_protobuf() -> None:
    run(
        "import sys, graphkiln, graphkiln._proto\n"
        "assert not [m for m in sys.modules if m.startswith('google.')]\n"
        "graphkiln._proto.GraphDef\n"
        "assert 'google.protobuf' in sys.modules\n"
    )


def test_messages_are_ordinary() -> None:
    node = _proto.NodeDef(name="n", op="MatMul", input=["a", "^b"])
    node.attr["T"].type = _proto.DT_FLOAT
    node.attr["l"].list.i.extend([1, -1])
    data = node.SerializeToString()
    assert _proto.NodeDef.FromString(data) == node
    assert copy.deepcopy(node) == node
    assert pickle.loads(pickle.dumps(node)) == node
    assert "type: DT_FLOAT" in str(node)
    assert node.attr["l"].WhichOneof("value") == "list"
    assert isinstance(node.attr["l"].list, _proto.AttrValue.ListValue)
    assert _proto.NodeDef.DESCRIPTOR.full_name == "tensorflow.NodeDef"


def test_enums() -> None:
    assert (_proto.DT_FLOAT, _proto.DT_FLOAT_REF) == (1, 101)
    assert _proto.DataType.Name(9) == "DT_INT64"
    assert _proto.SaverDef.V2 == 2


def test_presence_of_optional_fields() -> None:
    frame = _proto.GraphDebugInfo.FileLineCol()
    assert not frame.HasField("line")
    frame.line = 0
    assert frame.HasField("line")
    assert frame.SerializeToString() == b"\x10\x00"


def test_any_packs() -> None:
    box = _proto.Any()
    box.Pack(_proto.VersionDef(producer=3))
    assert box.type_url == "type.googleapis.com/tensorflow.VersionDef"
    out = _proto.VersionDef()
    assert box.Unpack(out) and out.producer == 3


def test_unknown_fields_and_enum_numbers_survive() -> None:
    data = b"\x08\x07\x92\x03\x02hi"
    assert _proto.VersionDef.FromString(data).SerializeToString() == data
    data = b"\x30\xe7\x07"
    assert _proto.AttrValue.FromString(data).SerializeToString() == data


def test_every_name_resolves() -> None:
    names = dir(_proto)
    assert {"GraphDef", "SavedModel", "Event", "Example", "ConfigProto",
            "RunMetadata", "BundleEntryProto", "DT_INT32"} <= set(names)
    for name in names:
        value = getattr(_proto, name)
        if hasattr(value, "DESCRIPTOR") and isinstance(value, type):
            assert value().SerializeToString() == b""


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="NoSuchMessage"):
        _proto.NoSuchMessage  # noqa: B018


# Compares every field with the real one, then sends filled messages both ways.
EXCHANGE = '''
import importlib
from google.protobuf import descriptor_pool, message_factory
for name in ("framework.attr_value framework.cost_graph framework.graph "
             "framework.op_def framework.step_stats framework.summary "
             "framework.variable framework.tensor_slice "
             "framework.resource_handle example.example util.event "
             "protobuf.config protobuf.fingerprint protobuf.meta_graph "
             "protobuf.saved_model protobuf.saved_object_graph "
             "protobuf.saver protobuf.struct protobuf.tensor_bundle "
             "protobuf.trackable_object_graph").split():
    try:
        importlib.import_module(f"tensorflow.core.{name}_pb2")
    except ModuleNotFoundError:
        print("not there:", name)
importlib.import_module("tensorflow.python.training.checkpoint_state_pb2")

def facts(d):
    return {
        f.name: (f.number, f.type, f.is_repeated, f.is_packed, f.has_presence,
                 f.message_type and f.message_type.full_name,
                 f.enum_type and {v.name: v.number
                                  for v in f.enum_type.values},
                 f.containing_oneof and not f.containing_oneof.name
                 .startswith("_") and f.containing_oneof.name or None)
        for f in d.fields}

def fill(message, depth):
    for f in message.DESCRIPTOR.fields:
        if f.message_type:
            if depth == 0:
                continue
            if f.message_type.GetOptions().map_entry:
                key = f.message_type.fields_by_name["key"]
                value = f.message_type.fields_by_name["value"]
                k = "k" if key.cpp_type == key.CPPTYPE_STRING else 3
                field = getattr(message, f.name)
                if value.message_type:
                    fill(field[k], depth - 1)
                else:
                    field[k] = ("v" if value.cpp_type ==
                                value.CPPTYPE_STRING else 2)
            elif f.is_repeated:
                fill(getattr(message, f.name).add(), depth - 1)
            else:
                part = getattr(message, f.name)
                part.SetInParent()
                fill(part, depth - 1)
            continue
        value = (b"\\xff\\x00" if f.type == f.TYPE_BYTES else
                 "text" if f.type == f.TYPE_STRING else
                 True if f.type == f.TYPE_BOOL else
                 f.enum_type.values[-1].number if f.enum_type else 5)
        if f.is_repeated:
            getattr(message, f.name).extend([value, value])
        else:
            setattr(message, f.name, value)

pool = descriptor_pool.Default()
compared = absent = 0
todo = [getattr(_proto, n).DESCRIPTOR for n in dir(_proto)
        if isinstance(getattr(_proto, n), type)]
while todo:
    d = todo.pop()
    todo += [n for n in d.nested_types if not n.GetOptions().map_entry]
    try:
        real = pool.FindMessageTypeByName(d.full_name)
    except KeyError:
        absent += 1
        print("absent:", d.full_name)
        continue
    theirs, ours = facts(real), facts(d)
    assert ours == theirs, (d.full_name, {
        k: (ours.get(k), theirs.get(k)) for k in {*ours, *theirs}
        if ours.get(k) != theirs.get(k)})
    compared += 1
    a = message_factory.GetMessageClass(d)()
    b = message_factory.GetMessageClass(real)()
    assert type(a) is not type(b)
    for x, y in ((a, b), (b, a)):
        fill(x, 3)
        data = x.SerializeToString(deterministic=True)
        other = type(y).FromString(data)
        assert other.SerializeToString(deterministic=True) == data, d.full_name
        assert str(other) == str(x), d.full_name
print(compared, "compared,", absent, "absent")
assert compared > 120 and absent < 6
'''


@needs_tensorflow
@pytest.mark.parametrize("first", ["graphkiln", "tensorflow"])
def test_lives_beside_tensorflow(first: str) -> None:
    ours = "from graphkiln import _proto\n_proto.GraphDef\n"
    theirs = "import tensorflow as tf\n"
    head = ours + theirs if first == "graphkiln" else theirs + ours
    run(head + EXCHANGE)


@needs_tensorflow
def test_graph_of_tensorflow_parses() -> None:
    run(
        "import tensorflow as tf\n"
        "from graphkiln import _proto\n"
        "@tf.function\n"
        "def f(x):\n"
        "  return tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: x @ x)\n"
        "real = f.get_concrete_function(tf.ones([2, 2])).graph.as_graph_def()\n"
        "data = real.SerializeToString(deterministic=True)\n"
        "ours = _proto.GraphDef.FromString(data)\n"
        "assert ours.SerializeToString(deterministic=True) == data\n"
        "assert len(ours.library.function) == len(real.library.function) > 0\n"
        "tf.import_graph_def(type(real).FromString(ours.SerializeToString()))\n"
    )
