"""A good call of each op that takes a dataset, a list, a handle or functions:
its arguments as expressions (the others' good calls are in the op tests)."""

from __future__ import annotations

RANGE = "tf.data.Dataset.range(5)._variant_tensor"
ROWS = "tf.data.Dataset.from_tensor_slices(tf.ones([4, 2]))._variant_tensor"
LONG = {"output_types": "[tf.int64]", "output_shapes": "[[]]"}
LONGS = {"output_types": "[tf.int64]", "output_shapes": "[[None]]"}
ONE = {"input_dataset": RANGE, **LONG}
X = "tf.constant([1., -2.])"
LIST = (
    "tf.raw_ops.TensorListFromTensor(tensor=tf.ones([3, 2]), "
    "element_shape=tf.constant([2]))"
)
PARTS = (
    "tf.raw_ops.TensorListSplit(tensor=tf.ones([4, 2]), element_shape=[-1, 2], "
    "lengths=tf.constant([1, 3], tf.int64))"
)
OPTIONAL = "tf.raw_ops.OptionalFromValue(components=[tf.constant(1, tf.int64)])"
ITERATOR = "I(3)"
NEW_ITERATOR = (
    "tf.raw_ops.AnonymousIteratorV3(output_types=[tf.int64], output_shapes=[[]])"
)
MEMORY = "tf.raw_ops.DummyMemoryCache()"
SEEDS = "tf.raw_ops.DummySeedGenerator()"
FLOAT = {"element_dtype": "tf.float32"}
SPARSE = {
    "sparse_indices": "T('int64', [2, 2], [0, 0, 1, 1])",
    "sparse_values": "T('float32', [2], [1., 2.])",
    "sparse_shape": "T('int64', [2], [2, 3])",
}
IF = {
    "cond": "T('bool', [], [1])",
    "input": f"[{X}]",
    "Tout": "[tf.float32]",
    "then_branch": "F('double')",
    "else_branch": "F('same')",
}
CASE = {
    "branch_index": "T('int32', [], [1])",
    "input": f"[{X}]",
    "Tout": "[tf.float32]",
    "branches": "[F('double'), F('same'), F('empty')]",
}
WHILE = {"input": f"[{X} + 4.]", "cond": "F('positive')", "body": "F('empty')"}
CALL = {"args": f"[{X}]", "Tout": "[tf.float32]", "f": "F('double')"}
NUMBERS = {"shape": "T('int64', [1], [3])", "dtype": "tf.float32"}
GENERATOR = {"resource": "V(np.array([5, 0, 0]))", **NUMBERS}
PYTHON = {"input": f"[{X}]", "token": "b'pyfunc_0'", "Tout": "[tf.float32]"}


def number(n: int) -> str:
    return f"T('int64', [], [{n}])"


