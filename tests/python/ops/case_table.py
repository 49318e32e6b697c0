"""How each op is called in its tests, where the signature and the record's test
facts do not say it. In TABLE

    F(2, 3)     values of the op's main dtype inside the record's domain
    V(4, 3)     a variable of such values; the case returns what it then holds
    a literal   that value, in the dtype its argument has

and names that are no input are attributes. `dtypes` limits the main dtype
where a literal would make no sense in others, `types` says what other type
attributes are.

A family with many ops has a table of its own, `case_table_<family>.py`, with
TABLE and, where it needs them, NOT_CALLED and VALUE_SHAPED; they are joined here.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from case_values import I64, F, V, Variable

# Ops whose call needs more than arrays and plain attributes, and the reason.
NOT_CALLED = {
    "Const": "its value is an attribute; tests of tensors cover it",
    "Placeholder": "has a value in graphs only; tests of functions cover it",
    "PartitionedCall": "calls a function; tests of functions cover it",
    "StatefulPartitionedCall": "calls a function; tests of functions cover it",
    "EagerPyFunc": "calls Python back; tests/python/test_py_function.py covers it",
    "PyFunc": "calls Python back; tests/python/test_py_function.py covers it",
    "PyFuncStateless": "calls Python back; tests/python/test_py_function.py covers it",
    "XlaCallModule": "calls JAX; tests/oracle/test_jax_functions.py covers it",
    "VarHandleOp": "makes a variable; tests of variables cover it",
    "DestroyResourceOp": "ends a variable; tests of variables cover it",
    **dict.fromkeys(
        ("If", "StatelessIf", "Case", "StatelessCase", "While",
         "StatelessWhile", "FakeParam"),
        "runs functions; tests/programs/control_flow.py covers it",
    ),
    **dict.fromkeys(
        ("EmptyTensorList", "TensorListConcat", "TensorListConcatLists",
         "TensorListConcatV2", "TensorListElementShape",
         "TensorListFromTensor", "TensorListGather", "TensorListGetItem",
         "TensorListLength", "TensorListPopBack", "TensorListPushBack",
         "TensorListPushBackBatch", "TensorListReserve", "TensorListResize",
         "TensorListScatter", "TensorListScatterIntoExistingList",
         "TensorListScatterV2", "TensorListSetItem", "TensorListSplit",
         "TensorListStack"),
        "takes or gives a list; tests/programs/tensor_lists.py covers it",
    ),
    **dict.fromkeys(
        ("StackCloseV2", "StackPopV2", "StackPushV2", "StackV2",
         "TensorArrayCloseV3", "TensorArrayConcatV3", "TensorArrayGatherV3",
         "TensorArrayGradV3", "TensorArrayGradWithShape", "TensorArrayReadV3",
         "TensorArrayScatterV3", "TensorArraySizeV3", "TensorArraySplitV3",
         "TensorArrayV3", "TensorArrayWriteV3"),
        "takes or gives an array or stack of version 1; "
        "tests/oracle/test_version_one_arrays.py covers it",
    ),
    **dict.fromkeys(
        ("AnonymousIteratorV2", "AnonymousIteratorV3", "IteratorV2", "BatchDatasetV2",
         "CacheDatasetV2", "ConcatenateDataset", "DatasetCardinality",
         "DatasetFingerprint", "DatasetToSingleElement", "DeleteIterator",
         "DeserializeIterator", "DummyMemoryCache",
         "DummySeedGenerator", "FilterDataset", "FlatMapDataset",
         "GeneratorDataset", "GetElementAtIndex", "GetOptions", "InterleaveDataset",
         "OneShotIterator",
         "IteratorGetNext",
         "IteratorGetNextAsOptional", "IteratorGetNextSync", "IteratorFromStringHandle",
         "IteratorFromStringHandleV2", "IteratorToStringHandle", "ListDataset",
         "MakeIterator",
         "MapDataset", "OptionalFromValue", "OptionalGetValue",
         "OptionalHasValue", "OptionalNone", "OptionsDataset",
         "ParallelBatchDataset", "ParallelInterleaveDatasetV4",
         "ParallelMapDatasetV2", "PrefetchDataset", "RangeDataset",
         "ReduceDataset", "RepeatDataset", "RewriteDataset", "ScanDataset",
         "SerializeIterator", "ShardDataset", "ShuffleDatasetV3", "SkipDataset", "TakeDataset",
         "TakeWhileDataset", "TensorDataset", "TensorSliceDataset",
         "UnbatchDataset", "ZipDataset"),
        "takes or gives a dataset; tests/programs/datasets.py covers it",
    ),
    **dict.fromkeys(
        ("BatchDataset", "CacheDataset", "ExperimentalGroupByReducerDataset",
         "GroupByReducerDataset", "LegacyParallelInterleaveDatasetV2",
         "MapAndBatchDataset", "PaddedBatchDataset", "ParallelInterleaveDataset",
         "ParallelInterleaveDatasetV2", "ParallelInterleaveDatasetV3",
         "ParallelMapDataset", "ParseExampleDataset", "ParseExampleDatasetV2",
         "ShuffleAndRepeatDataset",
         "ShuffleAndRepeatDatasetV2", "ShuffleDataset"),
        "takes a dataset, in graphs that were saved; "
        "tests/oracle/test_former_datasets.py covers it",
    ),
    **dict.fromkeys(
        ("AutoShardDataset", "CompressElement", "RebatchDataset",
         "UncompressElement"),
        "of elements of datasets; tests/oracle/test_private_datasets.py covers it",
    ),
    "ComputeBatchSize": "takes a dataset; tests/oracle/test_private_parts.py covers it",
    **dict.fromkeys(
        ("AssertCardinalityDataset", "DenseToSparseBatchDataset",
         "DeserializeSparse", "DirectedInterleaveDataset",
         "GroupByWindowDataset", "IgnoreErrorsDataset",
         "PaddedBatchDatasetV2", "RaggedTensorFromVariant",
         "RaggedTensorToVariant", "RaggedTensorToVariantGradient",
         "RandomDataset", "RandomDatasetV2",
         "RebatchDatasetV2", "SerializeManySparse", "SerializeSparse",
         "UniqueDataset", "WindowDataset"),
        "for elements of datasets; tests/programs/dataset_elements.py and "
        "tests/python/data/test_data_bad_inputs.py cover it",
    ),
    **dict.fromkeys(
        ("CSVDataset", "CSVDatasetV2", "DatasetToTFRecord",
         "FixedLengthRecordDataset", "FixedLengthRecordDatasetV2", "LoadDataset",
         "SaveDataset", "SaveDatasetV2", "SnapshotDatasetV2", "SqlDataset", "TFRecordDataset",
         "TFRecordDatasetV2", "TextLineDataset"),
        "a dataset of what is in files; tests/oracle/test_data_files.py, "
        "test_saved_datasets.py and test_data_sources.py cover it",
    ),
}

ROWS = [[0], [2]]
CONV3 = {"strides": [1, 1, 1, 1, 1], "padding": "SAME"}
CONV = {"strides": [1, 1, 1, 1], "padding": "SAME"}
POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
POOL3 = {
    "ksize": [1, 2, 2, 2, 1],
    "strides": [1, 2, 2, 2, 1],
    "padding": "VALID",
}
STEPS = {"begin": [1, 0], "end": [4, 5], "strides": [2, 1]}
DIAGONAL = {"k": 0, "num_rows": -1, "num_cols": -1}
REDUCE = {"input": F(2, 3, 4), "reduction_indices": [0, 2]}
SEGMENT = {"data": F(4, 3), "segment_ids": [0, 0, 1, 2]}
UNSORTED = {"data": F(4, 3), "segment_ids": [0, 2, 0, 1], "num_segments": 3}
SCATTER = {"tensor": F(4, 3), "indices": ROWS, "updates": F(2, 3)}
RESOURCE = {"resource": V(4, 3), "indices": [0, 2], "updates": F(2, 3)}
RESOURCE_ND = {"ref": V(4, 3), "indices": ROWS, "updates": F(2, 3)}
STATELESS = {"shape": [2, 3], "seed": [1, 2]}
STATELESS_V2 = {"shape": [2, 3], "key": [7], "counter": [1, 2], "alg": 1}
INTEGERS = {"minval": -5, "maxval": 100, "dtypes": ("int32", "int64")}
GENERATOR = {
    "resource": Variable(np.array([5, 0, 0])),
    "algorithm": 1,
    "shape": [3],
}
FLOATS = ("float32", "float64")
WIDE = ("float32", "float64", "int32", "int64")

TABLE: dict[str, dict[str, Any]] = {
    # Array.
    "BroadcastGradientArgs": {"s0": [2, 3], "s1": [1, 3]},
    "BroadcastArgs": {"s0": [2, 3], "s1": [1, 3]},
    "BroadcastTo": {"input": F(1, 3), "shape": [2, 3]},
    "Fill": {"dims": [2, 3], "value": F()},
    "Concat": {"concat_dim": 0, "values": [F(2, 3), F(1, 3)]},
    "ConcatV2": {"axis": 0, "values": [F(2, 3), F(1, 3)]},
    "ConcatOffset": {"concat_dim": 1, "shape": [[2, 3], [2, 4]]},
    "Pack": {"values": [F(2, 3), F(2, 3)], "axis": 1},
    "Unpack": {"value": F(2, 3), "num": 2},
    "Split": {"split_dim": 1, "value": F(2, 4), "num_split": 2},
    "SplitV": {
        "value": F(2, 5),
        "size_splits": [2, 3],
        "split_dim": 1,
        "num_split": 2,
    },
    "Gather": {"params": F(4, 3), "indices": [0, 2]},
    "GatherV2": {"params": F(4, 3), "indices": [[0, 2], [1, 1]], "axis": 0},
    "GatherNd": {"params": F(4, 3), "indices": [[0, 1], [3, 2]]},
    "Reverse": {"tensor": F(2, 3), "dims": [True, False]},
    "ReverseV2": {"tensor": F(2, 3), "axis": [1]},
    "Roll": {"input": F(4, 3), "shift": [1], "axis": [0]},
    "Unique": {"x": [3, 1, 3, 2, 1, 1], "dtypes": WIDE},
    "UniqueWithCounts": {"x": [3, 1, 3, 2, 1, 1], "dtypes": WIDE},
    "UniqueV2": {"x": [3, 1, 3, 2, 1, 1], "axis": [0], "dtypes": WIDE},
    "UniqueWithCountsV2": {"x": [3, 1, 3, 2, 1, 1], "axis": [0], "dtypes": WIDE},
    "ListDiff": {"x": [3, 1, 2, 5], "y": [1, 5], "dtypes": WIDE},
    "Bucketize": {"input": F(2, 3), "boundaries": [-1.0, 0.5, 2.0]},
    "UnravelIndex": {"indices": [1, 5, 3], "dims": [2, 3]},
    "DenseBincount": {"input": [1, 2, 1, 4], "size": 6, "weights": F(4)},
    "RaggedBincount": {
        "splits": np.array([0, 2, 2, 4], np.int64), "values": [1, 2, 1, 4],
        "size": 6, "weights": F(4),
    },
    "SparseBincount": {
        "indices": np.array([[0, 0], [0, 2], [1, 1], [2, 0]], np.int64),
        "values": [1, 2, 1, 4], "dense_shape": np.array([3, 3], np.int64),
        "size": 6, "weights": F(4),
    },
    "DenseCountSparseOutput": {
        "values": [1, 2, 1, 4], "weights": F(4), "binary_output": False,
    },
    "SparseCountSparseOutput": {
        "indices": np.array([[0, 0], [0, 2], [1, 1], [2, 0]], np.int64),
        "values": [1, 2, 1, 4], "dense_shape": np.array([3, 3], np.int64),
        "weights": F(4), "binary_output": False,
    },
    "RaggedCountSparseOutput": {
        "splits": np.array([0, 2, 2, 4], np.int64), "values": [1, 2, 1, 4],
        "weights": F(4), "binary_output": False,
    },
    "StringToNumber": {"string_tensor": ["1", "-2.5", "1e3"]},
    "ReduceJoin": {
        "inputs": [["a", "b"], ["c", "d"]],
        "reduction_indices": [1],
    },
    "StringSplitV2": {"input": ["a b", "c"], "sep": " "},
    "TopKV2": {"input": F(2, 5), "k": 2},
    "Pad": {"input": F(2, 3), "paddings": [[1, 0], [0, 2]]},
    "PadV2": {
        "input": F(2, 3),
        "paddings": [[1, 0], [0, 2]],
        "constant_values": F(),
    },
    "MirrorPad": {
        "input": F(2, 3),
        "paddings": [[1, 1], [1, 2]],
        "mode": "REFLECT",
    },
    "MirrorPadGrad": {
        "input": F(4, 6),
        "paddings": [[1, 1], [1, 2]],
        "mode": "REFLECT",
    },
    "Tile": {"input": F(2, 3), "multiples": [2, 1]},
    "ScatterNd": {"indices": ROWS, "updates": F(2, 3), "shape": [4, 3]},
    "TensorScatterUpdate": SCATTER,
    "TensorScatterAdd": SCATTER,
    "TensorScatterSub": SCATTER,
    "TensorScatterMax": SCATTER,
    "TensorScatterMin": SCATTER,
    "UnsortedSegmentSum": UNSORTED,
    "UnsortedSegmentProd": UNSORTED,
    "UnsortedSegmentMax": UNSORTED,
    "UnsortedSegmentMin": UNSORTED,
    "SegmentSum": SEGMENT,
    "SegmentMean": SEGMENT,
    "SegmentProd": SEGMENT,
    "SegmentMax": SEGMENT,
    "SegmentMin": SEGMENT,
    "Range": {"start": 1, "limit": 7, "delta": 2},
    "LinSpace": {"start": 1.5, "stop": 3.0, "num": 5},
    "OneHot": {
        "indices": [0, 2, 1],
        "depth": 4,
        "on_value": F(),
        "off_value": F(),
        "main": "T",
    },
    "Reshape": {"tensor": F(2, 3), "shape": [3, 2]},
    "ExpandDims": {"input": F(2, 3), "dim": 1},
    "Squeeze": {"input": F(1, 3, 1)},
    "EnsureShape": {"input": F(2, 3), "shape": [None, 3]},
    "Slice": {"input": F(2, 3), "begin": [0, 1], "size": [2, 2]},
    "StridedSlice": {"input": F(4, 5), **STEPS},
    "StridedSliceGrad": {"shape": [4, 5], **STEPS, "dy": F(2, 5), "main": "T"},
    "TensorStridedSliceUpdate": {
        "input": F(4, 5),
        **STEPS,
        "value": F(2, 5),
    },
    "ResourceStridedSliceAssign": {
        "ref": V(4, 5),
        **STEPS,
        "value": F(2, 5),
        "main": "T",
    },
    "Transpose": {"x": F(2, 3, 4), "perm": [2, 0, 1]},
    "ConjugateTranspose": {"x": F(2, 3, 4), "perm": [2, 0, 1]},
    "InvertPermutation": {"x": [2, 0, 1]},
    "DiagPart": {"input": F(3, 3)},
    "MatrixBandPart": {"input": F(3, 4), "num_lower": 1, "num_upper": 0},
    "SpaceToBatchND": {
        "input": F(1, 4, 4, 2),
        "block_shape": [2, 2],
        "paddings": [[0, 0], [0, 0]],
    },
    "BatchToSpaceND": {
        "input": F(4, 2, 2, 2),
        "block_shape": [2, 2],
        "crops": [[0, 0], [0, 0]],
    },
    "SpaceToBatch": {
        "input": F(1, 4, 4, 2),
        "paddings": [[0, 0], [0, 0]],
        "block_size": 2,
    },
    "BatchToSpace": {
        "input": F(4, 2, 2, 2),
        "crops": [[0, 0], [0, 0]],
        "block_size": 2,
    },
    "SpaceToDepth": {"input": F(1, 4, 4, 2), "block_size": 2},
    "DepthToSpace": {"input": F(1, 2, 2, 8), "block_size": 2},
    "ExtractImagePatches": {
        "images": F(1, 4, 4, 2),
        "ksizes": [1, 2, 2, 1],
        "strides": [1, 2, 2, 1],
        "rates": [1, 1, 1, 1],
        "padding": "VALID",
    },
    "MatrixDiagV2": {"diagonal": F(2, 3), **DIAGONAL, "padding_value": F()},
    "MatrixDiagV3": {"diagonal": F(2, 3), **DIAGONAL, "padding_value": F()},
    "MatrixDiagPart": {"input": F(2, 3, 3)},
    "MatrixDiagPartV2": {"input": F(2, 3, 3), "k": 0, "padding_value": F()},
    "MatrixDiagPartV3": {"input": F(2, 3, 3), "k": 0, "padding_value": F()},
    "MatrixSetDiag": {"input": F(2, 3, 3), "diagonal": F(2, 3)},
    "MatrixSetDiagV2": {"input": F(2, 3, 3), "diagonal": F(2, 3), "k": 0},
    "MatrixSetDiagV3": {"input": F(2, 3, 3), "diagonal": F(2, 3), "k": 0},
    "ReverseSequence": {"input": F(2, 3), "seq_lengths": [2, 3], "seq_dim": 1},
    "DynamicStitch": {"indices": [[0, 2], [1]], "data": [F(2, 3), F(1, 3)]},
    "ParallelDynamicStitch": {
        "indices": [[0, 2], [1]],
        "data": [F(2, 3), F(1, 3)],
    },
    "DynamicPartition": {
        "data": F(4, 3),
        "partitions": [0, 1, 0, 1],
        "num_partitions": 2,
    },
    # Core.
    "Assert": {"condition": True, "data": [F(2)]},
    "PrintV2": {"input": "text", "output_stream": "log(info)"},
    "StringFormat": {"inputs": [F(2)], "template": "got %s", "placeholder": "%s"},
    "PreventGradient": {"input": F(2, 3)},
    "CheckNumerics": {"tensor": F(2, 3), "message": "bad"},
    "CheckNumericsV2": {"tensor": F(2, 3), "message": "bad"},
    # Math.
    "Cast": {"x": F(2, 3), "DstT": "float64"},
    "Bitcast": {"input": F(2, 4), "type": "uint8"},
    "MatMul": {"a": F(3, 4), "b": F(4, 5)},
    "BatchMatMul": {"x": F(2, 3, 4), "y": F(2, 4, 5)},
    "BatchMatMulV2": {"x": F(2, 3, 4), "y": F(4, 5)},
    "Einsum": {"inputs": [F(3, 4), F(4, 5)], "equation": "ij,jk->ik"},
    "Sum": REDUCE,
    "Mean": REDUCE,
    "Prod": REDUCE,
    "Max": REDUCE,
    "Min": REDUCE,
    "EuclideanNorm": REDUCE,
    "All": REDUCE,
    "Any": REDUCE,
    "Cumsum": {"x": F(3, 4), "axis": 0},
    "Cumprod": {"x": F(3, 4), "axis": 0},
    "CumulativeLogsumexp": {"x": F(3, 4), "axis": 0},
    "ArgMax": {"input": F(3, 4), "dimension": 1},
    "ArgMin": {"input": F(3, 4), "dimension": 1},
    "ClipByValue": {
        "t": F(2, 3),
        "clip_value_min": 0,
        "clip_value_max": 1,
    },
    "Polygamma": {"a": [1, 2, 3], "x": [0.5, 1.5, 2.5]},
    "Zeta": {"x": [1.5, 2.5, 3.0], "q": [0.5, 1.5, 2.5]},
    "Betainc": {"a": [0.5, 2.0], "b": [1.5, 3.0], "x": [0.25, 0.75]},
    "LeftShift": {"x": F(2, 3), "y": [0, 1, 3]},
    "RightShift": {"x": F(2, 3), "y": [0, 1, 3]},
    "Pow": {"x": F(2, 3), "y": [2, 1, 3]},
    "AddN": {"inputs": [F(2, 3), F(2, 3), F(2, 3)]},
    "AccumulateNV2": {"inputs": [F(2, 3), F(2, 3)], "shape": [2, 3]},
    "Bincount": {"arr": [1, 2, 1], "size": 4, "weights": F(3), "main": "T"},
    "HistogramFixedWidth": {
        "values": F(2, 3),
        "value_range": [-1, 2],
        "nbins": 4,
    },
    "DebugNumericSummaryV2": {
        "input": F(2, 3), "tensor_debug_mode": 4, "tensor_id": 7, "dtypes": WIDE,
    },
    "Cross": {"a": F(2, 3), "b": F(2, 3)},
    # NN.
    "BiasAdd": {"value": F(2, 3), "bias": F(3)},
    "BiasAddV1": {"value": F(2, 3), "bias": F(3)},
    "Conv2D": {"input": F(1, 5, 5, 2), "filter": F(3, 3, 2, 3), **CONV},
    "Conv2DBackpropInput": {
        "input_sizes": [1, 5, 5, 2],
        "filter": F(3, 3, 2, 3),
        "out_backprop": F(1, 5, 5, 3),
        **CONV,
    },
    "Conv2DBackpropFilter": {
        "input": F(1, 5, 5, 2),
        "filter_sizes": [3, 3, 2, 3],
        "out_backprop": F(1, 5, 5, 3),
        **CONV,
    },
    "Conv3D": {
        "input": F(1, 4, 4, 4, 2),
        "filter": F(2, 2, 2, 2, 3),
        **CONV3,
    },
    "Conv3DBackpropInputV2": {
        "input_sizes": [1, 4, 4, 4, 2],
        "filter": F(2, 2, 2, 2, 3),
        "out_backprop": F(1, 4, 4, 4, 3),
        **CONV3,
    },
    "Conv3DBackpropFilterV2": {
        "input": F(1, 4, 4, 4, 2),
        "filter_sizes": [2, 2, 2, 2, 3],
        "out_backprop": F(1, 4, 4, 4, 3),
        **CONV3,
    },
    "DepthwiseConv2dNative": {
        "input": F(1, 5, 5, 2),
        "filter": F(3, 3, 2, 2),
        **CONV,
    },
    "DepthwiseConv2dNativeBackpropInput": {
        "input_sizes": [1, 5, 5, 2],
        "filter": F(3, 3, 2, 2),
        "out_backprop": F(1, 5, 5, 4),
        **CONV,
    },
    "DepthwiseConv2dNativeBackpropFilter": {
        "input": F(1, 5, 5, 2),
        "filter_sizes": [3, 3, 2, 2],
        "out_backprop": F(1, 5, 5, 4),
        **CONV,
    },
    "InTopK": {"predictions": F(3, 5), "targets": [0, 1, 4], "k": 2},
    "InTopKV2": {"predictions": F(3, 5), "targets": [0, 1, 4], "k": 2},
    "MaxPool": {"input": F(1, 4, 4, 2), **POOL},
    "MaxPoolGrad": {
        "orig_input": np.arange(32).reshape(1, 4, 4, 2),
        "orig_output": [[[[10, 11], [14, 15]], [[26, 27], [30, 31]]]],
        "grad": F(1, 2, 2, 2),
        **POOL,
    },
    "MaxPoolGradGrad": {
        "orig_input": np.arange(32).reshape(1, 4, 4, 2),
        "orig_output": [[[[10, 11], [14, 15]], [[26, 27], [30, 31]]]],
        "grad": F(1, 4, 4, 2),
        **POOL,
    },
    "MaxPoolWithArgmax": {"input": F(1, 4, 4, 2), **POOL, "main": "T"},
    "AvgPool": {"value": F(1, 4, 4, 2), **POOL},
    "AvgPoolGrad": {
        "orig_input_shape": [1, 4, 4, 2],
        "grad": F(1, 2, 2, 2),
        **POOL,
    },
    "MaxPool3D": {"input": F(1, 4, 4, 4, 1), **POOL3},
    "MaxPool3DGrad": {
        "orig_input": np.arange(8).reshape(1, 2, 2, 2, 1),
        "orig_output": [[[[[7]]]]],
        "grad": F(1, 1, 1, 1, 1),
        **POOL3,
        "main": "T",
    },
    "MaxPool3DGradGrad": {
        "orig_input": np.arange(8).reshape(1, 2, 2, 2, 1),
        "orig_output": [[[[[7]]]]],
        "grad": F(1, 2, 2, 2, 1),
        **POOL3,
    },
    "AvgPool3D": {"input": F(1, 4, 4, 4, 1), **POOL3},
    "AvgPool3DGrad": {
        "orig_input_shape": [1, 4, 4, 4, 1],
        "grad": F(1, 2, 2, 2, 1),
        **POOL3,
    },
    "Softmax": {"logits": F(3, 5)},
    "LogSoftmax": {"logits": F(3, 5)},
    # Labels that sum to one: the gradient relies on it.
    "SoftmaxCrossEntropyWithLogits": {
        "features": F(2, 3),
        "labels": [[0.25, 0.5, 0.25], [0.0, 0.75, 0.25]],
    },
    "SparseSoftmaxCrossEntropyWithLogits": {
        "features": F(3, 5),
        "labels": [0, 4, 2],
    },
    # Random.
    "StatelessRandomUniform": STATELESS,
    "StatelessRandomNormal": STATELESS,
    "StatelessTruncatedNormal": STATELESS,
    "StatelessRandomUniformInt": {**STATELESS, **INTEGERS},
    "StatelessRandomUniformFullInt": {**STATELESS, "dtype": "int32"},
    "StatelessRandomUniformV2": STATELESS_V2,
    "StatelessRandomNormalV2": STATELESS_V2,
    "StatelessTruncatedNormalV2": STATELESS_V2,
    "StatelessRandomUniformIntV2": {**STATELESS_V2, **INTEGERS},
    "StatelessRandomUniformFullIntV2": {**STATELESS_V2, "dtype": "int32"},
    "StatelessRandomGetKeyCounter": {"seed": [1, 2]},
    "StatelessRandomGetKeyCounterAlg": {"seed": [1, 2]},
    "StatelessMultinomial": {
        "logits": F(2, 3),
        "num_samples": 5,
        "seed": [1, 2],
        "main": "T",
    },
    "StatelessRandomGammaV2": {
        "shape": [4],
        "seed": [1, 2],
        "alpha": 1.5,
        "dtypes": FLOATS,
    },
    "StatelessRandomGammaV3": {
        "shape": [4],
        "key": [7],
        "counter": [1, 2],
        "alg": 1,
        "alpha": 1.5,
        "dtypes": FLOATS,
    },
    "StatelessRandomPoisson": {
        "shape": [4],
        "seed": [1, 2],
        "lam": 2.5,
        "dtype": "float32",
    },
    "StatelessShuffle": {
        "value": F(6),
        "key": [7],
        "counter": [1, 2],
        "alg": 1,
    },
    "RandomUniform": {"shape": [2, 3], "dtype": "float32"},
    "RandomStandardNormal": {"shape": [2, 3], "dtype": "float32"},
    "TruncatedNormal": {"shape": [2, 3], "dtype": "float32"},
    "RandomUniformInt": {"shape": [2, 3], **INTEGERS},
    "RandomShuffle": {"value": F(6)},
    "Multinomial": {"logits": F(2, 3), "num_samples": 5},
    "RandomGamma": {"shape": [4], "alpha": 1.5},
    "RandomPoissonV2": {"shape": [4], "rate": 2.5},
    "NonDeterministicInts": {"shape": [2, 3]},
    "RngSkip": {
        "resource": Variable(np.array([5, 0, 0])),
        "algorithm": 1,
        "delta": 7,
    },
    "RngReadAndSkip": {
        "resource": Variable(np.array([5, 0, 0])),
        "alg": 1,
        "delta": 7,
    },
    "StatefulUniform": GENERATOR,
    "StatefulStandardNormalV2": GENERATOR,
    "StatefulTruncatedNormal": GENERATOR,
    "StatefulUniformInt": {**GENERATOR, **INTEGERS},
    "StatefulUniformFullInt": {**GENERATOR, "dtype": "uint64"},
    # Strings.
    "StringLength": {"input": ["a", "bcd", ""]},
    "StringStrip": {"input": [" a ", "b\n"]},
    "StringJoin": {"inputs": [["a", "b"], ["c", "d"]], "separator": "-"},
    # Variables.
    "ReadVariableOp": {"resource": V(2, 3), "dtype": "float32"},
    "AssignVariableOp": {"resource": V(2, 3), "value": F(2, 3)},
    "AssignAddVariableOp": {"resource": V(2, 3), "value": F(2, 3)},
    "AssignSubVariableOp": {"resource": V(2, 3), "value": F(2, 3)},
    "ResourceCountUpTo": {
        "resource": Variable(np.array(5, np.int32)),
        "limit": 2**30,
        "T": "int32",
    },
    "VarIsInitializedOp": {"resource": V(2, 3)},
    "VariableShape": {"input": V(2, 3)},
    "DisableCopyOnRead": {"resource": V(2, 3)},
    "ResourceGather": {
        "resource": V(4, 3),
        "indices": [0, 2],
        "dtype": "float32",
    },
    "ResourceGatherNd": {
        "resource": V(4, 3),
        "indices": ROWS,
        "dtype": "float32",
    },
    **{
        f"ResourceScatter{how}": {**RESOURCE, "main": "dtype"}
        for how in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")
    },
    **{
        f"ResourceScatterNd{how}": {**RESOURCE_ND, "main": "T"}
        for how in ("Add", "Sub", "Min", "Max", "Update")
    },
}

# Ops whose outputs' shapes depend on values that are no shapes.
VALUE_SHAPED = {
    "BroadcastGradientArgs", "DenseCountSparseOutput", "DynamicPartition",
    "ListDiff", "RaggedCountSparseOutput", "SegmentMax", "SegmentMean",
    "SegmentMin", "SegmentProd", "SegmentSum", "SparseCountSparseOutput",
    "StringSplitV2", "Unique", "UniqueV2", "UniqueWithCounts",
    "UniqueWithCountsV2", "Where",
}

for path in sorted(Path(__file__).parent.glob("case_table_*.py")):
    family = importlib.import_module(path.stem)
    for name in ("TABLE", "NOT_CALLED"):
        for op, row in getattr(family, name, {}).items():
            assert op not in globals()[name], f"{op} is in two tables"
            globals()[name][op] = row
    VALUE_SHAPED |= getattr(family, "VALUE_SHAPED", set())
