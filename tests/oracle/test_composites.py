"""Ragged and sparse tensors, IndexedSlices, extension types and their specs:
the same expression on both, its text or its error compared."""

from __future__ import annotations

import re
import types

import numpy as np
import pytest

SETUP = """
R, S = tf.RaggedTensor, tf.RaggedTensorSpec
T = tf.TensorSpec
rt = tf.ragged.constant([[1, 2], [3]])
deep = tf.ragged.constant([[[1, 2], []], [[3]], []])
fl = tf.ragged.constant([[1.0, 2.0], [3.0]])
st = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
sl = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2]))
sl_of_any = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]))
def slices_of(shape):
    shape = tf.constant(shape) if isinstance(shape, list) else shape
    return tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), shape)
def sparse_of(shape):
    return tf.SparseTensor(tf.constant([[0, 1]], tf.int64), [1.0], shape)
# What is known of a value where its shape depends on a number and a vector.
def of_graph(make):
    known = []
    number, vector = T([], tf.int32), T([1], tf.int32)
    @tf.function(input_signature=[number, vector], autograph=False)
    def f(n, s):
        x = make(n, s)
        known.append(str(x.shape))
        known.append(repr(x._type_spec))
        return n
    f.get_concrete_function()
    return known
same = tf.function(lambda x: x, autograph=False)
def signed(*specs):
    return tf.function(lambda x: x, input_signature=specs, autograph=False)
E = tf.experimental.ExtensionType
def extension(name, body):
    return type(E)(name, (E,), dict(body, __module__="m", __qualname__=name))
A = extension("A", {"__annotations__": {"x": tf.Tensor, "y": int}, "y": 3})
"""

