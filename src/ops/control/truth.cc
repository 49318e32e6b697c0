#include "ops/control/truth.h"

#include "framework/types.h"

namespace gk {

StatusOr<bool> TruthOf(const Tensor& t) {
  if (!t.shape().IsScalar()) return t.num_elements() > 0;
  if (t.dtype() == DataType::kBool) return t.scalar<bool>();
  if (t.dtype() == DataType::kString) return !t.scalar<std::string>().empty();
  bool truth = false;
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
          t.dtype(), [&]<class T>(T) { truth = t.scalar<T>() != T(0); });
  if (known) return truth;
  return InvalidArgument("{} cannot be converted to a boolean",
                         DataTypeString(t.dtype()));
}

}  // namespace gk
