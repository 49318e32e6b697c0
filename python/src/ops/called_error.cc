// Errors of eager ops, worded for the arguments of the call.
#include <algorithm>

#include "framework/arguments_text.h"
#include "framework/op_registry.h"
#include "python/src/binding/errors.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

// Strings count, and sequences of something else than tensors: a list of
// tensors is the value of an argument that takes several.
bool IsSequence(PyObject* o) {
  if (o == nullptr) return false;
  if (PyUnicode_Check(o) || PyBytes_Check(o)) return true;
  if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
  PyObject** items = PySequence_Fast_ITEMS(o);
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  return !std::all_of(items, items + n, [](PyObject* item) {
    return IsTensor(item) || IsVariable(item);
  });
}

// TensorFlow's functions around these make tensors of what they are given
// before they call the op.
bool ConvertsFirst(std::string_view op) {
  const OpRecord* record = OpRegistry::Get().Find(op);
  return record != nullptr && record->python.converts_first;
}

}  // namespace

Status AsCalled(const Status& status, std::span<PyObject* const> arguments,
                std::string_view name) {
  const size_t mark = status.message().find(kArgumentsMark);
  const std::string text = status.message().substr(0, mark);
  const std::string_view told =
      std::string_view(status.message()).substr(text.size());
  constexpr std::string_view kName = "] name: ";
  const size_t end = text.rfind(kName);
  const size_t start = text.rfind(" [Op:");
  if (status.code() > Code::kUnauthenticated || end == text.npos ||
      start == text.npos) {
    return status;
  }
  const std::string_view op =
      std::string_view(text).substr(0, end).substr(start + 5);
  if (std::any_of(arguments.begin(), arguments.end(), IsSequence) &&
      !ConvertsFirst(op)) {
    return Status(status.code(), Format("{}{}", text.substr(0, end + 1), told));
  }
  if (end + kName.size() == text.size()) {
    return Status(status.code(), Format("{}{}{}", text, name, told));
  }
  return status;
}

}  // namespace gk::py
