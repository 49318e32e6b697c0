// Loops over the rows of tensors: folds and scans. Traced they are loops whose
// body is the function, traced once; eagerly the function is called for each
// row.
#ifndef GK_FUNCTION_ROW_LOOPS_H_
#define GK_FUNCTION_ROW_LOOPS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "function/loop_state.h"
#include "function/tensor_array.h"

namespace gk {

// How many rows what has these shapes has; -1: it is not known now. ValueError
// if one is a scalar's ("`what` must be 1+ dimensional ...") or they differ.
int64_t CommonLength(std::span<const PartialTensorShape> shapes,
                     std::string_view what = "elements in elems");

// Which of several values, each of tensors of these shapes, are the same for
// all rows: those of one row, where others have more. InvalidArgument if the
// lengths of those differ.
std::vector<bool> SharedByRows(
    std::span<const std::vector<PartialTensorShape>> values);

// Tensors whose lengths are not all known, each as long as the longest: the one
// row of a tensor is that of all. InvalidArgument, when it runs, for a tensor
// of another length.
TensorVector OfOneLength(std::span<const Tensor> tensors);

// Of a row of what is of rank 1 at least, as far as known.
PartialTensorShape RowShape(const PartialTensorShape& shape);

// The rows of tensors, by number. Throws as CommonLength does.
class Rows {
 public:
  explicit Rows(std::span<const Tensor> tensors);
  // `known` of each, or as many as the int32 scalar `count` says.
  Rows(std::span<const Tensor> tensors, int64_t known, Tensor count);

  int64_t known_count() const { return known_; }  // or -1
  // As an int32 scalar of what is built now.
  Tensor Count(std::string_view name = {}) const;
  // Row `i`, an integer scalar, of each.
  TensorVector Row(const ArrayOperand& i) const;
  const TensorVector& tensors() const { return tensors_; }

 private:
  void Take(std::span<const Tensor> tensors);

  int64_t known_;
  Tensor count_;  // if it is not known
  TensorVector tensors_;
  std::vector<TensorArrayImpl::Ptr> arrays_;
};

// A function of a state and a row.
class RowHost : public LoopHost {
 public:
  // The next state.
  virtual StagedValue Step(const StagedValue& state,
                           const StagedValue& row) = 0;
};

struct FoldOptions {
  std::string name = "while";  // of the loop
  int64_t parallel_iterations = 10;
  // From the last row back?
  bool reverse = false;
  // Of scans: must all states have one shape?
  bool infer_shape = true;
};

// The last state of state = host.Step(state, row); that before the first row
// is `initial` or, if there is none, the first row.
StagedValue Fold(RowHost& host, const StagedValue& elements,
                 const std::optional<StagedValue>& initial,
                 const FoldOptions& options);
// All states, stacked; those of rows at the places of the rows.
StagedValue Scan(RowHost& host, const StagedValue& elements,
                 const std::optional<StagedValue>& initial,
                 const FoldOptions& options);

// TypeError or ValueError unless a result nests as the signature says. As of
// another type, it is a TypeError if the signature was given and not that of
// the elements, `implied`.
Status CheckRowResult(const Structure& signature, const Structure& result,
                      bool implied, const StructureWords& words);

// What is kept of each row: a tensor of those that the function of it gives.
struct RowPart {
  DataType dtype = DataType::kFloat;
  PartialTensorShape shape;
  // Along the first axis one after the other, else stacked?
  bool joined = false;
  bool infer_shape = true;  // must all have one shape?
};

// A function of a row.
class PartHost : public LoopHost {
 public:
  // The parts of row number `place`.
  virtual TensorVector Parts(const Tensor& place, const TensorVector& row) = 0;
};

// The parts of all rows of what `rows` is, joined or stacked.
TensorVector MapRows(PartHost& host, Rows rows, std::span<const RowPart> parts,
                     const FoldOptions& options);
// The same, stacked, where the first call tells what the parts are; if there
// is no row, it is traced.
TensorVector MapRows(PartHost& host, Rows rows, const FoldOptions& options);

}  // namespace gk

#endif  // GK_FUNCTION_ROW_LOOPS_H_
