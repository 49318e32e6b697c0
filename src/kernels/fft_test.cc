#include "kernels/fft.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <vector>

namespace gk {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> Slow(const std::vector<Complex>& x, bool inverse) {
  const int64_t n = x.size();
  std::vector<Complex> y(n);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) {
      const double angle =
          (inverse ? 2 : -2) * std::numbers::pi * double(j * k % n) / n;
      y[k] += x[j] * std::polar(1.0, angle);
    }
  }
  return y;
}

std::vector<Complex> Noise(int64_t n) {
  std::mt19937 engine(n);
  std::normal_distribution<double> draw;
  std::vector<Complex> x(n);
  for (Complex& v : x) v = {draw(engine), draw(engine)};
  return x;
}

class FftLength : public testing::TestWithParam<int64_t> {};

// Lines apart, side by side and alone.
TEST_P(FftLength, AgreesWithTheSum) {
  const int64_t n = GetParam();
  for (const auto& [outer, inner] :
       {std::pair<int64_t, int64_t>{1, 1}, {3, 1}, {2, 11}, {19, 1}}) {
    const FftLines lines{outer, n, inner};
    const std::vector<Complex> x = Noise(outer * n * inner);
    for (bool inverse : {false, true}) {
      std::vector<Complex> y(x.size());
      Fft<double>(lines, inverse, 1, x.data(), y.data());
      for (int64_t o : {int64_t{0}, outer - 1}) {
        for (int64_t i : {int64_t{0}, inner - 1}) {
          std::vector<Complex> line(n);
          for (int64_t j = 0; j < n; ++j) line[j] = x[(o * n + j) * inner + i];
          const std::vector<Complex> want = Slow(line, inverse);
          for (int64_t k = 0; k < n; ++k) {
            EXPECT_NEAR(std::abs(want[k] - y[(o * n + k) * inner + i]), 0,
                        1e-11 * (n + 10))
                << n << " " << outer << " " << inner << " at " << k;
          }
        }
      }
    }
  }
}

TEST_P(FftLength, RealLinesThereAndBack) {
  const int64_t n = GetParam(), bins = n / 2 + 1;
  for (const auto& [outer, inner] :
       {std::pair<int64_t, int64_t>{1, 1}, {2, 11}, {19, 1}}) {
    const FftLines lines{outer, n, inner};
    const std::vector<Complex> noise = Noise(outer * n * inner);
    std::vector<double> x(noise.size()), back(noise.size());
    std::vector<Complex> whole(noise.size()), y(outer * bins * inner);
    for (size_t i = 0; i < x.size(); ++i) whole[i] = x[i] = noise[i].real();
    Fft<double>(lines, false, 1, whole.data(), whole.data());
    RealFft<double>(lines, x.data(), y.data());
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t k = 0; k < bins; ++k) {
        for (int64_t i = 0; i < inner; ++i) {
          EXPECT_NEAR(std::abs(whole[(o * n + k) * inner + i] -
                               y[(o * bins + k) * inner + i]),
                      0, 1e-11 * (n + 10))
              << n << " " << outer << " " << inner << " at " << k;
        }
      }
    }
    InverseRealFft<double>(lines, 1.0 / n, y.data(), back.data());
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], back[i], 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, FftLength,
                         testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15,
                                         16, 30, 31, 32, 37, 45, 64, 74, 97,
                                         128, 210, 512, 540, 1009, 1024, 1155,
                                         2018));

// Beyond what lines together may have.
TEST(FftTest, LongLines) {
  for (int64_t n :
       {int64_t{1} << 14, int64_t{3 * 5 * 7} << 8, int64_t{20011}}) {
    std::vector<std::complex<float>> x(2 * n);
    for (int64_t j = 0; j < n; ++j) {
      x[j] = std::polar(1.0f, float(2 * std::numbers::pi * (j * 3 % n) / n));
      x[n + j] = j == 1 ? 1 : 0;
    }
    Fft<float>({2, n, 1}, false, 1, x.data(), x.data());
    EXPECT_NEAR(x[3].real(), n, 1e-3 * n);
    EXPECT_NEAR(std::abs(x[4]), 0, 1e-3 * n);
    const int64_t k = n / 3;
    EXPECT_NEAR(x[n + k].imag(), -std::sin(2 * std::numbers::pi * k / n), 1e-3);
  }
}

}  // namespace
}  // namespace gk