EXPRESSIONS = """
tf.ragged.constant([])
tf.ragged.constant([[]])
tf.ragged.constant([[1], 2])
tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1).shape
tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], inner_shape=(2,)).shape
tf.ragged.constant([[[1, 2]], [[3, 4], [5]]], ragged_rank=1)
tf.ragged.constant([[1, 2]], ragged_rank=0)
tf.ragged.constant([['a'], ['b', 'c']])
tf.ragged.constant([['a'], [1]])
tf.ragged.constant([[1.5], []], dtype=tf.float64, row_splits_dtype=tf.int32)
tf.ragged.constant([np.array([1, 2]), [3]])
R(1, 2)
R.from_row_splits([1, 2, 3], [0, 2, 3])
R.from_row_splits([1, 2, 3], [0, 2, 2])
R.from_row_splits([1, 2, 3], [1, 2, 3])
R.from_row_splits([1, 2, 3], [0, 3, 2, 3])
R.from_row_splits([1, 2, 3], [])
R.from_row_splits([1, 2, 3], [0., 3.])
R.from_row_splits([1, 2, 3], [[0, 3]])
R.from_row_splits([1, 2, 3], [0, 5], validate=False).row_splits
R.from_row_lengths([1, 2, 3], [2, 1])
R.from_row_lengths([1, 2, 3], [2, 2])
R.from_row_lengths([1, 2, 3], [-1, 4])
R.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=5)
R.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=2)
R.from_value_rowids([1, 2, 3], [0, 2, 0])
R.from_value_rowids([], [], nrows=2)
R.from_row_starts([1, 2, 3], [0, 2])
R.from_row_limits([1, 2, 3], [0, 3])
R.from_uniform_row_length([1, 2, 3, 4], 2)
R.from_uniform_row_length([1, 2, 3], 2)
R.from_uniform_row_length([], 0, nrows=3)
R.from_nested_row_splits([1, 2, 3], [[0, 2], [0, 2, 3]])
R.from_nested_row_splits([1, 2, 3], tf.constant([0, 1]))
R.from_nested_value_rowids([1, 2, 3], [[0, 0], [0, 0, 1]])
R.from_tensor([[1, 2, 3], [4, 0, 0]])
R.from_tensor([[1, 2, 3], [4, 0, 0]], padding=0)
R.from_tensor([[1, 2, 3], [4, 0, 0]], lengths=[1, 2])
R.from_tensor([[[1, 2, 3], [4, 0, 0]]], ragged_rank=2)
R.from_sparse(rt.to_sparse())
R.from_sparse(st)
deep.shape
deep.values
deep.flat_values
deep.nested_row_splits
deep.to_list()
deep.nrows(out_type=tf.int32)
deep.row_lengths(axis=2)
deep.row_lengths(axis=3)
deep.value_rowids()
deep.bounding_shape()
deep.bounding_shape(axis=[0, 2], out_type=tf.int32)
deep.nested_row_lengths()
deep.nested_value_rowids()
deep.to_tensor(default_value=-1)
deep.to_sparse()
deep.merge_dims(0, 1)
deep.merge_dims(1, 2)
deep.merge_dims(0, 2)
rt.to_tensor(shape=[None, 4])
rt.to_tensor(shape=[1, 1])
rt.to_tensor('a')
rt.to_tensor(shape=[1])
rt.with_values(['a', 'b', 'c'])
rt.with_values([1])
deep.with_flat_values([[1, 2], [3, 4], [5, 6]]).shape
rt.with_row_splits_dtype(tf.int32).row_splits
rt[0]
rt[-1]
rt[1:]
rt[:, 0:1]
rt[0, 1]
rt[5]
rt[:, 0]
rt[::2]
rt[:, ::-1]
rt[tf.newaxis]
rt[:, tf.newaxis]
rt['a']
rt[..., :1]
deep[0]
deep[0, 0]
deep[:, :, :1]
rt[tf.constant(1)]
rt + 1
1 - rt
rt * rt
rt / 2
rt == rt
rt < 2
-rt
rt + tf.ragged.constant([[1], [1, 2]])
hash(rt)
bool(rt)
len(rt)
list(rt)
tf.is_tensor(rt), tf.is_tensor(st), tf.is_tensor(sl), tf.is_tensor(A(1))
S()
S([2, None, 3])
S([2, 3], ragged_rank=3)
S(None, ragged_rank=1)
S([2, None], ragged_rank='a')
S([2, None, 3])._component_specs
S([2, None], tf.int32).most_specific_compatible_type(S([3, None], tf.int32))
S([2, None]).most_specific_common_supertype([S([3, None], tf.int32)])
S([2, None], tf.int32).is_subtype_of(S([None, None], tf.int32))
S([2, None], tf.int32).is_compatible_with(rt)
S([2, None], tf.int32) == rt._type_spec
same(rt)
same(deep)
signed(S([None, None], tf.int32))(rt)
signed(S([None, None], tf.int32))(deep)
signed(S([None, None], tf.int32))([[1], [2, 3]])
signed(S([None, None], tf.int32))(rt.with_row_splits_dtype(tf.int32))
signed({'a': [S([None, None], tf.int32)]})({'a': [rt]})
signed({'a': [S([None, None], tf.int32)]})({'a': (rt,)})
same.get_concrete_function(rt)
same.get_concrete_function(rt).structured_outputs
same.get_concrete_function(rt).output_shapes
same.get_concrete_function(rt)(rt.values, rt.row_splits)
same.get_concrete_function(rt)(x=rt.values, x_1=rt.row_splits)
same.get_concrete_function(rt)(fl)
same.get_concrete_function(S([None, None])).inputs
same.get_concrete_function({'a': tf.SparseTensorSpec([None, 2])}).inputs
st
st.shape, st.dtype
st.with_values([3, 4])
st.with_values([3])
st * 2.0
st / 2.0
tf.SparseTensor([0], [1], [2])
tf.SparseTensor([[0]], [[1]], [2])
tf.SparseTensor([[0]], [1], [2, 3])
tf.SparseTensor(tf.constant([[0]]), [1], [2])
tf.SparseTensor.from_value(3)
tf.sparse.from_dense([[1, 0], [0, 3]])
tf.sparse.from_dense(['a', '', 'b'])
tf.sparse.to_dense(st)
tf.sparse.to_dense(st, default_value=-1.)
tf.sparse.to_dense(3)
tf.sparse.to_dense(tf.SparseTensor([[5]], [1], [2]))
tf.sparse.to_dense(tf.SparseTensor([[1], [0]], [1, 2], [2]))
tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], [1., 2.], [2, 3]))
tf.SparseTensorSpec()._component_specs
tf.SparseTensorSpec([2, 3]).is_compatible_with(st)
same(st)
same.get_concrete_function(st)
signed(tf.SparseTensorSpec([None]))(st)
str(sl)
sl._type_spec
str(same(sl))
same.get_concrete_function(sl)
signed(tf.IndexedSlicesSpec([None, 2]))(sl)
A([1, 2])
A()
A(1, 2, 3)
A(1, 's')
A(object())
A([1])._type_spec
A([1]) == A([1])
A([1]) != A([2])
A([1]) == A([1], 4)
A([1]) == A([1, 2])
hash(A(1))
setattr(A(1), 'x', 2)
A.Spec(1, 2)
A.Spec(T([]))
A.Spec(T([]), 2)
A.Spec(T([2]), 2).is_compatible_with(A([1.0, 2.0], 2))
A([1])._type_spec.most_specific_common_supertype([A([1, 2])._type_spec])
extension('B', {'__annotations__': {'x': list}})
extension('B', {'__annotations__': {'self': int}})
extension('B', {'__annotations__': {'x': int}, 'x': 's'})
same(A([1, 2]))
same.get_concrete_function(A([1, 2]))
same.get_concrete_function(A.Spec(T([None], tf.int32), 3))(A([1, 2]))
signed(A.Spec(T([None]), 3))(A([1]))
tf.nest.flatten({'a': rt, 'b': [A(1)]}, expand_composites=True)
tf.nest.flatten([A(1)._type_spec, rt._type_spec], expand_composites=True)
tf.nest.map_structure(lambda x: x + 1, A(1), expand_composites=True)
tf.nest.assert_same_structure(rt, deep, expand_composites=True)
tf.type_spec_from_value(None)
tf.type_spec_from_value([1, 2])
tf.type_spec_from_value({1})
"""


