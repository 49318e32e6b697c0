"""Public functions on ragged and sparse tensors and on extension types."""

import functools
import typing

from outcomes import better, failure, phrase


def _get(tf, name):
    return functools.reduce(getattr, name.split("."), tf)


def _shown(tf, value):
    if isinstance(value, tf.RaggedTensor):
        return ["ragged", value.dtype.name, value.to_list()]
    if isinstance(value, tf.SparseTensor):
        return ["sparse", tf.sparse.to_dense(value)]
    return value


def _called(tf, function, *args, **kwargs):
    return _shown(tf, function(*args, **kwargs))


_UNARY = (
    "abs", "negative", "sign", "square", "sqrt", "floor", "round",
    "identity", "zeros_like", "ones_like", "math.is_nan", "nn.relu",
    "math.ceil", "math.reciprocal", "stop_gradient",
)
_BINARY = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "pow",
    "greater", "greater_equal", "less", "less_equal", "equal", "not_equal",
    "math.floordiv", "math.floormod", "math.squared_difference",
)


def program_unary_functions_of_ragged_tensors(tf):
    x = tf.ragged.constant([[1.0, 4.0], [], [9.0]])
    b = tf.ragged.constant([[True, False], [True]])
    return [_called(tf, _get(tf, name), x) for name in _UNARY] + [
        _called(tf, tf.cast, x, tf.int32),
        _called(tf, tf.cast, x=x, dtype=tf.int64),
        _called(tf, tf.logical_not, b), _called(tf, tf.abs, x, name="n"),
        _called(tf, tf.clip_by_value, x, 2.0, 5.0),
        _called(tf, tf.one_hot, tf.ragged.constant([[1], [0, 2]]), 3),
    ]


def program_special_functions_of_ragged_tensors(tf):
    x = tf.ragged.constant([[1.0, 4.0], [], [9.0]])
    y = tf.ragged.constant([[2.0, 3.0], [], [0.0]])
    orders = [f"math.special.bessel_{kind}" for kind in (
        "i0", "i1", "j0", "j1", "k0", "k1", "y0", "y1", "k0e", "k1e",
    )]
    return [_get(tf, name)(x).row_splits for name in orders] + [
        _called(tf, tf.realdiv, y, x), _called(tf, tf.math.xdivy, y, x),
        _called(tf, tf.math.divide_no_nan, x, y),
        failure(tf.nn.log_softmax, x)[0],
    ]


def program_text_functions_of_ragged_tensors(tf):
    x = tf.ragged.constant([["a", "Bc"], ["d"]])
    n = tf.ragged.constant([[1, 2], [3]])
    return [
        _called(tf, tf.strings.upper, x), _called(tf, tf.strings.length, x),
        _called(tf, tf.strings.as_string, n),
        _called(tf, tf.strings.to_number, tf.strings.as_string(n)),
    ]


def program_binary_functions_of_ragged_tensors(tf):
    x = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    y = tf.ragged.constant([[2.0, 2.0], [], [1.0]])
    column = tf.constant([[1.0], [2.0], [3.0]])
    return [
        _called(tf, _get(tf, name), *operands)
        for name in _BINARY
        for operands in ((x, y), (x, 2.0), (2.0, x), (x, column), (column, x))
    ] + [
        _called(tf, tf.add, x=x, y=y), _called(tf, tf.add, x, y, name="s"),
        _called(tf, tf.logical_and, x > 1.0, y > 1.0),
        _called(tf, tf.add_n, [x, y, x]),
    ]


def program_comparisons_of_other_rows(tf):
    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    y = tf.ragged.constant([[1.0], [2.0]])
    return [
        failure(tf.add, x, y)[0], failure(tf.raw_ops.AddV2, x=x, y=x)[0],
        failure(tf.transpose, x)[0],
    ]


def program_reductions_of_ragged_tensors(tf):
    x = tf.ragged.constant([[3.0, 1.0], [], [4.0]])
    full = tf.ragged.constant([[3.0, 1.0], [4.0]])
    deep = tf.ragged.constant([[[1, 2], [3]], [[4]]])
    flags = tf.ragged.constant([[True, False], [True]])
    names = ("sum", "mean", "max", "min", "prod")
    found = []
    for name in names:
        reduce = getattr(tf, "reduce_" + name)
        source = x if name in ("sum", "prod") else full
        found += [
            _called(tf, reduce, source, axis) for axis in (None, 0, 1, -1)
        ]
        found += [
            _called(tf, reduce, source, 1, True),
            _called(tf, reduce, input_tensor=source, axis=0, keepdims=True),
        ]
    found += [
        _called(tf, tf.reduce_sum, deep, axis) for axis in (None, 2, -1, [1, 2])
    ]
    found += [_called(tf, f, flags, axis) for f in (
        tf.reduce_any, tf.reduce_all) for axis in (None, 0, 1)]
    return found, failure(tf.reduce_sum, x, axis=2)[0]


