// WAV files.
#include <string>

#include "driver/fuzz_target.h"
#include "files/public_call.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  gk::fuzz::Choices choices(bytes);
  const gk::Tensor file(bytes);
  const int64_t channels = choices.OneOf<int64_t>({-1, -1, 1, 2, 3});
  const int64_t samples = choices.OneOf<int64_t>({-1, -1, 0, 1, 100});
  gk::fuzz::CallTwice(
      [&] { return gk::audio::decode_wav(file, channels, samples); });
  return 0;
}
