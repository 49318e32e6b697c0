// Rows of values that specs describe, for loops over them: taken one by one,
// and collected again. Of ragged and sparse values a row is made of the whole,
// of tensors the loop takes it.
//
// Made with the current builder; functions throw Error.
#ifndef GK_FUNCTION_SPECS_SPEC_ROWS_H_
#define GK_FUNCTION_SPECS_SPEC_ROWS_H_

#include "function/ragged/ragged_value.h"
#include "function/row_loops.h"
#include "function/specs/type_spec.h"

namespace gk {

// What has rows: a tensor, a ragged or a sparse one, in parts.
class RowSource {
 public:
  RowSource(const TypeSpec& spec, TensorVector parts)
      : kind_(spec.kind), shape_(spec.shape), parts_(std::move(parts)) {}

  const PartialTensorShape& shape() const { return shape_; }
  // How many rows there are, an int32 scalar.
  Tensor Count() const;
  // Does the loop take its rows?
  bool is_tensor() const { return kind_ == TypeSpec::Kind::kTensor; }
  const Tensor& tensor() const { return parts_[0]; }
  // The parts of row `i`, an integer scalar.
  TensorVector Row(const Tensor& i) const;

 private:
  RaggedValue Ragged() const;

  TypeSpec::Kind kind_;
  PartialTensorShape shape_;
  TensorVector parts_;
};

// Collects rows that a spec describes.
class RowCollector {
 public:
  // ValueError for a sparse one of unknown rank. `infer_shape`: must all
  // tensors have one shape?
  RowCollector(TypeSpec spec, bool infer_shape);

  const TypeSpec& spec() const { return spec_; }
  // What is kept of each row.
  const std::vector<RowPart>& kept() const { return kept_; }
  // That of row `i`, of which the value has these parts. ValueError if it is
  // of another ragged rank than the spec.
  void Keep(const Tensor& i, const TensorVector& parts,
            TensorVector* kept) const;
  // The parts of all `count` rows as one value, made of what was kept.
  TensorVector Together(std::span<const Tensor> kept,
                        const Tensor& count) const;

 private:
  TypeSpec spec_;
  std::vector<RowPart> kept_;
};

// A function of rows of values; each value, and each result, in parts.
class SpecRowHost : public PartHost {
 public:
  // The parts of what it gives for the rows that have these.
  virtual std::vector<TensorVector> Call(
      const std::vector<TensorVector>& rows) = 0;

  // The parts of what it gives for all rows of `sources`, which must be equally
  // many, as `collectors` collect it. ValueError if they are not.
  std::vector<TensorVector> Map(std::span<const RowSource> sources,
                                std::span<const RowCollector> collectors,
                                const FoldOptions& options);
  // Map() of values that `sizes` of the sources make, in turn: what is of one
  // row has it in every call, where others have more. InvalidArgument if the
  // lengths of those differ. The results may be anything: one call more, which
  // is traced, finds the collectors.
  std::vector<TensorVector> MapSharing(std::span<const RowSource> sources,
                                       std::span<const size_t> sizes,
                                       const FoldOptions& options);
  // Calls, for rows with these parts; collectors of what it gives, which stay.
  virtual std::span<const RowCollector> CollectorsOf(
      const std::vector<TensorVector>& rows) = 0;
  // How many rows Map() went through, or -1.
  int64_t known_count() const { return known_count_; }

  TensorVector Parts(const Tensor& place, const TensorVector& row) final;

 private:
  // Those of the row that all calls get, or null.
  const TensorVector* Shared(size_t source) const {
    return shared_.empty() || shared_[source].empty() ? nullptr
                                                      : &shared_[source];
  }

  std::span<const RowSource> sources_;
  std::vector<TensorVector> shared_;  // by source; empty: none is
  std::span<const RowCollector> collectors_;
  int64_t known_count_ = -1;
};

}  // namespace gk

#endif  // GK_FUNCTION_SPECS_SPEC_ROWS_H_
