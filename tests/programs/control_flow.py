"""tf.cond, tf.case, tf.switch_case, tf.while_loop and their gradients."""

from __future__ import annotations

from outcomes import failure


def _function(tf, body, *arguments):
    return tf.function(body, autograph=False)(*arguments)


def program_cond_chooses(tf):
    def body(x):
        return tf.cond(x > 0, lambda: x + 1.0, lambda: x * 2.0)

    return [_function(tf, body, tf.constant(v)) for v in (3.0, -3.0)]


def program_cond_of_structures(tf):
    def body(x):
        return tf.cond(
            x > 0,
            lambda: {"a": (x, 1), "b": [x + 1.0]},
            lambda: {"a": (x * x, 2), "b": [x - 1.0]},
        )

    return [_function(tf, body, tf.constant(v)) for v in (3.0, -3.0)]


def program_cond_joins_shapes(tf):
    def body(x):
        y = tf.cond(x > 0, lambda: tf.ones([2]), lambda: tf.ones([3]))
        return y, str(y.shape) == "(None,)"

    return _function(tf, body, tf.constant(1.0))


def program_cond_writes_variables(tf):
    v = tf.Variable(1.0)

    def body(x):
        tf.cond(x > 0, lambda: v.assign_add(x), lambda: v.assign(0.0))
        return v.read_value()

    f = tf.function(body, autograph=False)
    kinds = [
        op.type
        for op in f.get_concrete_function(tf.constant(1.0)).graph.get_operations()
        if op.type.endswith("If")
    ]
    return f(tf.constant(2.0)), f(tf.constant(-2.0)), kinds


def program_cond_without_effects_is_stateless(tf):
    f = tf.function(
        lambda x: tf.cond(x > 0, lambda: x, lambda: -x), autograph=False
    )
    graph = f.get_concrete_function(tf.constant(1.0)).graph
    return [(op.type, op.name) for op in graph.get_operations()]


def program_cond_errors(tf):
    x = tf.constant(1.0)

    def of(a, b):
        return failure(
            _function, tf, lambda x: tf.cond(x > 0, a, b), x
        )[0]

    return [
        of(lambda: x, lambda: 1),
        of(lambda: {"a": x}, lambda: {"b": x}),
        of(lambda: x, lambda: None),
        failure(tf.cond, x > 0, x, lambda: x),
        failure(_function, tf, lambda x: tf.cond(True, lambda: x, lambda: x), x),
    ]


def program_eager_cond_is_pythons(tf):
    return [tf.cond(True, lambda: 3, lambda: 4), tf.cond(False, lambda: 3, lambda: 4)]


