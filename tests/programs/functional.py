"""tf.map_fn, tf.scan and the folds; symbolic gradients; recomputation."""

from __future__ import annotations

from outcomes import better, failure, phrase


def _both(tf, body):
    """What `body` does eagerly, and in a function."""
    return [
        failure(body),
        failure(lambda: tf.function(lambda: body(), autograph=False)()),
    ]


def _graph(tf, body, *arguments):
    return failure(tf.function(body, autograph=False), *arguments)


def program_map_fn(tf):
    x = tf.constant([1, 2, 3])
    pairs = (x, tf.cast(x, tf.float32))
    return [
        _both(tf, lambda: tf.map_fn(lambda v: v * v, x)),
        _both(tf, lambda: tf.map_fn(
            lambda p: (p[1], p[0] + 1), pairs,
            fn_output_signature=(tf.float32, tf.int32),
        )),
        _both(tf, lambda: tf.map_fn(
            lambda v: tf.cast(v, tf.float32), x,
            fn_output_signature=tf.TensorSpec([], tf.float32),
        )),
        _both(tf, lambda: tf.map_fn(
            lambda row: row[:1], tf.constant([[1, 2], [3, 4]]),
        )),
    ]


def program_map_fn_of_ragged(tf):
    rows = tf.ragged.constant([[1, 2], [], [3]])

    def lists(value):
        return value.to_list()

    return [
        lists(tf.map_fn(lambda r: r * 2, rows)),
        tf.map_fn(tf.reduce_sum, rows, fn_output_signature=tf.int32),
        lists(tf.map_fn(
            tf.range, tf.constant([1, 0, 2]),
            fn_output_signature=tf.RaggedTensorSpec([None], tf.int32),
        )),
        lists(tf.function(
            lambda r: tf.map_fn(lambda v: v + 1, r), autograph=False
        )(rows)),
    ]


def program_map_fn_refusals(tf):
    x = tf.constant([1, 2])
    return [
        failure(tf.map_fn, lambda v: v, []),
        failure(tf.map_fn, lambda v: v, 1),
        failure(tf.map_fn, lambda v: tf.cast(v, tf.float32), x),
        failure(lambda: tf.map_fn(
            lambda t: t[0] + t[1], (x, tf.constant([1, 2, 3])),
            fn_output_signature=tf.int32,
        )),
    ]


@phrase("same nested structure")
def program_map_fn_of_another_structure(tf):
    return tf.map_fn(lambda v: (v, v), tf.constant([1, 2]))


@phrase("same sequence type")
def program_map_fn_against_its_signature(tf):
    return tf.map_fn(
        lambda v: [v, v], tf.constant([1, 2]),
        fn_output_signature=(tf.int32, tf.int32),
    )


def program_folds(tf):
    x = tf.constant([10, 3, 2])
    return [
        _both(tf, lambda: tf.foldl(lambda a, v: a - v, x)),
        _both(tf, lambda: tf.foldr(lambda a, v: a - v, x)),
        _both(tf, lambda: tf.foldl(lambda a, v: a - v, x, initializer=1)),
        _both(tf, lambda: tf.foldr(lambda a, v: a * 2 - v, x, initializer=1)),
        _both(tf, lambda: tf.foldl(
            lambda a, p: (a[0] + p[0], a[1] * p[1]), (x, x),
            initializer=(0, 1),
        )),
    ]


def program_scan(tf):
    x = tf.constant([1, 2, 3])
    return [
        _both(tf, lambda: tf.scan(lambda a, v: a * 2 + v, x)),
        _both(tf, lambda: tf.scan(lambda a, v: a * 2 + v, x, reverse=True)),
        _both(tf, lambda: tf.scan(
            lambda a, v: (a[0] + v, a[1] - v), x, initializer=(0, 1),
        )),
        _both(tf, lambda: tf.scan(
            lambda a, v: a + v, x, initializer=10, reverse=True,
        )),
    ]


def program_vectorized_map(tf):
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return [
        _both(tf, lambda: tf.vectorized_map(lambda r: r * r, rows)),
        _both(tf, lambda: tf.vectorized_map(
            lambda r: (tf.reduce_sum(r), tf.cast(r, tf.int32)), rows,
        )),
        _both(tf, lambda: tf.vectorized_map(
            lambda r: r * 2.0, tf.zeros([0, 2]),
        )),
        _both(tf, lambda: tf.vectorized_map(
            lambda p: p[0] * p[1], (rows, tf.constant([[5.0, 6.0]])),
        )),
    ]


