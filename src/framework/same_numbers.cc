#include "framework/same_numbers.h"

#include <cstring>

namespace gk {
namespace {

// Numbers as words; `infinity` is that word without the sign.
template <class Word>
bool Same(const void* a, const void* b, int64_t n, Word infinity) {
  constexpr Word kSign = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));
  const auto is_nan = [&](Word w) {
    return static_cast<Word>(w & ~kSign) > infinity;
  };
  for (int64_t i = 0; i < n; ++i) {
    Word x, y;
    std::memcpy(&x, static_cast<const char*>(a) + i * sizeof(Word), sizeof x);
    std::memcpy(&y, static_cast<const char*>(b) + i * sizeof(Word), sizeof y);
    if (x != y && !(is_nan(x) && is_nan(y))) return false;
  }
  return true;
}

}  // namespace

bool SameNumbers(DataType dtype, const void* a, const void* b, int64_t n) {
  constexpr uint64_t kDouble = 0x7ff0000000000000;
  constexpr uint32_t kFloat = 0x7f800000;
  if (n == 0 || std::memcmp(a, b, n * DataTypeSize(dtype)) == 0) return true;
  switch (dtype) {
    case DataType::kDouble:
      return Same<uint64_t>(a, b, n, kDouble);
    case DataType::kComplex128:
      return Same<uint64_t>(a, b, 2 * n, kDouble);
    case DataType::kFloat:
      return Same<uint32_t>(a, b, n, kFloat);
    case DataType::kComplex64:
      return Same<uint32_t>(a, b, 2 * n, kFloat);
    case DataType::kHalf:
      return Same<uint16_t>(a, b, n, 0x7c00);
    case DataType::kBfloat16:
      return Same<uint16_t>(a, b, n, 0x7f80);
    default:
      return false;
  }
}

}  // namespace gk
