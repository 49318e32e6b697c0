"""What the classes of graphs, functions, tensors and variables offer."""

import inspect

from outcomes import failure


def _traced(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x, d, *, k=3.0):
        return x + v, d["a"]

    def trace(size, k):
        return f.get_concrete_function(
            tf.TensorSpec([size]),
            {"a": tf.TensorSpec([]), "b": tf.TensorSpec([1], tf.int32)}, k=k,
        ).function_type

    return v, trace


def program_types_of_traces(tf):
    _, trace = _traced(tf)
    t = trace(2, 2)
    x = tf.constant([1.0, 2.0])
    inputs = {"a": tf.constant(1.0), "b": tf.constant([2])}
    bound = t.bind(x, inputs, k=2)
    return [
        [(p.name, p.kind.name, p.optional, repr(p.type_constraint))
         for p in t.parameters.values()],
        list(t.captures.values()), t.flat_inputs, t.flat_outputs,
        t.flat_captures, bound.args, bound.kwargs, failure(t.bind),
        failure(t.bind, 1, 2, 3, k=2), t.bind_partial(x).arguments,
        repr(t.return_annotation), t.empty is inspect.Signature.empty,
        t.unpack_inputs(bound), t.pack_output([x, tf.constant(3.0)]),
        t.most_specific_common_subtype([trace(3, 2)]),
        t.most_specific_common_subtype([trace(3, 3)]),
        [p.type_constraint.flatten() for p in t.parameters.values()],
        t.parameters["d"].type_constraint.from_tensors(iter([x, x])),
    ]


def program_types_of_functions(tf):
    @tf.function
    def f(x, n=2, *, k):
        return x


    t = f.function_type
    make = tf.types.experimental.FunctionType
    return [
        t, t.bind(1, k=2).arguments, t.output, t.captures,
        t.bind_with_defaults((1,), {"k": 2}, {"n": 5}).arguments,
        t.return_annotation is t.empty, repr(t.parameters["n"].default),
        hasattr(make, "from_callable"),
    ]


def program_operators_in_place(tf):
    results = []
    for text in ("v += 1.0", "v -= 1.0", "v *= 2.0", "v /= 2.0", "v **= 2.0"):
        def step(text=text):
            exec(text, {"v": tf.Variable(1.0)})

        kind, said = failure(step)
        results.append([kind, said.partition(", or")[0]])
    return results


def program_variables_checks(tf):
    v = tf.Variable([1.0, 2.0])
    m = tf.Variable([[1.0, 2.0]])
    return [
        v.read_value_no_copy(), v.set_shape([2]), failure(v.set_shape, [3]),
        failure(m.batch_scatter_update, [1]), failure(m.scatter_add, [1])[0],
    ]


def program_initialisation(tf):
    f = tf.function(lambda x: x)
    box = []

    @tf.function
    def g(x):
        if not box:
            box.append(tf.Variable(3.0))
        return box[0] * x

    initialize = g.get_initialization_function(tf.constant(1.0))
    return [
        initialize(), box[0].numpy(), g(tf.constant(2.0)),
        initialize.structured_input_signature,
        failure(g.get_initialization_function, tf.constant(1.0)),
        f.get_initialization_function(tf.constant(1.0)) is not None,
    ]


def program_members_of_graphs(tf):
    @tf.function
    def f(x):
        spec = tf.TensorSpec([], tf.float32)
        y = x.graph.capture_call_time_value(lambda: tf.constant(1.0), spec)
        with tf.control_dependencies([y]):
            return x + 1.0, x + y

    graph = f.get_concrete_function(tf.TensorSpec([None])).graph
    plain = tf.Graph()
    with plain.as_default():
        a = tf.constant(1, name="a")
        tf.constant(2, name="b")
    return [
        graph.output_shapes, graph.output_types,
        len(graph.deferred_external_captures),
        [op.name for op in graph.operations] == [
            op.name for op in graph.get_operations()
        ],
        str(graph).partition(", id=")[0],
        [op.name for op in plain.operations],
        a.name,
        failure(graph.op_def_for_type, "Nope")[0],
        [op.name for op in graph.get_operations()
         if "_has_manual_control_dependencies" in op.node_def.attr],
    ]