# Public functions of ragged arguments.
SLICES = """
tf.cast(sl, tf.float64).values
tf.cast(sl_of_any, tf.float64).values
tf.clip_by_norm(sl_of_any, 1.).values
tf.clip_by_value(sl_of_any, 0., 1.).values
tf.math.scalar_mul(2, sl_of_any).values
tf.math.scalar_mul(2, sl).dense_shape
tf.stop_gradient(sl_of_any).values
tf.linalg.global_norm([None, sl_of_any, None])
tf.linalg.global_norm([sl_of_any, tf.constant([12.0])])
tf.linalg.global_norm([])
tf.linalg.global_norm([None])
tf.linalg.global_norm(tf.constant([3.0]))
tf.linalg.global_norm('text')
tf.linalg.global_norm(7)
tf.linalg.global_norm([[3.0, 4.0], None])
tf.clip_by_global_norm([None, sl_of_any, [12.0]], 6.5)[0][1].values
tf.clip_by_global_norm([None, sl_of_any, [12.0]], 6.5)[0][2]
tf.clip_by_global_norm([None, sl_of_any, [12.0]], 6.5)[1]
tf.clip_by_global_norm((None,), 6.5)[0]
tf.clip_by_global_norm([sl, None], 1.0, use_norm=tf.constant(4.0))[0][0].dense_shape
tf.clip_by_global_norm(sl, 1.0)
tf.clip_by_global_norm(tf.constant([3.0]), 1.0)
tf.clip_by_global_norm({'a': sl}, 1.0)
tf.square(sl)
tf.square(sl_of_any)
tf.reduce_sum(sl)
tf.add_n([sl, sl])
sl * 2
sl.shape
sl_of_any.shape
sl._type_spec
sl_of_any._type_spec
str(sl_of_any)
tf.convert_to_tensor(sl_of_any)
tf.convert_to_tensor(sl, dtype=tf.int32)
tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1, 2]))._type_spec
tf.IndexedSlices(tf.ones([1, 2]), tf.constant([[1]]))._type_spec
tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 3]))._type_spec
tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([[3, 2]])).shape
tf.convert_to_tensor(tf.IndexedSlices([[1.0]], [1], [3, 1]))
of_graph(lambda n, s: slices_of([3, 2]))
of_graph(lambda n, s: slices_of(tf.shape(tf.zeros([3, 2]))))
of_graph(lambda n, s: slices_of(tf.stack([n, 2])))
of_graph(lambda n, s: slices_of(s))
of_graph(lambda n, s: slices_of(tf.concat([s, [2]], 0)))
of_graph(lambda n, s: slices_of([3, 3]))
of_graph(lambda n, s: sparse_of(tf.cast(tf.stack([n, 2]), tf.int64)))
"""

