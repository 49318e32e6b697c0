#include "ops/scalar_constant.h"

#include "framework/op_builder.h"

namespace gk {

Tensor ScalarConstant(DataType dtype, double value) {
  Tensor t;
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t, complex64,
                complex128, bool>(dtype, [&]<class T>(T) {
        if constexpr (std::is_same_v<T, complex64>) {
          t = Tensor::Scalar<T>(static_cast<float>(value));
        } else {
          t = Tensor::Scalar<T>(static_cast<T>(value));
        }
      });
  if (!known) {
    throw Error(InvalidArgument("No scalar constant of type {}",
                                DataTypeString(dtype)));
  }
  return ValueOrThrow(OpBuilder::Current()->Constant(t, "Const"));
}

}  // namespace gk