def program_joins_of_ragged_tensors(tf):
    x = tf.ragged.constant([[1, 2], [], [3]])
    y = tf.ragged.constant([[4], [5, 6], []])
    dense = tf.constant([[7], [8], [9]])
    return [
        _called(tf, tf.concat, [x, y], 0), _called(tf, tf.concat, [x, y], 1),
        _called(tf, tf.concat, values=[x, dense, y], axis=-1),
        _called(tf, tf.concat, [dense, x], 0), _called(tf, tf.stack, [x, y]),
        _called(tf, tf.expand_dims, x, 0), _called(tf, tf.expand_dims, x, 1),
        _called(tf, tf.expand_dims, x, -1),
        _called(tf, tf.gather, tf.range(10) * 10, x),
        _called(tf, tf.where, x > 1, x, -x),
        tf.size(x), tf.rank(x),
    ]


def program_ragged_functions_in_functions(tf):
    x = tf.ragged.constant([[1.0, 2.0], [], [3.0]])

    @tf.function(autograph=False)
    def f(a):
        b = tf.add(tf.square(a), 1.0)
        return tf.concat([a, b], 1), tf.reduce_sum(b, axis=1), tf.equal(a, b)

    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = tf.reduce_sum(tf.square(x.with_values(values)), axis=1)
    return [_shown(tf, r) for r in f(x)], tape.gradient(y, values)


def program_functions_of_sparse_tensors(tf):
    x = tf.sparse.from_dense([[1.0, 0.0], [0.0, 4.0]])
    unary = ("abs", "negative", "sign", "square", "sqrt", "identity")
    return [_called(tf, _get(tf, name), x) for name in unary] + [
        _called(tf, tf.cast, x, tf.int32), tf.shape(x), tf.size(x), tf.rank(x),
    ] + [
        failure(_get(tf, name), x)[0]
        for name in ("exp", "zeros_like", "cos", "reduce_sum", "transpose")
    ] + [failure(tf.add, x, x)[0]]


@better([[[1.0, 0.0], [0.0, 4.0]]] * 4)
def program_zeros_of_sparse_tensors_that_stay(tf):
    x = tf.sparse.from_dense([[1.0, 0.0], [0.0, 4.0]])
    names = ("floor", "nn.relu", "round", "math.rint")
    return [
        tf.sparse.to_dense(_get(tf, name)(x)).numpy().tolist() for name in names
    ]


def program_stopped_gradients_of_sparse_tensors(tf):
    x = tf.sparse.from_dense([[1.0, 0.0], [0.0, 4.0]])
    return _called(tf, tf.stop_gradient, x)


def _masked(tf):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

    return Masked, Masked([1.0, -2.0], [True, False])


def _parts(value):
    return [value.values, value.mask] if hasattr(value, "mask") else value


def program_elementwise_handlers(tf):
    Masked, m = _masked(tf)
    api = tf.experimental

    @api.dispatch_for_unary_elementwise_apis(Masked)
    def unary(api_func, x):
        return Masked(api_func(x.values), x.mask)

    @api.dispatch_for_binary_elementwise_apis(Masked, Masked)
    def binary(api_func, x, y):
        return Masked(api_func(x.values, y.values), x.mask & y.mask)

    @api.dispatch_for_binary_elementwise_apis(Masked, tf.Tensor)
    def with_tensor(api_func, x, y):
        return Masked(api_func(x.values, y), x.mask)

    two = tf.constant(2.0)
    found = [_parts(f(m)) for f in (
        tf.abs, tf.exp, tf.nn.relu, tf.zeros_like, tf.identity, tf.square)]
    found += [
        _parts(tf.cast(m, tf.int32)), _parts(tf.clip_by_value(m, 0.0, 1.0)),
        _parts(tf.math.exp(x=m)), _parts(tf.add(m, m)), _parts(tf.add(x=m, y=m)),
        _parts(tf.multiply(m, two)), _parts(tf.greater(m, m, name="g")),
        failure(tf.multiply, m, 2.0)[0], failure(tf.multiply, two, m)[0],
        failure(tf.reduce_sum, m)[0],
        tf.function(lambda a: tf.add(a, a).values, autograph=False)(m),
    ]
    again = failure(api.dispatch_for_unary_elementwise_apis(Masked), unary)
    for handler in (unary, binary, with_tensor):
        api.unregister_dispatch_for(handler)
    return (
        found, again[0], failure(tf.abs, m)[0],
        failure(api.unregister_dispatch_for, unary)[0],
    )