CALLS = """
tf.reduce_logsumexp(fl)
tf.reduce_logsumexp(fl, keepdims=True)
tf.reduce_logsumexp(fl, axis=1)
tf.reduce_logsumexp(fl, axis=1, keepdims=True)
tf.reduce_logsumexp(fl, axis=[0, 1])
tf.reduce_logsumexp(fl, axis=5)
tf.reduce_logsumexp(tf.ragged.constant([[1000., 1000.], [], [3.]]), axis=1)
tf.reduce_logsumexp(tf.cast(deep, tf.float64), axis=[1, 2])
tf.reduce_logsumexp(tf.cast(deep, tf.float64))
tf.reduce_logsumexp(tf.ragged.constant([], tf.float32, ragged_rank=1))
tf.reduce_logsumexp(rt, axis=1)
tf.reduce_logsumexp(tf.ragged.constant([['a']]))
tf.function(lambda x: tf.reduce_logsumexp(x, axis=1))(fl)
tf.function(lambda x: tf.reduce_logsumexp(x, 1), input_signature=[S([None, None])])(fl)
tf.reduce_all(rt)
tf.reduce_all(rt, keepdims=True)
tf.reduce_all(tf.ragged.constant([[1, 0], [3]]))
tf.reduce_all(rt, axis=[0, 1])
tf.reduce_any(fl)
tf.reduce_any(tf.ragged.constant([[0.5]]))
tf.reduce_any(tf.ragged.constant([[0.5]]), axis=1)
tf.reduce_any(deep, axis=[0, 1, 2])
tf.reduce_all(tf.ragged.constant([['a']]))
tf.function(tf.reduce_all)(rt)
tf.math.reduce_variance(rt)
tf.math.reduce_variance(rt, axis=1)
tf.math.reduce_variance(rt, axis=1, keepdims=True)
tf.math.reduce_variance(deep, axis=[1, 2])
tf.math.reduce_variance(tf.cast(rt, tf.uint8), axis=0)
tf.math.reduce_variance(tf.cast(rt, tf.complex64), axis=1)
tf.math.reduce_variance(rt > 1, axis=1)
tf.math.reduce_std(rt)
tf.math.reduce_std(deep, axis=1)
tf.math.reduce_std(tf.cast(rt, tf.int64), axis=1)
tf.math.reduce_std(tf.ragged.constant([['a']]))
tf.function(lambda x: tf.math.reduce_std(x, axis=1))(rt)
tf.nn.experimental.stateless_dropout(fl, 0.5, [1, 2])
tf.nn.experimental.stateless_dropout(x=fl, rate=0.5, seed=[3, 4])
tf.nn.experimental.stateless_dropout(fl, 0.0, [1, 2])
tf.nn.experimental.stateless_dropout(fl, 2.0, [1, 2])
tf.nn.experimental.stateless_dropout(fl, 0.5, [1, 2], noise_shape=[3])
tf.nn.experimental.stateless_dropout(rt, 0.5, [1, 2])
tf.nn.dropout(fl, 0.0, noise_shape=[3])
tf.math.real(rt)
tf.math.real(rt > 1)
tf.math.real(tf.ragged.constant([['a']]))
tf.math.real(tf.constant('a'))
tf.math.imag(tf.ragged.constant([['a']]))
tf.ones_like(tf.ragged.constant([['a']]))
tf.ones_like(tf.ragged.constant([['a']]), tf.int32)
tf.ones_like(tf.constant(['a']))
tf.zeros_like(tf.ragged.constant([['a']]))
tf.ones_like(rt, tf.string)
tf.strings.join([tf.ragged.constant([['a'], []]), 'b'])
tf.strings.format('{}', [rt])
tf.math.softmax(fl)
tf.nn.softmax(fl)
tf.identity(deep)
tf.identity(st)
tf.debugging.assert_type(rt, tf.int32)
tf.debugging.assert_type(st, tf.int32)
tf.reshape(deep, [-1, 1])
tf.reshape(tensor=deep, shape=[1, 3])
tf.size(st)
tf.rank(input=st)
tf.abs(st)
tf.one_hot(indices=rt, depth=2)
tf.bitcast(fl, tf.int32)
tf.debugging.assert_equal(rt, rt)
tf.identity_n([rt, fl])
tf.shape_n([rt, fl])
"""


