"""What TensorFlow's private modules of tests have."""

from __future__ import annotations

import os
from unittest import mock  # noqa: F401

from graphkiln import _proto
from graphkiln._src.host.private_parts import graph_defs_equal
from graphkiln._src.session.graph_keys import GraphKeys

_OF_VARIABLES = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
)


def test_src_dir_path(relative_path: str) -> str:
    """Where a file of the tests' sources is."""
    root = os.environ.get("TEST_SRCDIR", "")
    return os.path.join(root, "org_tensorflow", "tensorflow", relative_path)


def get_node_def_from_graph(node_name: str, graph_def: object) -> object:
    """A node of a GraphDef, or None."""
    return next((node for node in graph_def.node if node.name == node_name), None)


def _values(key: str, definition: object) -> object:
    if key in _OF_VARIABLES and definition.WhichOneof("kind") == "bytes_list":
        return [_proto.VariableDef.FromString(v) for v in definition.bytes_list.value]
    return definition


def assert_meta_graph_protos_equal(tester: object, a: object, b: object) -> None:
    """Asserts that two MetaGraphDefs have the same nodes and collections."""
    tester.assertEqual(set(a.collection_def), set(b.collection_def))
    for key in a.collection_def:
        tester.assertEqual(
            _values(key, a.collection_def[key]), _values(key, b.collection_def[key])
        )
    tester.assertTrue(graph_defs_equal(a.graph_def, b.graph_def))
    rests = []
    for message in (a, b):
        rest = _proto.MetaGraphDef()
        rest.CopyFrom(message)
        rest.ClearField("collection_def")
        rest.ClearField("graph_def")
        rests.append(rest)
    tester.assertProtoEquals(*rests)
