#include "kernels/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <type_traits>

#include "kernels/isa.h"

namespace gk {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kKeyStep0 = 0x9E3779B9, kKeyStep1 = 0xBB67AE85;
constexpr int64_t kLanes = 16;
// Blocks drawn at a time: their words stay in the first-level cache.
constexpr int64_t kChunk = 256;

struct Words {
  uint32_t w[4];
};

GK_INLINE Words Rounds(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3,
                       uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{kMultiplier0} * c0;
    const uint64_t p1 = uint64_t{kMultiplier1} * c2;
    c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<uint32_t>(p1);
    c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<uint32_t>(p0);
    k0 += kKeyStep0;
    k1 += kKeyStep1;
  }
  return {{c0, c1, c2, c3}};
}

// Blocks whose counters differ in the first word alone.
struct BlocksBody {
  static GK_INLINE void Run(const Philox* gen, int64_t blocks,
                            uint32_t* __restrict out) {
    const uint32_t c0 = gen->counter[0], c1 = gen->counter[1];
    const uint32_t c2 = gen->counter[2], c3 = gen->counter[3];
    const uint32_t k0 = gen->key[0], k1 = gen->key[1];
    for (int64_t b = 0; b < blocks; b += kLanes) {
      uint32_t lanes[4][kLanes];
      const uint32_t base = c0 + static_cast<uint32_t>(b);
      for (int64_t i = 0; i < kLanes; ++i) {
        const Words w =
            Rounds(base + static_cast<uint32_t>(i), c1, c2, c3, k0, k1);
        lanes[0][i] = w.w[0];
        lanes[1][i] = w.w[1];
        lanes[2][i] = w.w[2];
        lanes[3][i] = w.w[3];
      }
      uint32_t* o = out + 4 * b;
      for (int64_t i = 0; i < kLanes; ++i) {
        for (int64_t j = 0; j < 4; ++j) o[4 * i + j] = lanes[j][i];
      }
    }
  }
};
using BlocksFn = void(const Philox*, int64_t, uint32_t*);

#ifdef GK_ISA_V4
// The same by vectors of eight blocks, each word in the lower half of a lane
// of 64 bits: what lies above it no product looks at.
struct EightsBody {
  using Lanes [[gnu::vector_size(64)]] = uint64_t;
  using Halves [[gnu::vector_size(64)]] = int32_t;
  using Products [[gnu::vector_size(64)]] = long long;

  static GK_INLINE Lanes Product(Lanes a, uint32_t b) {
#if defined(__clang__)
    return (a & ~uint32_t{0}) * (Lanes{} + b);
#else
    // GCC multiplies all 64 bits, which takes three times as long.
    return reinterpret_cast<Lanes>(__builtin_ia32_pmuludq512_mask(
        reinterpret_cast<Halves>(a), reinterpret_cast<Halves>(Lanes{} + b),
        Products{}, 0xff));
#endif
  }

  static GK_INLINE void Run(const Philox* gen, int64_t blocks,
                            uint32_t* __restrict out) {
    for (int64_t b = 0; b < blocks; b += 8, out += 32) {
      const uint32_t first = gen->counter[0] + static_cast<uint32_t>(b);
      Lanes c0 = Lanes{0, 1, 2, 3, 4, 5, 6, 7} + first;
      Lanes c1 = Lanes{} + gen->counter[1], c2 = Lanes{} + gen->counter[2];
      Lanes c3 = Lanes{} + gen->counter[3];
      uint32_t k0 = gen->key[0], k1 = gen->key[1];
      for (int round = 0; round < 10; ++round) {
        const Lanes p0 = Product(c0, kMultiplier0);
        const Lanes p1 = Product(c2, kMultiplier1);
        c0 = (p1 >> 32) ^ c1 ^ k0;
        c1 = p1;
        c2 = (p0 >> 32) ^ c3 ^ k1;
        c3 = p0;
        k0 += kKeyStep0;
        k1 += kKeyStep1;
      }
      const Lanes low = (c0 & ~uint32_t{0}) | c1 << 32;
      const Lanes high = (c2 & ~uint32_t{0}) | c3 << 32;
      const Lanes half[2] = {
          __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11),
          __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15)};
      std::memcpy(out, half, sizeof(half));
    }
  }
};
#endif