RECIPES: dict[str, dict[str, str]] = {
    "AnonymousIteratorV2": LONG,
    "AnonymousIteratorV3": LONG,
    "AssertCardinalityDataset": {**ONE, "cardinality": number(5)},
    "BatchDatasetV2": {
        **ONE,
        **LONGS,
        "batch_size": number(2),
        "drop_remainder": "T('bool', [], [0])",
    },
    "CacheDatasetV2": {**ONE, "filename": "T('string', [], [b''])", "cache": MEMORY},
    "Case": CASE,
    "ConcatenateDataset": {**ONE, "another_dataset": RANGE},
    "Const": {"value": "T('float32', [2], [1., 2.])", "dtype": "tf.float32"},
    "DatasetCardinality": {"input_dataset": RANGE},
    "DatasetToSingleElement": {
        "dataset": "tf.data.Dataset.range(1)._variant_tensor",
        **LONG,
    },
    "DeleteIterator": {"handle": NEW_ITERATOR, "deleter": "tf.raw_ops.OptionalNone()"},
    "DenseToSparseBatchDataset": {
        "input_dataset": ROWS,
        "batch_size": number(2),
        "row_shape": "T('int64', [1], [4])",
        "output_types": "[tf.variant]",
        "output_shapes": "[[None, 3]]",
    },
    "DeserializeSparse": {
        "serialized_sparse": "tf.raw_ops.SerializeSparse("
        "sparse_indices=[[0, 1]], sparse_values=[1.], sparse_shape=[2, 2])",
        "dtype": "tf.float32",
    },
    "DestroyResourceOp": {"resource": "V(1.)"},
    "DirectedInterleaveDataset": {
        "selector_input_dataset": "tf.data.Dataset.range(2)._variant_tensor",
        "data_input_datasets": f"[{RANGE}, {RANGE}]",
        **LONG,
    },
    "DummyMemoryCache": {},
    "DummySeedGenerator": {},
    "EagerPyFunc": PYTHON,
    "EmptyTensorList": {
        "element_shape": "T('int32', [1], [2])",
        "max_num_elements": "T('int32', [], [3])",
        **FLOAT,
    },
    "FakeParam": {"dtype": "tf.float32", "shape": "[2]"},
    "FilterDataset": {**ONE, "other_arguments": "[]", "predicate": "F('even')"},
    "FlatMapDataset": {**ONE, "other_arguments": "[]", "f": "F('nested')"},
    "GeneratorDataset": {
        **LONG,
        "init_func_other_args": f"[{number(3)}]",
        "next_func_other_args": "[]",
        "finalize_func_other_args": "[]",
        "init_func": "F('long')",
        "next_func": "F('until')",
        "finalize_func": "F('long')",
    },
    "GetOptions": {"input_dataset": RANGE},
    "GroupByWindowDataset": {
        "input_dataset": RANGE,
        "key_func_other_arguments": "[]",
        "reduce_func_other_arguments": "[]",
        "window_size_func_other_arguments": "[]",
        "key_func": "F('long')",
        "reduce_func": "F('window')",
        "window_size_func": "F('long')",
        **LONG,
    },
    "If": IF,
    "IgnoreErrorsDataset": ONE,
    "InterleaveDataset": {
        **ONE,
        "other_arguments": "[]",
        "cycle_length": number(2),
        "block_length": number(1),
        "f": "F('nested')",
    },
    **dict.fromkeys(
        ("IteratorGetNext", "IteratorGetNextAsOptional", "IteratorGetNextSync"),
        {"iterator": ITERATOR, **LONG},
    ),
    "MakeIterator": {"dataset": RANGE, "iterator": NEW_ITERATOR},
    "MapDataset": {**ONE, "other_arguments": "[]", "f": "F('long')"},
    "OptionalFromValue": {"components": f"[{X}, {number(2)}]"},
    "OptionalGetValue": {"optional": OPTIONAL, **LONG},
    "OptionalHasValue": {"optional": OPTIONAL},
    "OptionalNone": {},
    "OptionsDataset": {**ONE, "serialized_options": "b''"},
    "PaddedBatchDatasetV2": {
        "input_dataset": ROWS,
        "batch_size": number(2),
        "padded_shapes": "[T('int64', [1], [3])]",
        "padding_values": "[T('float32', [], [7.])]",
        "drop_remainder": "T('bool', [], [0])",
        "output_shapes": "[[None, 3]]",
    },
    "ParallelBatchDataset": {
        **ONE,
        **LONGS,
        "batch_size": number(2),
        "num_parallel_calls": number(2),
        "drop_remainder": "T('bool', [], [0])",
    },
    "ParallelInterleaveDatasetV4": {
        **ONE,
        "other_arguments": "[]",
        "cycle_length": number(2),
        "block_length": number(1),
        "buffer_output_elements": number(2),
        "prefetch_input_elements": number(1),
        "num_parallel_calls": number(2),
        "f": "F('nested')",
    },
    "ParallelMapDatasetV2": {
        **ONE,
        "other_arguments": "[]",
        "num_parallel_calls": number(2),
        "f": "F('long')",
    },
    "PartitionedCall": CALL,
    "Placeholder": {"dtype": "tf.float32", "shape": "[2]"},
    "PrefetchDataset": {**ONE, "buffer_size": number(2)},
    "PyFunc": PYTHON,
    "PyFuncStateless": PYTHON,
    "RaggedTensorFromVariant": {
        "encoded_ragged": "tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=["
        "tf.constant([0, 1, 3])], rt_dense_values=tf.ones([3]), "
        "batched_input=False)",
        "input_ragged_rank": "1",
        "output_ragged_rank": "1",
        "Tvalues": "tf.float32",
        "Tsplits": "tf.int32",
    },
    "RaggedTensorToVariant": {
        "rt_nested_splits": "[T('int64', [3], [0, 1, 3])]",
        "rt_dense_values": "T('float32', [3], [1., 2., 3.])",
        "batched_input": "True",
    },
    "RaggedTensorToVariantGradient": {
        "encoded_ragged_grad": "tf.raw_ops.RaggedTensorToVariant("
        "rt_nested_splits=[tf.constant([0, 1, 3])], "
        "rt_dense_values=tf.ones([3]), batched_input=True)",
        "row_splits": "T('int32', [3], [0, 1, 3])",
        "dense_values_shape": "T('int32', [1], [3])",
        "Tvalues": "tf.float32",
    },
    "RandomDataset": {"seed": number(1), "seed2": number(2), **LONG},
    "RandomDatasetV2": {
        "seed": number(1),
        "seed2": number(2),
        "seed_generator": SEEDS,
        **LONG,
    },
    "RangeDataset": {
        "start": number(0),
        "stop": number(9),
        "step": number(2),
        **LONG,
    },
    "ReadVariableOp": {"resource": "V([1., 2.])", "dtype": "tf.float32"},
    "RebatchDatasetV2": {
        "input_dataset": ROWS,
        "batch_sizes": "T('int64', [2], [1, 2])",
        "drop_remainder": "T('bool', [], [0])",
        "output_types": "[tf.float32]",
        "output_shapes": "[[None, 2]]",
    },
    "ReduceDataset": {
        **ONE,
        "initial_state": f"[{number(0)}]",
        "other_arguments": "[]",
        "f": "F('add')",
    },
    "RepeatDataset": {**ONE, "count": number(2)},
    "RewriteDataset": {**ONE, "rewrite_name": "T('string', [], [b'abc'])"},
    "ScanDataset": {
        **ONE,
        "initial_state": f"[{number(0)}]",
        "other_arguments": "[]",
        "f": "F('scan')",
    },
    "SerializeManySparse": SPARSE,
    "SerializeSparse": SPARSE,
    "ShardDataset": {**ONE, "num_shards": number(2), "index": number(1)},
    "ShuffleDatasetV3": {
        **ONE,
        "buffer_size": number(3),
        "seed": number(1),
        "seed2": number(2),
        "seed_generator": SEEDS,
    },
    "SkipDataset": {**ONE, "count": number(2)},
    "StatefulPartitionedCall": CALL,
    "StatelessCase": CASE,
    "StatelessIf": IF,
    "StatelessWhile": WHILE,
    "TakeDataset": {**ONE, "count": number(2)},
    "TakeWhileDataset": {**ONE, "other_arguments": "[]", "predicate": "F('even')"},
    "TensorDataset": {"components": f"[{X}, {number(1)}]", "output_shapes": "[[2], []]"},
    "TensorListConcat": {"input_handle": PARTS, **FLOAT, "element_shape": "[None, 2]"},
    "TensorListConcatLists": {"input_a": LIST, "input_b": LIST, **FLOAT},
    "TensorListConcatV2": {
        "input_handle": PARTS,
        "element_shape": "T('int64', [2], [-1, 2])",
        "leading_dims": "T('int64', [2], [1, 3])",
        **FLOAT,
    },
    "TensorListElementShape": {"input_handle": LIST, "shape_type": "tf.int32"},
    "TensorListFromTensor": {
        "tensor": "T('float32', [3, 2], [1., 2.])",
        "element_shape": "T('int32', [1], [2])",
    },
    "TensorListGather": {
        "input_handle": LIST,
        "indices": "T('int32', [2], [0, 2])",
        "element_shape": "T('int32', [1], [2])",
        **FLOAT,
    },
    "TensorListGetItem": {
        "input_handle": LIST,
        "index": "T('int32', [], [1])",
        "element_shape": "T('int32', [1], [2])",
        **FLOAT,
    },
    "TensorListLength": {"input_handle": LIST},
    "TensorListPopBack": {
        "input_handle": LIST,
        "element_shape": "T('int32', [1], [2])",
        **FLOAT,
    },
    "TensorListPushBack": {
        "input_handle": LIST,
        "tensor": "T('float32', [2], [1., 2.])",
    },
    "TensorListPushBackBatch": {
        "input_handles": f"tf.stack([{LIST}, {LIST}])",
        "tensor": "T('float32', [2, 2], [1., 2.])",
    },
    "TensorListReserve": {
        "element_shape": "T('int32', [1], [2])",
        "num_elements": "T('int32', [], [3])",
        **FLOAT,
    },
    "TensorListResize": {"input_handle": LIST, "size": "T('int32', [], [4])"},
    "TensorListScatter": {
        "tensor": "T('float32', [2, 2], [1., 2.])",
        "indices": "T('int32', [2], [0, 2])",
        "element_shape": "T('int32', [1], [2])",
    },
    "TensorListScatterIntoExistingList": {
        "input_handle": LIST,
        "tensor": "T('float32', [2, 2], [1., 2.])",
        "indices": "T('int32', [2], [0, 2])",
    },
    "TensorListScatterV2": {
        "tensor": "T('float32', [2, 2], [1., 2.])",
        "indices": "T('int32', [2], [0, 2])",
        "element_shape": "T('int32', [1], [2])",
        "num_elements": "T('int32', [], [-1])",
    },
    "TensorListSetItem": {
        "input_handle": LIST,
        "index": "T('int32', [], [1])",
        "item": "T('float32', [2], [1., 2.])",
    },
    "TensorListSplit": {
        "tensor": "T('float32', [4, 2], [1., 2.])",
        "element_shape": "T('int32', [2], [-1, 2])",
        "lengths": "T('int64', [2], [1, 3])",
    },
    "TensorListStack": {
        "input_handle": LIST,
        "element_shape": "T('int32', [1], [2])",
        **FLOAT,
    },
    "TensorSliceDataset": {
        "components": "[T('float32', [3, 2], [1., 2.])]",
        "output_shapes": "[[2]]",
    },
    "UnbatchDataset": {
        "input_dataset": ROWS,
        "output_types": "[tf.float32]",
        "output_shapes": "[[]]",
    },
    "UniqueDataset": ONE,
    "VarHandleOp": {"dtype": "tf.float32", "shape": "[2]"},
    "While": WHILE,
    "WindowDataset": {
        **ONE,
        "size": number(2),
        "shift": number(1),
        "stride": number(1),
        "drop_remainder": "T('bool', [], [0])",
        "output_types": "[tf.variant]",
    },
    "ZipDataset": {
        "input_datasets": f"[{RANGE}, {ROWS}]",
        "output_types": "[tf.int64, tf.float32]",
        "output_shapes": "[[], [2]]",
    },
}
