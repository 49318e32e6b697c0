"""Nodes that a public call makes are named as TensorFlow names them.

The last node of each call is compared: it is the one that people see in
errors and pictures.
"""

from __future__ import annotations

import pytest

CALLS = """
tf.add(x, 2.0)
tf.subtract(x, 2.0)
tf.multiply(x, 2.0)
tf.divide(x, 2.0)
tf.truediv(i, 2)
tf.math.floordiv(i, 2)
tf.math.mod(i, 2)
tf.pow(x, 2.0)
tf.abs(x)
tf.round(x)
tf.exp(x)
tf.maximum(x, 0.0)
tf.equal(x, 1.0)
tf.cast(x, tf.int32)
tf.matmul(x, x)
tf.matmul(y, y, transpose_b=True)
tf.matmul(x, x, name="mm")
tf.linalg.matvec(x, v)
tf.reduce_sum(x)
tf.reduce_sum(x, 1)
tf.reduce_mean(x, axis=0)
tf.reduce_max(x)
tf.reduce_all(b)
tf.reduce_logsumexp(x)
tf.math.reduce_std(x)
tf.math.reduce_variance(x, 0)
tf.nn.softmax(x)
tf.nn.log_softmax(x)
tf.nn.relu(x)
tf.nn.gelu(x)
tf.nn.gelu(x, approximate=True)
tf.nn.leaky_relu(x)
tf.nn.bias_add(x, v)
tf.nn.l2_normalize(x, 0)
tf.nn.moments(x, [0])
tf.nn.batch_normalization(x, v, v, v, v, 0.1)
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=iv, logits=x)
tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=x)
tf.nn.conv2d(img, ker, 1, "SAME")
tf.nn.max_pool2d(img, 2, 2, "SAME")
tf.nn.avg_pool2d(img, 2, 2, "VALID")
tf.concat([x, x], 0)
tf.concat([x], 0)
tf.stack([x, x])
tf.unstack(x)
tf.split(x, 3)
tf.split(x, [1, 2])
tf.transpose(x)
tf.reshape(x, [9])
tf.expand_dims(x, 0)
tf.squeeze(x)
tf.gather(x, iv)
tf.gather(x, iv, axis=1)
tf.gather_nd(x, [[0, 1]])
tf.where(b, x, 0.0)
tf.one_hot(iv, 3)
tf.tile(x, [1, 2])
tf.pad(x, [[1, 1], [0, 0]])
tf.slice(x, [0, 0], [1, 2])
tf.range(5)
tf.fill([2, 3], 1.0)
tf.zeros([2, 3])
tf.ones([2, 3])
tf.zeros_like(x)
tf.ones_like(x)
tf.shape(x)
tf.size(x)
tf.rank(x)
tf.argmax(x)
tf.cumsum(x)
tf.nn.top_k(x, 2)
tf.reverse(x, [0])
tf.roll(x, 1, 0)
tf.clip_by_value(x, 0.0, 1.0)
tf.add_n([x, x])
tf.identity(x)
tf.stop_gradient(x)
tf.random.uniform([2])
tf.random.normal([2])
x + 1.0
1.0 - x
x / 2.0
x ** 2
x @ x
-x
x[0]
x > 0.0
""".strip().splitlines()


def _last_node(tf, call: str) -> str:
    def f(x, y, v, b, i, iv, img, ker):
        eval(call, {"tf": tf, **locals()})

    def spec(dtype, *shape):
        return tf.TensorSpec(shape, dtype)

    concrete = tf.function(f, autograph=False).get_concrete_function(
        spec(tf.float32, 3, 3),
        spec(tf.float32, 2, 3, 3),
        spec(tf.float32, 3),
        spec(tf.bool, 3, 3),
        spec(tf.int32, 3),
        spec(tf.int32, 3),
        spec(tf.float32, 1, 8, 8, 2),
        spec(tf.float32, 3, 3, 2, 4),
    )
    names = [
        op.name
        for op in concrete.graph.get_operations()
        if op.type not in ("Placeholder", "NoOp")
    ]
    return names[-1]


@pytest.mark.parametrize("call", CALLS)
def test_node_name(both, call):
    assert _last_node(both.ours, call) == _last_node(both.theirs, call)
