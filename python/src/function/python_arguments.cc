#include "python/src/function/python_arguments.h"

#include <cctype>
#include <utility>

#include "framework/op_registry.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/typed_values.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

// A node of an argument is named like it, if nodes can be.
std::string NodeName(const std::string& name) {
  const auto in = [](char c, std::string_view more) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           more.find(c) != more.npos;
  };
  bool fits = !name.empty() && in(name[0], ".");
  for (char c : name) fits = fits && in(c, "_.\\/>-");
  return fits ? name : std::string(OpRegistry::Get().The(kPlaceholder).name);
}

}  // namespace

Status PythonArguments::Push(PyObject* value) {
  if (value == nullptr) return PythonError();
  values_.push_back(PyRef::Steal(value));
  return OkStatus();
}

ArgumentFace::Names PythonArguments::NamesOf(const TraceType& type,
                                             const std::string& parameter,
                                             const std::string& path) {
  if (type.kind() == TraceType::Kind::kVariable) {
    return {NodeName(parameter), path};
  }
  const std::string& name = type.name().empty() ? parameter : type.name();
  return {NodeName(name), name};
}

Status PythonArguments::Tensor(const gk::Tensor& placeholder) {
  return Push(WrapTensor(placeholder));
}

Status PythonArguments::Variable(const TraceType& type,
                                 const gk::Tensor& handle,
                                 const std::string& parameter) {
  PyRef& known = variables_[type.alias()];
  if (!known) {
    known = PyRef::Steal(VariableOfHandle(handle, type.dtype(), type.shape(),
                                          type.trainable(), parameter));
  }
  return Push(Py_XNewRef(known.get()));
}

Status PythonArguments::Constant(const TraceType& type) {
  return Push(ObjectOf(type));
}

Status PythonArguments::Custom(const TraceType& type,
                               const std::string& parameter) {
  PyRef own = PyRef::Steal(ObjectOf(type));
  PyRef name = PyRef::Steal(ToPyString(parameter));
  if (!own || !name) return PythonError();
  return Push(package::placeholder_value.Call({own.get(), owner_, name.get()}));
}

Status PythonArguments::Container(const TraceType& type) {
  const size_t first = values_.size() - type.children().size();
  std::vector<PyRef> flat;
  for (size_t i : type.FlatteningOrder()) flat.push_back(values_[first + i]);
  values_.resize(first);
  return Push(Assemble(type, flat));
}

}  // namespace gk::py