def program_gradients_of_functionals(tf):
    x = tf.constant([1.0, 2.0, 3.0])

    def of(body):
        def run():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = body(x)
            return tape.gradient(y, x)

        return _both(tf, run)

    return [
        of(lambda v: tf.map_fn(lambda e: e ** 3.0, v)),
        of(lambda v: tf.scan(lambda a, e: a * e, v)),
        of(lambda v: tf.foldl(lambda a, e: a * e, v)),
        of(lambda v: tf.foldr(lambda a, e: a * e, v)),
        of(lambda v: tf.vectorized_map(lambda e: e * e, v)),
        of(tf.recompute_grad(lambda v: v * v * v)),
    ]


def program_symbolic_gradients(tf):
    x = tf.constant(3.0)
    v = tf.Variable(2.0)

    def loop(x):
        y = tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x]
        )[1]
        first = tf.gradients(y, x)
        return first, tf.gradients(first, x)

    def stopped(x):
        y = x * x
        z = y * x
        return [
            tf.gradients(z * y, [x, y, z], stop_gradients=[y]),
            tf.gradients(z * y, [x, y, z], stop_gradients=[y, z]),
            tf.gradients(z * y, [x, y, z], stop_gradients=[z]),
            tf.gradients(z * y, [x, z], stop_gradients=z),
        ]

    return [
        _graph(tf, lambda x: tf.gradients(x * x, x), x),
        _graph(tf, lambda x: str(tf.gradients(tf.constant(1.0), x)), x),
        _graph(tf, lambda x: tf.gradients(
            tf.constant(1.0), x, unconnected_gradients="zero"), x),
        _graph(tf, lambda x: tf.gradients(
            [x * x, x], [x], grad_ys=[2.0, None]), x),
        _graph(tf, lambda: tf.gradients(v * v, v)),
        _graph(tf, stopped, x),
        _graph(tf, loop, x),
        _graph(tf, lambda x: tf.gradients(
            tf.cond(x > 1.0, lambda: x * x, lambda: x), x), x),
    ]


def program_stop_gradients(tf):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    gate = tf.constant(True)

    def outputs_of_one_op(x):
        """An op is stopped with all that it makes."""
        a, b = tf.split(x * 2.0, 2)
        y = tf.reduce_sum(a * b * b)
        return [
            tf.gradients(y, [x, a, b], stop_gradients=[a]),
            tf.gradients(y, [x, a, b], stop_gradients=[b]),
            tf.gradients([y, tf.reduce_sum(x)], [x, a], stop_gradients=[a, b]),
        ]

    def around_a_loop(x):
        start = tf.sin(x)
        y = tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, start]
        )[1]
        z = y * x
        return [
            tf.gradients(z, [x, start, y], stop_gradients=[start]),
            tf.gradients(z, [x, start, y], stop_gradients=[y]),
            tf.gradients(z, [x, start, y], stop_gradients=[y, start]),
        ]

    def around_branches(x):
        before = x * 3.0
        y = tf.cond(gate, lambda: before * x, lambda: before)
        z = y * before
        return [
            tf.gradients(z, [x, before, y], stop_gradients=[before]),
            tf.gradients(z, [x, before, y], stop_gradients=[y]),
            tf.gradients(z, [x, before], stop_gradients=[y, x]),
        ]

    def within_branches(x):
        def inside():
            y = x * x
            z = y * x
            return tf.gradients(z * y, [x, y], stop_gradients=[y])

        return tf.cond(gate, inside, lambda: [x, x])

    def within_a_loop(x):
        def body(i, y):
            z = y * y
            w = tf.sin(z) * y
            return i + 1, y + tf.gradients(w, y, stop_gradients=[z])[0]

        return tf.while_loop(lambda i, y: i < 3, body, [0, x])[1]

    def twice(x):
        y = x * x
        first = tf.gradients(y * y * x, x, stop_gradients=[y])[0]
        return first, tf.gradients(first * x, x), tf.gradients(
            first * x, x, stop_gradients=[first]
        )

    def one_of_two_results(x):
        y, z = tf.cond(gate, lambda: (x * x, x * 3.0), lambda: (x, x))
        v, w = tf.while_loop(
            lambda v, w: tf.reduce_sum(w) < 40.0,
            lambda v, w: (v * x, w + w * x), (x, x),
        )
        return [
            tf.gradients(y * z, [x, y, z], stop_gradients=[y]),
            tf.gradients(v * w, [x, v, w], stop_gradients=[w]),
            tf.gradients(v * w, [x, v, w], stop_gradients=[w, v]),
        ]

    def weights(x):
        y = x * x
        return tf.gradients(
            [y, y * x], [x, y], grad_ys=[None, x], stop_gradients=[y]
        )

    def of_itself(x):
        y = x * x
        return tf.gradients(y, [y, x], stop_gradients=[y]), tf.gradients(
            y * x, x, stop_gradients=[x], unconnected_gradients="zero"
        )

    return [
        _graph(tf, program, x)
        for program in (
            outputs_of_one_op, around_a_loop, around_branches, within_branches,
            within_a_loop, twice, one_of_two_results, weights, of_itself,
        )
    ]


