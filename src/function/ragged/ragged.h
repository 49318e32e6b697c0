// What is done with ragged values: conversions, indexing, gathers, moves,
// reductions, operators and products, for both languages.
//
// Where a parameter is a RaggedValue, a tensor serves as well. All is made
// with the current builder; gradients pass. Functions throw Error.
#ifndef GK_FUNCTION_RAGGED_RAGGED_H_
#define GK_FUNCTION_RAGGED_RAGGED_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "function/ragged/checks.h"
#include "function/ragged/ragged_value.h"
#include "function/sparse_value.h"
#include "ops/composition.h"
#include "ops/operators.h"
#include "ops/subscript.h"

namespace gk {

// --- Conversions. (ragged_conversion.cc)

struct FromTensorOptions {
  // Of the rows; of more than one ragged dimension, the outermost first.
  TensorVector lengths = {};
  Tensor padding = {};  // what ends the rows, or null
  int ragged_rank = 1;
  DataType splits_type = DataType::kInt64;
};
RaggedValue RaggedFromTensor(const Tensor& tensor,
                             const FromTensorOptions& options);
RaggedValue RaggedFromSparse(const SparseValue& sparse, DataType splits_type);
// `wanted`: the shape as far as it is to be another one, -1 where not.
Tensor RaggedToTensor(const RaggedValue& ragged, Tensor default_value = {},
                      const PartialTensorShape& wanted = {});
// The same where the shape is a vector.
Tensor RaggedToTensorOf(const RaggedValue& ragged, Tensor default_value,
                        const Tensor& wanted);
SparseValue RaggedToSparse(const RaggedValue& ragged);
// The place of each flat value in the bounding box, row by row.
Tensor RaggedCoordinates(const RaggedValue& ragged);
// Of the dtype of the splits.
Tensor BoundingShape(const RaggedValue& ragged);
// The lengths of slices along an axis, which may be below the rows.
RaggedValue RowLengths(const RaggedValue& ragged, int64_t axis);
RaggedValue MergeDims(const RaggedValue& ragged, int64_t outer, int64_t inner);
// Where the elements of bools are that are true.
Tensor RaggedWhere(const RaggedValue& condition);
// "[[1, 2], [3]]"; of long rows `summarize` elements of each end, -1: all.
Tensor RaggedText(const RaggedValue& ragged, int64_t summarize);

// --- Indexing. (ragged_index.cc)

RaggedValue RaggedSubscript(const RaggedValue& ragged,
                            std::vector<SubscriptEntry> entries);
// The slices along the first dimension at `indices`, a vector.
RaggedValue GatherRows(const RaggedValue& values, const Tensor& indices);
// range(start, limit, step) of each pair, one after the other.
Tensor FlatRanges(const Tensor& starts, const Tensor& limits, int64_t step = 1);

// --- Gathers. (ragged_gather.cc)

// `axis` null: `batch_dims`.
RaggedValue RaggedGather(const RaggedValue& params, const RaggedValue& indices,
                         std::optional<int64_t> axis, int64_t batch_dims);
RaggedValue RaggedGatherNd(const RaggedValue& params,
                           const RaggedValue& indices);
std::vector<RaggedValue> RaggedDynamicPartition(const RaggedValue& data,
                                                const RaggedValue& partitions,
                                                int64_t count);

// --- Moves. (ragged_move.cc)

RaggedValue RaggedConcat(std::span<const RaggedValue> values, int64_t axis);
RaggedValue RaggedStack(std::span<const RaggedValue> values, int64_t axis);
RaggedValue RaggedExpandDims(const RaggedValue& ragged, int64_t axis);
RaggedValue RaggedSqueeze(const RaggedValue& ragged,
                          std::span<const int64_t> axes);
RaggedValue RaggedReverse(const RaggedValue& ragged,
                          std::span<const int64_t> axes);
RaggedValue RaggedTile(const RaggedValue& ragged, const Tensor& multiples);
// `sizes`: as tf.split takes them.
std::vector<RaggedValue> RaggedSplit(const RaggedValue& ragged,
                                     const CompositionValue& sizes,
                                     int64_t axis,
                                     const CompositionValue& count);

// --- Reductions. (ragged_reduce.cc)

enum class Reduction {
  kSum,
  kMean,
  kProd,
  kMax,
  kMin,
  kAny,
  kAll,
  kLogSumExp,
  kJoin,  // of texts
};
struct RaggedReduction {
  Reduction of;
  bool keepdims = false;
  std::string separator = {};  // of kJoin
};
// `axes` null: all. `one`: a single axis, not a list.
RaggedValue RaggedReduce(const RaggedReduction& reduction,
                         const RaggedValue& ragged,
                         const std::optional<std::vector<int64_t>>& axes,
                         bool one);
RaggedValue RaggedVariance(const RaggedValue& ragged,
                           const std::optional<std::vector<int64_t>>& axes,
                           bool one, bool keepdims);
RaggedValue RaggedDeviation(const RaggedValue& ragged,
                            const std::optional<std::vector<int64_t>>& axes,
                            bool one, bool keepdims);
// The slices of a tensor that have one id joined, for each of `count` ids.
using SegmentFn = std::function<Tensor(const Tensor& data, const Tensor& ids,
                                       const Tensor& count)>;
// The same of the slices of ragged rows, element by element.
RaggedValue RaggedSegments(const SegmentFn& join, RaggedValue data,
                           RaggedValue ids, const Tensor& count);
RaggedValue RaggedCumsum(const RaggedValue& ragged, int64_t axis,
                         bool exclusive, bool reverse);
// Of axis > 0.
RaggedValue RaggedSoftmax(const RaggedValue& ragged, int64_t axis);

// --- Element by element. (ragged_broadcast.cc)

// The flat values of each operand beside those of a ragged one, and what must
// hold before they are used.
struct FlatOperands {
  RaggedValue known;
  TensorVector flat;
  Checks checks;
};
FlatOperands FlattenOperands(std::span<const RaggedValue> operands);
using BinaryFn = std::function<Tensor(const Tensor&, const Tensor&)>;
RaggedValue RaggedBinary(const BinaryFn& op, const RaggedValue& x,
                         const RaggedValue& y);

// `f` of the flat values of operands beside one another.
using FlatFn = std::function<Tensor(const TensorVector&)>;
RaggedValue RaggedOfFlat(std::span<const RaggedValue> operands,
                         const FlatFn& f);
// As the operators of tensors, but that booleans have no product, and that
// operands of lengths that do not fit are an error for all.
RaggedValue RaggedOperator(Operator which, const RaggedValue& x,
                           const RaggedValue& y);
RaggedValue RaggedOperator(Operator which, const RaggedValue& x);
// Of x where the condition holds, else of y.
RaggedValue RaggedSelect(const RaggedValue& condition, const RaggedValue& x,
                         const RaggedValue& y);
RaggedValue RaggedCrossEntropy(const RaggedValue& labels,
                               const RaggedValue& logits);
RaggedValue RaggedJoin(std::span<const RaggedValue> texts,
                       const std::string& separator);
// The sum of at least one.
RaggedValue RaggedAddN(std::span<const RaggedValue> values);
// How many elements there are, and dimensions: int32 unless `dtype` says else.
Tensor RaggedSize(const RaggedValue& ragged, DataType dtype = DataType::kInt32);
Tensor RaggedRank(const RaggedValue& ragged);
// `text` with a value in place of each `mark`; ValueError unless there are as
// many.
Tensor RaggedFormat(const std::string& text,
                    std::span<const RaggedValue> values,
                    const std::string& mark, int64_t summarize);

// --- tf.ragged: rows of ranges, masks and partitions. (ragged_rows.cc)

// What `mask`, of bools and at least rank 1, keeps: rows may become shorter.
RaggedValue RaggedBooleanMask(const RaggedValue& data, const RaggedValue& mask);
// range(start, limit, delta) of each; scalars stand for all.
RaggedValue RaggedRanges(const Tensor& starts, const Tensor& limits,
                         const Tensor& deltas, DataType splits_type,
                         OpName name = OpName({}));
// As RaggedStack; tensors become ragged but along their last dimensions.
RaggedValue RaggedStackOf(std::span<const RaggedValue> values, int64_t axis);
// The slices of data that have one number in `partitions`, for each.
RaggedValue StackDynamicPartitions(const RaggedValue& data,
                                   const RaggedValue& partitions,
                                   const Tensor& num_partitions);
Tensor RowSplitsToSegmentIds(const Tensor& splits, DataType out_type);
// `num_segments` null: as many as the ids need.
Tensor SegmentIdsToRowSplits(const Tensor& segment_ids,
                             const Tensor& num_segments, DataType out_type);

// --- Products. (ragged_product.cc)

struct ProductOptions {
  bool transpose_a = false, transpose_b = false;
  bool adjoint_a = false, adjoint_b = false;
};
RaggedValue RaggedMatmul(const RaggedValue& a, const RaggedValue& b,
                         const ProductOptions& options);

}  // namespace gk

#endif  // GK_FUNCTION_RAGGED_RAGGED_H_
