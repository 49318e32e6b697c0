// Public functions of ragged and sparse arguments and slices: what each does
// with them, by what its record says of it (framework/ragged_form.h), for faces
// that bind arguments by name.
//
// All is made with the current builder; functions throw Error, and what the
// face throws.
#ifndef GK_FUNCTION_RAGGED_COMPOSITE_CALLS_H_
#define GK_FUNCTION_RAGGED_COMPOSITE_CALLS_H_

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "framework/ragged_form.h"
#include "function/ragged/ragged.h"
#include "function/ragged/ragged_shape.h"
#include "function/slices_value.h"
#include "function/sparse_value.h"

namespace gk {

// Axes that are given; null: None. `one`: a single one, not a list.
struct RaggedAxes {
  std::optional<std::vector<int64_t>> values;
  bool one = false;
};

// What a public function is called with, as the face has it: converted when it
// is asked for.
class CompositeArguments {
 public:
  // --- By the name of the parameter.
  virtual bool has(const char* name) const = 0;  // and it is not None
  virtual bool is_ragged(const char* name) const = 0;
  virtual RaggedValue ragged(const char* name) const = 0;
  // What is no list is one of a single value.
  virtual std::vector<RaggedValue> list(const char* name,
                                        DataType hint) const = 0;
  virtual RaggedShape shape(const char* name) const = 0;
  // `hint`: the dtype to prefer of what is no tensor.
  virtual Tensor tensor(const char* name,
                        DataType hint = DataType::kInvalid) const = 0;
  // A tensor unless it is None, an int or a list of them.
  virtual CompositionValue native(const char* name) const = 0;
  virtual RaggedAxes axes(const char* name) const = 0;
  // Are they listed, or a tensor whose value is known?
  virtual bool lists_axes(const char* name) const = 0;
  virtual bool flag(const char* name) const = 0;
  // Where None is given, `otherwise`.
  virtual int64_t integer(const char* name, int64_t otherwise) const = 0;
  virtual std::string text(const char* name,
                           std::string_view otherwise) const = 0;
  virtual DataType type(const char* name, DataType otherwise) const = 0;

  // --- Its first operands.
  // How many of `count` are given.
  virtual int num_operands(int count) const = 0;
  virtual bool is_ragged(int operand) const = 0;
  virtual bool is_sparse(int operand) const = 0;
  virtual bool is_slices(int operand) const = 0;
  virtual RaggedValue ragged(int operand, DataType hint) const = 0;
  virtual SparseValue sparse(int operand) const = 0;
  virtual SlicesValue slices(int operand) const = 0;
  // The function itself, of others in their place. Null: it gives something
  // else than a tensor, which the face keeps.
  virtual Tensor Call(const TensorVector& operands) const = 0;

 protected:
  ~CompositeArguments() = default;
};

// What the record of a function says (ops/composition.h).
struct CalledFunction {
  RaggedForm form = RaggedForm::kNone;
  int maps = 0;      // element by element over so many operands
  int compares = 0;  // asserts something of so many
  bool keeps_zero = false;
  int slices = 0;  // of the operand of that number, from 1, the values change
};

// The face's own result of its last call.
struct OwnResult {};
// monostate: there is nothing of its own for these arguments.
using CompositeResult = std::variant<std::monostate, OwnResult, RaggedValue,
                                     std::vector<RaggedValue>, RaggedShape,
                                     SparseValue, SlicesValue>;

// Of at least one ragged argument; of sparse ones and no ragged one; of slices
// alone; of shapes of ragged tensors.
CompositeResult CallOfRagged(const CalledFunction& function,
                             const CompositeArguments& arguments);
CompositeResult CallOfSparse(const CalledFunction& function,
                             const CompositeArguments& arguments);
CompositeResult CallOfSlices(const CalledFunction& function,
                             const CompositeArguments& arguments);
CompositeResult CallOfRaggedShape(const CalledFunction& function,
                                  const CompositeArguments& arguments);

}  // namespace gk

#endif  // GK_FUNCTION_RAGGED_COMPOSITE_CALLS_H_
