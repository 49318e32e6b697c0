"""Programs of extension types that are stacked and taken apart, and of
functions dispatched to them."""

import inspect
import typing

import numpy as np
from outcomes import better, failure


def _types(tf):
    class Point(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor
        tag: str = "p"

    class Mixed(tf.experimental.BatchableExtensionType):
        ragged: tf.RaggedTensor
        sparse: tf.SparseTensor
        point: Point
        some: typing.Tuple[tf.Tensor, ...]
        named: typing.Mapping[str, tf.Tensor]

    class Net(tf.experimental.BatchableExtensionType):
        shape: tf.TensorShape
        nodes: tf.Tensor

        def __init__(self, nodes):
            self.nodes = tf.convert_to_tensor(nodes)
            self.shape = self.nodes.shape[:-1]

    return Point, Mixed, Net


def _mixed(tf):
    Point, Mixed, _ = _types(tf)
    return Mixed(
        tf.ragged.constant([[1], [2, 3], []]),
        tf.sparse.from_dense([[1, 0], [0, 2], [0, 0]]),
        Point([1, 2, 3], [[4.0], [5.0], [6.0]]),
        (tf.constant([1, 2, 3]),),
        {"a": tf.constant(["x", "y", "z"])},
    )


def _plain(tf, value):
    """A Mixed as Python's values."""
    ragged = value.ragged
    return [
        ragged.to_list() if hasattr(ragged, "to_list") else ragged.numpy(),
        tf.sparse.to_dense(value.sparse).numpy(),
        value.point.x.numpy(), value.point.y.numpy(),
        [x.numpy() for x in value.some],
        {k: x.numpy() for k, x in value.named.items()},
    ]


def program_slices(tf):
    Point, _, _ = _types(tf)
    D = tf.data.Dataset
    p = Point([1, 2, 3], [4.0, 5.0, 6.0], "t")
    d = D.from_tensor_slices(p)
    return [
        str(d.element_spec),
        *(
            [str(x) for x in e]
            for e in (
                d, D.from_tensors(p), d.batch(2), d.batch(2).unbatch(),
                d.batch(2, drop_remainder=True), d.batch(3).rebatch(2),
                d.map(lambda e: Point(e.x * 2, e.y, "q")).batch(2),
                d.filter(lambda e: e.x > 1), d.cache().repeat(2).prefetch(1),
                D.zip((d, D.range(3))).batch(2), d.enumerate().take(2),
                d.group_by_window(
                    lambda e: tf.cast(e.x % 2, tf.int64),
                    lambda key, group: group.batch(2), 2,
                ),
                d.interleave(D.from_tensors, cycle_length=2),
                D.from_generator(
                    lambda: iter([p, p]), output_signature=p._type_spec
                ),
                d.batch(2, num_parallel_calls=2),
            )
        ),
        str(d.batch(2).element_spec),
        str(d.batch(2, drop_remainder=True).element_spec),
        str(d.batch(3).get_single_element()),
        tf.function(
            lambda d: d.batch(2).map(lambda e: e.x).reduce(
                0, lambda a, x: a + tf.reduce_sum(x)
            )
        )(d),
    ]


def program_slices_of_all_kinds(tf):
    D = tf.data.Dataset
    d = D.from_tensor_slices(_mixed(tf))
    return [
        str(d.element_spec), str(d.batch(2).element_spec),
        [str(_plain(tf, e)) for e in d], [str(_plain(tf, e)) for e in d.batch(2)],
        [str(_plain(tf, e)) for e in d.batch(2).unbatch()],
    ]


def program_shapes_among_the_fields(tf):
    _, _, Net = _types(tf)
    d = tf.data.Dataset.from_tensor_slices(
        Net(np.arange(12).reshape([2, 3, 2]))
    )
    return [str(d.element_spec), str(d.batch(2).element_spec),
            [str(x) for x in d], [str(x) for x in d.batch(2)]]


def program_lengths_that_differ(tf):
    Point, _, _ = _types(tf)
    D = tf.data.Dataset
    return [
        failure(lambda: D.from_tensor_slices(Point([1, 2], [1.0]))),
        failure(lambda: D.from_tensor_slices(Point(1, 2))),
        failure(
            lambda: D.from_tensor_slices((Point([1, 2], [1.0, 2.0]), [1]))
        ),
        failure(lambda: D.from_tensors(Point(1, 2)).unbatch())[0],
        failure(lambda: D.from_tensors(Point(1, 2)).as_numpy_iterator())[0],
    ]


@better(["Point", [[1, 2], [3]], [[4.0, 5.0], [6.0]], [1, 2, 3]])
def program_windows(tf):
    Point, _, _ = _types(tf)
    d = tf.data.Dataset.from_tensor_slices(Point([1, 2, 3], [4.0, 5.0, 6.0]))
    w = d.window(2)
    batches = list(w.flat_map(lambda part: part.batch(2)))
    return [
        type(batches[0]).__name__, [b.x.numpy().tolist() for b in batches],
        [b.y.numpy().tolist() for b in batches],
        [int(e.x) for part in w for e in part],
    ]


def program_map_fn(tf):
    Point, Mixed, _ = _types(tf)
    p = Point([1, 2, 3], [4.0, 5.0, 6.0])
    scalar = Point.Spec(
        tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32), "p"
    )
    mixed = _mixed(tf)
    return [
        tf.map_fn(lambda e: e.x * 2, p, fn_output_signature=tf.int32),
        str(tf.map_fn(lambda e: Point(e.x * 2, e.y), p)),
        str(tf.map_fn(
            lambda x: Point(x, tf.cast(x, tf.float32)), tf.constant([1, 2]),
            fn_output_signature=scalar,
        )),
        tf.map_fn(
            lambda e: e[0].x + e[1], (p, tf.constant([1, 2, 3])),
            fn_output_signature=tf.int32,
        ),
        str(tf.function(
            lambda p: tf.map_fn(lambda e: Point(e.x * 2, e.y), p)
        )(p)),
        tf.vectorized_map(lambda e: e.x * 2, p),
        str(_plain(tf, tf.map_fn(lambda e: e, mixed))),
        tf.map_fn(
            lambda e: e.point.x + e.some[0], mixed, fn_output_signature=tf.int32
        ),
        failure(lambda: tf.map_fn(lambda e: Point(e.x, e.y, "z"), p)),
        failure(lambda: tf.map_fn(lambda e: e, Point(1, 2)))[0],
    ]


