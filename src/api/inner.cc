#include "api/inner.h"

#include <new>

#include "base/caught.h"
#include "framework/op_builder.h"

namespace gk::api {

Error::Error(ErrorCode code, const std::string& message)
    : std::runtime_error(message), code_(code) {}
Error::~Error() = default;

void ThrowPublic(const Status& status) {
  std::string message = status.message();
  if (message.find("is out of scope and cannot be used") != message.npos) {
    // The advice there is for Python.
    message +=
        "\n\nIn C++: return it, from the branch or function that computes it; "
        "or list the variable in gk::carry.";
  }
  throw Error(static_cast<ErrorCode>(status.code()), message);
}
void RethrowPublic() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    ThrowPublic(CaughtStatus());
  } catch (const ::gk::Error& e) {
    ThrowPublic(e.status());
  }
}

PartialTensorShape Inner(const Shape& s) {
  if (!s.has_rank()) return PartialTensorShape();
  return ValueOrThrow(PartialTensorShape::Make(s.dims()));
}

Shape Outer(const PartialTensorShape& s) {
  if (s.unknown_rank()) return Shape::UnknownRank();
  return Shape(std::vector<int64_t>(s.dims().begin(), s.dims().end()));
}

InnerTensor InnerOrNull(const Tensor& t) {
  return t.defined() ? InnerTensor(t.impl()) : InnerTensor();
}

InnerTensor Inner(const Tensor& t) {
  EnsureReady();
  if (!t.defined()) {
    throw ::gk::Error(ValueError("A tensor that is not defined() was given"));
  }
  return InnerTensor(t.impl());
}

Tensor Outer(InnerTensor t) { return Tensor::Adopt(t.Release()); }

TensorVector Inner(const std::vector<Tensor>& tensors) {
  TensorVector out;
  out.reserve(tensors.size());
  for (const Tensor& t : tensors) out.push_back(Inner(t));
  return out;
}

std::vector<Tensor> Outer(const TensorVector& tensors) {
  std::vector<Tensor> out;
  out.reserve(tensors.size());
  for (const InnerTensor& t : tensors) out.push_back(Outer(t));
  return out;
}

InnerTensor ConstantHere(const InnerTensor& value) {
  EnsureReady();
  return ValueOrThrow(OpBuilder::Current()->Constant(value, {}));
}

}  // namespace gk::api
