"""Variables by container and name, and graphs with variables run anew."""

from __future__ import annotations

from outcomes import failure


def _handle(tf, name, container="", dtype=None, shape=()):
    return tf.raw_ops.VarHandleOp(
        dtype=dtype or tf.float32, shape=shape, shared_name=name,
        container=container,
    )


def _read(tf, handle, dtype=None):
    return tf.raw_ops.ReadVariableOp(
        resource=handle, dtype=dtype or tf.float32
    )


def _assign(tf, handle, value):
    tf.raw_ops.AssignVariableOp(resource=handle, value=value)


def program_one_name_is_one_variable(tf):
    _assign(tf, _handle(tf, "shared_a"), 1.0)
    tf.raw_ops.AssignAddVariableOp(
        resource=_handle(tf, "shared_a"), value=2.0
    )
    _assign(tf, _handle(tf, "shared_a", "other"), 7.0)
    return (
        _read(tf, _handle(tf, "shared_a")),
        _read(tf, _handle(tf, "shared_a", "localhost")),
        _read(tf, _handle(tf, "shared_a", "other")),
        failure(_read, tf, _handle(tf, "shared_a", "none"))[0],
        failure(_read, tf, _handle(tf, "shared_b"))[0],
        tf.raw_ops.VarIsInitializedOp(resource=_handle(tf, "shared_b")),
        tf.raw_ops.VarIsInitializedOp(resource=_handle(tf, "shared_a")),
        str(_handle(tf, "shared_a")),
    )


def program_names_with_other_types(tf):
    _assign(tf, _handle(tf, "shared_c"), 1.0)
    whole = _handle(tf, "shared_c", dtype=tf.int32)
    wide = _handle(tf, "shared_c", shape=[2])
    before = _read(tf, wide)
    failed = [
        failure(_read, tf, whole, tf.int32), failure(_assign, tf, whole, 3),
    ]
    _assign(tf, wide, [3.0, 4.0])
    between = _read(tf, _handle(tf, "shared_c"))
    tf.raw_ops.DestroyResourceOp(resource=wide)
    destroyed = [
        failure(_read, tf, wide)[0],
        failure(
            lambda: tf.raw_ops.DestroyResourceOp(
                resource=wide, ignore_lookup_error=False
            )
        )[0],
    ]
    tf.raw_ops.DestroyResourceOp(resource=wide)
    _assign(tf, _handle(tf, "shared_c", dtype=tf.int32), 5)
    after = _read(tf, _handle(tf, "shared_c", dtype=tf.int32), tf.int32)
    return before, failed, between, destroyed, after


def program_a_handle_outlives_destruction(tf):
    handle = _handle(tf, "shared_d")
    _assign(tf, handle, 1.0)
    tf.raw_ops.DestroyResourceOp(resource=handle)
    _assign(tf, handle, 2.0)
    return _read(tf, _handle(tf, "shared_d"))


def program_names_in_functions(tf):
    @tf.function
    def write(x):
        handle = _handle(tf, "shared_e")
        _assign(tf, handle, x)
        tf.raw_ops.AssignAddVariableOp(resource=handle, value=1.0)
        return _read(tf, handle)

    @tf.function
    def read():
        return _read(tf, _handle(tf, "shared_e"))

    return (
        write(tf.constant(3.0)), read(), _read(tf, _handle(tf, "shared_e")),
        write(tf.constant(5.0)), read(),
    )


def program_a_callee_writes_what_is_read(tf):
    @tf.function
    def write():
        tf.raw_ops.AssignAddVariableOp(
            resource=_handle(tf, "shared_f"), value=1.0
        )

    @tf.function
    def f():
        before = _read(tf, _handle(tf, "shared_f"))
        with tf.control_dependencies([before]):
            write()
            with tf.control_dependencies([tf.no_op()]):
                return before

    _assign(tf, _handle(tf, "shared_f"), 10.0)
    return f(), f(), f(), _read(tf, _handle(tf, "shared_f"))


def program_names_in_a_loop(tf):
    _assign(tf, _handle(tf, "shared_g"), 0.0)

    @tf.function
    def f(n):
        handle = _handle(tf, "shared_g")
        total = 0.0
        for i in tf.range(n):
            if i % 2 == 0:
                tf.raw_ops.AssignAddVariableOp(
                    resource=handle, value=tf.cast(i, tf.float32)
                )
            total += _read(tf, handle)
        return total, _read(tf, handle)

    return f(tf.constant(5)), f(tf.constant(4))


