// Pictures in the formats of files: JPEG, PNG, GIF, BMP and WebP.
//
// Bytes may be anything: sizes are checked before memory is asked for, and
// what is wrong is an error. Pixels are [height, width, channels], or
// [frames, height, width, channels]. Functions ask now and then whether the
// program is to end. Thread-safe.
#ifndef GK_KERNELS_PICTURE_CODEC_H_
#define GK_KERNELS_PICTURE_CODEC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/status.h"

namespace gk {

enum class PictureFormat { kUnknown, kJpeg, kPng, kGif, kBmp, kWebp };

// By the first bytes.
PictureFormat PictureFormatOf(std::string_view bytes);

struct PictureShape {
  int64_t frames = 1, height = 0, width = 0, channels = 0;
};
// Memory for the pixels of a picture whose sizes have become known.
using PixelMaker = FunctionRef<StatusOr<void*>(const PictureShape& shape)>;

// More pixels times channels than this no picture has.
inline constexpr int64_t kMaxPictureSize = int64_t{1} << 29;

// ---- JPEG ----

struct JpegReading {
  int channels = 0;  // 1 or 3; 0: as many as there are, at most 3
  int ratio = 1;     // 1, 2, 4 or 8: so much smaller
  bool smooth_upscaling = true;
  bool recover = false;  // what is cut off
  float least = 1;       // the part that must be there
  bool accurate = false;
  bool crops = false;
  int64_t top = 0, left = 0, height = 0, width = 0;  // of the crop
};
Status ReadJpeg(std::string_view bytes, const JpegReading& how,
                PixelMaker make);
// Without the pixels.
Status ReadJpegShape(std::string_view bytes, PictureShape* shape);

struct JpegWriting {
  int quality = 95;
  bool progressive = false, small = false, fewer_colors = true;
  bool per_inch = true;  // the density; else per centimetre
  int x_density = 300, y_density = 300;
  std::string_view xmp;
};
// Of 1 or 3 channels.
Status WriteJpeg(const uint8_t* pixels, const PictureShape& shape,
                 const JpegWriting& how, std::string* bytes);

// ---- PNG ----

// Elements are of 8 or 16 bits; channels 0: as many as there are, else 1 to 4.
Status ReadPng(std::string_view bytes, int channels, int bits, PixelMaker make);
Status WritePng(const void* pixels, const PictureShape& shape, int bits,
                int compression, std::string* bytes);

// ---- GIF, BMP, WebP ----

// Three channels; the first frame alone or all.
Status ReadGif(std::string_view bytes, bool all_frames, PixelMaker make);
Status ReadBmp(std::string_view bytes, int channels, PixelMaker make);
// Three or four channels, 0: as the file has them.
Status ReadWebp(std::string_view bytes, int channels, bool all_frames,
                PixelMaker make);

}  // namespace gk

#endif  // GK_KERNELS_PICTURE_CODEC_H_
