"""The expressions of test_numpy_face."""

from numpy_face_functions import OF_FUNCTIONS

SETUP = """
def a(value, dtype=None):
    return tnp.array(value) if dtype is None else tnp.array(value, dtype=dtype)
def t(value, dtype):
    return tf.constant(value, dtype)
i8, u8, i32, i64 = tf.int8, tf.uint8, tf.int32, tf.int64
f16, bf16, f32, f64 = tf.float16, tf.bfloat16, tf.float32, tf.float64
c64, c128, u64, u32 = tf.complex64, tf.complex128, tf.uint64, tf.uint32
S = tf.TensorSpec
m = [[1, 2, 3], [4, 5, 6]]
mf = [[1.5, -2.5, 3.0], [4.25, 0.0, -6.5]]
cube = np.arange(24).reshape(2, 3, 4)
def grad(f, *values):
    xs = [tf.Variable(v) for v in values]
    with tf.GradientTape() as tape:
        y = f(*xs)
    return tape.gradient(y, xs)
"""

_UNARY_FLOAT = """
log exp sqrt ceil floor sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh
arccosh arctanh deg2rad cbrt exp2 expm1 fix log2 log10 log1p sinc angle isnan
isfinite
""".split()
_UNARY = """
abs absolute fabs conj conjugate negative positive reciprocal square sign signbit
real imag iscomplex isreal iscomplexobj isrealobj isinf isneginf isposinf around
round rad2deg bitwise_not logical_not
""".split()
_UNARY_VALUES = (
    "0.5", "2", "[1, 2]", "t([0.5, -0.25], f32)", "t([0.5, 0.75], f64)",
    "t([1, 2], i32)", "t([0.5, 1.0], f16)", "t([0.5, 1.0], bf16)", "t([1, 2], i8)",
    "t([1, 3], u8)", "t([0.5 + 1j, 2], c64)", "True", "[True, False]",
    "np.array([0.5, 1.0], np.float32)", "tf.Variable([0.5, 1.0])", "'a'", "[]",
    "np.float32(0.5)", "t([np.inf, -np.inf, np.nan], f32)",
)
_BINARY = """
add subtract multiply true_divide divide floor_divide mod remainder divmod power
float_power maximum minimum arctan2 heaviside hypot logaddexp logaddexp2
bitwise_and bitwise_or bitwise_xor gcd lcm equal not_equal greater greater_equal less
less_equal logical_and logical_or logical_xor isclose allclose array_equal dot matmul
inner outer vdot kron nextafter
""".split()
_BINARY_VALUES = (
    ("1", "2"), ("1", "2.5"), ("[1, 2]", "[3, 4]"), ("[1.5, 2]", "[3, 4]"),
    ("t([7, 2], i32)", "3"), ("t([7, 2], i32)", "2.5"), ("t([1.5, 2], f32)", "2"),
    ("t([1.5, 2], f32)", "2.5"), ("t([7, 2], i32)", "t([3, 4], i64)"),
    ("t([7, 2], i8)", "t([3, 4], u8)"), ("t([7, 2], i32)", "t([1.5, 2], f32)"),
    ("t([1.5, 2], f16)", "t([1.5, 2], f32)"), ("t([1.5, 2], f32)", "t([1.5, 2], f64)"),
    ("t([1.5, 2], bf16)", "t([1.5, 2], f16)"), ("t([True, False], tf.bool)", "True"),
    ("[True, False]", "[True, True]"), ("t([True, False], tf.bool)", "t([3, 4], i8)"),
    ("t([1j, 2], c64)", "t([1.5, 2], f64)"), ("t([1j, 2], c64)", "2"),
    ("t([7, 2], u64)", "t([3, 4], i64)"), ("t([7, 2], u8)", "5"),
    ("np.array([1, 2])", "np.array([3.5, 2], np.float32)"),
    ("t([1, 2], i32)", "np.float64(2)"), ("t([1.0, 2], f32)", "np.float64(2)"),
    ("t([1.0, 2], f32)", "np.float32(2)"), ("tf.Variable([1, 2])", "1.5"),
    ("t([[1.5, 2], [3, 4]], f32)", "t([1.5, 2], f32)"),
    ("t([1.5, 2, 3], f32)", "t([1.5, 2], f32)"), ("'a'", "1"),
)
_REDUCTIONS = """
sum prod mean amax amin max min ptp var std all any nansum nanprod nanmean
count_nonzero cumsum cumprod argmax argmin average median
""".split()
_REDUCED = (
    "m", "mf", "t([1, 2, 3], i8)", "t([1, 2, 3], u8)", "t([1, 2, 3], i32)",
    "t([1.5, 2], f16)", "t([1.5, 2], f32)", "t([1.5, 2], f64)", "t([1 + 1j, 2], c64)",
    "t([True, False], tf.bool)", "[True, True]", "5", "2.5", "[]",
    "t([1.0, np.nan, 3.0], f32)", "cube", "np.array([1, 2], np.int16)",
    "t([1, 2, 3], u64)", "t([1.5, 2], bf16)", "tf.Variable([1.0, 2.0])",
)


_OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<", "==", "!=")
_OPERANDS = (
    ("t([7, 2], i32)", "3"), ("t([7, 2], i32)", "2.5"), ("t([1.5, 2], f32)", "2"),
    ("2.5", "t([7, 2], i32)"), ("t([7, 2], i32)", "t([3, 4], i64)"),
    ("t([7, 2], i8)", "t([3, 4], u8)"), ("t([7, 2], i32)", "t([1.5, 2], f32)"),
    ("t([1.5, 2], f32)", "t([1.5, 2], f64)"), ("t([True, False], tf.bool)", "True"),
    ("t([7, 2], i32)", "t([3, 4], i32)"), ("t([7, 2], i32)", "[3.5, 4]"),
    ("t([7, 2], i32)", "np.array([3.5, 4])"),
    ("t([7, 2], i32)", "tf.Variable([3.5, 4])"),
    ("tf.Variable([7, 2])", "2.5"), ("tf.Variable([7, 2])", "t([3.5, 4], f32)"),
    ("t([7, 2], u8)", "300"), ("t([7, 2], i32)", "np.float64(2)"),
    ("t([7.0, 2], f32)", "np.float64(2)"), ("t([7.0, 2], f16)", "2.5"),
    ("t([7, 2], i32)", "True"), ("t([7, 2], i32)", "2j"), ("t([7, 2], i32)", "'a'"),
    ("t(['a', 'b'], tf.string)", "'c'"), ("t([7, 2], i32)", "None"),
    ("np.array([1.5, 2])", "t([7, 2], i32)"), ("a([1, 2])", "a([1.5, 2])"),
    ("a([1, 2])", "t([3, 4], i8)"), ("t([7, 2], u64)", "t([3, 4], i64)"),
)
_METHODS = """
x.T
x.ndim
x.size
x.data
x.astype(tf.float32)
x.astype(float)
x.astype('int8')
x.astype('nonsense')
x.clip(2, 3)
x.flatten()
x.ravel()
x.reshape(3, 2)
x.reshape([3, 2])
x.reshape((3, 2), order='F')
x.reshape(-1)
x.reshape(3, 2, foo=1)
x.transpose()
x.transpose([1, 0])
x.max()
x.max(axis=0)
x.min(1)
x.mean()
x.mean(axis=1, keepdims=True)
x.tolist()
x.sum()
x.nonsense
+x
round(x, 1)
-x
abs(x)
""".strip().splitlines()
_SUBSCRIPTS = """
0
-1
[0, 1]
[0, 1],
[0, 1], [1, 2]
[[0, 1], [1, 0]]
np.array([0, 1])
np.array([[0, 1], [1, 0]])
t([0, 1], i32)
t([0, 1], i64)
t(1, i32)
t(1, i8)
t([1], u8)
t([1], u64)
:, [0, 2]
..., [0, 2]
..., [0, 2], [1, 1]
[0, 1], ..., [1, 2]
[0, 1], :, [1, 2]
:, [0, 1], [1, 2]
:, [[0, 1]], [[1], [2]]
0, [0, 1]
[0, 1], 0
[0, 1], :, 0
None, [0, 1]
[0, 1], None
..., None
:, 1:, ::2
::-1
[-1, 0]
:, [-1]
[True, False]
np.array([True, False])
t([True, False], tf.bool)
:, np.array([True, False, True])
np.array([True, False]), [0, 2]
cube > 10
True
1.5
[1.5]
'a'
t(1.5, f32)
[0, 5]
5
t(0, i32), t(1, i32)
t(0, i64), 1:
t(0, i64):t(1, i32)
np.int64(1)
np.int8(1), np.uint8(0)
[]
(0, 1)
((0, 1), (1, 2))
""".strip().splitlines()

