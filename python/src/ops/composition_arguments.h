// Python's values as arguments of compositions (ops/composition.h).
#ifndef GK_PYTHON_COMPOSITION_ARGUMENTS_H_
#define GK_PYTHON_COMPOSITION_ARGUMENTS_H_

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/composition.h"
#include "python/src/binding/errors.h"

namespace gk::py {

// Of a tensor or a variable; kInvalid: of anything else.
DataType GivenDType(PyObject* o);

// Dtypes of the groups ("tensor(T)") while arguments are converted.
class GroupTypes {
 public:
  DataType& operator[](std::string_view group) {
    for (auto& [name, type] : known_) {
      if (name == group) return type;
    }
    known_.push_back({group, DataType::kInvalid});
    return known_.back().second;
  }

  // Its dtype is that of Python's numbers, which no tensor has confirmed.
  void Guess(std::string_view group) { guessed_.push_back(group); }
  bool guessed(std::string_view group) const {
    return std::find(guessed_.begin(), guessed_.end(), group) != guessed_.end();
  }

 private:
  std::vector<std::pair<std::string_view, DataType>> known_;
  std::vector<std::string_view> guessed_;
};

// `value` as `arg` takes it; what it says of the dtype of its group is kept in
// `groups`. Gradients ("tensors(gradients)") may be null.
StatusOr<CompositionValue> ConvertArgument(const CompositionArg& arg,
                                           PyObject* value, GroupTypes* groups);

}  // namespace gk::py

#endif  // GK_PYTHON_COMPOSITION_ARGUMENTS_H_
