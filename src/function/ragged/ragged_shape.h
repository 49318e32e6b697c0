// RaggedShape: the partitions of the outer dimensions and the lengths of the
// others; what is made of such a shape, for both languages.
//
// An immutable value of tensors, eager or of a graph. All is made with the
// current builder; functions throw Error.
#ifndef GK_FUNCTION_RAGGED_RAGGED_SHAPE_H_
#define GK_FUNCTION_RAGGED_RAGGED_SHAPE_H_

#include <optional>
#include <string>
#include <vector>

#include "function/ragged/ragged_value.h"

namespace gk {

class RaggedShape {
 public:
  // `inner`: the shape of the flat values, a vector of known size; `known`:
  // what is known of it besides. All numbers become `dtype`.
  RaggedShape(std::vector<RowPartition> partitions, Tensor inner,
              DataType dtype, PartialTensorShape known = {});
  // Of numbers as they are given: int32 if the first partition has them.
  static DataType TypeOf(const std::vector<RowPartition>& partitions,
                         const Tensor& inner);

  // No `dtype` below: numbers are as they are given.
  // Of flat values whose shape is known; ValueError if it is not known whole.
  static RaggedShape OfKnown(std::vector<RowPartition> partitions,
                             const PartialTensorShape& inner,
                             std::optional<DataType> dtype = {});
  // Of rows of scalars, which the last partition counts; ValueError for none.
  static RaggedShape OfPartitions(std::vector<RowPartition> partitions,
                                  std::optional<DataType> dtype = {});
  // Of a tensor whose shape this vector is; in int64.
  static RaggedShape OfVector(const Tensor& shape);
  static RaggedShape Of(const RaggedValue& value, DataType dtype);
  // A scalar for a uniform dimension, a vector of the lengths of all rows for a
  // ragged one. `count` partitions, as few as there can be unless given.
  static RaggedShape OfLengths(const TensorVector& lengths,
                               std::optional<int64_t> count, DataType dtype);

  const std::vector<RowPartition>& partitions() const { return partitions_; }
  const Tensor& inner() const { return inner_; }
  const PartialTensorShape& known_inner() const { return known_; }
  DataType dtype() const { return inner_.dtype(); }
  int num_partitions() const { return static_cast<int>(partitions_.size()); }
  int rank() const { return num_partitions() + known_.rank(); }

  // The length of all slices along a dimension, if that is known, or of each.
  struct Length {
    std::optional<int64_t> uniform;
    std::optional<std::vector<int64_t>> rows;
  };
  std::vector<Length> known_lengths(bool of_rows) const;
  // "<DynamicRaggedShape lengths=[3, (3, 0, 1)] num_row_partitions=1>".
  std::string ToString() const;
  // Are all slices along `axis` of one length?
  bool IsUniform(int64_t axis) const;
  // That length.
  Tensor At(int64_t axis) const;
  // The dimensions from `start` to `stop`, as many of these as there are; from
  // above 0 all must be uniform. Negative ones count from the end.
  RaggedShape Slice(int64_t start, int64_t stop) const;
  RaggedShape WithType(DataType dtype) const;
  // After a check that partitions and inner shape fit.
  RaggedShape Checked() const;
  // A bool; none where they are known to differ.
  std::optional<Tensor> IsEqual(const RaggedShape& other) const;

  // Values of this shape.
  RaggedValue Rows(const Tensor& flat) const;
  RaggedValue Reshaped(const Tensor& flat) const;
  RaggedValue Filled(const Tensor& value) const;
  RaggedValue Broadcast(const RaggedValue& value) const;

 private:
  std::vector<RowPartition> partitions_;
  Tensor inner_;
  PartialTensorShape known_;
};

// The shape of the broadcast of two; as far as known, or ValueError.
RaggedShape BroadcastRaggedShapes(const RaggedShape& x, const RaggedShape& y);

PartialTensorShape BroadcastStaticShapes(const PartialTensorShape& x,
                                         const PartialTensorShape& y);

}  // namespace gk

#endif  // GK_FUNCTION_RAGGED_RAGGED_SHAPE_H_
