"""Resources by their names: the same program on both, what it shows or its error."""

from __future__ import annotations

from typing import Any

import pytest


def variable(tf: Any, **named: str) -> Any:
    return tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], **named)


def table(tf: Any, **named: Any) -> Any:
    return tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, **named)


def assign(tf: Any, handle: Any, value: float, **named: str) -> Any:
    return tf.raw_ops.AssignVariableOp(resource=handle, value=value, **named)


def read(tf: Any, handle: Any, **named: str) -> Any:
    return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32, **named)


def fill(tf: Any, handle: Any, key: Any = "a", **named: str) -> Any:
    return tf.raw_ops.LookupTableImportV2(
        table_handle=handle, keys=[key], values=tf.constant([1], tf.int64), **named
    )


def size(tf: Any, handle: Any, **named: str) -> Any:
    return tf.raw_ops.LookupTableSizeV2(table_handle=handle, **named)


def destroy(tf: Any, handle: Any) -> None:
    tf.raw_ops.DestroyResourceOp(resource=handle, ignore_lookup_error=False)


def variables_of_one_name(tf):
    assign(tf, variable(tf, shared_name="one"), 1.0)
    assign(tf, variable(tf, shared_name="one", container="c"), 2.0)
    return [
        read(tf, variable(tf, shared_name="one")),
        read(tf, variable(tf, shared_name="one", container="localhost")),
        read(tf, variable(tf, shared_name="one", container="c")),
    ]


def variables_without_a_name(tf):
    assign(tf, variable(tf), 2.0)
    return read(tf, variable(tf))


def a_name_of_another_type(tf):
    assign(tf, variable(tf, shared_name="typed"), 1.0)
    other = tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[], shared_name="typed")
    return tf.raw_ops.ReadVariableOp(resource=other, dtype=tf.int32)


def a_variable_is_destroyed(tf):
    handle = variable(tf, shared_name="destroyed")
    assign(tf, handle, 1.0)
    destroy(tf, handle)
    gone = tf.raw_ops.VarIsInitializedOp(resource=handle)
    assign(tf, handle, 3.0)
    return gone, read(tf, variable(tf, shared_name="destroyed"))


def it_is_destroyed_twice(tf):
    handle = variable(tf, shared_name="twice")
    assign(tf, handle, 1.0)
    destroy(tf, handle)
    destroy(tf, handle)


def tables_of_one_name(tf):
    fill(tf, table(tf, shared_name="t"))
    same = size(tf, table(tf, shared_name="t"))
    return same, size(tf, table(tf, shared_name="t", container="other"))


def a_table_is_destroyed(tf):
    fill(tf, table(tf, shared_name="gone"))
    destroy(tf, table(tf, shared_name="gone"))
    return size(tf, table(tf, shared_name="gone"))


def a_table_is_destroyed_twice(tf):
    handle = table(tf, shared_name="gone twice")
    destroy(tf, handle)
    destroy(tf, handle)


def a_table_and_a_variable_of_one_name(tf):
    fill(tf, table(tf, shared_name="both"))
    assign(tf, variable(tf, shared_name="both"), 4.0)
    return size(tf, table(tf, shared_name="both")), read(
        tf, variable(tf, shared_name="both")
    )


def queues_of_one_name(tf):
    def queue() -> Any:
        return tf.raw_ops.FIFOQueueV2(component_types=[tf.int32], shared_name="q")

    tf.raw_ops.QueueEnqueueV2(handle=queue(), components=[3])
    full = tf.raw_ops.QueueSizeV2(handle=queue())
    destroy(tf, queue())
    return full, tf.raw_ops.QueueSizeV2(handle=queue())


def functions_find_names(tf):
    @tf.function
    def fill_in_graph(key):
        handle = table(tf, shared_name="of functions")
        fill(tf, handle, key)
        assign(tf, variable(tf, shared_name="of functions"), 5.0)
        return size(tf, handle)

    return (
        fill_in_graph(tf.constant("a")),
        size(tf, table(tf, shared_name="of functions")),
        read(tf, variable(tf, shared_name="of functions")),
    )


def graph_of_names(tf):
    graph = tf.Graph()
    with graph.as_default():
        assign(tf, variable(tf, name="v1"), 5.0, name="assign")
        read(tf, variable(tf, name="v2"), name="read")
        assign(tf, variable(tf, shared_name="v", name="v3"), 6.0, name="assign_v")
        read(tf, variable(tf, shared_name="v", name="v4"), name="read_v")
        shares = table(tf, use_node_name_sharing=True, name="tt")
        own = table(tf, name="own")
        fill(tf, shares, name="fill")
        fill(tf, own, name="fill_own")
        size(tf, shares, name="size")
        size(tf, own, name="size_own")
        size(tf, table(tf, name="other"), name="size_other")
        size(tf, table(tf, shared_name="tt", name="tt2"), name="size_shared")
    return graph


FILLS = ["assign", "assign_v", "fill", "fill_own"]
SHOWN = ["read:0", "read_v:0", "size:0", "size_own:0", "size_other:0", "size_shared:0"]


def a_session(tf):
    with tf.compat.v1.Session(graph=graph_of_names(tf)) as session:
        session.run(FILLS)
        return session.run(SHOWN)


def a_session_part_by_part(tf):
    with tf.compat.v1.Session(graph=graph_of_names(tf)) as session:
        for name in FILLS:
            session.run(name)
        return [session.run(name) for name in SHOWN]


def sessions_are_apart(tf):
    graph = graph_of_names(tf)
    with tf.compat.v1.Session(graph=graph) as first:
        first.run(FILLS)
        with tf.compat.v1.Session(graph=graph) as second:
            return second.run(SHOWN[2:])


def an_imported_graph(tf):
    message = graph_of_names(tf).as_graph_def()
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(message, name="")
    with tf.compat.v1.Session(graph=graph) as session:
        session.run(FILLS)
        return session.run(SHOWN)


def an_imported_graph_keeps_names(tf):
    message = graph_of_names(tf).as_graph_def()
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(message, name="")
    names = ("v1", "v3", "own", "tt2")
    return [graph.get_operation_by_name(n).get_attr("shared_name") for n in names]


def a_wrapped_graph(tf):
    message = graph_of_names(tf).as_graph_def()
    wrapped = tf.compat.v1.wrap_function(
        lambda: tf.import_graph_def(message, name=""), []
    )
    for name in ("fill", "assign_v"):
        wrapped.prune([], wrapped.graph.get_operation_by_name(name))()
    shown = [
        wrapped.prune([], name)() for name in ("size:0", "size_shared:0", "read_v:0")
    ]
    return [*shown, size(tf, table(tf, shared_name="tt"))]


PROGRAMS = [
    variables_of_one_name, variables_without_a_name, a_name_of_another_type,
    a_variable_is_destroyed, it_is_destroyed_twice, tables_of_one_name,
    a_table_is_destroyed, a_table_is_destroyed_twice,
    a_table_and_a_variable_of_one_name, queues_of_one_name, functions_find_names,
    a_session, a_session_part_by_part, sessions_are_apart, an_imported_graph,
    an_imported_graph_keeps_names, a_wrapped_graph,
]  # fmt: skip


def outcome(tf: Any, program: Any) -> Any:
    try:
        shown = tf.nest.flatten(program(tf))
    except Exception as e:
        return type(e).__name__
    return [v.numpy() if hasattr(v, "numpy") else v for v in shown]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(both, program):
    assert outcome(both.ours, program) == outcome(both.theirs, program)