def program_gradient_of_cond(tf):
    v = tf.Variable(3.0)

    def body(x):
        return tf.cond(x > 0, lambda: x * x * v, lambda: x * 3.0 + 1.0)

    f = tf.function(body, autograph=False)
    results = []
    for value in (2.0, -2.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        results.append(tape.gradient(y, [x, v]))
    return results


def program_gradient_inside_of_cond(tf):
    def body(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(x > 0, lambda: x * x * x, lambda: x * 3.0 + 1.0)
        return tape.gradient(y, x)

    return [_function(tf, body, tf.constant(v)) for v in (2.0, -2.0)]


def program_third_derivative_of_cond(tf):
    f = tf.function(
        lambda x: tf.cond(x > 0, lambda: x * x * x, lambda: x * x * x * x),
        autograph=False,
    )
    x = tf.constant(2.0)
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = f(x)
            d = t1.gradient(y, x)
        dd = t2.gradient(d, x)
    return d, dd, t3.gradient(dd, x)


def program_switch_case(tf):
    def body(i):
        return tf.switch_case(i, [lambda: 10, lambda: 20, lambda: 30])

    return [_function(tf, body, tf.constant(i)) for i in (0, 1, 2, 7, -1)]


def program_switch_case_of_keys(tf):
    def body(i):
        return tf.switch_case(
            i, {0: lambda: 10, 3: lambda: 20}, default=lambda: 30
        )

    return [_function(tf, body, tf.constant(i)) for i in (0, 3, 1)]


def program_gradient_of_switch_case(tf):
    def body(i, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.switch_case(
                i, [lambda: x * x, lambda: x * 3.0 + 1.0, lambda: x * 3.0]
            )
        return tape.gradient(y, x)

    return [
        _function(tf, body, tf.constant(i), tf.constant(2.0)) for i in range(3)
    ]


def program_case(tf):
    def body(i):
        return tf.case(
            [(i < 2, lambda: 1), (i < 5, lambda: 2)], default=lambda: 3
        )

    return [_function(tf, body, tf.constant(i)) for i in (1, 3, 9)]


def program_while_counts(tf):
    def body(n):
        return tf.while_loop(
            lambda i, s: i < n, lambda i, s: (i + 1, s + i), [0, 0]
        )

    return [_function(tf, body, tf.constant(n)) for n in (0, 1, 10)]


def program_while_stops(tf):
    def body(i):
        return tf.while_loop(
            lambda i: i < 30, lambda i: (i + 1,), [i], maximum_iterations=4
        )

    return _function(tf, body, tf.constant(0))


def program_while_with_invariants(tf):
    def body(i):
        return tf.while_loop(
            lambda i, v: i < 3,
            lambda i, v: (i + 1, tf.concat([v, v], 0)),
            [i, tf.ones([1])],
            shape_invariants=[i.shape, tf.TensorShape([None])],
        )

    return _function(tf, body, tf.constant(0))


def program_while_errors(tf):
    i = tf.constant(0)

    def of(body, state, **options):
        return failure(
            _function,
            tf,
            lambda i: tf.while_loop(lambda *s: s[0] < 3, body, state(i), **options),
            i,
        )

    return [
        of(lambda i: (tf.cast(i, tf.int64) + 1,), lambda i: [i]),
        of(lambda i, v: (i + 1, tf.concat([v, v], 0)), lambda i: [i, tf.ones([1])]),
        of(lambda i: (i + 1, i), lambda i: [i])[0],
        failure(tf.while_loop, 3, lambda i: i, [i]),
        failure(tf.while_loop, lambda i: i < 3, 3, [i]),
    ]


def program_while_changes_variables(tf):
    v = tf.Variable(1)

    def body(n):
        def step(i):
            v.assign(v * 2)
            return (i + 1,)

        tf.while_loop(lambda i: i < n, step, [0])
        return v.read_value()

    return _function(tf, body, tf.constant(5)), v


def program_gradient_of_while(tf):
    v = tf.Variable(3.0)

    def body(x, n):
        return tf.while_loop(
            lambda i, y: i < n,
            lambda i, y: (i + 1, y * v + x),
            [0, x],
        )[1]

    f = tf.function(body, autograph=False)
    results = []
    for n in (0, 1, 4):
        x = tf.constant(0.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(n))
        results.append(
            [y, tape.gradient(y, [x, v], unconnected_gradients="zero")]
        )
    return str([[round(float(a), 4) for a in (y, *g)] for y, g in results])


def program_higher_derivatives_of_while(tf):
    def body(x, n):
        return tf.while_loop(
            lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, tf.ones([])]
        )[1]

    f = tf.function(body, autograph=False)
    x, n = tf.constant(3.0), tf.constant(3)
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = f(x, n)
            d = t1.gradient(y, x)
        dd = t2.gradient(d, x)
    return y, d, dd, t3.gradient(dd, x)


def program_gradient_of_a_matrix_loop(tf):
    w = tf.Variable([[0.5, -0.25], [0.125, 1.0]])

    def body(x, n):
        return tf.reduce_sum(
            tf.while_loop(
                lambda i, h: i < n,
                lambda i, h: (i + 1, tf.matmul(h, w) * h),
                [0, x],
            )[1]
        )

    f = tf.function(body, autograph=False)
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(3))
    return [y, tape.gradient(y, [x, w])]


def program_gradient_of_nested_control_flow(tf):
    def body(x, n):
        def step(i, y):
            y = tf.cond(y > 4.0, lambda: y * 0.5, lambda: y * x)
            _, y = tf.while_loop(
                lambda j, y: j < 2, lambda j, y: (j + 1, y + x), [0, y]
            )
            return i + 1, y

        return tf.while_loop(lambda i, y: i < n, step, [0, x])[1]

    f = tf.function(body, autograph=False)
    x = tf.constant(1.5)
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t1:
            t1.watch(x)
            y = f(x, tf.constant(4))
        d = t1.gradient(y, x)
    return y, d, t2.gradient(d, x)


def program_gradient_of_growing_state(tf):
    def body(x):
        _, v = tf.while_loop(
            lambda i, v: i < 3,
            lambda i, v: (i + 1, tf.concat([v, v * x], 0)),
            [0, tf.reshape(x, [1])],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
        )
        return tf.reduce_sum(v)

    f = tf.function(body, autograph=False)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


def program_long_loop(tf):
    def body(n):
        return tf.while_loop(
            lambda i, s: i < n, lambda i, s: (i + 1, s + 1.0), [0, 0.0]
        )[1]

    return _function(tf, body, tf.constant(20000))


def program_error_in_a_loop_names_the_op(tf):
    def body(n):
        return tf.while_loop(
            lambda i, s: i < n,
            lambda i, s: (i + 1, s + tf.gather([1, 2, 3], i)),
            [0, 0],
        )[1]

    return _function(tf, body, tf.constant(3)), failure(
        _function, tf, body, tf.constant(9)
    )[0]


def program_node_names_of_switch_case(tf):
    def body(n):
        branches = [lambda: n, lambda: n + 1]
        return (
            tf.switch_case(n, branches),
            tf.switch_case(n, [lambda: (n, n), lambda: (n + 1, n)], name="sw"),
        )

    graph = tf.function(body, autograph=False).get_concrete_function(
        tf.TensorSpec([], tf.int32)
    ).graph
    functions = graph.as_graph_def().library.function
    return (
        [(op.name, op.type) for op in graph.get_operations()],
        sorted(f.signature.name.rpartition("_")[0] for f in functions),
    )


def program_switch_case_refuses_fractions(tf):
    branches = [lambda: 1, lambda: 2]
    index = tf.constant(1.0)
    return [
        failure(lambda: tf.switch_case(index, branches)),
        failure(lambda: tf.switch_case(tf.constant(1, tf.int64), branches)),
        failure(lambda: _function(
            tf, lambda i: tf.switch_case(i, branches), index
        )),
    ]


def program_names_made_in_with_and_try(tf):
    """Of a turn that `break` or `continue` may leave: they are no state."""

    def tape(x, n):
        d = x
        for _ in tf.range(n):
            if d > 50.0:
                break
            with tf.GradientTape() as t:
                t.watch(x)
                loss = tf.sin(x) * x
            d = d + t.gradient(loss, x)
        return d

    def nested(x, n):
        d = x
        for _ in tf.range(n):
            if d > 50.0:
                continue
            with tf.name_scope("a"):
                with tf.name_scope("b"):
                    inner = d * 2.0
                d = inner + 1.0
        return d

    def final(x, n):
        d = x
        count = 0
        for _ in tf.range(n):
            if d > 50.0:
                break
            try:
                made = tf.sin(d)
            finally:
                count += 1
            d = made * 2.0
        return d, count

    def handled(x, n):
        d = x
        for _ in tf.range(n):
            if d > 50.0:
                break
            try:
                made = d * 3.0
            except KeyError:
                made = d
            d = made + 1.0
        return d

    def raised(x, n):
        d = x
        while n > 0:
            n -= 1
            if d > 50.0:
                continue
            try:
                made = d * 3.0
            except KeyError as error:
                raise ValueError("none") from error
            d = made + 1.0
        return d

    return [
        tf.function(f)(tf.constant(x), tf.constant(n))
        for f in (tape, nested, final, handled, raised)
        for x, n in ((1.0, 3), (60.0, 2), (2.0, 0))
    ]
