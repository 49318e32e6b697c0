// Sound in files: WAV of 16 bits. Thread-safe.
#ifndef GK_KERNELS_WAV_CODEC_H_
#define GK_KERNELS_WAV_CODEC_H_

#include <cstdint>
#include <string>

#include "base/status.h"

namespace gk {

// Samples [frames, channels] in [-1, 1], so many frames a second, as a file.
// InvalidArgument for what the format cannot hold.
Status WriteWav(const float* samples, int64_t frames, int64_t channels,
                int64_t rate, std::string* bytes);

}  // namespace gk

#endif  // GK_KERNELS_WAV_CODEC_H_