def program_assertions_about_other_types(tf):
    Masked, m = _masked(tf)

    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def compare(api_func, x, y):
        return api_func(x.values, y.values)

    return [
        tf.debugging.assert_equal(m, m), tf.debugging.assert_less_equal(m, m),
        failure(tf.debugging.assert_less, m, m)[0],
    ]


def program_handlers_of_one_function(tf):
    Masked, m = _masked(tf)
    api = tf.experimental

    @api.dispatch_for_api(tf.concat, {"values": typing.List[Masked]})
    def concat(values, axis, name="concat"):
        return Masked(
            tf.concat([v.values for v in values], axis),
            tf.concat([v.mask for v in values], axis),
        )

    @api.dispatch_for_api(tf.reduce_sum)
    def total(input_tensor: Masked, axis=None, keepdims=False, name=None):
        kept = tf.where(input_tensor.mask, input_tensor.values, 0.0)
        return tf.reduce_sum(kept, axis, keepdims)

    @api.dispatch_for_api(
        tf.subtract, {"x": typing.Union[Masked, tf.Tensor], "y": Masked},
        {"x": Masked},
    )
    def difference(x, y, name=None):
        return "difference"

    plain = tf.constant([1.0])
    found = [
        _parts(tf.concat([m, m], 0)), _parts(tf.concat(values=[m], axis=0)),
        failure(tf.concat, [m, plain], 0)[0], tf.concat([plain, plain], 0),
        tf.reduce_sum(m), tf.reduce_sum(input_tensor=m, axis=0),
        tf.subtract(m, plain), tf.math.subtract(plain, m),
        tf.subtract(plain, plain), failure(tf.subtract, 1.0, m)[0],
    ]
    for handler in (concat, total, difference):
        api.unregister_dispatch_for(handler)
    return found, failure(tf.reduce_sum, m)[0]


@phrase("Multiple dispatch targets that were registered", "subtract")
def program_two_handlers(tf):
    Masked, m = _masked(tf)
    api = tf.experimental
    handlers = [
        api.dispatch_for_api(tf.subtract, {"x": Masked})(
            lambda x, y, name=None: 1
        ),
        api.dispatch_for_binary_elementwise_apis(Masked, Masked)(
            lambda api_func, x, y: 2
        ),
    ]
    try:
        return tf.subtract(m, m)
    finally:
        for handler in handlers:
            api.unregister_dispatch_for(handler)


def program_wrong_handlers(tf):
    Masked, _ = _masked(tf)
    api = tf.experimental

    def of_shape(input, name=None):
        return 1

    def of_x(x, out_type=None, name=None):
        return 1

    return [
        failure(api.dispatch_for_api(tf.shape, {"input": Masked}), of_shape),
        failure(api.dispatch_for_api(tf.shape, {"input": Masked}), of_x),
        failure(api.dispatch_for_api, tf.shape, {"nope": Masked}),
        failure(api.dispatch_for_api, len, {"x": Masked}),
    ]


def program_targets_of_functions_written_in_python(tf):
    class Boxed(tf.experimental.ExtensionType):
        value: tf.Tensor

    @tf.experimental.dispatch_for_api(tf.norm)
    def boxed_norm(
        tensor: Boxed, ord="euclidean", axis=None, keepdims=None, name=None
    ):
        return "norm", tf.norm(tensor.value, ord, axis, keepdims)

    @tf.experimental.dispatch_for_api(tf.boolean_mask, {"tensor": Boxed})
    def boxed_mask(tensor, mask, axis=None, name="boolean_mask"):
        return Boxed(tf.boolean_mask(tensor.value, mask))

    @tf.experimental.dispatch_for_api(
        tf.random.shuffle, {"value": Boxed}
    )
    def boxed_shuffle(value, seed=None, name=None):
        return "shuffled"

    x = Boxed([3.0, 4.0])
    return [
        tf.norm(x), tf.linalg.norm(x, axis=0), tf.norm([3.0, 4.0]),
        tf.boolean_mask(x, [True, False]).value,
        tf.boolean_mask([1, 2], [True, False]), tf.random.shuffle(x),
        failure(tf.experimental.dispatch_for_api(tf.norm), boxed_mask)[0],
        failure(tf.experimental.dispatch_for_api, len)[0],
    ]


def program_assertions_about_ragged_tensors(tf):
    x = tf.ragged.constant([[1, 2], [3]])
    return [
        failure(getattr(tf.debugging, name), x, y)[0]
        for name in (
            "assert_equal", "assert_none_equal", "assert_less",
            "assert_less_equal", "assert_greater", "assert_greater_equal",
            "assert_near",
        )
        for y in (x, x + 1, 2)
    ]
