// Equations of Einsum: "ij,jk->ik", "...ii->...i".
#ifndef GK_OPS_MATH_EINSUM_EQUATION_H_
#define GK_OPS_MATH_EINSUM_EQUATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "framework/tensor_shape.h"

namespace gk {

// Stands for "..." in the terms below.
inline constexpr char kEllipsis = '.';

// Terms with one character for each label.
struct EinsumEquation {
  std::vector<std::string> inputs;
  std::string output;

  std::string Text() const;
};

// InvalidArgument unless it has one "->" and at most one "..." in each term.
StatusOr<EinsumEquation> ParseEinsum(std::string_view equation);

inline bool HasLabel(std::string_view term, char label) {
  return term.find(label) != term.npos;
}
// The labels without those given before.
std::string UniqueLabels(std::string_view term);
// A term as an equation writes it.
std::string TermText(std::string_view term);

// The label of each dimension of an operand or the output: a character, or
// kFirstEllipsisLabel + n for the dimension n of "...", counted from its end.
using DimLabels = std::vector<int>;
inline constexpr int kFirstEllipsisLabel = 256;

// Of operand `i` with a rank. InvalidArgument if the term does not fit it.
StatusOr<DimLabels> LabelsOfOperand(const EinsumEquation& equation, int i,
                                    int rank);
// Of the output where "..." has `broadcast` dimensions. InvalidArgument if it
// has no "..." for them, or a label that no input has.
StatusOr<DimLabels> LabelsOfOutput(const EinsumEquation& equation,
                                   int broadcast);

}  // namespace gk

#endif  // GK_OPS_MATH_EINSUM_EQUATION_H_
