#include "graphkiln/tensor_array.h"

#include "api/inner.h"
#include "api/place.h"
#include "function/tensor_array.h"

namespace gk::api {
namespace {

bool BuildsGraph() { return OpBuilder::Current()->builds_graph(); }

TensorArray::ImplPtr Now(const TensorArray& array) {
  EnsureReady();
  return TensorArrayImpl::Here(array.impl());
}

}  // namespace

TensorArray::TensorArray(DataType dtype, const Tensor& size,
                         const TensorArrayOptions& options) {
  Guarded([&] {
    EnsureReady();
    impl_ = TensorArrayImpl::Make(
        {Inner(dtype), options.dynamic_size, options.clear_after_read,
         options.infer_shape},
        Inner(size), Inner(options.element_shape), options.name);
  });
}

TensorArray::TensorArray(const TensorArraySpec& spec, const Tensor& flow) {
  Guarded([&] {
    impl_ = TensorArrayImpl::OfFlow(
        {Inner(spec.dtype), spec.dynamic_size, true, spec.infer_shape},
        Inner(flow), Inner(spec.element_shape));
  });
}

const TensorArray::ImplPtr& TensorArray::impl() const {
  if (!impl_) {
    ThrowPublic(ValueError("A TensorArray that is not defined() was given"));
  }
  return impl_;
}

DataType TensorArray::dtype() const { return Outer(impl()->dtype()); }
bool TensorArray::dynamic_size() const { return impl()->facts().dynamic_size; }
Shape TensorArray::element_shape() const {
  return Outer(impl()->element_shape());
}

Tensor TensorArray::size() const {
  return Guarded([&] { return Outer(Now(*this)->Size({})); });
}
Tensor TensorArray::read(const Tensor& index) const {
  return Guarded([&] { return Outer(Now(*this)->Read(Inner(index), {})); });
}
Tensor TensorArray::stack() const {
  return Guarded([&] { return Outer(Now(*this)->Stack({})); });
}
Tensor TensorArray::gather(const Tensor& indices) const {
  return Guarded([&] { return Outer(Now(*this)->Gather(Inner(indices), {})); });
}
Tensor TensorArray::concat() const {
  return Guarded([&] { return Outer(Now(*this)->Concat({})); });
}

TensorArray TensorArray::write(const Tensor& index, const Tensor& value,
                               Place where) const {
  return Guarded([&] {
    const std::string place = PlaceText(where);
    return TensorArray(
        Now(*this)->Write(Inner(index), Inner(value), {{}, place}));
  });
}
TensorArray TensorArray::unstack(const Tensor& value, Place where) const {
  return Guarded([&] {
    const std::string place = PlaceText(where);
    return TensorArray(Now(*this)->Unstack(Inner(value), {{}, place}));
  });
}
TensorArray TensorArray::scatter(const Tensor& indices, const Tensor& value,
                                 Place where) const {
  return Guarded([&] {
    const std::string place = PlaceText(where);
    return TensorArray(
        Now(*this)->Scatter(Inner(indices), Inner(value), {{}, place}));
  });
}
TensorArray TensorArray::split(const Tensor& value, const Tensor& lengths,
                               Place where) const {
  return Guarded([&] {
    const std::string place = PlaceText(where);
    return TensorArray(
        Now(*this)->Split(Inner(value), Inner(lengths), {{}, place}));
  });
}

TensorArray TensorArray::identity() const {
  return Guarded([&] { return TensorArray(Now(*this)->Identity()); });
}
void TensorArray::close() const {
  Guarded([&] { Now(*this)->Close(); });
}
TensorArray TensorArray::grad(std::string_view) const {
  ThrowPublic(Unimplemented(
      "TensorArray.grad is not supported: gradients of what uses a TensorArray "
      "need no array of their own. Use gk::GradientTape."));
}

Tensor TensorArray::flow() const {
  return Guarded([&] { return Outer(impl()->Flow()); });
}

Tensor TensorArray::flow_or_none() const {
  return impl()->is_list() || BuildsGraph() ? flow() : Tensor();
}

TensorArray TensorArray::with_flow(const Tensor& flow, bool alone) const {
  if (!flow.defined()) return *this;
  return Guarded(
      [&] { return TensorArray(impl()->WithFlow(Inner(flow), alone)); });
}

std::string TensorArray::to_string() const {
  if (!defined()) return "TensorArray()";
  return Format("TensorArray(dtype={}, element_shape={})",
                DataTypeName(impl_->dtype()),
                impl_->element_shape().PythonString());
}

std::ostream& operator<<(std::ostream& out, const TensorArray& a) {
  return out << a.to_string();
}

}  // namespace gk::api
