"""tf.TensorArray, eagerly and in functions, through branches, loops, calls
and tapes."""

from __future__ import annotations

from outcomes import better, failure


def _both(tf, body):
    """What `body` does eagerly, and in a function."""
    return [
        failure(body),
        _message(failure(lambda: tf.function(
            lambda: body(), autograph=False
        )())),
    ]


def _message(found):
    """The outcome, of an error its message without where it happened."""
    if found[0] == "ok":
        return found
    text = found[1].removeprefix("Graph execution error: ")
    return [found[0], text.partition("\n\t [[")[0]]


def _known_shape(tf):
    array = _array(tf, 1).write(0, [1.0])
    return array.stack(), str(array.element_shape)


def _array(tf, *args, **options):
    return tf.TensorArray(tf.float32, *args, **options)


def program_write_and_stack(tf):
    return [
        _both(tf, lambda: _array(tf, 2).write(0, 1.0).write(1, 2).stack()),
        _both(tf, lambda: _array(tf, 2).write(0, 1.0).write(0, 2.0)
              .write(1, 3.0).stack()),
        _both(tf, lambda: _array(tf, 0, dynamic_size=True).write(3, 1.0)
              .stack()),
        _both(tf, lambda: _array(tf, 3).write(1, [1.0, 2.0]).stack()),
        _both(tf, lambda: _array(tf, 0, element_shape=[5, 10]).stack()),
    ]


def program_refusals(tf):
    return [
        _both(tf, lambda: _array(tf)),
        _both(tf, lambda: _array(tf, 2).write(5, 1.0).stack()),
        _both(tf, lambda: _array(tf, 2).write(-1, 1.0).stack()),
        _both(tf, lambda: _array(tf, 2, element_shape=[]).read(-1)),
        _both(tf, lambda: _array(tf, 2, element_shape=[]).read(5)),
        _both(tf, lambda: _array(tf, 2).read(1)),
        _both(tf, lambda: _array(tf, 2).stack()),
        _both(tf, lambda: _array(tf, 3, element_shape=[2])
              .write(1, [1.0, 2.0, 3.0]).stack()),
        _both(tf, lambda: _array(tf, 3).write(0, [1.0, 2.0])
              .write(1, [1.0, 2.0, 3.0]).stack()),
        _both(tf, lambda: _array(tf, 2).unstack([1.0, 2.0, 3.0]).stack()),
        failure(lambda: _array(tf, 2).write(0, tf.constant(1)).stack()),
        failure(lambda: _array(tf, 2, infer_shape=False)
                .split([1.0, 2.0, 3.0], [1, 1])),
        failure(lambda: _array(tf, 2, infer_shape=False)
                .split([1.0, 2.0, 3.0], [1, 1, 1])),
    ]


def program_reads_clear(tf):
    def twice(**options):
        def body():
            array = _array(tf, 2, **options).unstack([1.0, 2.0])
            return array.read(0), array.read(0)

        return body

    return _both(tf, twice()), _both(tf, twice(clear_after_read=False))


def program_rows(tf):
    def unstacked(n=3, **options):
        return _array(tf, n, **options).unstack([1.0, 2.0, 3.0])

    return [
        _both(tf, lambda: unstacked().stack()),
        _both(tf, lambda: unstacked(2, dynamic_size=True).stack()),
        _both(tf, lambda: unstacked().gather([2, 0])),
        _both(tf, lambda: unstacked().gather([1, 1])),
        _both(tf, lambda: unstacked().identity().stack()),
        _both(tf, lambda: _array(tf, 3).scatter([2, 0], [[1.0], [3.0]])
              .stack()),
    ]


