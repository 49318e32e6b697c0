// How variables come into being, for both faces: now, in a graph that is made
// for its own sake, or in each run of the function being traced; and what
// their initial values are where a function computes them.
#ifndef GK_FUNCTION_MAKE_VARIABLE_H_
#define GK_FUNCTION_MAKE_VARIABLE_H_

#include <optional>
#include <string>

#include "base/function_ref.h"
#include "framework/tensor.h"

namespace gk {

class Node;

// A variable that a program asks for, as its face knows it.
class AskedVariable {
 public:
  // Below the scope, unless it is one itself: "outer/v/".
  std::string name = "Variable";
  bool trainable = true;
  // Does it outlive the calls of a function that makes it?
  bool lifted = true;
  // What values have to fit; by default the initial value's shape.
  std::optional<PartialTensorShape> shape;
  // What is given as the initial value, if that is a tensor.
  Tensor initial;

  // The initial value as a tensor, computed where this is called.
  virtual StatusOr<Tensor> Value() = 0;
  // Calls what gives the initial value, if anything does, for good; sets
  // `initial`.
  virtual Status Settle() { return OkStatus(); }
  // Puts the value that `compute` finds in place of `initial`; `runs`: by
  // running ops, not by making nodes.
  virtual Status Lift(FunctionRef<StatusOr<Tensor>()> compute, bool runs) {
    GK_ASSIGN_OR_RETURN(initial, compute());
    return OkStatus();
  }
  // What is said of an `initial` that only calls of a function know, and of a
  // value that does not fit the shape.
  virtual Status OfFunction() const = 0;
  virtual Status Misfit(const PartialTensorShape& value) const = 0;

 protected:
  ~AskedVariable() = default;
};

struct MadeVariable {
  Tensor handle;
  DataType dtype;
  PartialTensorShape shape;
  std::string name;  // "outer/v"
  // In a graph made for its own sake, whoever runs it initialises its
  // variables. Else null.
  Node* initializer = nullptr;
  Tensor initial_value;
};

// Throws Error; ValueError where a function may make none.
MadeVariable MakeVariable(AskedVariable* asked);

}  // namespace gk

#endif  // GK_FUNCTION_MAKE_VARIABLE_H_