def program_an_encoder(tf):
    class Encoder(tf.experimental.ExtensionTypeBatchEncoder):
        def batch(self, spec, n):
            values = tf.TensorSpec([n, *spec.values.shape], spec.values.dtype)
            return Halves.Spec(values, spec.note)

        def unbatch(self, spec):
            values = tf.TensorSpec(spec.values.shape[1:], spec.values.dtype)
            return Halves.Spec(values, spec.note)

        def encode(self, spec, value, minimum_rank=0):
            return {"half": tf.cast(value.values, tf.float32) / 2}

        def encoding_specs(self, spec):
            return {"half": tf.TensorSpec(spec.values.shape, tf.float32)}

        def decode(self, spec, encoding):
            values = tf.cast(encoding["half"] * 2, spec.values.dtype)
            return Halves(values, spec.note + "!")

    class Halves(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        note: str
        __batch_encoder__ = Encoder()

    D = tf.data.Dataset
    h = Halves([[1, 2], [3, 4], [5, 6]], "n")
    d = D.from_tensor_slices(h)
    return [
        str(d.element_spec), [str(x) for x in d], [str(x) for x in d.batch(2)],
        [str(x) for x in D.from_tensors(h).unbatch()],
        str(tf.map_fn(lambda e: Halves(e.values + 1, "n"), h,
                      fn_output_signature=d.element_spec)),
    ]


def program_printed(tf):
    class Outer(tf.experimental.ExtensionType):
        x: tf.Tensor
        n: int = 3

    o = Outer(1.5)
    return [repr(o), str(o), repr(o._type_spec), f"{o}"]


def program_dispatch_signatures(tf):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor

    seen = []
    for api, target in (
        (tf.shape, lambda input, out_type=None, name=None: 0),
        (tf.shape, lambda input, out_type=tf.int32, name=None: 0),
        (tf.shape, lambda input: 0), (tf.shape, lambda input, name=None: 0),
        (tf.shape, lambda x, out_type=None, name=None: 0),
        (tf.add, lambda x, y, name: 0), (tf.add, lambda a, b: 0),
        (tf.add, lambda x: 0), (tf.add, lambda x, y, z=1: 0),
        (tf.concat, lambda values, axis, name="concat": 0),
        (tf.reduce_sum, lambda input_tensor, keepdims=False, axis=None: 0),
        (tf.matmul, lambda a, b: 0),
    ):
        first = next(iter(inspect.signature(target).parameters))

        def register():
            decorator = tf.experimental.dispatch_for_api(api, {first: Masked})
            decorator(target)
            tf.experimental.unregister_dispatch_for(target)

        seen.append(failure(register)[0])
    return seen


def program_dispatch_without_name(tf):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor

    called = []

    @tf.experimental.dispatch_for_api(tf.shape)
    def masked_shape(input: Masked, out_type=tf.int32):
        called.append(str(out_type))
        return tf.shape(input.values, out_type)

    @tf.experimental.dispatch_for_api(tf.add, {"x": Masked, "y": Masked})
    def masked_add(x, y):
        return Masked(tf.add(x.values, y.values))

    @tf.experimental.dispatch_for_api(
        tf.concat, {"values": typing.List[Masked]}
    )
    def masked_concat(values, axis):
        return Masked(tf.concat([v.values for v in values], axis))

    @tf.experimental.dispatch_for_api(
        tf.reduce_sum, {"input_tensor": Masked}
    )
    def masked_sum(*args, **kwargs):
        called.append((len(args), sorted(kwargs)))
        return 7

    m = Masked([1, 2])
    return [
        tf.shape(m), tf.shape(m, name="n"), tf.shape(m, tf.int64),
        tf.shape(input=m, out_type=tf.int64, name="n"), tf.add(m, m).values,
        tf.add(m, m, name="n").values, tf.concat([m, m], 0).values,
        tf.concat([m, m], axis=0, name="n").values, tf.reduce_sum(m),
        tf.reduce_sum(m, 0, keepdims=True), called,
        tf.function(lambda: tf.add(m, m).values)(),
    ]