def program_symbolic_gradients_refused(tf):
    x = tf.constant(3.0)
    return [
        failure(tf.gradients, x, x),
        failure(tf.hessians, x, x),
        _graph(tf, lambda x: tf.gradients(
            x, x, unconnected_gradients="foo"), x),
        _graph(tf, lambda x: tf.gradients([x, x], [x], grad_ys=[2.0]), x),
        _graph(tf, lambda x: tf.gradients(x, x, aggregation_method=5), x),
    ]


def program_hessians(tf):
    def cubes(x):
        return tf.hessians(tf.reduce_sum(x * x * x), x)

    return [
        _graph(tf, cubes, tf.constant([3.0, 1.0])),
        _graph(tf, cubes, tf.ones([2, 2])),
        _graph(tf, cubes, tf.constant(2.0)),
    ]


@better([12.0, 6.0])
def program_recomputed_twice(tf):
    # The original refuses a second derivative.
    v = tf.Variable(2.0)
    f = tf.recompute_grad(lambda x: x * v * v)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = f(tf.constant(3.0))
        first = tape.gradient(y, v)
    return [float(first), float(outer.gradient(first, v))]


def _registered(tf):
    name = f"TimesHundred{id(tf)}"
    try:
        @tf.RegisterGradient(name)
        def hundred(op, grad):
            return grad * 100.0 * float(len(op.inputs))
    except KeyError:
        pass  # by an earlier program
    return name


def program_gradients_by_name(tf):
    name = _registered(tf)
    with tf.Graph().as_default() as graph:
        a = tf.constant(3.0)
        with graph.gradient_override_map({"Square": name}):
            b = tf.square(a)
            c = tf.sin(b)
        d = tf.square(a)
        found = [t.op.get_attr("_gradient_op_type") == name.encode() for t in (b,)]
        found += [failure(c.op.get_attr, "_gradient_op_type")[0]]
        found += [failure(d.op.get_attr, "_gradient_op_type")[0]]

    @tf.function(autograph=False)
    def inner(x):
        with x.graph.gradient_override_map({"Square": name}):
            return tf.square(x)

    @tf.function(autograph=False)
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with x.graph.gradient_override_map({"Square": name}):
                y = tf.square(x)
        return tape.gradient(y, x)

    @tf.function(autograph=False)
    def symbolic(x):
        with x.graph.gradient_override_map({"Square": name}):
            return tf.gradients(tf.square(x), x)[0]

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = inner(x)
    return found, y, tape.gradient(y, x), inside(x), symbolic(x)


def program_gradients_that_are_not_there(tf):
    def unknown():
        with tf.Graph().as_default() as graph:
            a = tf.constant(3.0)
            with graph.gradient_override_map({"Square": "NotThere"}):
                b = tf.square(a)
            return tf.gradients(b, a)

    graph = tf.Graph()
    return [
        failure(unknown),
        failure(tf.RegisterGradient("Square"), lambda op, grad: grad)[0],
        failure(tf.RegisterGradient, 3),
        failure(graph.gradient_override_map(3).__enter__),
        failure(graph.gradient_override_map({"a": 3}).__enter__),
        failure(graph.gradient_override_map({3: "a"}).__enter__),
    ]