BlocksFn* BestBlocks() {
#ifdef GK_ISA_V4
  if (CurrentIsa() >= Isa::kV4) {
    return Stamp<EightsBody, BlocksFn>::Only<Isa::kV4>();
  }
#endif
  return Stamp<BlocksBody, BlocksFn>::Best();
}

GK_INLINE float UniformFloat(uint32_t x) {
  return std::bit_cast<float>((x & 0x7fffffu) | 0x3f800000u) - 1.0f;
}

GK_INLINE double UniformDouble(uint32_t a, uint32_t b) {
  const uint64_t fraction = uint64_t{a & 0xfffffu} << 32 | b;
  return std::bit_cast<double>(fraction | uint64_t{0x3ff} << 52) - 1.0;
}

// A pair of normal deviates by Box and Muller. The C library's functions, in
// the value's own precision, because their last digit is part of the result.
GK_INLINE void NormalPair(float a, float b, float out[2]) {
  const float u = std::max(a, 1.0e-7f);
  const float v = static_cast<float>(2.0 * std::numbers::pi * double{b});
  const float r = std::sqrt(-2.0f * std::log(u));
  out[0] = std::sin(v) * r;
  out[1] = std::cos(v) * r;
}

GK_INLINE void NormalPair(double a, double b, double out[2]) {
  const double u = std::max(a, 1.0e-7);
  const double v = 2.0 * std::numbers::pi * b;
  const double r = std::sqrt(-2.0 * std::log(u));
  out[0] = std::sin(v) * r;
  out[1] = std::cos(v) * r;
}

// Values a block gives.
template <class T>
inline constexpr int64_t kPerBlock = sizeof(T) == 8 ? 2 : 4;

struct UniformValue {
  static GK_INLINE void Convert(const uint32_t* w, float* out) {
    for (int i = 0; i < 4; ++i) out[i] = UniformFloat(w[i]);
  }
  static GK_INLINE void Convert(const uint32_t* w, double* out) {
    out[0] = UniformDouble(w[0], w[1]);
    out[1] = UniformDouble(w[2], w[3]);
  }
  static GK_INLINE void Convert(const uint32_t* w, half* out) {
    for (int i = 0; i < 4; ++i) {
      const uint16_t bits = static_cast<uint16_t>((w[i] & 0x3ffu) | 0x3c00u);
      out[i] = half(static_cast<float>(half::FromBits(bits)) - 1.0f);
    }
  }
  static GK_INLINE void Convert(const uint32_t* w, bfloat16* out) {
    for (int i = 0; i < 4; ++i) {
      const uint16_t bits = static_cast<uint16_t>((w[i] & 0x7fu) | 0x3f80u);
      out[i] = bfloat16(static_cast<float>(bfloat16::FromBits(bits)) - 1.0f);
    }
  }
};

struct NormalValue {
  static GK_INLINE void Convert(const uint32_t* w, float* out) {
    NormalPair(UniformFloat(w[0]), UniformFloat(w[1]), out);
    NormalPair(UniformFloat(w[2]), UniformFloat(w[3]), out + 2);
  }
  static GK_INLINE void Convert(const uint32_t* w, double* out) {
    NormalPair(UniformDouble(w[0], w[1]), UniformDouble(w[2], w[3]), out);
  }
  template <class Narrow>
  static GK_INLINE void Convert(const uint32_t* w, Narrow* out) {
    float wide[4];
    Convert(w, wide);
    for (int i = 0; i < 4; ++i) out[i] = Narrow(wide[i]);
  }
};

template <class T, class Value>
struct ConvertBody {
  static GK_INLINE void Run(const uint32_t* __restrict words, int64_t blocks,
                            T* __restrict out, const Value* value) {
    for (int64_t b = 0; b < blocks; ++b) {
      value->Convert(words + 4 * b, out + kPerBlock<T> * b);
    }
  }
};

