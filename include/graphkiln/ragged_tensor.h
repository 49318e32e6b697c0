// RaggedTensor: a tensor whose rows have different lengths, as its values one
// after the other and where each row begins.
//
//   auto rt = gk::RaggedTensor::from_row_lengths({1, 2, 3}, {2, 0, 1});
//   gk::Tensor sums = gk::ragged::reduce_sum(rt, 1).tensor();  // [3 0 3]
//
// An immutable value of tensors, eager or of a traced function; functions take
// and give it, loops carry it, and gradients pass. Where one is expected a
// tensor serves as well: it is one of ragged rank 0. Thread-safe. Functions
// throw Error: ValueError for what cannot fit, InvalidArgument for values that
// do not.
#ifndef GRAPHKILN_RAGGED_TENSOR_H_
#define GRAPHKILN_RAGGED_TENSOR_H_

#include <graphkiln/index.h>
#include <graphkiln/sparse_tensor.h>
#include <graphkiln/tensor.h>
#include <graphkiln/trace_structure.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace gk {

class RaggedValue;

GK_API_NAMESPACE {

// Rows of different lengths, at one or several dimensions.
class GK_EXPORT RaggedTensor {
 public:
  // No tensor; may only be assigned to.
  RaggedTensor() = default;
  RaggedTensor(Tensor tensor)  // NOLINT: a tensor is one
      : flat_values_(std::move(tensor)) {}

  // Row i is values[row_splits[i] : row_splits[i + 1]]; int32 or int64. That
  // they start with 0, never fall and end with the values is checked if
  // `validate`. The values may be ragged, too.
  static RaggedTensor from_row_splits(const RaggedTensor& values,
                                      const Tensor& row_splits,
                                      bool validate = true);
  static RaggedTensor from_row_lengths(const RaggedTensor& values,
                                       const Tensor& row_lengths,
                                       bool validate = true);
  // Value j belongs to row value_rowids[j]; the ids never fall. `nrows`, an
  // integer scalar: as many as they need unless given.
  static RaggedTensor from_value_rowids(const RaggedTensor& values,
                                        const Tensor& value_rowids,
                                        const Tensor& nrows = {},
                                        bool validate = true);
  static RaggedTensor from_uniform_row_length(const RaggedTensor& values,
                                              const Tensor& length,
                                              bool validate = true);
  // Where each row begins, or ends; the next begins there.
  static RaggedTensor from_row_starts(const RaggedTensor& values,
                                      const Tensor& row_starts,
                                      bool validate = true);
  static RaggedTensor from_row_limits(const RaggedTensor& values,
                                      const Tensor& row_limits,
                                      bool validate = true);
  // One partition for each ragged dimension, the outermost first.
  // `nested_nrows`: as many rows as they need unless given.
  static RaggedTensor from_nested_row_splits(
      const Tensor& flat_values, const std::vector<Tensor>& nested_row_splits,
      bool validate = true);
  static RaggedTensor from_nested_row_lengths(
      const Tensor& flat_values, const std::vector<Tensor>& nested_row_lengths,
      bool validate = true);
  static RaggedTensor from_nested_value_rowids(
      const Tensor& flat_values, const std::vector<Tensor>& nested_value_rowids,
      const std::vector<Tensor>& nested_nrows = {}, bool validate = true);
  // The rows of a dense tensor: whole, of `lengths`, or up to `padding`.
  static RaggedTensor from_tensor(const Tensor& tensor, int ragged_rank = 1);
  static RaggedTensor from_tensor(const Tensor& tensor,
                                  const std::vector<Tensor>& lengths);
  static RaggedTensor from_padded(const Tensor& tensor,
                                  const Tensor& padding);
  // Of rank 2, without gaps.
  static RaggedTensor from_sparse(const SparseTensor& sparse);

  // Is there one? And the type of its elements.
  bool defined() const noexcept { return flat_values_.defined(); }
  DataType dtype() const { return flat_values_.dtype(); }
  // kUnknown where rows differ.
  Shape shape() const;
  int ragged_rank() const { return static_cast<int>(row_splits_.size()); }
  // The innermost values.
  const Tensor& flat_values() const { return flat_values_; }
  // The tensor that this is. Throws Error (ValueError) if it is ragged.
  const Tensor& tensor() const;

  // Of ragged ones alone, or Error (ValueError).
  RaggedTensor values() const;
  Tensor row_splits() const;
  Tensor value_rowids() const;
  Tensor row_starts() const;
  Tensor row_limits() const;
  // The length of all rows, if that is known to be one.
  std::optional<int64_t> uniform_row_length() const;
  // The outermost first.
  const std::vector<Tensor>& nested_row_splits() const { return row_splits_; }
  std::vector<Tensor> nested_row_lengths() const;
  std::vector<Tensor> nested_value_rowids() const;
  Tensor nrows() const;
  // Along an axis; ragged if that is above 1.
  RaggedTensor row_lengths(int64_t axis = 1) const;
  // Of the smallest dense tensor that holds all values.
  Tensor bounding_shape() const;

  // The same rows of other values; of another type of splits.
  RaggedTensor with_values(const RaggedTensor& values) const;
  RaggedTensor with_flat_values(const Tensor& values) const;
  RaggedTensor with_row_splits_dtype(DataType dtype) const;
  // The dimensions from one axis to another joined into one.
  RaggedTensor merge_dims(int64_t outer_axis, int64_t inner_axis) const;

  // x[1], x[{0, gk::Slice(1, 3)}]: a ragged dimension can be sliced, not
  // indexed.
  RaggedTensor operator[](const Index& index) const;
  RaggedTensor operator[](std::initializer_list<Index> indices) const;

  // Short rows are filled up with `default_value`, zero unless given; of
  // another shape, longer ones are cut.
  Tensor to_tensor(const Tensor& default_value = {},
                   const Shape& shape = Shape::UnknownRank()) const;
  SparseTensor to_sparse() const;
  // "[[1, 2], [3]]", as a string scalar; -1 shows all.
  Tensor to_text(int64_t summarize = 3) const;

  // Element by element; a tensor broadcasts.
  using Function = std::function<Tensor(const Tensor& x, const Tensor& y)>;
  static RaggedTensor apply(const Function& f, const RaggedTensor& x,
                            const RaggedTensor& y);
  // As those of tensors.
  friend GK_EXPORT RaggedTensor operator+(const RaggedTensor& x,
                                          const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator-(const RaggedTensor& x,
                                          const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator*(const RaggedTensor& x,
                                          const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator/(const RaggedTensor& x,
                                          const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator%(const RaggedTensor& x,
                                          const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator<(const RaggedTensor& x,
                                          const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator<=(const RaggedTensor& x,
                                           const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator>(const RaggedTensor& x,
                                          const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator>=(const RaggedTensor& x,
                                           const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator&(const RaggedTensor& x,
                                          const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator|(const RaggedTensor& x,
                                          const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator^(const RaggedTensor& x,
                                          const RaggedTensor& y);
  friend GK_EXPORT RaggedTensor operator-(const RaggedTensor& x);
  friend GK_EXPORT RaggedTensor operator~(const RaggedTensor& x);

  // --- For the library itself.
  explicit RaggedTensor(const RaggedValue& value);
  RaggedValue value() const;

 private:
  friend struct TraceStructure<RaggedTensor>;

  Tensor flat_values_;
  std::vector<Tensor> row_splits_;
  // The lengths of rows; none where they differ. Arguments of traced
  // functions have lengths that are not known there.
  std::vector<std::optional<Tensor>> uniform_;
};

// Functions of public tensors' names, of ragged ones.
namespace ragged {

// Nested vectors as rows: gk::ragged::constant<float>({{1, 2}, {}, {3}}).
template <Element T>
RaggedTensor constant(const std::vector<std::vector<T>>& rows) {
  std::vector<T> values;
  std::vector<int64_t> lengths;
  for (const std::vector<T>& row : rows) {
    values.insert(values.end(), row.begin(), row.end());
    lengths.push_back(static_cast<int64_t>(row.size()));
  }
  return RaggedTensor::from_row_lengths(Tensor(values), Tensor(lengths));
}

// As gk::concat, gk::stack and so on do with tensors.
GK_EXPORT RaggedTensor concat(const std::vector<RaggedTensor>& values,
                              int64_t axis);
GK_EXPORT RaggedTensor stack(const std::vector<RaggedTensor>& values,
                             int64_t axis = 0);
GK_EXPORT RaggedTensor expand_dims(const RaggedTensor& input, int64_t axis);
GK_EXPORT RaggedTensor squeeze(const RaggedTensor& input,
                               const std::vector<int64_t>& axes);
GK_EXPORT RaggedTensor reverse(const RaggedTensor& tensor,
                               const std::vector<int64_t>& axes);
GK_EXPORT RaggedTensor tile(const RaggedTensor& input,
                            const Tensor& multiples);
GK_EXPORT RaggedTensor gather(const RaggedTensor& params,
                              const RaggedTensor& indices, int64_t axis = 0,
                              int64_t batch_dims = 0);
GK_EXPORT RaggedTensor gather_nd(const RaggedTensor& params,
                                 const RaggedTensor& indices);
// Where the elements are that are true.
GK_EXPORT Tensor where(const RaggedTensor& condition);
// Of x where the condition holds, else of y.
GK_EXPORT RaggedTensor where(const RaggedTensor& condition,
                             const RaggedTensor& x, const RaggedTensor& y);
// Of so many equal parts, or of parts of these sizes, along an axis.
GK_EXPORT std::vector<RaggedTensor> split(const RaggedTensor& value,
                                          int64_t num, int64_t axis = 0);
GK_EXPORT std::vector<RaggedTensor> split(const RaggedTensor& value,
                                          const std::vector<int64_t>& sizes,
                                          int64_t axis = 0);
// The slices whose partition is 0, 1, ... below `num_partitions`.
GK_EXPORT std::vector<RaggedTensor> dynamic_partition(
    const RaggedTensor& data, const RaggedTensor& partitions,
    int64_t num_partitions);
// How many elements there are, and dimensions: int32 scalars.
GK_EXPORT Tensor size(const RaggedTensor& input);
GK_EXPORT Tensor rank(const RaggedTensor& input);
GK_EXPORT RaggedTensor add_n(const std::vector<RaggedTensor>& inputs);

// What `mask`, of bools, keeps: rows may become shorter.
GK_EXPORT RaggedTensor boolean_mask(const RaggedTensor& data,
                                    const RaggedTensor& mask);
// range(start, limit, delta) of each, scalars standing for all.
GK_EXPORT RaggedTensor range(const Tensor& starts, const Tensor& limits,
                             const Tensor& deltas,
                             DataType row_splits_dtype = DataType::kInt64);
// The slices of data that have one number in `partitions`, for each number
// below num_partitions. Throws Error (InvalidArgument) for others.
GK_EXPORT RaggedTensor stack_dynamic_partitions(const RaggedTensor& data,
                                                const RaggedTensor& partitions,
                                                const Tensor& num_partitions);
// The row of each value, of where rows begin and the last one ends.
GK_EXPORT Tensor row_splits_to_segment_ids(const Tensor& splits);
// The reverse; without num_segments as many rows as the ids need.
GK_EXPORT Tensor segment_ids_to_row_splits(const Tensor& segment_ids,
                                           const Tensor& num_segments = {});
// `f` of the flat values, in the rows of the first of the ragged tensors.
// Throws Error (InvalidArgument) if others have other rows.
GK_EXPORT RaggedTensor map_flat_values(
    const std::function<Tensor(const std::vector<Tensor>&)>& f,
    const std::vector<RaggedTensor>& arguments);

// Along an axis, or of all elements.
using Axis = std::optional<int64_t>;
GK_EXPORT RaggedTensor reduce_sum(const RaggedTensor& x, Axis axis = {},
                                  bool keepdims = false);
GK_EXPORT RaggedTensor reduce_mean(const RaggedTensor& x, Axis axis = {},
                                   bool keepdims = false);
GK_EXPORT RaggedTensor reduce_prod(const RaggedTensor& x, Axis axis = {},
                                   bool keepdims = false);
GK_EXPORT RaggedTensor reduce_max(const RaggedTensor& x, Axis axis = {},
                                  bool keepdims = false);
GK_EXPORT RaggedTensor reduce_min(const RaggedTensor& x, Axis axis = {},
                                  bool keepdims = false);
GK_EXPORT RaggedTensor reduce_any(const RaggedTensor& x, Axis axis = {},
                                  bool keepdims = false);
GK_EXPORT RaggedTensor reduce_all(const RaggedTensor& x, Axis axis = {},
                                  bool keepdims = false);
// log(sum(exp(x))), without overflow.
GK_EXPORT RaggedTensor reduce_logsumexp(const RaggedTensor& x, Axis axis = {},
                                        bool keepdims = false);
GK_EXPORT RaggedTensor reduce_variance(const RaggedTensor& x, Axis axis = {},
                                       bool keepdims = false);
GK_EXPORT RaggedTensor reduce_std(const RaggedTensor& x, Axis axis = {},
                                  bool keepdims = false);
// Of texts.
GK_EXPORT RaggedTensor reduce_join(const RaggedTensor& inputs, Axis axis = {},
                                   bool keepdims = false,
                                   const std::string& separator = "");
// Of the slices that have one id, 0, 1, ... below `num_segments`.
GK_EXPORT RaggedTensor unsorted_segment_sum(const RaggedTensor& data,
                                            const RaggedTensor& segment_ids,
                                            const Tensor& num_segments);
GK_EXPORT RaggedTensor unsorted_segment_prod(const RaggedTensor& data,
                                             const RaggedTensor& segment_ids,
                                             const Tensor& num_segments);
GK_EXPORT RaggedTensor unsorted_segment_max(const RaggedTensor& data,
                                            const RaggedTensor& segment_ids,
                                            const Tensor& num_segments);
GK_EXPORT RaggedTensor unsorted_segment_min(const RaggedTensor& data,
                                            const RaggedTensor& segment_ids,
                                            const Tensor& num_segments);
GK_EXPORT RaggedTensor cumsum(const RaggedTensor& x, int64_t axis = 0,
                              bool exclusive = false, bool reverse = false);
GK_EXPORT RaggedTensor softmax(const RaggedTensor& logits, int64_t axis = -1);
// Of matrices, or batches of them.
GK_EXPORT RaggedTensor matmul(const RaggedTensor& a, const RaggedTensor& b,
                              bool transpose_a = false,
                              bool transpose_b = false);

// Element by element.
GK_EXPORT RaggedTensor sigmoid_cross_entropy_with_logits(
    const RaggedTensor& labels, const RaggedTensor& logits);
// Texts beside one another, joined element by element.
GK_EXPORT RaggedTensor join(const std::vector<RaggedTensor>& inputs,
                            const std::string& separator = "");
// The text with values in place of each `placeholder`. ValueError unless there
// are as many.
GK_EXPORT Tensor format(const std::string& text,
                        const std::vector<RaggedTensor>& inputs,
                        const std::string& placeholder = "{}",
                        int64_t summarize = 3);

}  // namespace ragged

// Its parts, as functions and loops see them.
template <>
struct TraceStructure<RaggedTensor> {
  static constexpr const char* kName = "RaggedTensor";
  static constexpr const char* kFields = "flat_values, row_splits, uniform";
  // --- For the library itself.
  static auto Tie(auto& value) {
    return std::tie(value.flat_values_, value.row_splits_, value.uniform_);
  }
};

namespace detail {
template <>
struct GK_EXPORT ElementLeaf<RaggedTensor> {
  static constexpr const char* kName = "a ragged tensor";
  static void Add(Results& out, const RaggedTensor& value);
  static RaggedTensor Next(ResultReader& reader);
  static bool Fits(const TypeSpec& spec);
};
}  // namespace detail

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_RAGGED_TENSOR_H_
