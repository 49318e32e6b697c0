"""Public functions that join, move, gather, reduce and multiply ragged
tensors, eager and traced."""

from outcomes import failure


def _shown(tf, value):
    if isinstance(value, (list, tuple)):
        return [_shown(tf, item) for item in value]
    if isinstance(value, tf.RaggedTensor):
        return ["ragged", value.dtype.name, value.to_list()]
    return value


def _both(tf, function, *args, **kwargs):
    """The result of a call, which must be the same when traced."""
    eager = _shown(tf, function(*args, **kwargs))
    traced = _shown(tf, tf.function(function)(*args, **kwargs))
    assert str(eager) == str(traced), (eager, traced)
    return eager


def _values(tf):
    return {
        "flat": tf.ragged.constant([[1, 2], [], [3]]),
        "deep": tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]]),
        "inner": tf.ragged.constant(
            [[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1
        ),
    }


def program_stacks(tf):
    a = tf.ragged.constant([[1, 2], [], [3]])
    b = tf.ragged.constant([[4], [5, 6], []])
    deep = _values(tf)["deep"]
    other = tf.ragged.constant([[[7]], [[8], [9]], []])
    dense = tf.constant([[1, 2], [3, 4], [5, 6]])
    return [
        _both(tf, lambda x, y: tf.stack([x, y], axis), x, y)
        for x, y in ((a, b), (deep, other), (a, dense), (dense, a))
        for axis in (0, 1)
    ] + [
        _both(tf, lambda x: tf.stack([x], axis), a) for axis in (0, 1, 2, -1)
    ] + [_both(tf, lambda x: tf.stack([x, x], 2), a)] + [
        failure(tf.stack, [a, b], 2)[0], failure(tf.stack, [a, b], 3),
    ]


def program_concatenations(tf):
    a = tf.ragged.constant([[1, 2], [], [3]])
    b = tf.ragged.constant([[4], [5, 6], []])
    deep, inner = _values(tf)["deep"], _values(tf)["inner"]
    other = tf.ragged.constant([[[7]], [[8], [9]], []])
    dense = tf.constant([[1, 2], [3, 4], [5, 6]])
    return [
        _both(tf, lambda x, y: tf.concat([x, y], axis), x, y)
        for x, y in ((a, b), (deep, other), (a, dense), (dense, a),
                     (inner, inner))
        for axis in (0, 1)
    ] + [
        _both(tf, lambda x: tf.concat([x, x, x], -1), x)
        for x in _values(tf).values()
    ] + [
        failure(tf.concat, [deep, other], 2)[0],
        failure(tf.concat, [a, b], 2),
        failure(tf.concat, [a, tf.ragged.constant([[1]])], 1)[0],
    ]


def program_movements(tf):
    results = []
    for x in _values(tf).values():
        rank = x.shape.rank
        for axis in range(-rank, rank):
            results.append(_both(tf, lambda v: tf.reverse(v, [axis]), x))
        results.append(_both(tf, lambda v: tf.reverse(v, [0, rank - 1]), x))
        for axis in range(-rank - 1, rank + 1):
            results.append(_both(tf, lambda v: tf.expand_dims(v, axis), x))
            results.append(
                _both(
                    tf,
                    lambda v: tf.squeeze(tf.expand_dims(v, axis), [axis]), x,
                )
            )
    return results


def program_bad_axes(tf):
    x = _values(tf)["flat"]
    return [
        failure(tf.reverse, x, [2]), failure(tf.expand_dims, x, 3),
        failure(tf.squeeze, x, [2]), failure(tf.squeeze, x, 0)[0],
        failure(tf.squeeze, x, 1)[0], failure(tf.reverse, x, 1)[0],
        failure(tf.reduce_sum, x, 2), failure(tf.cumsum, x, 2),
        failure(tf.split, x, 3, 1)[0], failure(tf.gather, x, [0], axis=2),
    ]


def program_tiles(tf):
    values = _values(tf)
    cases = (
        ("flat", [2, 1]), ("flat", [1, 2]), ("flat", [2, 3]),
        ("deep", [1, 2, 1]), ("deep", [2, 1, 2]), ("deep", [1, 1, 0]),
        ("deep", [1, 0, 1]), ("inner", [1, 1, 2]), ("inner", [2, 2, 2]),
    )
    return [
        _both(tf, lambda x: tf.tile(x, multiples), values[name])
        for name, multiples in cases
    ] + [
        _both(tf, tf.tile, values["deep"], tf.constant([2, 2, 2])),
    ]


def program_splits(tf):
    values = _values(tf)
    return [
        _both(tf, lambda x: tf.split(x, 3), values["flat"]),
        _both(tf, lambda x: tf.split(x, [1, 2]), values["deep"]),
        _both(tf, lambda x: tf.split(x, 2), values["inner"]),
        _both(tf, lambda x: tf.split(x, 2, 2), values["inner"]),
        _both(tf, lambda x: tf.reshape(x, [-1]), values["deep"]),
        _both(tf, lambda x: tf.reshape(x, [3, -1]), values["deep"]),
    ]


_REDUCTIONS = (
    "reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_mean",
)


def program_reductions_along_axes(tf):
    results = []
    for name in _REDUCTIONS:
        api = getattr(tf, name)
        for x in _values(tf).values():
            for axis in range(x.shape.rank):
                for keepdims in (False, True):
                    results.append(
                        _both(tf, lambda v: api(v, axis, keepdims), x)
                    )
    return results


def program_reductions_along_several_axes(tf):
    deep = _values(tf)["deep"]
    real = tf.cast(deep, tf.float32)
    return [
        _both(tf, lambda v: api(v, axes), real)
        for api in (tf.reduce_sum, tf.reduce_max, tf.reduce_mean)
        for axes in ([0, 1], [1, 2], [0, 2], [0, 1, 2], [])
    ] + [
        _both(tf, lambda v: api(v > 3, axis), deep)
        for api in (tf.reduce_any, tf.reduce_all) for axis in (0, 1, 2)
    ] + [
        _both(tf, lambda v: api(v, axis), real)
        for api in (tf.math.reduce_variance, tf.math.reduce_std)
        for axis in (0, 1, 2)
    ]


def program_running_sums(tf):
    return [
        _both(tf, lambda v: tf.cumsum(v, axis, exclusive, reverse), x)
        for x in _values(tf).values()
        for axis in range(x.shape.rank)
        for exclusive in (False, True)
        for reverse in (False, True)
    ]


def program_softmax(tf):
    inner = tf.cast(_values(tf)["inner"], tf.float32)
    flat = tf.ragged.constant([[0.0, 0.0], [], [5.0]])
    return [
        _both(tf, tf.nn.softmax, flat),
        _both(tf, lambda v: tf.nn.softmax(v * 0.0, 1), inner),
        _both(tf, lambda v: tf.nn.softmax(v * 0.0, 2), inner),
    ]


def program_segments(tf):
    values = _values(tf)
    ids = tf.ragged.constant([[0, 1], [], [0]])
    return [
        _both(tf, lambda x, i: api(x, i, 2), x, i)
        for api in (
            tf.math.unsorted_segment_sum, tf.math.unsorted_segment_max,
            tf.math.unsorted_segment_min, tf.math.unsorted_segment_prod,
        )
        for x, i in (
            (values["flat"], tf.constant([0, 1, 0])), (values["flat"], ids),
            (values["deep"], tf.constant([0, 1, 0])),
        )
    ]


def program_gathers_of_rows(tf):
    values = _values(tf)
    dense = tf.constant([[1, 2], [3, 4], [5, 6]])
    indices = tf.ragged.constant([[2], [0, 0]])
    return [
        _both(tf, tf.gather, values["flat"], [2, 0, 0]),
        _both(tf, tf.gather, values["deep"], [2, 0]),
        _both(tf, tf.gather, values["inner"], [1, 1]),
        _both(tf, tf.gather, values["flat"], [[2, 0], [1, 1]]),
        _both(tf, lambda x: tf.gather(x, 2), values["flat"]),
        _both(tf, lambda x: tf.gather(x, 2), values["deep"]),
        _both(tf, tf.gather, values["flat"], indices),
        _both(tf, tf.gather, values["deep"], indices),
        _both(tf, tf.gather, dense, indices),
        failure(tf.gather, values["flat"], [5])[0],
        failure(tf.gather, values["flat"], [-1])[0],
        failure(tf.gather, values["flat"], [1.0])[0],
    ]


def program_gathers_along_axes(tf):
    values = _values(tf)
    full = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
    dense = tf.constant([[1, 2], [3, 4], [5, 6]])
    return [
        _both(tf, lambda x: tf.gather(x, [0, 0], axis=1), full),
        _both(tf, lambda x: tf.gather(x, [0], axis=-1), full),
        _both(tf, lambda x: tf.gather(x, [0, 0], axis=2), values["deep"]),
        _both(tf, lambda x: tf.gather(x, [0, 0], axis=2), values["inner"]),
        _both(tf, lambda x: tf.gather(x, [0, 0], axis=1), values["inner"]),
        _both(
            tf, lambda x, i: tf.gather(x, i, axis=1), dense,
            tf.ragged.constant([[1], [0, 0]]),
        ),
    ]


def program_gathers_of_batches(tf):
    values = _values(tf)
    dense = tf.constant([[1, 2], [3, 4], [5, 6]])
    indices = tf.ragged.constant([[1, 0], [], [0]])
    return [
        _both(tf, lambda x, i: tf.gather(x, i, batch_dims=1), x, indices)
        for x in (values["flat"], values["deep"], dense)
    ] + [
        _both(tf, lambda x, i: tf.gather(x, i, batch_dims=-1),
              values["flat"], indices),
        _both(tf, lambda x, i: tf.gather(x, i, batch_dims=2), values["deep"],
              tf.ragged.constant([[[1, 0], [0]], [], [[2]]])),
        _both(tf, lambda x, i: tf.gather(x, i, batch_dims=1),
              tf.ragged.constant([[1, 2], [3]]), tf.constant([[0], [0]])),
        _both(tf, lambda x, i: tf.gather(x, i, batch_dims=1),
              tf.ragged.constant([[1, 2], [3]]), tf.constant([1, 0])),
        _both(tf, lambda x, i: tf.gather(x, i, batch_dims=1, axis=2),
              values["deep"], tf.ragged.constant([[0], [], [2]])),
        failure(tf.gather, values["flat"], [1], batch_dims=1)[0],
    ]


def program_gathers_of_elements(tf):
    values = _values(tf)
    dense = tf.constant([[1, 2], [3, 4], [5, 6]])
    deeper = tf.ragged.constant(
        [[[0, 1]], [[2, 0], [1, 1]]], ragged_rank=1
    )
    return [
        _both(tf, lambda x: tf.gather_nd(x, indices), values[name])
        for name, indices in (
            ("flat", [[0, 1], [2, 0]]), ("deep", [[0, 1], [2, 0]]),
            ("deep", [[0], [2]]), ("deep", [[0, 1, 0]]),
            ("inner", [[0, 1, 0]]), ("deep", [0, 1]),
        )
    ] + [
        _both(tf, tf.gather_nd, dense, deeper),
        failure(tf.gather_nd, values["flat"], [[0]] * 3, batch_dims=1),
    ]


def program_partitions(tf):
    flat = _values(tf)["flat"]
    return [
        _both(tf, lambda x: tf.dynamic_partition(x, [0, 1, 0], 2), flat),
        _both(tf, lambda x, p: tf.dynamic_partition(x, p, 2), flat,
              tf.ragged.constant([[0, 1], [], [0]])),
    ]


def program_matrix_products(tf):
    x = tf.cast(_values(tf)["inner"], tf.float32)
    y = tf.constant([[[1.0], [2.0]], [[3.0], [4.0]]])
    square = tf.ragged.constant([[1.0, 2.0], [3.0, 4.0]])
    return [
        _both(tf, tf.matmul, x, y), _both(tf, tf.matmul, square, square),
        _both(tf, lambda v: tf.matmul(v, v, transpose_b=True), x),
        _both(tf, lambda v: tf.matmul(v, v, transpose_a=True), x),
        _both(tf, tf.matmul, tf.ragged.constant([[[1.0, 2.0]], [[1.0]]]),
              tf.ragged.constant([[[1.0], [2.0]], [[3.0]]])),
        failure(tf.matmul, x, tf.constant([[1.0], [2.0]])),
        failure(tf.matmul, tf.ragged.constant([[1.0, 2.0], [3.0]]), square)[0],
    ]


def program_broadcast_operands(tf):
    values = _values(tf)
    dense = tf.constant([[[1]], [[2]], [[3]]])
    even = tf.ragged.constant([[1, 2], [3, 4], [5, 6]])
    return [
        _both(tf, tf.add, values["deep"], dense),
        _both(tf, tf.add, dense, values["deep"]),
        _both(tf, tf.subtract, values["inner"], [1, 2]),
        _both(tf, tf.add, even, tf.constant([[1, 2], [3, 4], [5, 6]])),
        failure(tf.add, values["flat"], [10, 20])[0],
        failure(tf.add, values["flat"], [[10, 20]])[0],
        failure(tf.add, values["deep"], values["flat"])[0],
        failure(tf.add, values["flat"], [[1], [2]])[0],
        values["flat"] == even, values["flat"] != even,
    ]


def program_where(tf):
    x = _values(tf)["flat"]
    deep = _values(tf)["deep"]
    return [
        _both(tf, lambda v: tf.where(v > 1), x),
        _both(tf, lambda v: tf.where(v > 2), deep),
        _both(tf, lambda v: tf.where(v > 1, v, 0), x),
        _both(tf, lambda v: tf.where(v > 1, v, -v), x),
        _both(tf, lambda v: tf.where(v > 1, v, [[1], [2], [3]]), x),
        failure(tf.where, [True, False, True], x, x)[0],
    ]


def program_functions_written_in_python(tf):
    x = tf.cast(_values(tf)["flat"], tf.float32)
    text = tf.strings.as_string(_values(tf)["flat"])
    return [
        _both(tf, lambda v: tf.nn.dropout(v, 0.0), x),
        _both(tf, tf.nn.sigmoid_cross_entropy_with_logits, x * 0.0, x * 0.0),
        _both(tf, lambda v: tf.strings.join([v, v], "-"), text),
        _both(tf, lambda v: tf.strings.join([v, "x"]), text),
        tf.strings.format("{} and {}", (x, 3)),
        tf.debugging.assert_equal(x, x), tf.debugging.assert_less(x, 5.0),
        failure(tf.debugging.assert_equal, x, x + 1.0)[0],
        failure(tf.debugging.assert_less, x, 1.0)[0],
    ]


def program_gradients(tf):
    x = tf.cast(_values(tf)["flat"], tf.float32)
    weights = tf.constant([1.0, 2.0, 3.0])

    def gradient(function):
        with tf.GradientTape() as tape:
            tape.watch(x.flat_values)
            y = function(x)
        return tape.gradient(y, x.flat_values)

    return [
        gradient(lambda v: tf.reduce_sum(v * v, 1) * weights),
        gradient(lambda v: tf.gather(v, [2, 0, 0]).flat_values),
        gradient(lambda v: tf.concat([v, v * v], 1).flat_values),
        gradient(lambda v: tf.tile(v, [2, 2]).flat_values),
        gradient(lambda v: tf.reduce_max(v, 0)),
    ]
