"""What is known of shapes while functions are traced."""

from __future__ import annotations

from outcomes import failure, phrase

_GIVEN = ([100, 3], [None, 3], [None, None], None, [0, 3], [None, 0])


def _shapes(tf, f, *given):
    """The shapes that f(argument, note) notes while it is traced."""
    found = []

    def note(*tensors):
        found.append([str(t.shape) for t in tensors])

    for shape in given:
        found.append(shape)
        tf.function(lambda x: f(x, note), autograph=False).get_concrete_function(
            tf.TensorSpec(shape)
        )
    return found


def program_results_of_called_functions(tf):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def of_any(a):
        return tf.reshape(a, [-1, 3]), tf.transpose(a), a + 1.0

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def of_tables(a):
        return (
            tf.reshape(a, [-1, 3]), a, a[:1], tf.transpose(a),
            tf.reduce_sum(a, 0), tf.concat([a, a], 0), tf.shape(a),
            tf.matmul(a, a, transpose_b=True), tf.zeros(tf.shape(a)),
        )

    @tf.function
    def of_each(a):
        return tf.reshape(a, [-1, 3])

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def around(a):
        return of_any(a)

    def caller(x, note):
        note(*of_any(x), of_each(x), *around(x))
        if x.shape.rank == 2:
            note(*of_tables(x))

    return _shapes(tf, caller, *_GIVEN)


def program_results_that_depend_on_values(tf):
    @tf.function
    def f(a, n, sizes):
        return (
            tf.reshape(a, [n, -1]), tf.zeros(sizes), tf.fill([n], 1.0),
            tf.range(n), n, tf.shape(a),
        )

    general = f.get_concrete_function(
        tf.TensorSpec(None), tf.TensorSpec([], tf.int32),
        tf.TensorSpec([2], tf.int32),
    )

    @tf.function
    def around(a, n, sizes):
        return f(a, n, sizes)

    def caller(x, note):
        for called in (f, general, around):
            note(*called(x, tf.constant(2), tf.constant([2, 3])))
            note(*called(x, tf.shape(x)[0], tf.shape(x)))

    return _shapes(tf, caller, [4, 3], [None, 3])


def program_results_with_variables(tf):
    v = tf.Variable(tf.zeros([4, 3]), shape=tf.TensorShape(None))
    w = tf.Variable(tf.zeros([4, 3]))

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(a):
        return (
            a + w, tf.matmul(a, w, transpose_b=True), v + a,
            tf.ensure_shape(a, [None, 3]),
            tf.py_function(lambda x: x, [a], tf.float32),
        )

    return _shapes(tf, lambda x, note: note(*f(x)), [4, 3], [None, 3])


def program_results_of_control_flow(tf):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(a):
        return (
            tf.cond(tf.reduce_sum(a) > 0, lambda: a + 1.0, lambda: a * 2.0),
            tf.while_loop(
                lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), (0, a)
            )[1],
        )

    def caller(x, note):
        note(*f(x), tf.cond(x[0, 0] > 0, lambda: f(x)[0], lambda: f(x)[1]))

    return _shapes(tf, caller, [4, 3], [None, 3])


def program_shapes_that_set_shape_told(tf):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(a):
        a.set_shape([None, None])
        b = tf.py_function(lambda x: x, [a], tf.float32)
        b.set_shape([7, None])
        return tf.reshape(a, [-1])[:3], a, b, tf.ensure_shape(b, [None, 5])

    return _shapes(tf, lambda x, note: note(*f(x)), [4, 3], [None, 3])


def program_gradients_of_called_functions(tf):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(a):
        return tf.transpose(a)

    def caller(x, note):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        note(y, tape.gradient(y, x))

    return _shapes(tf, caller, [4, 3], [None, 3])


def program_elements_that_called_functions_make(tf):
    f = tf.function(tf.transpose, input_signature=[tf.TensorSpec(None)])
    dataset = tf.data.Dataset.from_tensors(tf.zeros([4, 3]))
    return str(dataset.map(lambda x: f(x)).element_spec)


@phrase("Dimensions must be equal, but are 3 and 4 for '{{node MatMul}}")
def program_arguments_that_a_called_function_cannot_take(tf):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(a):
        return tf.reduce_sum(tf.matmul(a, a))

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def around(a):
        return f(a)

    @tf.function
    def caller(x):
        return around(x)

    caller(tf.zeros([4, 3]))


