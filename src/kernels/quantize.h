// Numbers of a range [min, max] as the levels of an integer type, and back.
//
// Two arithmetics, as TensorFlow's kernels have them: of single numbers in
// double precision, and of arrays in float. Rounding is half away from zero.
// What no integer can hold becomes the lowest one, as processors convert. Pure
// functions; T: int8_t, uint8_t, int16_t, uint16_t, int32_t.
#ifndef GK_KERNELS_QUANTIZE_H_
#define GK_KERNELS_QUANTIZE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gk {

inline int64_t ToInt64(double v) {
  constexpr double kEnd = 9223372036854775808.0;
  return v >= -kEnd && v < kEnd ? static_cast<int64_t>(v)
                                : std::numeric_limits<int64_t>::min();
}
inline int32_t ToInt32(double v) {
  constexpr double kEnd = 2147483648.0;
  return v > -kEnd - 1 && v < kEnd ? static_cast<int32_t>(v)
                                   : std::numeric_limits<int32_t>::min();
}
// std::round, but of NaN 0; without a call, so that loops become vectors.
inline float RoundAway(float v) {
  constexpr float kWhole = 8388608;  // all from here on are whole
  const float x = v == v ? v : 0.0f;
  const float small = std::min(std::max(x, -kWhole), kWhole);
  const float whole = static_cast<float>(static_cast<int32_t>(small));
  const float rest = small - whole;
  const float rounded =
      whole + (rest >= 0.5f ? 1.0f : 0.0f) - (rest <= -0.5f ? 1.0f : 0.0f);
  return std::fabs(x) < kWhole ? rounded : x;
}
// Sums and products that wrap around.
inline int32_t WrapAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
}
inline int32_t WrapMul(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) *
                              static_cast<uint32_t>(b));
}

template <class T>
inline constexpr int64_t kLowestLevel = std::numeric_limits<T>::min();
template <class T>
inline constexpr int64_t kHighestLevel = std::numeric_limits<T>::max();
template <class T>
inline constexpr int64_t kLevels = int64_t{1} << (8 * sizeof(T));

// The level of a number, perhaps beyond the type's.
template <class T>
int64_t LevelUnclamped(float value, float min, float max) {
  if (min == max) return kLowestLevel<T>;
  const double adjust = kLevels<T> / (kLevels<T> - 1.0);
  const double scale = kLevels<T> / ((max - min) * adjust);
  const uint64_t level = static_cast<uint64_t>(
      ToInt64(std::round(value * scale) - std::round(min * scale)));
  return static_cast<int64_t>(level + static_cast<uint64_t>(kLowestLevel<T>));
}
template <class T>
T LevelOf(float value, float min, float max) {
  return static_cast<T>(std::clamp(LevelUnclamped<T>(value, min, max),
                                   kLowestLevel<T>, kHighestLevel<T>));
}
template <class T>
float NumberOfLevel(T level, float min, float max) {
  if (min == max) return min;
  const double adjust = kLevels<T> / (kLevels<T> - 1.0);
  const double scale = ((max - min) * adjust) / kLevels<T>;
  const float step = static_cast<float>(scale);
  const double from = std::round(min / step) * step;
  return static_cast<float>(
      from + (static_cast<double>(level) - kLowestLevel<T>)*scale);
}
// How far apart the levels of a range are.
template <class T>
float LevelStep(float min, float max) {
  return (max - min) / static_cast<float>(kHighestLevel<T> - kLowestLevel<T>);
}

// The levels of many numbers.
template <class T>
class FloatToLevel {
 public:
  FloatToLevel(float min, float max)
      : scale_(max == min
                   ? 0.0f
                   : static_cast<float>((kLevels<T> - 1.0) / (max - min))),
        shift_(std::round(min * scale_) - static_cast<float>(kLowestLevel<T>)) {
  }
  T operator()(float v) const {
    // The greatest float below 2^31 is the bound of int32.
    const float low = std::max(static_cast<float>(kLowestLevel<T>), -0x1p31f);
    const float high =
        std::min(static_cast<float>(kHighestLevel<T>), 2.147483520e+09f);
    const float level = RoundAway(v * scale_) - shift_;
    const float inside = std::min(std::max(level, low), high);
    if constexpr (sizeof(T) == 4) return ToInt32(inside);
    return static_cast<T>(static_cast<int32_t>(inside));
  }

 private:
  float scale_, shift_;
};
// The numbers of many levels.
template <class T>
class LevelToFloat {
 public:
  LevelToFloat(float min, float max)
      : scale_(static_cast<float>((max - min) / (kLevels<T> - 1.0))),
        from_((max == min ? min : std::round(min / scale_) * scale_) -
              static_cast<float>(kLowestLevel<T>) * scale_) {}
  float operator()(T level) const {
    return from_ + static_cast<float>(level) * scale_;
  }

 private:
  float scale_, from_;
};

// Levels of int32 in one range as levels of uint8 in another, by integers.
class NarrowLevels {
 public:
  NarrowLevels(float min_in, float max_in, float min_out, float max_out) {
    constexpr int kOne = 1 << 16;
    const float in = max_in - min_in, out = max_out - min_out;
    const bool none = out == 0;
    const float inverse = none ? 0.0f : static_cast<float>(255.0 / out);
    const float middle = static_cast<float>((min_in + max_in) / 2.0);
    scale_ = none ? 0 : ToInt64(255.0 * kOne * in / out);
    const int64_t from = ToInt64(middle * inverse * kOne);
    const int64_t to = none ? 0 : Rounded(kOne * (min_out * 255.0) / out);
    shift_ = from - to + kOne / 2;
  }
  uint8_t operator()(int32_t level) const {
    const int64_t scaled =
        static_cast<int64_t>(static_cast<uint64_t>(int64_t{level}) *
                             static_cast<uint64_t>(scale_)) >>
        32;
    return static_cast<uint8_t>(
        std::clamp((scaled + shift_) >> 16, int64_t{0}, int64_t{255}));
  }

 private:
  static int64_t Rounded(double v) { return ToInt64(std::round(v)); }
  int64_t scale_, shift_;
};

// The range of the products, as int32, of numbers of two ranges.
template <class A, class B>
void ProductRange(float min_a, float max_a, float min_b, float max_b,
                  float* min, float* max) {
  const float step = LevelStep<A>(min_a, max_a) * LevelStep<B>(min_b, max_b);
  *min = step * static_cast<float>(kLowestLevel<int32_t>);
  *max = step * static_cast<float>(kHighestLevel<int32_t>);
}

}  // namespace gk

#endif  // GK_KERNELS_QUANTIZE_H_
