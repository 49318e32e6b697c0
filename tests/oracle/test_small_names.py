"""Small names of the package beside ops: messages of arrays and specs, switches,
scopes; values, texts and classes of errors are TensorFlow's."""

import numpy as np
import pytest

ARRAYS = {
    "floats": lambda tf: tf.make_tensor_proto([1.0, 2.0]),
    "number": lambda tf: tf.make_tensor_proto(1.0),
    "double": lambda tf: tf.make_tensor_proto(np.float64(1.0)),
    "ints": lambda tf: tf.make_tensor_proto([[1, 2], [3, 4]]),
    "int": lambda tf: tf.make_tensor_proto(3, tf.int8),
    "bool": lambda tf: tf.make_tensor_proto(True),
    "text": lambda tf: tf.make_tensor_proto("text"),
    "texts": lambda tf: tf.make_tensor_proto([b"a", "bc"]),
    "half": lambda tf: tf.make_tensor_proto(1.5, tf.float16),
    "halves": lambda tf: tf.make_tensor_proto([1.5, 2.5], tf.float16),
    "bfloat16": lambda tf: tf.make_tensor_proto(1.5, tf.bfloat16),
    "complex": lambda tf: tf.make_tensor_proto(1 + 2j, tf.complex64),
    "complexes": lambda tf: tf.make_tensor_proto([1 + 2j, 3], tf.complex128),
    "uint64": lambda tf: tf.make_tensor_proto(np.uint64(2**63)),
    "uint32": lambda tf: tf.make_tensor_proto(np.uint32(2**31)),
    "int64": lambda tf: tf.make_tensor_proto(2**40, tf.int64),
    "empty": lambda tf: tf.make_tensor_proto([]),
    "repeated": lambda tf: tf.make_tensor_proto(7, shape=[2, 3]),
    "repeated texts": lambda tf: tf.make_tensor_proto("x", shape=[2]),
    "shaped": lambda tf: tf.make_tensor_proto([1, 2, 3, 4], shape=[2, 2]),
    "fewer": lambda tf: tf.make_tensor_proto([1, 2], shape=[3]),
    "array": lambda tf: tf.make_tensor_proto(np.arange(6.0).reshape(2, 3)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_become_the_same_messages(both, name):
    ours, theirs = (ARRAYS[name](tf) for tf in (both.ours, both.theirs))
    assert ours.SerializeToString(True) == theirs.SerializeToString(True)
    for message in (ours, theirs):
        back = [tf.make_ndarray(message) for tf in (both.ours, both.theirs)]
        assert back[0].dtype == back[1].dtype and back[0].shape == back[1].shape
        np.testing.assert_array_equal(back[0], back[1])


@pytest.mark.parametrize(
    "call",
    [
        lambda tf: tf.make_tensor_proto(None),
        lambda tf: tf.make_tensor_proto([1, 2, 3], shape=[2]),
        lambda tf: tf.make_tensor_proto([1, 2], shape=[1, 2], verify_shape=True),
        lambda tf: tf.make_tensor_proto([1.5], tf.int32),
        lambda tf: tf.make_tensor_proto("a", tf.int32),
        lambda tf: tf.load_library("/nope"),
        lambda tf: tf.load_op_library("/nope.so"),
        lambda tf: tf.experimental.register_filesystem_plugin("/nope"),
        lambda tf: tf.config.experimental.get_memory_info("GPU:0"),
        lambda tf: tf.config.experimental.reset_memory_stats("GPU:0"),
        lambda tf: tf.check_pinned(1.0),
        lambda tf: tf.experimental.RowPartition.from_row_limits([2, 1]),
        lambda tf: tf.experimental.RowPartition.from_row_starts([0, 3], 2),
        lambda tf: tf.NoneTensorSpec().most_specific_compatible_shape(3),
        lambda tf: tf.experimental.RowPartition.from_row_starts([1, 3], 4),
    ],
)
def test_mistakes_have_the_same_class(both, call):
    both.agree_on_error(call)


def _spec_cases(tf):
    rows = tf.experimental.RowPartition.from_row_splits([0, 1])
    return [
        tf.float32,
        tf.TensorShape([1, None]),
        tf.TensorShape(None),
        tf.TensorShape([]),
        tf.TensorSpec([1, None], tf.int32, "x"),
        tf.TensorSpec([1, None], tf.int32),
        tf.RaggedTensorSpec([2, None], tf.int32),
        tf.SparseTensorSpec([2, None]),
        tf.IndexedSlicesSpec(),
        tf.TensorArraySpec([2]),
        tf.OptionalSpec(tf.TensorSpec([])),
        tf.OptionalSpec({"a": tf.TensorSpec([]), "b": [tf.RaggedTensorSpec([None])]}),
        tf.data.DatasetSpec((tf.TensorSpec([]), tf.TensorSpec([2]))),
        tf.data.IteratorSpec(tf.TensorSpec([])),
        tf.NoneTensorSpec(),
        tf.type_spec_from_value(rows) if rows is None else rows._type_spec,
    ]


@pytest.mark.parametrize("number", range(16))
def test_specs_become_the_same_messages(both, number):
    messages = []
    for tf in (both.ours, both.theirs):
        value = _spec_cases(tf)[number]
        message = value.experimental_as_proto()
        assert type(value).experimental_from_proto(message) == value
        assert type(message) is type(value).experimental_type_proto()
        messages.append(message.SerializeToString(True))
    if number == 15:  # the number of values is known there alone
        return
    assert messages[0] == messages[1]


def test_extension_types_become_messages(both):
    made = []
    for tf in (both.ours, both.theirs):

        class Pair(tf.experimental.ExtensionType):
            __name__ = "small_names.Pair"
            x: tf.Tensor
            y: int

        spec = Pair(tf.constant(1.0), 2)._type_spec
        message = spec.experimental_as_proto()
        assert type(spec).experimental_from_proto(message) == spec
        made.append(message.SerializeToString(True))
    assert made[0] == made[1]


def test_scopes_tell_their_names(both):
    def program(tf):
        names = [tf.get_current_name_scope()]
        with tf.name_scope("a"), tf.name_scope("b"):
            names.append(tf.get_current_name_scope())

        @tf.function
        def f():
            with tf.name_scope("q"):
                names.append(tf.get_current_name_scope())

        f()
        with tf.Graph().as_default(), tf.name_scope("z"):
            names.append(tf.get_current_name_scope())
        return names

    assert program(both.ours) == program(both.theirs)


def test_switches_can_be_called(both):
    def program(tf):
        experimental = tf.config.experimental
        with tf.experimental.async_scope():
            made = tf.add(1, 2)
        with tf.experimental.function_executor_type("x"):
            made += 1
        cpu = tf.config.list_physical_devices("CPU")[0]
        filters = experimental.ClusterDeviceFilters()
        configuration = experimental.VirtualDeviceConfiguration
        return (
            int(made),
            tf.experimental.async_clear_error(),
            experimental.disable_mlir_bridge(),
            sorted(experimental.get_memory_info("CPU:0")),
            experimental.get_virtual_device_configuration(cpu),
            experimental.reset_memory_stats("CPU:0"),
            filters.set_device_filters("worker", 0, ["/job:ps"]),
            configuration is tf.config.LogicalDeviceConfiguration,
            tf.debugging.experimental.disable_dump_debug_info(),
            type(tf.sysconfig.CXX_VERSION),
            tf.Graph().get() is not None,
            tf.dtypes.half is tf.float16,
            tf.dtypes.double is tf.float64,
            {t.name for t in tf.dtypes.QUANTIZED_DTYPES if "ref" not in t.name},
            repr(tf.NoneTensorSpec.from_value(None)),
            tf.test.is_gpu_available(),
        )

    assert program(both.ours) == program(both.theirs)


def test_batch_functions_give_what_they_compute(both):
    def program(tf):
        @tf.nondifferentiable_batch_function(1, 4, 10)
        def f(x, y):
            return x * 2, {"sum": x + y}

        return f(tf.constant([1, 2]), tf.constant([3, 4]))

    both.agree(program)


ROWS = {
    "limits": lambda r: r.from_row_limits([2, 2, 5]),
    "no limits": lambda r: r.from_row_limits(np.zeros([0], np.int64)),
    "starts": lambda r: r.from_row_starts([0, 2, 2], 5),
    "starts of int32": lambda r: r.from_row_starts(np.int32([0, 2]), 5),
    "uniform": lambda r: r.from_uniform_row_length(2, 6),
    "ids": lambda r: r.from_value_rowids([0, 0, 2], 4),
}


@pytest.mark.parametrize("name", ROWS)
def test_partitions_agree(both, name):
    def program(tf):
        rows = ROWS[name](tf.experimental.RowPartition)
        return rows.row_splits(), rows.offsets_in_rows(), rows.row_lengths()

    both.agree(program)


def test_placeholders_with_default_values(both):
    both.agree(lambda tf: tf.compat.v1.placeholder_with_default([1, 2], [None]))
    both.agree(
        lambda tf: tf.function(
            lambda: tf.compat.v1.placeholder_with_default([1, 2], [None])
        )()
    )
    both.agree_on_error(
        lambda tf: tf.function(
            lambda: tf.compat.v1.placeholder_with_default([1, 2], [3])
        )()
    )


RAGGED = {
    "two ragged": lambda tf: tf.ragged.constant([[[1, 2], [3]], [[4]]]),
    "uniform inside": lambda tf: tf.ragged.constant(
        [[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1
    ),
    "three ragged": lambda tf: tf.ragged.constant(
        [[[[1, 2], [3]], [[4]]], [[[5]]]]
    ),
    "two ragged, one uniform": lambda tf: tf.ragged.constant(
        [[[[1, 2], [3, 4]], [[4, 5]]], [[[5, 6]]]], ragged_rank=2
    ),
    "uniform outside": lambda tf: tf.RaggedTensor.from_uniform_row_length(
        tf.ragged.constant([[1], [2, 3], [], [4]]), 2
    ),
}


@pytest.mark.parametrize("name", RAGGED)
@pytest.mark.parametrize("traced", [False, True])
def test_dimensions_of_ragged_tensors_are_merged(both, name, traced):
    def program(tf):
        value = RAGGED[name](tf)
        merged = []
        for outer in range(value.shape.rank):
            for inner in range(outer, value.shape.rank):
                def merge(v, outer=outer, inner=inner):
                    return v.merge_dims(outer, inner)

                made = (tf.function(merge) if traced else merge)(value)
                rows = made.to_list() if hasattr(made, "to_list") else made.numpy()
                merged.append((made.shape.as_list(), np.array(rows, object).tolist()))
        return merged

    assert program(both.ours) == program(both.theirs)
