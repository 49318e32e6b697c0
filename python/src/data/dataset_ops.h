// The ops that tf.data.Dataset, its iterators and optionals make.
#ifndef GK_PYTHON_DATASET_OPS_H_
#define GK_PYTHON_DATASET_OPS_H_

namespace gk::py {

inline constexpr char kAnonymousIteratorV3[] = "AnonymousIteratorV3";
inline constexpr char kAssert[] = "Assert";
inline constexpr char kAssertCardinalityDataset[] = "AssertCardinalityDataset";
inline constexpr char kBatchDatasetV2[] = "BatchDatasetV2";
inline constexpr char kCacheDatasetV2[] = "CacheDatasetV2";
inline constexpr char kConcatenateDataset[] = "ConcatenateDataset";
inline constexpr char kDatasetCardinality[] = "DatasetCardinality";
inline constexpr char kDatasetToSingleElement[] = "DatasetToSingleElement";
inline constexpr char kDenseToSparseBatchDataset[] =
    "DenseToSparseBatchDataset";
inline constexpr char kDirectedInterleaveDataset[] =
    "DirectedInterleaveDataset";
inline constexpr char kDummyMemoryCache[] = "DummyMemoryCache";
inline constexpr char kDummySeedGenerator[] = "DummySeedGenerator";
inline constexpr char kFilterDataset[] = "FilterDataset";
inline constexpr char kFlatMapDataset[] = "FlatMapDataset";
inline constexpr char kGroupByWindowDataset[] = "GroupByWindowDataset";
inline constexpr char kIgnoreErrorsDataset[] = "IgnoreErrorsDataset";
inline constexpr char kInterleaveDataset[] = "InterleaveDataset";
inline constexpr char kIteratorGetNext[] = "IteratorGetNext";
inline constexpr char kIteratorGetNextAsOptional[] =
    "IteratorGetNextAsOptional";
inline constexpr char kMakeIterator[] = "MakeIterator";
inline constexpr char kMapDataset[] = "MapDataset";
inline constexpr char kOptionalFromValue[] = "OptionalFromValue";
inline constexpr char kOptionalGetValue[] = "OptionalGetValue";
inline constexpr char kOptionalHasValue[] = "OptionalHasValue";
inline constexpr char kOptionalNone[] = "OptionalNone";
inline constexpr char kOptionsDataset[] = "OptionsDataset";
inline constexpr char kPaddedBatchDatasetV2[] = "PaddedBatchDatasetV2";
inline constexpr char kParallelBatchDataset[] = "ParallelBatchDataset";
inline constexpr char kParallelInterleaveDatasetV4[] =
    "ParallelInterleaveDatasetV4";
inline constexpr char kParallelMapDatasetV2[] = "ParallelMapDatasetV2";
inline constexpr char kPrefetchDataset[] = "PrefetchDataset";
inline constexpr char kRandomDatasetV2[] = "RandomDatasetV2";
inline constexpr char kRangeDataset[] = "RangeDataset";
inline constexpr char kRebatchDatasetV2[] = "RebatchDatasetV2";
inline constexpr char kReduceDataset[] = "ReduceDataset";
inline constexpr char kRepeatDataset[] = "RepeatDataset";
inline constexpr char kRewriteDataset[] = "RewriteDataset";
inline constexpr char kScanDataset[] = "ScanDataset";
inline constexpr char kShardDataset[] = "ShardDataset";
inline constexpr char kShuffleDatasetV3[] = "ShuffleDatasetV3";
inline constexpr char kSkipDataset[] = "SkipDataset";
inline constexpr char kTakeDataset[] = "TakeDataset";
inline constexpr char kTakeWhileDataset[] = "TakeWhileDataset";
inline constexpr char kTensorDataset[] = "TensorDataset";
inline constexpr char kTensorSliceDataset[] = "TensorSliceDataset";
inline constexpr char kUnbatchDataset[] = "UnbatchDataset";
inline constexpr char kUniqueDataset[] = "UniqueDataset";
inline constexpr char kWindowDataset[] = "WindowDataset";
inline constexpr char kZipDataset[] = "ZipDataset";

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_OPS_H_
