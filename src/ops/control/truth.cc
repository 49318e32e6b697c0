#include "ops/control/truth.h"

#include "framework/types.h"

namespace gk {

namespace {

StatusOr<bool> TruthOfFirst(const Tensor& t) {
  if (t.dtype() == DataType::kBool) return *t.data<bool>();
  if (t.dtype() == DataType::kString) return !t.data<std::string>()->empty();
  bool truth = false;
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
          t.dtype(), [&]<class T>(T) { truth = *t.data<T>() != T(0); });
  if (known) return truth;
  return InvalidArgument("{} cannot be converted to a boolean",
                         DataTypeString(t.dtype()));
}

}  // namespace

StatusOr<bool> TruthOf(const Tensor& t) {
  if (!t.shape().IsScalar()) return t.num_elements() > 0;
  return TruthOfFirst(t);
}

StatusOr<bool> TruthOfOne(const Tensor& t) {
  if (t.num_elements() == 1) return TruthOfFirst(t);
  return InvalidArgument(
      "The condition of a branch or loop must be a scalar, but it has shape "
      "{}; tf.reduce_all or tf.reduce_any makes one truth of many",
      t.shape().DebugString());
}

StatusOr<int64_t> BranchIndexOf(const Tensor& t) {
  if (t.shape().IsScalar() && t.dtype() == DataType::kInt32) {
    return t.scalar<int32_t>();
  }
  return InvalidArgument(
      "branch_index must be scalar of dtype int32, but it has shape {} and "
      "dtype {}",
      t.shape().DebugString(), DataTypeName(t.dtype()));
}

TruthFn TruthFor(const AttrMap& attrs) {
  const bool* one = attrs.Get<bool>("_lower_using_switch_merge");
  return one != nullptr && *one ? TruthOfOne : TruthOf;
}

}  // namespace gk
