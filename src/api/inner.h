// The border between the public classes (gk::api) and those of the library.
//
// Public functions run inside Guarded, which turns the library's errors into
// the public Error. Handles share the same TensorImpl.
#ifndef GK_API_INNER_H_
#define GK_API_INNER_H_

#include <utility>
#include <vector>

#include "framework/tensor.h"
#include "graphkiln/data_type.h"
#include "graphkiln/error.h"
#include "graphkiln/tensor.h"

namespace gk::api {

using InnerTensor = ::gk::Tensor;
using InnerType = ::gk::DataType;

// Throws the public Error for a failed status.
[[noreturn]] void ThrowPublic(const Status& status);
inline void ThrowUnlessOk(const Status& status) {
  if (!status.ok()) ThrowPublic(status);
}
// Within a handler: what was caught, as the public Error where it is the
// library's.
[[noreturn]] void RethrowPublic();

template <class F>
decltype(auto) Guarded(F&& body) {
  try {
    return body();
  } catch (...) {
    RethrowPublic();
  }
}

// Runs code of the program's for the library: an Error that it throws is the
// library's own inside, of its code.
template <class F>
decltype(auto) Inward(F&& body) {
  try {
    return body();
  } catch (const Error& e) {
    throw ::gk::Error(Status(static_cast<Code>(e.code()), e.what()));
  }
}

// Makes the library ready: ops, eager context, runtime. Cheap afterwards.
void EnsureReady();

inline InnerType Inner(DataType t) { return static_cast<InnerType>(t); }
inline std::vector<InnerType> InnerList(const std::vector<DataType>& types) {
  std::vector<InnerType> inner;
  for (DataType t : types) inner.push_back(Inner(t));
  return inner;
}
inline DataType Outer(InnerType t) { return static_cast<DataType>(t); }
PartialTensorShape Inner(const Shape& s);
inline std::vector<PartialTensorShape> InnerList(
    const std::vector<Shape>& shapes) {
  std::vector<PartialTensorShape> inner;
  for (const Shape& s : shapes) inner.push_back(Inner(s));
  return inner;
}
Shape Outer(const PartialTensorShape& s);
// ValueError for a tensor that is not defined.
InnerTensor Inner(const Tensor& t);
// The same, or a null tensor.
InnerTensor InnerOrNull(const Tensor& t);
Tensor Outer(InnerTensor t);
TensorVector Inner(const std::vector<Tensor>& tensors);
std::vector<Tensor> Outer(const TensorVector& tensors);

// A constant of the graph being traced, or the value itself.
InnerTensor ConstantHere(const InnerTensor& value);

// `f` gives a value of the library's, at the border.
template <class Public, class F>
Public MadeAs(F&& f) {
  return Guarded([&] {
    EnsureReady();
    return Public(f());
  });
}
template <class F>
Tensor MadeTensor(F&& f) {
  return Guarded([&] {
    EnsureReady();
    return Outer(f());
  });
}

}  // namespace gk::api

#endif  // GK_API_INNER_H_