@phrase("Cannot reshape a tensor with 12 elements to shape [7,2] (14 elements)")
def program_values_that_a_called_function_cannot_take(tf):
    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None]), tf.TensorSpec([], tf.int32),
        ]
    )
    def f(a, n):
        return tf.reshape(a, [n, 2])

    @tf.function
    def caller(x):
        return f(x, tf.constant(7))

    caller(tf.zeros([4, 3]))


def program_a_failed_call_leaves_no_node(tf):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(a):
        tf.print("ran")
        return tf.matmul(a, a)

    @tf.function(autograph=False)
    def caller(x):
        return failure(f, x)[0] == "ValueError"

    return caller(tf.zeros([4, 3]))


def program_reductions(tf):
    functions = (
        tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min,
        tf.reduce_prod, tf.reduce_logsumexp, tf.math.reduce_std,
        tf.math.reduce_variance, tf.math.reduce_euclidean_norm,
    )
    others = (
        {"keepdims": True}, {"axis": 0}, {"axis": [0, 1]}, {"axis": []},
        {"axis": -1, "keepdims": True},
    )

    def caller(x, note):
        for f in functions:
            note(f(x), *(f(x, **other) for other in others))
            note(f(x, axis=tf.range(tf.rank(x))))
        note(tf.math.count_nonzero(x), tf.size(x), tf.rank(x))
        note(tf.math.zero_fraction(x))
        for f in (tf.reduce_any, tf.reduce_all):
            note(f(x > 0.0), f(x > 0.0, keepdims=True), f(x > 0.0, axis=0))

    return _shapes(tf, caller, None, [None, None], [2, None])


def program_sums_in_loops_over_unknown_ranks(tf):
    found = []

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def over_rows(u):
        total = 0.0
        for x in u:
            found.append(str(x.shape))
            total += tf.reduce_sum(x)
        return total

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def doubled(u):
        while tf.reduce_sum(u) < 30.0:
            u = u * 2.0
        found.append(str(u.shape))
        return u

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def longer(u):
        for _ in tf.range(tf.shape(u)[0]):
            u = tf.concat([u, u], 0)
            found.append(str(u.shape))
        return u

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def mapped(u):
        return (
            tf.map_fn(lambda x: x * 2.0, u), tf.scan(lambda a, x: a + x, u),
            tf.foldl(lambda a, x: a + x, u),
        )

    vector = tf.constant([1.0, 2.0])
    return [
        over_rows(tf.constant([[1.0, 2.0], [3.0, 4.0]])), over_rows(vector),
        doubled(vector), longer(vector), mapped(vector), sorted(set(found)),
    ]


def program_comparisons(tf):
    shapes = (
        None, [], [None], [1], [2], [3], [None, 2], [None, None], [1, None],
        [2, 2], [None, 1], [4, None, 2],
    )
    found = []

    def compare(x, y):
        for f in (
            lambda: x == y, lambda: x != y, lambda: tf.equal(x, y),
            lambda: tf.not_equal(x, y), lambda: x == 1.0, lambda: 1.0 == x,
            lambda: x != [1.0, 2.0],
        ):
            made = failure(f)
            shown = getattr(made[1], "shape", "scalar")
            found.append(str(shown) if made[0] == "ok" else made[0])
        return x

    for a in shapes:
        for b in shapes:
            found.append([a, b])
            tf.function(compare, autograph=False).get_concrete_function(
                tf.TensorSpec(a), tf.TensorSpec(b)
            )
    return found


def program_comparisons_with_nothing(tf):
    found = []

    def compare(x, y):
        found.append([str((x == y).shape), str((x != y).shape)])
        return x

    shapes = (None, [], [None], [0], [1], [2], [None, None], [None, 0], [1, 0])
    for a in shapes:
        for b in ([0], [None, 0]):
            tf.function(compare, autograph=False).get_concrete_function(
                tf.TensorSpec(a), tf.TensorSpec(b)
            )
    return found


def program_beam_search(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.int32)])
    def alive(tokens):
        finished = tokens == 2
        return tf.reduce_any(finished, -1), tf.where(finished, 0, tokens)

    return alive(tf.constant([[1, 2, 3], [1, 1, 1]]))
