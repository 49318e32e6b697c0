// RaggedValue: values and the partitions that divide them into rows, the
// outermost first; a tensor is one without partitions.
//
// An immutable value of tensors, eager or of a graph. Whatever is computed is
// made with the current builder; functions throw Error.
#ifndef GK_FUNCTION_RAGGED_RAGGED_VALUE_H_
#define GK_FUNCTION_RAGGED_RAGGED_VALUE_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "framework/op_builder.h"

namespace gk {

// How values are divided into rows.
struct RowPartition {
  // Where the rows begin, and where the last one ends: int32 or int64.
  Tensor splits;
  // The length of every row, if that is uniform and known.
  std::optional<int64_t> uniform;
  // The lengths of the rows, if the splits were made of them; else null.
  Tensor given_lengths{};

  DataType dtype() const { return splits.dtype(); }
  Tensor starts() const;
  Tensor limits() const;
  Tensor lengths() const;
  // How many rows there are, and values.
  Tensor nrows() const;
  Tensor nvals() const;
  std::optional<int64_t> known_nrows() const;
  std::optional<int64_t> known_nvals() const;
  // The row of each value, and, of these, its place there.
  Tensor rowids() const;
  Tensor columns(const Tensor& rowids) const;
  RowPartition WithType(DataType dtype) const;

  static RowPartition OfLengths(const Tensor& lengths,
                                std::optional<int64_t> uniform = {});
  // Those that users give, refused unless they make sense if `validate`.
  static RowPartition FromSplits(const Tensor& splits, bool validate);
  static RowPartition FromLengths(const Tensor& lengths, bool validate);
  // Of null `nrows`: as many as the ids need.
  static RowPartition FromRowids(const Tensor& ids, const Tensor& nrows,
                                 bool validate);
  static RowPartition FromStarts(const Tensor& starts, const Tensor& nvals,
                                 bool validate);
  static RowPartition FromLimits(const Tensor& limits, bool validate);
  // Of null `nrows` or `nvals`: what follows from the other.
  static RowPartition FromUniform(const Tensor& length, Tensor nrows,
                                  Tensor nvals, bool validate);
  // Refused unless the rows hold so many values.
  RowPartition Checked(const Tensor& nvals) const;
};

class RaggedValue {
 public:
  RaggedValue(Tensor flat) : flat_(std::move(flat)) {}  // NOLINT: converts
  RaggedValue(RaggedValue values, RowPartition rows);
  RaggedValue(Tensor flat, std::vector<RowPartition> partitions)
      : flat_(std::move(flat)), partitions_(std::move(partitions)) {}

  bool is_ragged() const { return !partitions_.empty(); }
  int ragged_rank() const { return static_cast<int>(partitions_.size()); }
  const Tensor& flat() const { return flat_; }
  const std::vector<RowPartition>& partitions() const { return partitions_; }
  DataType dtype() const { return flat_.dtype(); }
  // -1 where not known.
  PartialTensorShape shape() const;
  int rank() const { return shape().rank(); }

  // --- Of ragged ones.
  const RowPartition& rows() const { return partitions_.front(); }
  RaggedValue values() const;
  DataType splits_type() const { return rows().dtype(); }
  // With values of another dtype of splits both become int64.
  RaggedValue WithValues(RaggedValue values) const;

  // --- Of both.
  RaggedValue WithFlat(Tensor flat) const { return {flat, partitions_}; }
  RaggedValue WithSplitsType(DataType dtype) const;
  // How many rows: of the dtype of the splits, int64 for tensors.
  Tensor nrows() const;
  // Its values under `rank` partitions at least, the new ones uniform: as
  // RaggedFromTensor makes them (ragged_conversion.cc).
  RaggedValue Deepened(int rank) const;

 private:
  Tensor flat_;
  std::vector<RowPartition> partitions_;
};

// All of them with one ragged rank and one dtype of splits.
std::vector<RaggedValue> AllRagged(std::span<const RaggedValue> values);

// `axis` counted from the front; ValueError if there is none such. `rank` -1:
// not known.
int CheckedAxis(int64_t axis, int rank, std::string_view name = "axis");

}  // namespace gk

#endif  // GK_FUNCTION_RAGGED_RAGGED_VALUE_H_
