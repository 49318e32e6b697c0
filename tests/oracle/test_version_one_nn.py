"""tf.compat.v1.nn: gradients of convolutions, pools, quantized images, sparse lookups
and losses over samples, eagerly and in graphs."""

import numpy as np
import pytest

IMAGE = np.sin(np.arange(72, dtype=np.float32)).reshape(1, 6, 6, 2)
FILTER = np.cos(np.arange(36, dtype=np.float32)).reshape(3, 3, 2, 2)
OUT = np.sin(np.arange(72, dtype=np.float32) / 3).reshape(1, 6, 6, 2)
VOLUME = np.sin(np.arange(54, dtype=np.float32)).reshape(1, 3, 3, 3, 2)
TABLE = np.sin(np.arange(21, dtype=np.float32)).reshape(7, 3)
ONES = [1, 1, 1, 1]


def cut(strategy):
    """The parts of the table."""
    return [TABLE[i::2] for i in (0, 1)] if strategy == "mod" else [TABLE[:4], TABLE[4:]]


def ids(v, values=(1, 3, 6, 0, 3)):
    return v.SparseTensor(
        [[0, 0], [0, 1], [1, 0], [3, 0], [3, 2]], np.int64(values), [4, 3]
    )


def weights(v):
    return v.SparseTensor(
        ids(v).indices, np.float32([0.5, 2.0, 1.0, -1.0, 3.0]), [4, 3]
    )


def quantized(v, low=-1.0, high=1.0):
    return v.quantize_v2(IMAGE, low, high, v.quint8)


def bytes_of(v, made):
    return [v.bitcast(made[0], "uint8"), *made[1:]]


