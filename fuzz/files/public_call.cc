#include "files/public_call.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "driver/fuzz_target.h"

namespace gk::fuzz {
namespace {

struct Outcome {
  std::vector<gk::Tensor> values;
  std::string error;
};

Outcome Call(const std::function<std::vector<Tensor>()>& call) {
  try {
    return {call(), ""};
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInternal) Fail(error.what());
    return {{}, error.what()};
  }
}

template <typename T>
bool SameBytes(const Tensor& a, const Tensor& b) {
  const auto x = a.flat<T>(), y = b.flat<T>();
  return x.size() == y.size() &&
         (x.empty() || std::memcmp(x.data(), y.data(), x.size_bytes()) == 0);
}

bool Same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  switch (a.dtype()) {
    case DataType::kUint8:
      return SameBytes<uint8_t>(a, b);
    case DataType::kUint16:
      return SameBytes<uint16_t>(a, b);
    case DataType::kInt32:
      return SameBytes<int32_t>(a, b);
    case DataType::kInt64:
      return SameBytes<int64_t>(a, b);
    case DataType::kFloat:
      return SameBytes<float>(a, b);
    case DataType::kDouble:
      return SameBytes<double>(a, b);
    case DataType::kBool:
      return SameBytes<bool>(a, b);
    case DataType::kString:
      return std::ranges::equal(a.flat<std::string>(), b.flat<std::string>());
    default:
      Fail("a dtype that no call gives: " + name(a.dtype()));
  }
}

}  // namespace

Choices::Choices(std::string_view input)
    : state_(std::hash<std::string_view>()(input) | 1) {}

int64_t Choices::Below(int64_t n) {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(n));
}

void CallTwice(const std::function<std::vector<Tensor>()>& call) {
  const Outcome first = Call(call), second = Call(call);
  if (first.error != second.error) {
    Fail("once: " + first.error + "; then: " + second.error);
  }
  if (!std::ranges::equal(first.values, second.values, Same)) {
    Fail("a second call gives something else");
  }
}

}  // namespace gk::fuzz
