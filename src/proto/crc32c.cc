#include "proto/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace gk::proto {
namespace {

// Bit 31 is x^0.
constexpr uint32_t kPolynomial = 0x82f63b78u;

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b]: byte b followed by k zero bytes; eight bytes go at a time.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int i = 0; i < 8; ++i) {
      crc = crc & 1 ? crc >> 1 ^ kPolynomial : crc >> 1;
    }
    tables[0][b] = crc;
  }
  for (uint32_t b = 0; b < 256; ++b) {
    for (size_t k = 1; k < 8; ++k) {
      uint32_t before = tables[k - 1][b];
      tables[k][b] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

// The product of two polynomials modulo the one above.
constexpr uint32_t Product(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (; a != 0; a <<= 1) {
    if (a >> 31 != 0) product ^= b;
    b = b & 1 ? b >> 1 ^ kPolynomial : b >> 1;
  }
  return product;
}

// By which so many bytes behind a piece multiply its polynomial: x^8 for each.
constexpr uint32_t PowerOf(uint64_t bytes) {
  uint32_t power = 1u << 31, square = 1u << (31 - 8);
  for (; bytes != 0; bytes >>= 1) {
    if (bytes & 1) power = Product(power, square);
    square = Product(square, square);
  }
  return power;
}

#if defined(__x86_64__)
// The instruction takes three cycles, and one begins each cycle: three pieces
// go at once, and are joined then.
constexpr size_t kLane = 4096;

using Shift = std::array<std::array<uint32_t, 256>, 4>;

// shift[k][b]: byte k of a state, b, times the power of one piece.
constexpr Shift MakeShift() {
  const uint32_t power = PowerOf(kLane);
  Shift shift{};
  for (size_t k = 0; k < 4; ++k) {
    for (uint32_t bit = 0; bit < 8; ++bit) {
      const uint32_t one = Product(power, 1u << (8 * k + bit));
      for (uint32_t b = 0; b < 256; ++b) {
        if (b >> bit & 1) shift[k][b] ^= one;
      }
    }
  }
  return shift;
}

constexpr Shift kShift = MakeShift();

uint32_t Shifted(uint32_t state) {
  return kShift[0][state & 0xff] ^ kShift[1][state >> 8 & 0xff] ^
         kShift[2][state >> 16 & 0xff] ^ kShift[3][state >> 24];
}

__attribute__((target("sse4.2"))) uint32_t ExtendThree(uint32_t state,
                                                       const char* p) {
  uint64_t a = state, b = 0, c = 0;
  for (const char* const end = p + kLane; p < end; p += 8) {
    uint64_t words[3];
    std::memcpy(&words[0], p, 8);
    std::memcpy(&words[1], p + kLane, 8);
    std::memcpy(&words[2], p + 2 * kLane, 8);
    a = _mm_crc32_u64(a, words[0]);
    b = _mm_crc32_u64(b, words[1]);
    c = _mm_crc32_u64(c, words[2]);
  }
  const uint32_t two =
      Shifted(static_cast<uint32_t>(a)) ^ static_cast<uint32_t>(b);
  return Shifted(two) ^ static_cast<uint32_t>(c);
}

__attribute__((target("sse4.2"))) uint32_t ExtendByInstruction(
    uint32_t crc, std::string_view bytes) {
  const char* p = bytes.data();
  size_t left = bytes.size();
  uint64_t state = ~crc;
  for (; left >= 3 * kLane; left -= 3 * kLane, p += 3 * kLane) {
    state = ExtendThree(static_cast<uint32_t>(state), p);
  }
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    state = _mm_crc32_u64(state, word);
  }
  uint32_t tail = static_cast<uint32_t>(state);
  for (; left > 0; --left, ++p) {
    tail = _mm_crc32_u8(tail, static_cast<uint8_t>(*p));
  }
  return ~tail;
}
#endif

}  // namespace

uint32_t ExtendCrc32cByTable(uint32_t crc, std::string_view bytes) {
  const char* p = bytes.data();
  size_t left = bytes.size();
  uint32_t state = ~crc;
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    word ^= state;
    state = 0;
    for (size_t k = 0; k < 8; ++k) {
      state ^= kTables[7 - k][word >> (8 * k) & 0xff];
    }
  }
  for (; left > 0; --left, ++p) {
    state = state >> 8 ^ kTables[0][(state ^ static_cast<uint8_t>(*p)) & 0xff];
  }
  return ~state;
}

uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ExtendByInstruction(crc, bytes);
#endif
  return ExtendCrc32cByTable(crc, bytes);
}

uint32_t JoinCrc32c(uint32_t first, uint32_t second, uint64_t second_size) {
  return Product(PowerOf(second_size), first) ^ second;
}

}  // namespace gk::proto
