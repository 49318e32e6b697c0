#include "kernels/wav_codec.h"

#include <algorithm>

namespace gk {
namespace {

void Append(std::string* out, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out->push_back(static_cast<char>(v >> (8 * i)));
  }
}

// To the nearest, halves away from 0; of NaN nothing is heard.
int32_t SampleOf(float v) {
  const float scaled = v == v ? v * 32768 : 0;
  const float inside = std::min(std::max(scaled, -32768.0f), 32767.0f);
  const auto whole = static_cast<int32_t>(inside);
  const float rest = inside - static_cast<float>(whole);
  return whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
}

}  // namespace

Status WriteWav(const float* samples, int64_t frames, int64_t channels,
                int64_t rate, std::string* bytes) {
  if (channels == 0) return InvalidArgument("audio is null");
  if (channels < 0 || channels > 65535) {
    return InvalidArgument("num_channels must be in (0, 2^16), got: {}",
                           channels);
  }
  if (rate <= 0 || rate > int64_t{UINT32_MAX}) {
    return InvalidArgument("sample_rate must be in (0, 2^32), got: {}",
                           static_cast<uint64_t>(rate));
  }
  constexpr int64_t kHeader = 44;
  const int64_t n = frames * channels;
  if (n > (int64_t{UINT32_MAX} - kHeader) / 2) {
    return InvalidArgument(
        "Provided channels and frames cannot be encoded "
        "as a WAV.");
  }
  std::string& out = *bytes;
  out.clear();
  out.reserve(kHeader + 2 * n);
  out += "RIFF";
  Append(&out, kHeader - 8 + 2 * n, 4);
  out += "WAVEfmt ";
  Append(&out, 16, 4);
  Append(&out, 1, 2);
  Append(&out, channels, 2);
  Append(&out, rate, 4);
  Append(&out, static_cast<uint64_t>(rate) * 2 * channels, 4);
  Append(&out, 2 * channels, 2);
  Append(&out, 16, 2);
  out += "data";
  Append(&out, 2 * n, 4);
  out.resize(kHeader + 2 * n);
  char* const to = out.data() + kHeader;
  for (int64_t i = 0; i < n; ++i) {
    const auto sample = static_cast<uint16_t>(SampleOf(samples[i]));
    to[2 * i] = static_cast<char>(sample & 255);
    to[2 * i + 1] = static_cast<char>(sample >> 8);
  }
  return OkStatus();
}

}  // namespace gk
