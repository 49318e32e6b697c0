#include "framework/tensor_list.h"

#include "framework/op_registry.h"

namespace gk {
namespace {

// x + y by the kernel of AddV2.
StatusOr<Tensor> Sum(const Tensor& x, const Tensor& y) {
  GK_ASSIGN_OR_RETURN(const OpRecord* add, OpRegistry::Get().LookUp("AddV2"));
  const Tensor* inputs[] = {&x, &y};
  Tensor output;
  const AttrMap attrs{{"T", x.dtype()}};
  KernelContext context(*add, attrs, inputs, {&output, 1});
  GK_RETURN_IF_ERROR(add->kernel.compute(context));
  return output;
}

}  // namespace

Ref<TensorList> TensorList::Copy() const {
  auto copy = MakeRef<TensorList>(element_dtype, element_shape);
  copy->max_num_elements = max_num_elements;
  copy->tensors = tensors;
  return copy;
}

StatusOr<Ref<VariantObject>> TensorList::ZerosLike() const {
  Ref<TensorList> zeros = Copy();
  for (Tensor& t : zeros->tensors) {
    if (!t) continue;
    if (t.dtype() == DataType::kVariant) {
      GK_ASSIGN_OR_RETURN(Tensor fresh, Tensor::Allocate(t.dtype(), t.shape()));
      for (int64_t i = 0; i < t.num_elements(); ++i) {
        const Variant& v = t.data<Variant>()[i];
        if (v.get() == nullptr) continue;
        GK_ASSIGN_OR_RETURN(Ref<VariantObject> zero, v.get()->ZerosLike());
        fresh.data<Variant>()[i] = Variant(std::move(zero));
      }
      t = std::move(fresh);
    } else {
      GK_ASSIGN_OR_RETURN(t, Tensor::Zeros(t.dtype(), t.shape()));
    }
  }
  return Ref<VariantObject>(std::move(zeros));
}

StatusOr<Ref<VariantObject>> TensorList::Add(const VariantObject& o) const {
  const auto* other = dynamic_cast<const TensorList*>(&o);
  if (other == nullptr || other->element_dtype != element_dtype) {
    return InvalidArgument("Trying to add two lists of tensors of different "
                           "dtypes");
  }
  if (other->tensors.size() != tensors.size()) {
    return InvalidArgument(
        "Trying to add two lists of tensors with different lengths. One has "
        "{}, the other {}",
        tensors.size(), other->tensors.size());
  }
  Ref<TensorList> sum = Copy();
  for (size_t i = 0; i < tensors.size(); ++i) {
    Tensor& t = sum->tensors[i];
    const Tensor& u = other->tensors[i];
    if (!t) {
      t = u;
    } else if (u && t.dtype() == DataType::kVariant) {
      GK_ASSIGN_OR_RETURN(Tensor fresh, Tensor::Allocate(t.dtype(), t.shape()));
      const Variant& a = t.scalar<Variant>();
      const Variant& b = u.scalar<Variant>();
      if (a.get() == nullptr || b.get() == nullptr) {
        fresh.data<Variant>()[0] = a.get() ? a : b;
      } else {
        GK_ASSIGN_OR_RETURN(Ref<VariantObject> s, a.get()->Add(*b.get()));
        fresh.data<Variant>()[0] = Variant(std::move(s));
      }
      t = std::move(fresh);
    } else if (u) {
      GK_ASSIGN_OR_RETURN(t, Sum(t, u));
    }
  }
  return Ref<VariantObject>(std::move(sum));
}

StatusOr<const TensorList*> TensorList::Of(const Tensor& handle) {
  if (handle.dtype() != DataType::kVariant || !handle.shape().IsScalar()) {
    return InvalidArgument("Input list must be a scalar. Saw: {}",
                           handle.shape().DebugString());
  }
  const auto* list = handle.scalar<Variant>().As<TensorList>();
  if (list == nullptr) {
    return InvalidArgument("Input handle is not a list. Saw: '{}'",
                           handle.scalar<Variant>().get()
                               ? handle.scalar<Variant>().get()->type_name()
                               : "nothing");
  }
  return list;
}

Tensor TensorList::Wrap(Ref<TensorList> list) {
  Tensor t = ValueOrThrow(Tensor::Allocate(DataType::kVariant, TensorShape()));
  t.data<Variant>()[0] = Variant(std::move(list));
  return t;
}

}  // namespace gk