// Fills from consecutive blocks: block i gives the values kPerBlock * i and
// following.
template <class T, class Value>
void FillFromBlocks(const Philox& gen, int64_t begin, int64_t end, T* out,
                    const Value& value) {
  using Convert = Stamp<ConvertBody<T, Value>,
                        void(const uint32_t*, int64_t, T*, const Value*)>;
  const auto convert = Convert::Best();
  constexpr int64_t kPer = kPerBlock<T>;
  alignas(64) uint32_t words[4 * kChunk];
  for (int64_t at = begin; at < end;) {
    const int64_t count = std::min(end - at, kPer * kChunk);
    const int64_t blocks = (count + kPer - 1) / kPer;
    const int64_t whole = count / kPer;
    PhiloxWords(gen, static_cast<uint64_t>(at / kPer), blocks, words);
    convert(words, whole, out, &value);
    if (whole < blocks) {
      T last[kPer];
      convert(words + 4 * whole, 1, last, &value);
      std::copy(last, last + (count - whole * kPer), out + whole * kPer);
    }
    out += count;
    at += count;
  }
}

template <class T>
struct IntValue {
  using Unsigned = std::make_unsigned_t<T>;
  static GK_INLINE Unsigned Get(const uint32_t* w, int i) {
    if constexpr (sizeof(T) == 8) {
      return w[2 * i] | uint64_t{w[2 * i + 1]} << 32;
    } else {
      return w[i];
    }
  }
  static GK_INLINE void Convert(const uint32_t* w, T* out) {
    for (int i = 0; i < kPerBlock<T>; ++i) out[i] = static_cast<T>(Get(w, i));
  }
};

template <class T>
struct RangeValue {
  using Unsigned = std::make_unsigned_t<T>;
  Unsigned low;
  Unsigned range;
  GK_INLINE void Convert(const uint32_t* w, T* out) const {
    for (int i = 0; i < kPerBlock<T>; ++i) {
      out[i] = static_cast<T>(low + IntValue<T>::Get(w, i) % range);
    }
  }
};

// One group of truncated deviates. Each group has blocks of its own, 256 a
// value of four words, so that it may draw again as often as it must.
template <class T>
void TruncatedGroup(const Philox& gen, T* out) {
  constexpr int64_t kPer = kPerBlock<T>;
  PhiloxStream stream(gen);
  int64_t filled = 0;
  while (true) {
    T pair[2];
    if constexpr (sizeof(T) == 8) {
      const double a = stream.Double();
      NormalPair(a, stream.Double(), pair);
    } else {
      const float a = UniformFloat(stream.Word());
      NormalPair(a, UniformFloat(stream.Word()), pair);
    }
    for (const T v : pair) {
      if (std::abs(v) < T(2)) {
        out[filled++] = v;
        if (filled == kPer) return;
      }
    }
  }
}

}  // namespace

Philox Philox::FromSeeds(uint64_t seed, uint64_t seed2) {
  return FromKeyCounter(seed, 0, seed2);
}

Philox Philox::FromKeyCounter(uint64_t key, uint64_t low, uint64_t high) {
  Philox p;
  p.key[0] = static_cast<uint32_t>(key);
  p.key[1] = static_cast<uint32_t>(key >> 32);
  p.counter[0] = static_cast<uint32_t>(low);
  p.counter[1] = static_cast<uint32_t>(low >> 32);
  p.counter[2] = static_cast<uint32_t>(high);
  p.counter[3] = static_cast<uint32_t>(high >> 32);
  return p;
}

void Philox::Skip(uint64_t n) {
  const uint64_t low = CounterLow() + n;
  *this = FromKeyCounter(Key(), low, CounterHigh() + (low < n ? 1 : 0));
}

void Philox::SkipValues(uint64_t n) {
  const uint64_t blocks = n * kBlocksPerValue;  // Its low 64 bits.
  Skip(blocks);
  *this = FromKeyCounter(Key(), CounterLow(), CounterHigh() + (n >> 56));
}

void Philox::Block(uint32_t out[4]) const {
  const Words w =
      Rounds(counter[0], counter[1], counter[2], counter[3], key[0], key[1]);
  std::copy(w.w, w.w + 4, out);
}

