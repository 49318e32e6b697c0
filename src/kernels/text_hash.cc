#include "kernels/text_hash.h"

#include <farmhash.h>

#include <bit>
#include <cstring>

namespace gk {
namespace {

static_assert(std::endian::native == std::endian::little);

uint64_t Word(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// Fewer than eight bytes, the first one lowest.
uint64_t Rest(const char* bytes, size_t n) {
  const auto byte = [&](size_t i) {
    return uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  };
  if (n == 0) return 0;
  // Parts that overlap.
  if (n < 4) return byte(0) | byte(n / 2) | byte(n - 1);
  uint32_t low, high;
  std::memcpy(&low, bytes, sizeof(low));
  std::memcpy(&high, bytes + n - 4, sizeof(high));
  return low | uint64_t{high} << (8 * (n - 4));
}

}  // namespace

uint64_t TextFingerprint(std::string_view text) {
  return util::Fingerprint64(text.data(), text.size());
}

// The last rounds of MurmurHash64A, of two words.
uint64_t JoinFingerprints(uint64_t first, uint64_t second) {
  constexpr uint64_t kFactor = 0xC6A4A7935BD1E995;
  const auto mixed = [](uint64_t word) { return word ^ (word >> 47); };
  uint64_t hash = first ^ kFactor;
  hash ^= mixed(second * kFactor) * kFactor;
  hash *= kFactor;
  return mixed(mixed(hash) * kFactor);
}

// MurmurHash64A with TensorFlow's seed.
uint64_t TextHash(std::string_view text) {
  constexpr uint64_t kSeed = 0xDECAFCAFFE, kFactor = 0xC6A4A7935BD1E995;
  constexpr int kShift = 47;
  uint64_t hash = kSeed ^ (text.size() * kFactor);
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t word = Word(at) * kFactor;
    word ^= word >> kShift;
    hash = (hash ^ (word * kFactor)) * kFactor;
  }
  if (left > 0) hash = (hash ^ Rest(at, left)) * kFactor;
  hash = (hash ^ (hash >> kShift)) * kFactor;
  return hash ^ (hash >> kShift);
}

uint64_t KeyedTextHash(std::string_view text, uint64_t key0, uint64_t key1) {
  uint64_t a = key0 ^ 0x736F6D6570736575, b = key1 ^ 0x646F72616E646F6D;
  uint64_t c = key0 ^ 0x6C7967656E657261, d = key1 ^ 0x7465646279746573;
  const auto mix = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32);
      c += b;
      a += d;
      b = std::rotl(b, 17) ^ c;
      d = std::rotl(d, 21) ^ a;
      c = std::rotl(c, 32);
    }
  };
  const auto take = [&](uint64_t word) {
    d ^= word;
    mix(2);
    a ^= word;
  };
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) take(Word(at));
  take(Rest(at, left) | uint64_t{text.size()} << 56);
  c ^= 0xFF;
  mix(4);
  return a ^ b ^ c ^ d;
}

}  // namespace gk
