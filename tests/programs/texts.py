"""Printed forms of variants, resources, sparse and ragged tensors."""

from __future__ import annotations

from outcomes import failure


def _forms(x):
    """What each way to make a text of `x` gives."""
    return [
        failure(make)
        for make in (
            lambda: repr(x), lambda: str(x), lambda: f"{x}",
            lambda: format(x), lambda: "{}".format(x),
            lambda: "%s %r" % (x, x), lambda: f"{x!r:>3}",
            lambda: format(x, ">3"), lambda: f"{x:.2f}", lambda: f"{x:d}",
        )
    ]


def _optional(tf, *components):
    return tf.raw_ops.OptionalFromValue(components=list(components))


def _variants(tf):
    none = tf.raw_ops.OptionalNone()
    several = tf.stack([none] * 12)
    splits = [tf.constant([0, 1, 2], tf.int64)]
    return [
        none, _optional(tf, tf.constant(1)), _optional(tf, "abc"),
        _optional(tf, tf.zeros([3, 4])), _optional(tf, tf.zeros([2, 0])),
        _optional(tf, ["it's", 'q"'] * 8), _optional(tf, True),
        _optional(tf, 1 + 2j), _optional(tf, tf.constant(1.5, tf.bfloat16)),
        _optional(tf, none), _optional(tf, several),
        _optional(tf, _optional(tf, none)),
        tf.raw_ops.TensorListReserve(
            element_shape=[2], num_elements=3, element_dtype=tf.float32
        ),
        several, tf.reshape(several, [3, 4]), several[:0],
        tf.raw_ops.RaggedTensorToVariant(
            rt_nested_splits=splits, rt_dense_values=tf.constant([1, 2]),
            batched_input=False,
        ),
        tf.raw_ops.RaggedTensorToVariant(
            rt_nested_splits=splits, rt_dense_values=tf.constant([1, 2]),
            batched_input=True,
        ),
        tf.raw_ops.SerializeManySparse(
            sparse_indices=[[0, 0]], sparse_values=["a"], sparse_shape=[1, 1],
            out_type=tf.variant,
        ),
        *(d._variant_tensor for d in _datasets(tf)),
    ]


def _datasets(tf):
    d = tf.data.Dataset.range(2, 9, 3)
    return [
        d, tf.data.Dataset.from_tensor_slices([1]),
        tf.data.Dataset.from_tensors(1), d.map(tf.identity),
        d.map(tf.identity, num_parallel_calls=2), d.batch(2),
        d.padded_batch(2), d.window(2), d.shard(2, 1), d.cache(),
        d.cache("file"), d.repeat(), d.take(1), d.prefetch(1),
        d.filter(lambda x: x > 1), d.flat_map(tf.data.Dataset.range),
        d.concatenate(d), tf.data.Dataset.zip((d, d)), d.rebatch(2), d.unique(),
    ]


def _resources(tf):
    v = tf.Variable([1.0, 2.0], name="me")
    return [
        v.handle, tf.Variable("s").handle, tf.stack([v.handle] * 5),
        tf.Variable(1, name="any", shape=tf.TensorShape(None)).handle,
        tf.raw_ops.VarHandleOp(
            dtype=tf.float32, shape=[2], shared_name="texts.abc"
        ),
        tf.raw_ops.VarHandleOp(
            dtype=tf.float32, shape=[], shared_name="texts.a", container="c"
        ),
        tf.raw_ops.AnonymousIteratorV3(
            output_types=[tf.int64], output_shapes=[[]]
        ),
        tf.raw_ops.DummySeedGenerator(), tf.raw_ops.DummyMemoryCache(),
    ]


def program_variants(tf):
    return [_forms(x) for x in _variants(tf)]


def program_resources(tf):
    return [_forms(x) for x in _resources(tf)]


def program_symbolic(tf):
    found = []

    @tf.function
    def f(x):
        found.append(_forms(x))

    for x in (_variants(tf) + _resources(tf))[::6]:
        f(x)
    return found


