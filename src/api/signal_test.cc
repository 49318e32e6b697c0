// Short-time transforms, there and back, eagerly and staged.
#include <cmath>

#include "api/same_gradient_for_test.h"

namespace {

using gk::Tensor;

void ExpectInside(const Tensor& x, const Tensor& y) {
  const auto a = x.to_vector<float>(), b = y.to_vector<float>();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 8; i + 8 < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-4);
}

TEST(SignalTest, ShortTimeTransformAndBack) {
  const Tensor x = gk::sin(gk::range(40.0f));
  const auto there_and_back = [](const Tensor& x) {
    const Tensor spectra = gk::signal::stft(x, 8, 4);
    return gk::signal::inverse_stft(
        spectra, 8, 4, {.window = gk::signal::inverse_stft_window_fn(4)});
  };
  ExpectInside(x, there_and_back(x));
  ExpectInside(x, gk::function(there_and_back)(x));
  EXPECT_EQ(gk::signal::stft(x, 8, 4, {.fft_length = 16, .window = nullptr})
                .shape()
                .dims(),
            (std::vector<int64_t>{9, 9}));
}

TEST(SignalTest, ModifiedCosineTransformAndBack) {
  const Tensor x = gk::sin(gk::range(40.0f));
  for (const char* norm : {"", "ortho"}) {
    const gk::signal::MdctOptions options{.norm = norm};
    ExpectInside(
        x, gk::signal::inverse_mdct(gk::signal::mdct(x, 8, options), options));
  }
}

}  // namespace
