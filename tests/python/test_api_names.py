"""Public names and their arguments. The list only grows."""

from __future__ import annotations

import inspect
import pydoc
import re
from pathlib import Path

import pytest

import graphkiln as tf
from public_names import found, public_members, public_names

ROOT = Path(__file__).resolve().parents[2]

# Name, then the arguments as `inspect.signature` shows them.
FUNCTIONS = """
Assert(condition, data, summarize, name)
abs(x, name)
acos(x, name)
acosh(x, name)
add(x, y, name)
add_n(inputs, name)
argmax(input, axis, output_type, name)
argmin(input, axis, output_type, name)
argsort(values, axis, direction, stable, name)
asin(x, name)
asinh(x, name)
assert_equal(x, y, message, summarize, name)
assert_greater(x, y, message, summarize, name)
assert_less(x, y, message, summarize, name)
assert_rank(x, rank, message, name)
atan(x, name)
atan2(y, x, name)
atanh(x, name)
bitcast(input, type, name)
bitwise.bitwise_and(x, y, name)
bitwise.bitwise_or(x, y, name)
bitwise.bitwise_xor(x, y, name)
bitwise.invert(x, name)
bitwise.left_shift(x, y, name)
bitwise.right_shift(x, y, name)
boolean_mask(tensor, mask, axis, name)
broadcast_dynamic_shape(shape_x, shape_y)
broadcast_static_shape(shape_x, shape_y)
broadcast_to(input, shape, name)
cast(x, dtype, name)
clip_by_global_norm(t_list, clip_norm, use_norm, name)
clip_by_norm(t, clip_norm, axes, name)
clip_by_value(t, clip_value_min, clip_value_max, name)
complex(real, imag, name)
concat(values, axis, name)
config.experimental.enable_op_determinism()
config.experimental.enable_tensor_float_32_execution(enabled)
config.experimental.get_device_details(device)
config.experimental.get_device_policy()
config.experimental.get_memory_growth(device)
config.experimental.get_synchronous_execution()
config.experimental.get_visible_devices(device_type)
config.experimental.list_logical_devices(device_type)
config.experimental.list_physical_devices(device_type)
config.experimental.set_device_policy(device_policy)
config.experimental.set_memory_growth(device, enable)
config.experimental.set_synchronous_execution(enable)
config.experimental.set_visible_devices(devices, device_type)
config.experimental.tensor_float_32_execution_enabled()
config.get_logical_device_configuration(device)
config.get_soft_device_placement()
config.get_visible_devices(device_type)
config.list_logical_devices(device_type)
config.list_physical_devices(device_type)
config.optimizer.get_experimental_options()
config.optimizer.get_jit()
config.optimizer.set_experimental_options(options)
config.optimizer.set_jit(enabled)
config.set_logical_device_configuration(device, logical_devices)
config.set_soft_device_placement(enabled)
config.set_visible_devices(devices, device_type)
config.threading.get_inter_op_parallelism_threads()
config.threading.get_intra_op_parallelism_threads()
config.threading.set_inter_op_parallelism_threads(num_threads)
config.threading.set_intra_op_parallelism_threads(num_threads)
cos(x, name)
cosh(x, name)
cumsum(x, axis, exclusive, reverse, name)
custom_gradient(f)
debugging.Assert(condition, data, summarize, name)
debugging.assert_all_finite(x, message, name)
debugging.assert_equal(x, y, message, summarize, name)
debugging.assert_greater(x, y, message, summarize, name)
debugging.assert_greater_equal(x, y, message, summarize, name)
debugging.assert_integer(x, message, name)
debugging.assert_less(x, y, message, summarize, name)
debugging.assert_less_equal(x, y, message, summarize, name)
debugging.assert_near(x, y, rtol, atol, message, summarize, name)
debugging.assert_negative(x, message, summarize, name)
debugging.assert_non_negative(x, message, summarize, name)
debugging.assert_non_positive(x, message, summarize, name)
debugging.assert_none_equal(x, y, summarize, message, name)
debugging.assert_positive(x, message, summarize, name)
debugging.assert_proper_iterable(values)
debugging.assert_rank(x, rank, message, name)
debugging.assert_rank_at_least(x, rank, message, name)
debugging.assert_rank_in(x, ranks, message, name)
debugging.assert_same_float_dtype(tensors, dtype)
debugging.assert_scalar(tensor, message, name)
debugging.assert_shapes(shapes, data, summarize, message, name)
debugging.assert_type(tensor, tf_type, message, name)
debugging.check_numerics(tensor, message, name)
debugging.disable_traceback_filtering()
debugging.enable_traceback_filtering()
debugging.get_log_device_placement()
debugging.is_numeric_tensor(tensor)
debugging.is_traceback_filtering_enabled()
debugging.set_log_device_placement(enabled)
device(device_name)
divide(x, y, name)
dtypes.cast(x, dtype, name)
dtypes.complex(real, imag, name)
dtypes.saturate_cast(value, dtype, name)
einsum(equation, *inputs, **kwargs)
ensure_shape(x, shape, name)
equal(x, y, name)
exp(x, name)
expand_dims(input, axis, name)
eye(num_rows, num_columns, batch_shape, dtype, name)
fill(dims, value, name, layout)
floor(x, name)
gather(params, indices, validate_indices, axis, batch_dims, name)
gather_nd(params, indices, batch_dims, name, bad_indices_policy)
get_static_value(tensor, partial)
grad_pass_through(f)
greater(x, y, name)
greater_equal(x, y, name)
group(*inputs, **kwargs)
guarantee_const(input, name)
histogram_fixed_width(values, value_range, nbins, dtype, name)
identity(input, name)
identity_n(input, name)
is_symbolic_tensor(tensor)
less(x, y, name)
less_equal(x, y, name)
linalg.adjoint(matrix, name)
linalg.diag(diagonal, name, k, num_rows, num_cols, padding_value, align)
linalg.diag_part(input, name, k, padding_value, align)
linalg.einsum(equation, *inputs, **kwargs)
linalg.eye(num_rows, num_columns, batch_shape, dtype, name)
linalg.global_norm(t_list, name)
linalg.matmul(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, a_is_sparse, b_is_sparse, output_type, grad_a, grad_b, name)
linalg.matrix_transpose(a, name, conjugate)
linalg.matvec(a, b, transpose_a, adjoint_a, a_is_sparse, b_is_sparse, name)
linalg.norm(tensor, ord, axis, keepdims, name)
linalg.set_diag(input, diagonal, name, k, align)
linalg.tensordot(a, b, axes, name)
linalg.trace(x, name)
linspace(start, stop, num, name, axis)
logical_and(x, y, name)
logical_not(x, name)
logical_or(x, y, name)
math.abs(x, name)
math.acos(x, name)
math.acosh(x, name)
math.add(x, y, name)
math.add_n(inputs, name)
math.angle(input, name)
math.argmax(input, axis, output_type, name)
math.argmin(input, axis, output_type, name)
math.asin(x, name)
math.asinh(x, name)
math.atan(x, name)
math.atan2(y, x, name)
math.atanh(x, name)
math.bessel_i0(x, name)
math.bessel_i0e(x, name)
math.bessel_i1(x, name)
math.bessel_i1e(x, name)
math.betainc(a, b, x, name)
math.bincount(arr, weights, minlength, maxlength, dtype, name, axis, binary_output)
math.ceil(x, name)
math.confusion_matrix(labels, predictions, num_classes, weights, dtype, name)
math.conj(x, name)
math.cos(x, name)
math.cosh(x, name)
math.count_nonzero(input, axis, keepdims, dtype, name)
math.cumprod(x, axis, exclusive, reverse, name)
math.cumsum(x, axis, exclusive, reverse, name)
math.cumulative_logsumexp(x, axis, exclusive, reverse, name)
math.digamma(x, name)
math.divide(x, y, name)
math.divide_no_nan(x, y, name)
math.equal(x, y, name)
math.erf(x, name)
math.erfc(x, name)
math.erfinv(x, name)
math.exp(x, name)
math.expm1(x, name)
math.floor(x, name)
math.floordiv(x, y, name)
math.floormod(x, y, name)
math.greater(x, y, name)
math.greater_equal(x, y, name)
math.igamma(a, x, name)
math.igammac(a, x, name)
math.imag(input, name)
math.in_top_k(targets, predictions, k, name)
math.invert_permutation(x, name)
math.is_finite(x, name)
math.is_inf(x, name)
math.is_nan(x, name)
math.less(x, y, name)
math.less_equal(x, y, name)
math.lgamma(x, name)
math.log(x, name)
math.log1p(x, name)
math.log_sigmoid(x, name)
math.log_softmax(logits, axis, name)
math.logical_and(x, y, name)
math.logical_not(x, name)
math.logical_or(x, y, name)
math.maximum(x, y, name)
math.minimum(x, y, name)
math.mod(x, y, name)
math.multiply(x, y, name)
math.ndtri(x, name)
math.negative(x, name)
math.nextafter(x1, x2, name)
math.not_equal(x, y, name)
math.polygamma(a, x, name)
math.pow(x, y, name)
math.real(input, name)
math.reciprocal(x, name)
math.reciprocal_no_nan(x, name)
math.reduce_all(input_tensor, axis, keepdims, name)
math.reduce_any(input_tensor, axis, keepdims, name)
math.reduce_euclidean_norm(input_tensor, axis, keepdims, name)
math.reduce_logsumexp(input_tensor, axis, keepdims, name)
math.reduce_max(input_tensor, axis, keepdims, name)
math.reduce_mean(input_tensor, axis, keepdims, name)
math.reduce_min(input_tensor, axis, keepdims, name)
math.reduce_prod(input_tensor, axis, keepdims, name)
math.reduce_std(input_tensor, axis, keepdims, name)
math.reduce_sum(input_tensor, axis, keepdims, name)
math.reduce_variance(input_tensor, axis, keepdims, name)
math.rint(x, name)
math.round(x, name)
math.rsqrt(x, name)
math.scalar_mul(scalar, x, name)
math.segment_max(data, segment_ids, name)
math.segment_mean(data, segment_ids, name)
math.segment_min(data, segment_ids, name)
math.segment_prod(data, segment_ids, name)
math.segment_sum(data, segment_ids, name)
math.sigmoid(x, name)
math.sign(x, name)
math.sin(x, name)
math.sinh(x, name)
math.softmax(logits, axis, name)
math.softplus(features, name)
math.softsign(features, name)
math.special.bessel_i0(x, name)
math.special.bessel_i0e(x, name)
math.special.bessel_i1(x, name)
math.special.bessel_i1e(x, name)
math.special.bessel_j0(x, name)
math.special.bessel_j1(x, name)
math.special.bessel_k0(x, name)
math.special.bessel_k0e(x, name)
math.special.bessel_k1(x, name)
math.special.bessel_k1e(x, name)
math.special.bessel_y0(x, name)
math.special.bessel_y1(x, name)
math.sqrt(x, name)
math.square(x, name)
math.squared_difference(x, y, name)
math.subtract(x, y, name)
math.tan(x, name)
math.tanh(x, name)
math.top_k(input, k, sorted, index_type, name)
math.truediv(x, y, name)
math.unsorted_segment_max(data, segment_ids, num_segments, name)
math.unsorted_segment_min(data, segment_ids, num_segments, name)
math.unsorted_segment_prod(data, segment_ids, num_segments, name)
math.unsorted_segment_sum(data, segment_ids, num_segments, name)
math.xdivy(x, y, name)
math.xlog1py(x, y, name)
math.xlogy(x, y, name)
math.zero_fraction(value, name)
math.zeta(x, q, name)
matmul(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, a_is_sparse, b_is_sparse, output_type, grad_a, grad_b, name)
maximum(x, y, name)
meshgrid(*args, **kwargs)
minimum(x, y, name)
multiply(x, y, name)
negative(x, name)
nest.assert_same_structure(nest1, nest2, check_types, expand_composites)
nest.flatten(structure, expand_composites)
nest.map_structure(func, *structure, **kwargs)
nest.pack_sequence_as(structure, flat_sequence, expand_composites)
nn.avg_pool(input, ksize, strides, padding, data_format, name)
nn.avg_pool1d(input, ksize, strides, padding, data_format, name)
nn.avg_pool2d(input, ksize, strides, padding, data_format, name)
nn.avg_pool3d(input, ksize, strides, padding, data_format, name)
nn.batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name)
nn.bias_add(value, bias, data_format, name)
nn.conv1d(input, filters, stride, padding, data_format, dilations, name)
nn.conv2d(input, filters, strides, padding, data_format, dilations, name)
nn.conv2d_transpose(input, filters, output_shape, strides, padding, data_format, dilations, name)
nn.conv3d(input, filters, strides, padding, data_format, dilations, name)
nn.crelu(features, axis, name)
nn.depthwise_conv2d(input, filter, strides, padding, data_format, dilations, name)
nn.dropout(x, rate, noise_shape, seed, name)
nn.elu(features, name)
nn.embedding_lookup(params, ids, max_norm, name)
nn.experimental.stateless_dropout(x, rate, seed, rng_alg, noise_shape, name)
nn.gelu(features, approximate, name)
nn.l2_loss(t, name)
nn.leaky_relu(features, alpha, name)
nn.log_softmax(logits, axis, name)
nn.max_pool(input, ksize, strides, padding, data_format, name)
nn.max_pool1d(input, ksize, strides, padding, data_format, name)
nn.max_pool2d(input, ksize, strides, padding, data_format, name)
nn.max_pool3d(input, ksize, strides, padding, data_format, name)
nn.moments(x, axes, shift, keepdims, name)
nn.relu(features, name)
nn.relu6(features, name)
nn.selu(features, name)
nn.sigmoid(x, name)
nn.sigmoid_cross_entropy_with_logits(labels, logits, name)
nn.softmax(logits, axis, name)
nn.softmax_cross_entropy_with_logits(labels, logits, axis, name)
nn.softplus(features, name)
nn.softsign(features, name)
nn.sparse_softmax_cross_entropy_with_logits(labels, logits, name)
nn.tanh(x, name)
nn.top_k(input, k, sorted, index_type, name)
nn.weighted_cross_entropy_with_logits(labels, logits, pos_weight, name)
nn.zero_fraction(value, name)
no_op(name)
norm(tensor, ord, axis, keepdims, name)
not_equal(x, y, name)
one_hot(indices, depth, on_value, off_value, axis, dtype, name)
ones(shape, dtype, name, layout)
ones_like(input, dtype, name, layout)
pad(tensor, paddings, mode, constant_values, name)
pow(x, y, name)
print(*inputs, **kwargs)
random.categorical(logits, num_samples, dtype, seed, name)
random.create_rng_state(seed, alg)
random.experimental.create_rng_state(seed, alg)
random.experimental.get_global_generator()
random.experimental.set_global_generator(generator)
random.experimental.stateless_fold_in(seed, data, alg)
random.experimental.stateless_shuffle(value, seed, alg, name)
random.experimental.stateless_split(seed, num, alg)
random.fold_in(seed, data, alg)
random.gamma(shape, alpha, beta, dtype, seed, name)
random.get_global_generator()
random.normal(shape, mean, stddev, dtype, seed, name)
random.poisson(shape, lam, dtype, seed, name)
random.set_global_generator(generator)
random.set_seed(seed)
random.shuffle(value, seed, name)
random.split(seed, num, alg)
random.stateless_categorical(logits, num_samples, seed, dtype, name)
random.stateless_normal(shape, seed, mean, stddev, dtype, name, alg)
random.stateless_truncated_normal(shape, seed, mean, stddev, dtype, name, alg)
random.stateless_uniform(shape, seed, minval, maxval, dtype, name, alg)
random.truncated_normal(shape, mean, stddev, dtype, seed, name)
random.uniform(shape, minval, maxval, dtype, seed, name)
range(start, limit, delta, dtype, name)
rank(input, name)
realdiv(x, y, name)
reduce_all(input_tensor, axis, keepdims, name)
reduce_any(input_tensor, axis, keepdims, name)
reduce_logsumexp(input_tensor, axis, keepdims, name)
reduce_max(input_tensor, axis, keepdims, name)
reduce_mean(input_tensor, axis, keepdims, name)
reduce_min(input_tensor, axis, keepdims, name)
reduce_prod(input_tensor, axis, keepdims, name)
reduce_sum(input_tensor, axis, keepdims, name)
repeat(input, repeats, axis, name)
reshape(tensor, shape, name)
reverse(tensor, axis, name)
roll(input, shift, axis, name)
round(x, name)
saturate_cast(value, dtype, name)
scalar_mul(scalar, x, name)
scatter_nd(indices, updates, shape, bad_indices_policy, name)
searchsorted(sorted_sequence, values, side, out_type, name)
sequence_mask(lengths, maxlen, dtype, name)
shape(input, out_type, name)
shape_n(input, out_type, name)
sigmoid(x, name)
sign(x, name)
sin(x, name)
sinh(x, name)
size(input, out_type, name)
slice(input_, begin, size, name)
sort(values, axis, direction, name)
split(value, num_or_size_splits, axis, num, name)
sqrt(x, name)
square(x, name)
squeeze(input, axis, name)
stack(values, axis, name)
stop_gradient(input, name)
strings.format(template, inputs, placeholder, summarize, name)
strings.join(inputs, separator, name)
strings.length(input, unit, name)
strings.strip(input, name)
subtract(x, y, name)
sysconfig.get_build_info()
sysconfig.get_compile_flags()
sysconfig.get_include()
sysconfig.get_lib()
sysconfig.get_link_flags()
tan(x, name)
tanh(x, name)
tensor_scatter_nd_add(tensor, indices, updates, bad_indices_policy, name)
tensor_scatter_nd_max(tensor, indices, updates, bad_indices_policy, name)
tensor_scatter_nd_min(tensor, indices, updates, bad_indices_policy, name)
tensor_scatter_nd_sub(tensor, indices, updates, bad_indices_policy, name)
tensordot(a, b, axes, name)
tile(input, multiples, name)
timestamp(name)
transpose(a, perm, conjugate, name)
truediv(x, y, name)
truncatediv(x, y, name)
truncatemod(x, y, name)
tuple(tensors, control_inputs, name)
unique(x, out_idx, name)
unique_with_counts(x, out_idx, name)
unstack(value, num, axis, name)
variable_creator_scope(variable_creator)
where(condition, x, y, name)
zeros(shape, dtype, name, layout)
zeros_like(input, dtype, name, layout)
""".strip().splitlines()