def program_pieces(tf):
    def ragged():
        return _array(tf, 2, infer_shape=False)

    return [
        _both(tf, lambda: ragged().split([1.0, 2.0, 3.0], [1, 2]).concat()),
        _both(tf, lambda: ragged().split([1.0, 2.0, 3.0], [1, 2]).read(1)),
        _both(tf, lambda: ragged().write(0, [1.0]).write(1, [2.0, 3.0])
              .concat()),
        _both(tf, lambda: _array(tf, 2, element_shape=[2])
              .write(0, [1.0, 2.0]).concat()),
        _both(tf, lambda: _array(tf, 3).split([1.0, 2.0, 3.0], [1, 1, 1])
              .stack()),
    ]


def program_sizes(tf):
    return [
        _both(tf, lambda: _array(tf, 3).size()),
        _both(tf, lambda: _array(tf, 0, dynamic_size=True).write(4, 1.0)
              .size()),
        _both(tf, lambda: _known_shape(tf)),
        failure(lambda: _array(tf, 3).close()),
        failure(lambda: _array(tf, 3).grad("x")),
        failure(lambda: [_array(tf, 3).dtype, _array(tf, 3).dynamic_size]),
    ]


def program_specs(tf):
    spec = tf.TensorArraySpec([2], tf.float32)
    return [
        repr(spec),
        repr(tf.TensorArraySpec.from_value(_array(tf, 2, element_shape=[3]))),
        spec.is_compatible_with(_array(tf, 2, element_shape=[3])),
        spec == tf.TensorArraySpec([2]),
        spec._component_specs,
    ]


def program_loops_and_branches(tf):
    def squares():
        return tf.while_loop(
            lambda i, a: i < 3,
            lambda i, a: (i + 1, a.write(i, tf.cast(i * i, tf.float32))),
            [0, _array(tf, 3)],
        )[1].stack()

    def chosen(x):
        return tf.cond(
            x > 1,
            lambda: _array(tf, 2).write(0, 1.0),
            lambda: _array(tf, 2).write(1, 2.0),
        ).stack()

    return [
        _both(tf, squares),
        _both(tf, lambda: chosen(tf.constant(1))),
        _both(tf, lambda: chosen(tf.constant(2))),
    ]


def program_arguments(tf):
    @tf.function(autograph=False)
    def stacked(array):
        return array.stack()

    return [
        stacked(_array(tf, 2).unstack([1.0, 2.0])),
        stacked(_array(tf, 2).unstack([[1.0], [2.0]])),
        stacked.experimental_get_tracing_count(),
    ]


@better([1.0, 4.0])
def program_results(tf):
    # The original hands out the bare handle.
    make = tf.function(lambda x: _array(tf, 2).unstack(x), autograph=False)
    array = make(tf.constant([1.0, 2.0]))
    taken = tf.function(
        lambda a: a.stack(),
        input_signature=[tf.TensorArraySpec([], tf.float32)],
    )(array)
    return (taken * array.stack()).numpy().tolist()


def _dropped(tf):
    array = _array(tf, 2, element_shape=[])
    array.write(0, 1.0)
    return array.stack()


@better([["ValueError", True], ["ValueError", True]])
def program_dropped_writes(tf):
    # The original writes anyway eagerly, and loses the element in functions.
    found = _both(tf, lambda: _dropped(tf))
    return [
        [kind, "tensor_arrays.py" in str(text) and "never used" in str(text)]
        for kind, text in found
    ]


def program_gradients(tf):
    x = tf.constant([1.0, 2.0, 3.0])

    def through(body):
        def run():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = body()
            return tape.gradient(y, x)

        return _both(tf, run)

    def loop():
        source = _array(tf, 3).unstack(x)
        return tf.while_loop(
            lambda i, a: i < 3,
            lambda i, a: (i + 1, a.write(i, source.read(i) ** 2.0)),
            [0, _array(tf, 3)],
        )[1].stack()

    return [
        through(loop),
        through(lambda: _array(tf, 3).unstack(x).gather([2, 0]) ** 2.0),
        through(lambda: _array(tf, 3).scatter([2, 0, 1], x).stack()
                * tf.constant([1.0, 2.0, 3.0])),
        through(lambda: _array(tf, 2, infer_shape=False).split(x, [1, 2])
                .concat() ** 2.0),
    ]


