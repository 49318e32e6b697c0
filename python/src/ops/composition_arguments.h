// Python's values as arguments of compositions (ops/composition.h).
#ifndef GK_PYTHON_COMPOSITION_ARGUMENTS_H_
#define GK_PYTHON_COMPOSITION_ARGUMENTS_H_

#include <array>
#include <cstdint>

#include "ops/composition.h"
#include "python/src/binding/errors.h"

namespace gk::py {

// Of a tensor or a variable; kInvalid: of anything else.
DataType GivenDType(PyObject* o);

// Dtypes of the groups ("tensor(T)") while arguments are converted; those of
// arguments that are in one.
class GroupTypes {
 public:
  DataType& operator[](const CompositionArg& arg) { return known_[At(arg)]; }

  // Its dtype is that of Python's numbers, which no tensor has confirmed.
  void Guess(const CompositionArg& arg) { guessed_ |= 1u << At(arg); }
  bool guessed(const CompositionArg& arg) const {
    return arg.in_group() && (guessed_ >> At(arg) & 1) != 0;
  }

 private:
  static int At(const CompositionArg& arg) { return arg.type_of[0] - 'A'; }

  std::array<DataType, 26> known_{};
  uint32_t guessed_ = 0;
};
static_assert(DataType() == DataType::kInvalid);

// `value` as `arg` takes it; what it says of the dtype of its group is kept in
// `groups`. Gradients ("tensors(gradients)") may be null.
StatusOr<CompositionValue> ConvertArgument(const CompositionArg& arg,
                                           PyObject* value, GroupTypes* groups);

}  // namespace gk::py

#endif  // GK_PYTHON_COMPOSITION_ARGUMENTS_H_
