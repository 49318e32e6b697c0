// DynamicRaggedShape: the shape of a ragged tensor, as the partitions of the
// outer dimensions and the lengths of the others; RowPartition: one partition.
//
//   auto shape = gk::DynamicRaggedShape::from_lengths({3, {2, 0, 1}});
//   gk::RaggedTensor sevens = shape.fill(7);  // [[7, 7], [], [7]]
//
// Immutable values of tensors, eager or of a traced function. Thread-safe.
// Functions throw Error: ValueError for what cannot fit, InvalidArgument for
// values that do not.
#ifndef GRAPHKILN_RAGGED_SHAPE_H_
#define GRAPHKILN_RAGGED_SHAPE_H_

#include <graphkiln/ragged_tensor.h>
#include <graphkiln/tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gk {

class RaggedShape;

GK_API_NAMESPACE {
  // How values are divided into rows.
  class GK_EXPORT RowPartition {
   public:
    // Row i has the values from row_splits[i] to row_splits[i + 1]; int32 or
    // int64. That they make sense is checked if `validate`.
    static RowPartition from_row_splits(const Tensor& row_splits,
                                        bool validate = true);
    static RowPartition from_row_lengths(const Tensor& row_lengths,
                                         bool validate = true);
    // Row i ends before row_limits[i], where the next begins.
    static RowPartition from_row_limits(const Tensor& row_limits,
                                        bool validate = true);
    // Row i begins at row_starts[i]; the last ends before `nvals`.
    static RowPartition from_row_starts(const Tensor& row_starts,
                                        const Tensor& nvals,
                                        bool validate = true);
    // Value j belongs to row value_rowids[j]; `nrows`: as many as they need
    // unless given.
    static RowPartition from_value_rowids(const Tensor& value_rowids,
                                          const Tensor& nrows = {},
                                          bool validate = true);
    static RowPartition from_uniform_row_length(const Tensor& length,
                                                const Tensor& nrows,
                                                bool validate = true);

    // The partition as the splits of the rows, their lengths, and where they
    // begin and end; `dtype` is that of all of them.
    DataType dtype() const { return row_splits_.dtype(); }
    const Tensor& row_splits() const { return row_splits_; }
    Tensor row_lengths() const;
    Tensor row_starts() const;
    Tensor row_limits() const;
    // The row of each value.
    Tensor value_rowids() const;
    // The place of each value in its row.
    Tensor offsets_in_rows() const;
    Tensor nrows() const;
    Tensor nvals() const;
    // The length of all rows, if that is known to be one.
    std::optional<int64_t> uniform_row_length() const { return uniform_; }
    std::optional<int64_t> static_uniform_row_length() const {
      return uniform_;
    }
    bool is_uniform() const { return uniform_.has_value(); }
    // How many rows and values there are, where that is known.
    std::optional<int64_t> static_nrows() const;
    std::optional<int64_t> static_nvals() const;
    // The same with splits of int32 or int64.
    RowPartition with_dtype(DataType dtype) const;

    // --- For the library itself.
    RowPartition(Tensor row_splits, std::optional<int64_t> uniform,
                 std::optional<Tensor> given_lengths = {})
        : row_splits_(std::move(row_splits)),
          uniform_(uniform),
          given_lengths_(std::move(given_lengths)) {}
    const std::optional<Tensor>& given_lengths() const {
      return given_lengths_;
    }

   private:
    Tensor row_splits_;
    std::optional<int64_t> uniform_;
    std::optional<Tensor> given_lengths_;  // what the splits were made of
  };

  // The shape of a ragged tensor: the partitions of its outer dimensions and
  // the lengths of the others.
  class GK_EXPORT DynamicRaggedShape {
   public:
    // Of partitions, the outermost first, and the shape of the flat values.
    DynamicRaggedShape(const std::vector<RowPartition>& partitions,
                       const Tensor& inner_shape);
    // Of rows of scalars. Throws Error (ValueError) for no partitions.
    static DynamicRaggedShape from_row_partitions(
        const std::vector<RowPartition>& partitions);
    static DynamicRaggedShape from_tensor(const RaggedTensor& tensor);
    // A scalar for a uniform dimension, a vector of the lengths of all rows for
    // a ragged one.
    static DynamicRaggedShape from_lengths(const std::vector<Tensor>& lengths);

    // How many dimensions there are, and how many of them are partitioned.
    int rank() const;
    int num_row_partitions() const {
      return static_cast<int>(partitions_.size());
    }
    // The partitions, the outermost first, and the shape of the flat values.
    const std::vector<RowPartition>& row_partitions() const {
      return partitions_;
    }
    const Tensor& inner_shape() const { return inner_; }
    // How many numbers those are; -1 if that is not known.
    int inner_rank() const { return known_inner_.rank(); }
    // Of its numbers.
    DataType dtype() const { return inner_.dtype(); }
    // The same with numbers of int32 or int64.
    DynamicRaggedShape with_dtype(DataType dtype) const;
    // What is known of a dimension: its length, or those of all rows if it is
    // ragged; neither if nothing is.
    struct Length {
      std::optional<int64_t> uniform;
      std::optional<std::vector<int64_t>> rows;
    };
    std::vector<Length> static_lengths(bool ragged_lengths = true) const;
    // Are all slices along `axis` of one length?
    bool is_uniform(int64_t axis) const;
    // That length. Throws Error (ValueError) if there is none.
    Tensor operator[](int64_t axis) const;
    // The dimensions from `start` to `stop`, where negative ones count from the
    // end. Throws Error (ValueError) if `start` is not 0 and one is ragged.
    DynamicRaggedShape slice(int64_t start, int64_t stop) const;
    // "<DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>".
    std::string to_string() const;
    // A bool.
    Tensor equal(const DynamicRaggedShape& other) const;

    // Values of this shape.
    RaggedTensor fill(const Tensor& value) const;
    RaggedTensor reshape(const Tensor& tensor) const;
    RaggedTensor broadcast(const RaggedTensor& value) const;

    // --- For the library itself.
    explicit DynamicRaggedShape(const RaggedShape& value);
    RaggedShape value() const;

   private:
    std::vector<RowPartition> partitions_;
    Tensor inner_;
    Shape known_inner_ = Shape::UnknownRank();
  };

  // The shape of the broadcast of two: of vectors, ragged shapes, or as far as
  // known. Throws Error if they do not fit.
  GK_EXPORT Tensor broadcast_dynamic_shape(const Tensor& shape_x,
                                           const Tensor& shape_y);
  GK_EXPORT DynamicRaggedShape broadcast_dynamic_shape(
      const DynamicRaggedShape& shape_x, const DynamicRaggedShape& shape_y);
  GK_EXPORT Shape broadcast_static_shape(const Shape& shape_x,
                                         const Shape& shape_y);

  namespace experimental {
  // TensorFlow's names.
  using RowPartition = ::gk::api::RowPartition;
  using DynamicRaggedShape = ::gk::api::DynamicRaggedShape;
  }  // namespace experimental

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_RAGGED_SHAPE_H_