def program_variables_of_variants(tf):
    v = tf.Variable(tf.raw_ops.OptionalNone(), name="v")
    found = [_forms(v)]
    tf.function(lambda: found.append(_forms(v)))()
    return found


def program_printed(tf):
    @tf.function
    def f(x):
        tf.print(x, [x], {"a": x})
        tf.print(x, summarize=2)
        tf.print(x, summarize=-1)

    for x in _variants(tf) + _resources(tf):
        tf.print(x, summarize=0)
        f(x)


def program_no_arrays(tf):
    found = []
    for x in (_variants(tf) + _resources(tf))[::5]:
        found += [
            failure(make)
            for make in (
                x.numpy, lambda: bool(x), lambda: int(x), lambda: float(x),
                x.__array__, x.__index__, lambda: x + x,
                lambda: tf.cast(x, tf.float32),
                lambda: tf.strings.format("{}", [x]),
            )
        ]
    return found


def program_sums_of_variants(tf):
    def ragged(values, splits=(0, 1, 2)):
        return tf.raw_ops.RaggedTensorToVariant(
            rt_nested_splits=[tf.constant(splits, tf.int64)],
            rt_dense_values=tf.constant(values), batched_input=False,
        )

    none = tf.raw_ops.OptionalNone()
    one = _optional(tf, 1, 2.5)
    return [
        str(tf.add_n([_optional(tf, 2.5)] * 2)),
        tf.raw_ops.OptionalGetValue(
            optional=tf.zeros_like(_optional(tf, 5, 2.5)),
            output_types=[tf.int32, tf.float32], output_shapes=[[], []],
        ),
        str(tf.add_n([none, none])), str(tf.zeros_like(none)),
        str(tf.add_n([_optional(tf, _optional(tf, 2))] * 2)),
        tf.raw_ops.RaggedTensorFromVariant(
            encoded_ragged=tf.add_n([ragged([1.0, 2.0])] * 2),
            input_ragged_rank=1, output_ragged_rank=1, Tvalues=tf.float32,
        ),
        [
            failure(lambda: str(make()))[0]
            for make in (
                lambda: tf.add_n([none, one]),
                lambda: tf.add_n([one, _optional(tf, 1)]),
                lambda: tf.add_n([_optional(tf, 1), _optional(tf, 1.5)]),
                lambda: tf.zeros_like(_optional(tf, "a")),
                lambda: tf.add_n([_optional(tf, "a")] * 2),
            )
        ],
    ]


def program_sparse(tf):
    found = []
    for values in (
        ["a", "it's", 'q"q', "both'\"", "new\nline", b"\xff\x00", "ü",
         "back\\slash", "", "a" * 100, "tab\t"],
        [1, 2, 3], [1.5, 2e10], [True, False], [1 + 2j], [], [*range(100)],
    ):
        n = len(values)
        x = tf.SparseTensor(
            tf.reshape(tf.range(n, dtype=tf.int64), [n, 1]),
            tf.constant(values), [max(n, 1)],
        )
        found.append(_forms(x))
        tf.print(x)
        tf.print([x, "text"], {"a": x}, summarize=2)

    @tf.function
    def f(x):
        found.append(_forms(x))
        tf.print(x, "x", sep="|")

    f(tf.SparseTensor([[0, 1]], ["it's"], [2, 2]))
    return found


def program_ragged(tf):
    found = []
    for values in (
        [["a", "it's", 'q"q'], ["both'\"", "new\nline"], [b"\xff\x00", "ü"],
         [], ["back\\slash", "", "a" * 100, "\\'", "''"]],
        [[1, 2, 3], []], [[1.5, 2e10]], [[True], [False]],
        [[[1, 2], []], []], [[*range(1000)], []], [[i] for i in range(1000)],
    ):
        x = tf.ragged.constant(values)
        found.append(_forms(x))
        tf.print(x, [x])

    @tf.function
    def f(x):
        found.append(_forms(x))
        tf.print(x)

    f(tf.ragged.constant([["a"], ["it's", "b"]]))
    return found