CALLS = [
    *(f"tnp.{f}({v})" for f in _UNARY_FLOAT + _UNARY for v in _UNARY_VALUES),
    *(f"tnp.{f}({v}, {w})" for f in _BINARY for v, w in _BINARY_VALUES),
    *(f"tnp.{f}({v})" for f in _REDUCTIONS for v in _REDUCED),
    *(f"({v}) {o} ({w})" for o in _OPERATORS for v, w in _OPERANDS),
    *(f"(lambda x: {e})({v})" for e in _METHODS
      for v in ("t(m, i32)", "t(mf, f32)", "t(True, tf.bool)", "a(m)")),
    *(f"t(cube, i32)[{s}]" for s in _SUBSCRIPTS),
    *(f"a(m)[{s}]" for s in _SUBSCRIPTS if s != "cube > 10"),
    *OF_FUNCTIONS,
]

_SPECS = (
    "[[S([None], f32)], [tf.constant([1.5, 2.5])]]",
    "[[S(None, f32)], [tf.constant([1.5, 2.5])]]",
    "[[S([None, 2], f32)], [tf.constant([[1.5, 2.5]])]]",
    "[[S([], i32)], [tf.constant(3)]]",
)
_TRACED_UNARY = """
tnp.exp(x)
tnp.abs(x)
tnp.sum(x)
tnp.sum(x, axis=-1)
tnp.mean(x, axis=0, keepdims=True)
tnp.cumsum(x, axis=-1)
tnp.ravel(x)
tnp.reshape(x, [2, -1])
tnp.transpose(x)
tnp.swapaxes(x, 0, -1)
tnp.moveaxis(x, 0, -1)
tnp.flip(x)
tnp.flip(x, -1)
tnp.roll(x, 1)
tnp.rot90(x)
tnp.expand_dims(x, 0)
tnp.atleast_1d(x)
tnp.atleast_2d(x)
tnp.atleast_3d(x)
tnp.concatenate([x, x])
tnp.stack([x, x])
tnp.hstack([x, x])
tnp.vstack([x, x])
tnp.dstack([x, x])
tnp.append(x, x)
tnp.tile(x, 2)
tnp.repeat(x, 2)
tnp.repeat(x, 2, axis=0)
tnp.diag(x)
tnp.diag(x, 1)
tnp.diagflat(x)
tnp.diagonal(x)
tnp.trace(x)
tnp.tril(x)
tnp.diff(x)
tnp.nonzero(x)
tnp.where(x > 2)
tnp.where(x > 2, x, 0)
tnp.take(x, [0])
tnp.take_along_axis(x, tnp.zeros_like(x, dtype=int), -1)
tnp.argsort(x)
tnp.sort(x)
tnp.argmax(x)
tnp.argmax(x, axis=-1)
tnp.dot(x, x)
tnp.matmul(x, tnp.transpose(x))
tnp.inner(x, x)
tnp.outer(x, x)
tnp.vdot(x, x)
tnp.kron(x, [1, 2])
tnp.var(x)
tnp.var(x, axis=0, ddof=1)
tnp.average(x)
tnp.average(x, axis=0, weights=[2.0, 1.0])
tnp.array_equal(x, x)
tnp.isclose(x, x)
tnp.clip(x, 0, 2)
tnp.broadcast_to(x, [3, 1, 2])
tnp.broadcast_arrays(x, [[1], [2]])
tnp.full_like(x, 5)
tnp.zeros_like(x)
tnp.meshgrid(x, x)
tnp.vander(x)
tnp.size(x)
tnp.ix_(x)
tnp.polyval([1, 2], x)
tnp.pad(x, [[1, 1]], 'constant')
tnp.array(x, ndmin=2)
tnp.linspace(x, 5, 3)
tnp.gcd(tnp.array(x, dtype=int), 6)
tnp.select([x > 2], [x])
tnp.compress([True], x)
tnp.around(x, 1)
tnp.squeeze(x)
tnp.split(x, 1)
tnp.cross(x, x)
x[[0]]
x[..., [0]]
x[0]
x[x > 2]
x + 1
x + 2.5
x.T
x.reshape(-1)
x.size
x.max()
x @ x
""".strip().splitlines()

TRACED = [(e, s) for e in _TRACED_UNARY for s in _SPECS]