void PhiloxWords(const Philox& gen, uint64_t first, int64_t blocks,
                 uint32_t* out) {
  static BlocksFn* const run = BestBlocks();
  Philox at = gen;
  at.Skip(first);
  while (blocks >= kLanes) {
    const int64_t before_carry = 0x100000000 - int64_t{at.counter[0]};
    const int64_t count = std::min(blocks, before_carry) / kLanes * kLanes;
    if (count == 0) break;
    run(&at, count, out);
    at.Skip(static_cast<uint64_t>(count));
    out += 4 * count;
    blocks -= count;
  }
  for (; blocks > 0; --blocks, out += 4) {
    at.Block(out);
    at.Skip(1);
  }
}

Philox PhiloxFromStatelessSeed(uint64_t seed0, uint64_t seed1) {
  constexpr uint64_t kKey = 0x02461e293ec8f720;
  uint32_t m[4];
  Philox::FromKeyCounter(kKey, seed0, seed1).Block(m);
  return Philox::FromKeyCounter(m[0] | uint64_t{m[1]} << 32, 0,
                                m[2] | uint64_t{m[3]} << 32);
}

double PhiloxStream::Double() {
  const uint32_t a = Word();
  return UniformDouble(a, Word());
}

template <class T>
void FillUniform(const Philox& gen, int64_t begin, int64_t end, T* out) {
  FillFromBlocks(gen, begin, end, out, UniformValue());
}

template <class T>
void FillNormal(const Philox& gen, int64_t begin, int64_t end, T* out) {
  FillFromBlocks(gen, begin, end, out, NormalValue());
}

template <class T>
void FillTruncatedNormal(const Philox& gen, int64_t begin, int64_t end,
                         T* out) {
  constexpr int64_t kPer = kPerBlock<T>;
  using Wide = std::conditional_t<sizeof(T) == 8, double, float>;
  Philox at = gen;
  // In 128 bits: index times 64 stays below 2^63 for any memory that exists.
  at.Skip(static_cast<uint64_t>(begin) * (kBlocksPerValue / 4));
  while (begin < end) {
    Wide group[kPer];
    TruncatedGroup<Wide>(at, group);
    const int64_t count = std::min(kPer, end - begin);
    for (int64_t i = 0; i < count; ++i) *out++ = T(group[i]);
    begin += count;
    at.Skip(kPer * (kBlocksPerValue / 4));
  }
}

template <class T>
void FillUniformInt(const Philox& gen, T low, T high, int64_t begin,
                    int64_t end, T* out) {
  using Unsigned = std::make_unsigned_t<T>;
  const RangeValue<T> value{static_cast<Unsigned>(low),
                            static_cast<Unsigned>(static_cast<Unsigned>(high) -
                                                  static_cast<Unsigned>(low))};
  FillFromBlocks(gen, begin, end, out, value);
}

template <class T>
void FillFullInt(const Philox& gen, int64_t begin, int64_t end, T* out) {
  FillFromBlocks(gen, begin, end, out, IntValue<T>());
}

#define GK_FILL_FLOATS(T)                                            \
  template void FillUniform<T>(const Philox&, int64_t, int64_t, T*); \
  template void FillNormal<T>(const Philox&, int64_t, int64_t, T*);  \
  template void FillTruncatedNormal<T>(const Philox&, int64_t, int64_t, T*)
GK_FILL_FLOATS(float);
GK_FILL_FLOATS(double);
GK_FILL_FLOATS(half);
GK_FILL_FLOATS(bfloat16);
#undef GK_FILL_FLOATS

#define GK_FILL_INTS(T)                                                       \
  template void FillUniformInt<T>(const Philox&, T, T, int64_t, int64_t, T*); \
  template void FillFullInt<T>(const Philox&, int64_t, int64_t, T*)
GK_FILL_INTS(int32_t);
GK_FILL_INTS(int64_t);
GK_FILL_INTS(uint32_t);
GK_FILL_INTS(uint64_t);
#undef GK_FILL_INTS

}  // namespace gk