def _graph(tf):
    graph = tf.Graph()
    with graph.as_default():
        v = tf.Variable([1.0, 2.0], name="imported_v")
        n = tf.Variable(lambda: tf.zeros([], tf.int64), name="imported_n")
        x = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[], name="x")
        with tf.control_dependencies([v.assign_add([1.0, 1.0])]):
            with tf.control_dependencies([n.assign_add(1)]):
                tf.identity(v.read_value() * x, name="y")
        tf.identity(n.read_value(), name="count")
    return graph.as_graph_def()


def program_a_graph_with_variables_runs(tf):
    graph_def = _graph(tf)

    def part(of_initializers):
        nodes = [
            node for node in graph_def.node
            if node.op == "VarHandleOp" or of_initializers == (
                node.name.endswith("/Assign") or "Initializer" in node.name
            )
        ]
        chosen = type(graph_def)()
        chosen.CopyFrom(graph_def)
        del chosen.node[:]
        chosen.node.extend(nodes)
        return chosen

    @tf.function
    def initialize():
        tf.graph_util.import_graph_def(part(True), name="")

    @tf.function
    def run(x):
        return tf.graph_util.import_graph_def(
            part(False), {"x": x}, ["y:0", "count:0"]
        )

    initialize()
    calls = [run(tf.constant(2.0)), run(tf.constant(3.0))]
    initialize()
    return calls, run(tf.constant(1.0)), _read(tf, _handle(tf, "imported_v"))


def program_reads_follow_imported_writes(tf):
    graph = tf.Graph()
    with graph.as_default():
        handle = _handle(tf, "imported_h")
        tf.raw_ops.AssignVariableOp(
            resource=handle, value=tf.constant(3.0), name="set"
        )
        with tf.control_dependencies([graph.get_operation_by_name("set")]):
            tf.raw_ops.AssignAddVariableOp(
                resource=handle, value=tf.constant(1.0), name="add"
            )
        with tf.control_dependencies([graph.get_operation_by_name("add")]):
            tf.raw_ops.ReadVariableOp(
                resource=handle, dtype=tf.float32, name="read"
            )
    graph_def = graph.as_graph_def()

    @tf.function
    def f():
        (y,) = tf.graph_util.import_graph_def(graph_def, {}, ["read:0"])
        return y * 2.0

    return f(), f(), _read(tf, _handle(tf, "imported_h"))


def program_imported_effects_keep_the_order_of_the_file(tf):
    graph = tf.Graph()
    with graph.as_default():
        handle = _handle(tf, "imported_i")
        tf.raw_ops.AssignVariableOp(resource=handle, value=tf.constant(3.0))
        tf.raw_ops.ReadVariableOp(
            resource=handle, dtype=tf.float32, name="first"
        )
        tf.raw_ops.AssignAddVariableOp(resource=handle, value=tf.constant(1.0))
        tf.raw_ops.ReadVariableOp(
            resource=handle, dtype=tf.float32, name="second"
        )
        tf.raw_ops.AssignSubVariableOp(resource=handle, value=tf.constant(9.0))
    graph_def = graph.as_graph_def()

    @tf.function
    def f():
        return tf.graph_util.import_graph_def(
            graph_def, {}, ["first:0", "second:0"]
        )

    return f(), f(), _read(tf, _handle(tf, "imported_i"))


def program_captured_variables_are_given_on_import(tf):
    v = tf.Variable(2.0, name="v")

    @tf.function
    def f(x):
        v.assign_add(x)
        return v * x

    concrete = f.get_concrete_function(tf.TensorSpec([], name="x"))
    graph_def = concrete.graph.as_graph_def()
    resource = [
        node.name for node in graph_def.node
        if node.op == "Placeholder" and node.attr["dtype"].type == 20
    ]
    (result,) = (t.name for t in concrete.outputs)
    other = tf.Variable(10.0)

    @tf.function
    def g(x):
        return tf.graph_util.import_graph_def(
            graph_def,
            {"x": x, resource[0]: tf.raw_ops.Identity(input=other.handle)},
            [result],
        )

    return g(tf.constant(3.0)), g(tf.constant(3.0)), other.numpy(), v.numpy()