def program_node_names(tf):
    def body(n, x):
        array = tf.TensorArray(tf.float32, n, name="made")
        pairs = tf.TensorArray(tf.float32, 3, element_shape=[2])
        array = array.write(0, 1.0, name="w").write(n - 1, x)
        read = array.read(0, name="r"), array.read(n)
        some = array.stack(name="s"), array.gather([0], name="g")
        pairs = pairs.unstack([[1.0, 2.0]] * 3, name="u")
        pairs = pairs.scatter([0], [[3.0, 4.0]], name="sc")
        size = pairs.split([1.0, 2.0], [2, 0], name="sp").size(name="q")
        return read, some, pairs.concat(name="c"), size

    graph = tf.function(body, autograph=False).get_concrete_function(
        tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)
    ).graph
    return [(op.name, op.type) for op in graph.get_operations()]


def program_shapes_of_gradients_through_rows(tf):
    shapes = []

    def traced(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                mapped = tf.map_fn(tf.sin, x)
                scanned = tf.scan(lambda c, row: tf.tanh(c + row), x)
                folded = tf.foldl(lambda c, row: c + row * row, x)
                array = tf.TensorArray(tf.float32, 3).unstack(x)
                read = array.read(1) * array.read(2)
            found = [
                tape.gradient(y, x) for y in (mapped, scanned, folded, read)
            ]
        second = outer.gradient(found[0], x)
        shapes.extend(str(g.shape) for g in [*found, second])
        return x

    tf.function(traced, autograph=False)(tf.ones([3, 2]))
    return shapes


def program_parts_of_other_lengths(tf):
    def arrays(infer_shape, **kwargs):
        return tf.TensorArray(tf.float32, infer_shape=infer_shape, **kwargs)

    value = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = []
    for infer_shape in (True, False):
        three = arrays(infer_shape, size=3).split(value, [1, 2, 3])
        found.append([three.read(i) for i in range(3)])
        for lengths in ([2, 1, 0], [1, 1, 1], [3, 0, 0]):
            made = arrays(infer_shape, size=3).split(table, lengths)
            found += [made.concat(), made.size()]
        for shape in ([2], [None], None):
            made = arrays(infer_shape, size=2, element_shape=shape)
            found.append(made.split(value, [2, 4]).concat())
        longer = arrays(infer_shape, size=0, dynamic_size=True)
        found.append(longer.split(table, [1, 2]).concat())
    found.append(
        arrays(True, size=2, element_shape=[2]).split(table[:2], [1, 1]).stack()
    )
    found += [
        failure(lambda: arrays(True, size=2).split(value, [[2, 4]]).concat()),
        failure(lambda: arrays(True, size=2).split(value, 6).concat()),
        failure(lambda: arrays(True, size=2).split(value, [2, 3]).concat()),
        failure(lambda: arrays(True, size=2).split(value, [1, 2, 3]).concat()),
    ]
    return found


def program_parts_while_tracing(tf):
    def split(value, lengths):
        return tf.function(
            lambda: tf.TensorArray(tf.float32, 2, infer_shape=False)
            .split(value(), lengths()).concat()
        )

    def vector():
        return tf.constant([1.0, 2.0, 3.0])

    return [
        failure(split(value, lengths))[0]
        for value, lengths in (
            (vector, lambda: tf.constant([1, 2])),
            (lambda: tf.constant(1.0), lambda: tf.constant([1])),
            (vector, lambda: tf.constant([[1, 2]])),
            (vector, lambda: tf.constant(2)),
        )
    ]


def program_gradients_of_parts(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        parts = tf.TensorArray(tf.float32, 2).split(x, [1, 2])
        y = tf.reduce_sum(parts.read(1) ** 2)
    return tape.gradient(y, x)