def _outcome(tf: types.ModuleType, expression: str) -> str:
    scope = {"tf": tf, "np": np}
    exec(SETUP, scope)
    try:
        value = eval(expression, scope)
    except Exception as e:
        return type(e).__name__
    return re.sub(r"0x[0-9A-Fa-f]+", "0x", f"{value!s}|{value!r}")


@pytest.mark.parametrize(
    "expression",
    [line for line in (EXPRESSIONS + SLICES + CALLS).splitlines() if line],
)
def test_same_outcome(both, expression):
    assert _outcome(both.ours, expression) == _outcome(
        both.theirs, expression
    )


@pytest.mark.parametrize("through_function", [False, True])
def test_gradients_of_ragged_tensors(both, through_function):
    def gradient(tf):
        x = tf.ragged.constant([[1.0, 2.0], [3.0]])
        f = lambda r: r.with_values(r.values**2)  # noqa: E731
        if through_function:
            f = tf.function(f, autograph=False)
        with tf.GradientTape() as tape:
            tape.watch(x.values)
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x).values

    both.agree(gradient)


def test_accumulate_n(both):
    both.agree(lambda tf: tf.math.accumulate_n(
        [tf.constant([1, 2]), tf.constant([3, 4])], shape=[2], tensor_dtype=tf.int32
    ))
    both.agree_on_error(lambda tf: tf.math.accumulate_n([tf.ones([2])], shape=[3]))
    both.agree_on_error(
        lambda tf: tf.math.accumulate_n([tf.ones([2])], tensor_dtype=tf.int32)
    )


def test_l2_normalize_by_its_older_name(both):
    x = [[3.0, 4.0], [6.0, 8.0]]
    both.agree(lambda tf: tf.math.l2_normalize(x, dim=1))
    both.agree_on_error(lambda tf: tf.math.l2_normalize(x, axis=1, dim=1))


def test_methods_take_their_argument_by_name(both):
    both.agree(lambda tf: tf.constant(
        tf.TensorShape(None).with_rank(rank=2).concatenate(other=[3]).rank
    ))
    both.agree(lambda tf: tf.constant([
        tf.TensorShape([2, None]).is_compatible_with(other=[2, 3]),
        tf.TensorSpec([2]).is_compatible_with(spec_or_tensor=tf.zeros([3])),
        tf.as_dtype(type_value="int32").is_compatible_with(other=tf.int64),
        tf.nest.is_nested(seq=[1]),
    ]))