CALLS = {
    "conv2d_backprop_input": lambda v: v.nn.conv2d_backprop_input(
        [1, 6, 6, 2], FILTER, OUT, ONES, "SAME"
    ),
    "conv2d_backprop_input padded": lambda v: v.nn.conv2d_backprop_input(
        [1, 6, 6, 2], out_backprop=OUT, strides=ONES, filters=FILTER,
        padding=[[0, 0], [1, 1], [1, 1], [0, 0]], use_cudnn_on_gpu=False,
    ),
    "conv2d_backprop_filter": lambda v: v.nn.conv2d_backprop_filter(
        IMAGE, [3, 3, 2, 2], OUT[:, :2, :2], ONES, "VALID", True, "NHWC",
        [1, 2, 2, 1],
    ),
    "conv3d_backprop_filter": lambda v: v.nn.conv3d_backprop_filter(
        VOLUME, [2, 2, 2, 2, 2], VOLUME, [1] * 5, "SAME"
    ),
    "conv3d_backprop_filter_v2": lambda v: v.nn.conv3d_backprop_filter_v2(
        VOLUME, [1, 2, 1, 2, 2], VOLUME[:, :, :2], [1] * 5, padding="VALID"
    ),
    "dilation2d": lambda v: v.nn.dilation2d(
        IMAGE, FILTER[..., 0], ONES, [1, 2, 2, 1], "SAME", "n"
    ),
    "dilation2d named": lambda v: v.nn.dilation2d(
        IMAGE, filters=FILTER[..., 0], dilations=ONES, strides=[1, 2, 1, 1],
        padding="VALID",
    ),
    "erosion2d": lambda v: v.nn.erosion2d(
        IMAGE, FILTER[..., 1], ONES, ONES, "VALID"
    ),
    "fractional_max_pool": lambda v: v.nn.fractional_max_pool(
        IMAGE, [1.0, 1.5, 1.4, 1.0], True, True, True, 3, 4
    ),
    "fractional_avg_pool": lambda v: v.nn.fractional_avg_pool(
        IMAGE, [1.0, 1.3, 1.7, 1.0], False, False, True, seed=5, seed2=6
    ),
    "max_pool_with_argmax": lambda v: v.nn.max_pool_with_argmax(
        IMAGE, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", "NHWC", v.int32
    ),
    "max_pool_with_argmax batch": lambda v: v.nn.max_pool_with_argmax(
        np.concatenate([IMAGE, IMAGE]), [1, 2, 2, 1], [1, 2, 2, 1], "SAME",
        include_batch_in_index=True,
    ),
    "global normalization": lambda v: v.nn.batch_norm_with_global_normalization(
        IMAGE, np.float32([0.1, 0.2]), np.float32([1.0, 2.0]), [0.3, 0.4],
        [5.0, 6.0], 0.01, True,
    ),
    "global normalization named": lambda v: v.nn.batch_norm_with_global_normalization(
        input=IMAGE, mean=[0.1, 0.2], variance=np.float32([1.0, 2.0]), beta=[0.3, 0.4],
        gamma=[5.0, 6.0], variance_epsilon=0.01, scale_after_normalization=False,
    ),
    "quantized_avg_pool": lambda v: bytes_of(v, v.nn.quantized_avg_pool(
        *quantized(v), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"
    )),
    "quantized_max_pool": lambda v: bytes_of(v, v.nn.quantized_max_pool(
        *quantized(v), [1, 2, 2, 1], ONES, "VALID"
    )),
    "quantized_conv2d": lambda v: v.nn.quantized_conv2d(
        quantized(v)[0], v.quantize_v2(FILTER, -1.0, 1.0, v.quint8)[0], -1.0, 1.0,
        -1.0, 1.0, [1, 2, 2, 1], "SAME",
    )[1:],
    **{
        f"lookup {strategy} {combiner} {norm} {weighed}":
            lambda v, s=strategy, c=combiner, n=norm, w=weighed:
                v.nn.embedding_lookup_sparse(
                    cut(s), ids(v), weights(v) if w else None, s, None, c, n
                )
        for strategy in ("mod", "div")
        for combiner, norm, weighed in (
            ("sum", None, False), ("mean", None, True), ("sqrtn", 0.5, True),
        )
    },
    "lookup of a whole": lambda v: v.nn.embedding_lookup_sparse(
        TABLE, ids(v), None, combiner="sum"
    ),
    **{
        f"safe lookup {strategy} {default}":
            lambda v, s=strategy, d=default: v.nn.safe_embedding_lookup_sparse(
                cut(s), ids(v, (1, -3, -6, 0, 3)), weights(v) if d else None,
                default_id=d, partition_strategy=s,
            )
        for strategy in ("mod", "div")
        for default in (None, 0, 5)
    },
    "safe lookup sum": lambda v: v.nn.safe_embedding_lookup_sparse(
        cut("mod"), ids(v), weights(v), "sum", partition_strategy="mod", max_norm=0.3
    ),
    **{
        f"{loss} {strategy} {hits}":
            lambda v, f=loss, s=strategy, h=hits: getattr(v.nn, f)(
                cut(s), np.float32([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
                np.int64([[1, 2], [6, 0]]), np.float32([[1, 2, 3], [4, 5, 6]]), 3, 7,
                2, (np.int64([2, 4, 6]), np.full([2, 2], 0.3, np.float32),
                    np.float32([0.2, 0.4, 0.6])),
                h, s,
            )
        for loss in ("nce_loss", "sampled_softmax_loss")
        for strategy in ("mod", "div")
        for hits in (False, True)
    },
    "softmax drawn": lambda v: v.nn.sampled_softmax_loss(
        TABLE, np.zeros(7, np.float32), v.constant([[1], [6]], v.int64),
        np.float32([[1, 2, 3], [4, 5, 6]]), 3, 7, seed=4,
    ),
    "softmax drawn of parts": lambda v: v.shape(v.nn.sampled_softmax_loss(
        cut("mod"), np.zeros(7, np.float32), v.constant([[1], [6]], v.int64),
        np.float32([[1, 2, 3], [4, 5, 6]]), 3, 7, seed=4,
    )),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_agree(both, name):
    both.agree(lambda tf: CALLS[name](tf.compat.v1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", CALLS)
def test_graphs_agree(both, name):
    def program(tf):
        v = tf.compat.v1
        with tf.Graph().as_default(), v.Session() as session:
            made = tf.nest.flatten(CALLS[name](v))
            return [str(m.shape) for m in made], session.run(made)

    (theirs, expected), (ours, values) = program(both.theirs), program(both.ours)
    # Ours may know more; TensorFlow's says one bound less than there are.
    if not any(word in name for word in ("lookup", "loss", "fractional")):
        assert ours == theirs
    for our, their in zip(values, expected, strict=True):
        assert our.dtype == their.dtype
        np.testing.assert_allclose(our, their, rtol=1e-5, atol=1e-5)


def test_quantized_relu(both):
    """For which TensorFlow has no kernel."""
    v = both.ours.compat.v1
    made, low, high = v.nn.quantized_relu_x(
        v.quantize_v2([-1.0, 0.0, 0.25, 1.0], -1.0, 1.0, v.quint8)[0], 0.5, -1.0, 1.0
    )
    numbers = v.dequantize(made, low, high)
    np.testing.assert_allclose(numbers, [0.0, 0.0, 0.25, 0.5], atol=0.01)


def test_gradients_of_parts(both):
    def program(tf):
        v = tf.compat.v1
        told = []
        with tf.Graph().as_default(), v.Session() as session:
            with v.variable_scope("s", use_resource=True):
                table = v.get_variable(
                    "t", initializer=v.constant(TABLE),
                    partitioner=v.fixed_size_partitioner(2),
                )
            y = v.nn.embedding_lookup_sparse(
                table, ids(v), weights(v), partition_strategy="div"
            )
            z = v.nn.nce_loss(
                list(table), v.zeros([7]), v.constant([[1]], v.int64), v.ones([1, 3]),
                2, 7, 1, (v.constant([3, 5], v.int64), v.ones([1, 1]), v.ones([2])),
                partition_strategy="mod",
            )
            grads = v.gradients([v.reduce_sum(y), v.reduce_sum(z)], list(table))
            session.run(v.global_variables_initializer())
            told += [session.run(v.convert_to_tensor(g)) for g in grads]
        return told

    theirs, ours = program(both.theirs), program(both.ours)
    for our, their in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(our, their, rtol=1e-5, atol=1e-6)


MISTAKES = {
    "both filters": lambda v: v.nn.dilation2d(
        IMAGE, FILTER[..., 0], ONES, ONES, "SAME", filters=FILTER[..., 0]
    ),
    "argmax of channels first": lambda v: v.nn.max_pool_with_argmax(
        IMAGE, ONES, ONES, "SAME", "NCHW"
    ),
    "both dtypes": lambda v: v.nn.max_pool_with_argmax(
        IMAGE, ONES, ONES, "SAME", Targmax=v.int32, output_dtype=v.int32
    ),
    "ids that are dense": lambda v: v.nn.embedding_lookup_sparse(
        cut("mod"), [1], None
    ),
    "another combiner": lambda v: v.nn.embedding_lookup_sparse(
        cut("mod"), ids(v), None, combiner="max"
    ),
    "weights that are dense": lambda v: v.nn.embedding_lookup_sparse(
        cut("mod"), ids(v), [1.0]
    ),
    "no table": lambda v: v.nn.safe_embedding_lookup_sparse(None, ids(v)),
    "no parts": lambda v: v.nn.safe_embedding_lookup_sparse([], ids(v)),
    "another strategy": lambda v: v.nn.safe_embedding_lookup_sparse(
        cut("mod"), ids(v), partition_strategy="any"
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_have_the_same_class(both, name):
    both.agree_on_error(lambda tf: MISTAKES[name](tf.compat.v1))