def program_members_of_tensors(tf):
    x = tf.constant([1.0])
    return [
        sorted(tf.Tensor.OVERLOADABLE_OPERATORS), failure(x.gpu), x.is_packed,
        failure(x.gpu, 3), failure(x.gpu, gpu_index=1),
    ]


def program_shapes_of_traced_tensors(tf):
    f = tf.function(lambda x: x + 1.0)
    concrete = f.get_concrete_function(tf.TensorSpec([None]))
    concrete.inputs[0].set_shape([3])
    concrete.outputs[0].set_shape([3])
    return [
        concrete(tf.constant([1.0, 2.0])),
        failure(concrete.inputs[0].set_shape, [3, 3])[0],
    ]


def program_signatures_of_traces(tf):
    f = tf.function(lambda x: x + 1.0)
    concrete = f.get_concrete_function(tf.TensorSpec([None]))
    return str(inspect.signature(concrete)), str(inspect.signature(f))


def program_types_without_tensors(tf):
    shape, dtype = tf.TensorShape([1, None]), tf.float32
    return [
        [t.flatten(), t.to_tensors(t), t.from_tensors(iter([])),
         t.placeholder_value(None), failure(t.cast, 3, None)]
        for t in (shape, dtype)
    ] + [
        dtype.is_subtype_of(tf.float32), dtype.is_subtype_of(tf.int32),
        str(dtype.most_specific_common_supertype([tf.float32])),
        dtype.most_specific_common_supertype([tf.int32]),
        failure(tf.compat.v1.Dimension(2).assert_is_compatible_with, 3),
        tf.compat.v1.Dimension(2).assert_is_compatible_with(None),
    ]


def program_values_that_do_not_fit_a_type(tf):
    return [
        failure(tf.constant, value, dtype)
        for value, dtype in (
            ([1.5], tf.int32), (1.5, tf.int32), ([[1, 2.5]], tf.int32),
            (["a"], tf.int32), ((1.5, 2), tf.int32), ([1], tf.string),
            ([1j], tf.float32), ([[1], ["a"]], tf.int64),
        )
    ] + [
        failure(tf.Variable([1]).assign, [1.5]),
        failure(tf.convert_to_tensor, [1.5], tf.int32),
        failure(tf.Variable, [1.5], dtype=tf.int32),
    ]


def program_texts_that_are_no_shapes(tf):
    return failure(tf.TensorShape, "a"), failure(tf.TensorSpec, "a")


def program_names_around_loops(tf):
    f = tf.function(
        lambda z: tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), [0, z]
        ),
        autograph=False,
    )
    graph = f.get_concrete_function(tf.TensorSpec([])).graph
    return sorted(op.name for op in graph.get_operations())


def program_repeat_of_one_count(tf):
    x = tf.reshape(tf.range(6), [2, 3])
    values = [
        tf.repeat(x, count, axis)
        for count in (0, 2, [3], tf.constant(1, tf.int64))
        for axis in (None, 0, 1, -1)
    ]
    shapes = []

    def traced(v):
        shapes.append(str(tf.repeat(v, 2, 0).shape))
        shapes.append(str(tf.repeat(v, [2], -1)[:, :5].shape))
        return tf.repeat(v, tf.shape(v)[0], 1)

    f = tf.function(traced, autograph=False)
    wide = f(tf.zeros([2100, 3], tf.int32))
    spec = tf.TensorSpec([None, 3], tf.int32)
    tall = tf.function(traced, autograph=False, input_signature=[spec])(x)
    return (
        values, wide.shape.as_list(), tall, shapes,
        failure(tf.repeat, x, -1, 0)[0], failure(tf.repeat, x, [[1]], 0),
    )


def program_slices_of_scalars(tf):
    x = tf.constant(1)
    return [
        failure(lambda: x[0]), failure(lambda: x[:]), failure(lambda: x[..., 0]),
        failure(lambda: x[0, 0]), failure(lambda: tf.Variable(1)[0]),
        failure(lambda: x[tf.newaxis]), failure(lambda: x[...]),
    ]
