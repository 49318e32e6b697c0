"""Programs of errors of eager ops: they name the op, and its name."""

from outcomes import failure


def program_ops_of_tensors(tf):
    x = tf.constant([1.0, 2.0])
    y = tf.constant([1.0, 2.0, 3.0])
    i, p = tf.constant([5]), tf.constant([1, 2])
    m = tf.constant([[1.0, 2.0]])
    return [
        failure(f)
        for f in (
            lambda: tf.gather(p, i), lambda: tf.gather(p, i, name="n"),
            lambda: tf.reshape(x, tf.constant([3])),
            lambda: tf.reshape(x, tf.constant([3]), name="n"),
            lambda: tf.slice(x, tf.constant([0]), tf.constant([5])),
            lambda: tf.transpose(x, tf.constant([1, 0])),
            lambda: tf.fill(tf.constant([-1]), tf.constant(0)),
            lambda: tf.matmul(m, m), lambda: m @ m, lambda: x + y,
            lambda: tf.add(x, y), lambda: tf.multiply(x, y, name="n"),
            lambda: tf.maximum(x, y), lambda: tf.squeeze(y, 0),
            lambda: tf.where(tf.constant([True, False]), m, y),
            lambda: tf.reduce_sum(x, axis=3),
            lambda: tf.reduce_sum(x, axis=3, name="n"),
            lambda: tf.expand_dims(x, 5), lambda: tf.math.top_k(x, 5),
            lambda: tf.one_hot(tf.constant([1]), tf.constant(-2)),
            lambda: tf.raw_ops.GatherV2(
                params=p, indices=i, axis=tf.constant(0)
            ),
            lambda: tf.constant(1) // tf.constant(0),
            lambda: tf.strings.to_number(tf.constant("a")),
            lambda: tf.cast(tf.constant("a"), tf.int32),
            lambda: tf.range(0, 5, 0), lambda: x[tf.constant(7)],
            lambda: tf.roll(x, 1, 4), lambda: tf.clip_by_value(x, y, 5.0),
            lambda: tf.argmax(x, axis=3), lambda: tf.split(x, 3),
            lambda: tf.unstack(x, 3), lambda: tf.TensorArray(
                tf.float32, 2).read(5),
        )
    ]


def program_ops_of_sequences(tf):
    """Then the original leaves the name out."""
    a, b, m = [1.0, 2.0], [1.0, 2.0, 3.0], [[1.0, 2.0]]
    return [
        failure(f)
        for f in (
            lambda: tf.gather([1, 2], [5]),
            lambda: tf.gather(tf.constant([1, 2]), [5]),
            lambda: tf.gather([1, 2], [5], name="n"),
            lambda: tf.reshape(tf.constant(a), [3]),
            lambda: tf.reshape(tf.constant(a), [3], name="n"),
            lambda: tf.subtract(a, b), lambda: tf.multiply(a, b),
            lambda: tf.divide(a, b), lambda: tf.add(a, b),
            lambda: tf.matmul(m, m),
            lambda: tf.constant(a) - b, lambda: a - tf.constant(b),
            lambda: tf.reduce_sum(a, 3), lambda: tf.stack([a, b]),
            lambda: tf.concat([a, b], 1), lambda: tf.fill([-1], 0.0),
            lambda: tf.tile(a, [1, 1]), lambda: tf.pad(a, [[1, 1], [1, 1]]),
            lambda: tf.slice(a, [0], [5]), lambda: tf.squeeze(b, 0),
            lambda: tf.strings.to_number("a"), lambda: tf.cast(["a"], tf.int32),
            lambda: tf.tensor_scatter_nd_update(a, [[5]], [1.0]),
            lambda: tf.raw_ops.GatherV2(params=[1, 2], indices=[5], axis=0),
            lambda: tf.Variable(a).scatter_nd_update([[7]], [1.0]),
            lambda: tf.where([True, False], [1.0], b),
        )
    ]


def program_gradients_and_functions(tf):
    @tf.function
    def f(i):
        return tf.gather([1, 2], i)

    v = tf.Variable([1.0, 2.0])
    return [
        failure(lambda: f(5))[1].endswith("[0, 2)"),
        failure(lambda: v.scatter_nd_update([[7]], [1.0]))[0],
        str(v.numpy()),
    ]