CLASSES = """
DType
GradientTape
IndexedSlices
Module
Operation
Tensor
TensorShape
TensorSpec
TypeSpec
UnconnectedGradients
Variable
VariableAggregation
VariableSynchronization
config.LogicalDevice
config.LogicalDeviceConfiguration
config.PhysicalDevice
constant_initializer
dtypes.DType
errors.AbortedError
errors.AlreadyExistsError
errors.CancelledError
errors.DataLossError
errors.DeadlineExceededError
errors.FailedPreconditionError
errors.InternalError
errors.InvalidArgumentError
errors.NotFoundError
errors.OpError
errors.OperatorNotAllowedInGraphError
errors.OutOfRangeError
errors.PermissionDeniedError
errors.ResourceExhaustedError
errors.UnauthenticatedError
errors.UnavailableError
errors.UnimplementedError
errors.UnknownError
initializers.Constant
initializers.GlorotNormal
initializers.GlorotUniform
initializers.Ones
initializers.RandomNormal
initializers.RandomUniform
initializers.TruncatedNormal
initializers.VarianceScaling
initializers.Zeros
name_scope
ones_initializer
random.Algorithm
random.Generator
random.experimental.Algorithm
random.experimental.Generator
random_normal_initializer
random_uniform_initializer
zeros_initializer
""".split()


