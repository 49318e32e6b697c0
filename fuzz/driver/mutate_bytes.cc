#include "driver/mutate_bytes.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace gk::fuzz {

int64_t OddInteger(Random& random) {
  static constexpr int64_t kEdges[] = {
      0,
      1,
      2,
      3,
      -1,
      -2,
      7,
      64,
      255,
      256,
      1000,
      65536,
      1 << 20,
      std::numeric_limits<int32_t>::max(),
      std::numeric_limits<int32_t>::min(),
      int64_t{1} << 31,
      int64_t{1} << 32,
      (int64_t{1} << 32) + 3,
      int64_t{1} << 40,
      int64_t{1} << 62,
      std::numeric_limits<int64_t>::max(),
      std::numeric_limits<int64_t>::min(),
  };
  return kEdges[Below(random, std::size(kEdges))];
}

void MutateBytes(Random& random, const std::string& other, size_t max_size,
                 std::string* bytes) {
  std::string& b = *bytes;
  const size_t at = Below(random, b.size() + 1);
  const size_t length = std::min(b.size() - at, size_t{1} << Below(random, 12));
  switch (Below(random, 8)) {
    case 0:
      if (at < b.size()) b[at] ^= static_cast<char>(1 << Below(random, 8));
      break;
    case 1:
      if (at < b.size()) b[at] = static_cast<char>(random());
      break;
    case 2:
      b.insert(at, 1 + Below(random, 8), static_cast<char>(random()));
      break;
    case 3:
      b.erase(at, length);
      break;
    case 4:
      b.insert(at, b.substr(Below(random, b.size() + 1), length));
      break;
    case 5: {
      const int64_t value = OddInteger(random);
      const size_t size = size_t{1} << Below(random, 4);
      if (at + size <= b.size()) std::memcpy(&b[at], &value, size);
      break;
    }
    case 6: {  // a varint, such as lengths of fields are
      std::string varint;
      for (uint64_t v = static_cast<uint64_t>(OddInteger(random));; v >>= 7) {
        varint += static_cast<char>(v >= 0x80 ? v | 0x80 : v);
        if (v < 0x80) break;
      }
      b.replace(at, std::min<size_t>(b.size() - at, 1), varint);
      break;
    }
    default: {
      const size_t from = Below(random, other.size() + 1);
      b.replace(at, OneIn(random, 2) ? 0 : length,
                other.substr(from, size_t{1} << Below(random, 12)));
    }
  }
  if (b.size() > max_size) b.resize(max_size);
}

size_t MutateFile(uint8_t* data, size_t size, size_t max_size,
                  unsigned int seed, void (*mend)(std::string* file)) {
  Random random(seed);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  MutateBytes(random, bytes, max_size, &bytes);
  if (!OneIn(random, 6)) mend(&bytes);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace gk::fuzz