@pytest.mark.parametrize("line", FUNCTIONS)
def test_function(line):
    name, _, arguments = line.rstrip(")").partition("(")
    parameters = inspect.signature(found(tf, name)).parameters.values()
    stars = {
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    shown = [stars.get(p.kind, "") + p.name for p in parameters]
    assert ", ".join(shown) == arguments


@pytest.mark.parametrize("name", CLASSES)
def test_class(name):
    assert isinstance(found(tf, name), type)


def test_the_own_version_stands_beside_tensorflows():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    own = re.search(r"project\(graphkiln VERSION ([0-9.]+)", text)[1]
    assert tf.version.GRAPHKILN_VERSION == own
    assert tf.__version__ == tf.version.VERSION != own


@pytest.mark.parametrize(
    "name, signature",
    [
        ("constant", "(value, dtype=None, shape=None, name='Const')"),
        ("convert_to_tensor", "(value, dtype=None, dtype_hint=None, name=None)"),
        ("is_tensor", "(x)"),
        ("add", "(x, y, name=None)"),
        ("raw_ops.AddV2", "(*, x, y, name=None)"),
    ],
)
def test_help_shows_signatures(name, signature):
    assert str(inspect.signature(found(tf, name))) == signature
    function = found(tf, name)
    shown = pydoc.render_doc(function, renderer=pydoc.plaintext)
    assert f"\n{function.__name__}{signature}\n" in shown


# Made by class methods, or raised and not called; and what is Python's.
NO_SIGNATURE = """
errors.InaccessibleTensorError errors.OperatorNotAllowedInGraphError
types.experimental.FunctionType data.experimental.AutoShardPolicy.conjugate
test.TestCase.failureException train.NanLossDuringTrainingError
""".split()


def _should_be_readable(name):
    """Under all its names, of which a process knows those that were asked for."""
    short = name.removeprefix("compat.v1.").removeprefix("compat.v2.")
    return short not in NO_SIGNATURE


def _unreadable():
    for name, value in public_names(without=("raw_ops",)):
        members = {f"{name}.{m}": getattr(value, m, None) for m in public_members(value)}
        for called, function in {name: value, **members}.items():
            try:
                if callable(function):
                    inspect.signature(function)
            except (TypeError, ValueError):
                yield called


def test_signatures_can_be_read():
    assert list(filter(_should_be_readable, _unreadable())) == []
    assert str(inspect.signature(tf.compat.v1.Dimension)) == "(value)"
    assert str(inspect.signature(tf.Operation.get_attr)) == "(self, /, name)"


def _undocumented():
    for name, value in public_names(without=("raw_ops", "tensorflow_pickle")):
        for member in public_members(value):
            homes = [c for c in value.__mro__ if member in vars(c)]
            if (
                not homes
                or homes[0].__module__
                in (
                    "builtins", "enum", "typing", "unittest.case",
                    "absl.testing.absltest",
                )
                or isinstance(vars(homes[0])[member], (int, str, value))
            ):
                continue
            documented = getattr(vars(homes[0])[member], "__doc__", None)
            if not (documented or "").strip():
                yield f"{name}.{member}"


def test_members_of_public_classes_are_documented():
    # The parameter class of `inspect`, under another name.
    assert [n for n in _undocumented() if not n.endswith("FunctionType.empty")] == []
