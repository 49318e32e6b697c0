// WebP, by libwebp.
#include <webp/decode.h>
#include <webp/demux.h>

#include <cstring>
#include <memory>

#include "base/interrupt.h"
#include "kernels/picture_codec.h"

namespace gk {
namespace {

Status ReadMoving(std::string_view bytes, int channels, bool all_frames,
                  PixelMaker make) {
  if (channels == 3) {
    return InvalidArgument("WebP Animation must be 4 channel RGBA");
  }
  WebPData data;
  data.bytes = reinterpret_cast<const uint8_t*>(bytes.data());
  data.size = bytes.size();
  WebPAnimDecoderOptions options;
  if (!WebPAnimDecoderOptionsInit(&options)) {
    return Internal("libwebp is of another version");
  }
  options.color_mode = MODE_RGBA;
  options.use_threads = 0;
  const Status bad = InvalidArgument("Failed to decode WebP Animation");
  const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> parts(
      WebPDemux(&data), WebPDemuxDelete);
  if (parts == nullptr) return bad;
  // The decoder asks for memory of the canvas at once.
  const int64_t height = WebPDemuxGetI(parts.get(), WEBP_FF_CANVAS_HEIGHT),
                width = WebPDemuxGetI(parts.get(), WEBP_FF_CANVAS_WIDTH);
  const int64_t frames = WebPDemuxGetI(parts.get(), WEBP_FF_FRAME_COUNT);
  if (height <= 0 || width <= 0 || frames <= 0 ||
      height * width * 4 >= kMaxPictureSize) {
    return bad;
  }
  const std::unique_ptr<WebPAnimDecoder, decltype(&WebPAnimDecoderDelete)>
      decoder(WebPAnimDecoderNew(&data, &options), WebPAnimDecoderDelete);
  if (decoder == nullptr) return bad;
  const PictureShape shape{all_frames ? frames : 1, height, width, 4};
  GK_ASSIGN_OR_RETURN(void* pixels, make(shape));
  const int64_t size = height * width * 4;
  for (int64_t i = 0; i < shape.frames; ++i) {
    PollInterrupt();
    uint8_t* frame = nullptr;
    int when = 0;
    if (!WebPAnimDecoderGetNext(decoder.get(), &frame, &when)) return bad;
    std::memcpy(static_cast<uint8_t*>(pixels) + i * size, frame, size);
  }
  return OkStatus();
}

}  // namespace

Status ReadWebp(std::string_view bytes, int channels, bool all_frames,
                PixelMaker make) {
  if (channels != 0 && channels != 3 && channels != 4) {
    return InvalidArgument("WebP only supports 3 or 4 channels");
  }
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK) {
    return InvalidArgument("Failed to decode WebP header.");
  }
  if (features.has_animation) {
    return ReadMoving(bytes, channels, all_frames, make);
  }
  const int held = features.has_alpha ? 4 : 3;
  if (channels != 0 && channels != held) {
    return InvalidArgument("Number of channels requested does not match input");
  }
  const PictureShape shape{1, features.height, features.width, held};
  const int64_t stride = shape.width * held;
  if (shape.height * stride >= kMaxPictureSize) {
    return InvalidArgument("Failed to decode WebP image.");
  }
  GK_ASSIGN_OR_RETURN(void* pixels, make(shape));
  auto* to = static_cast<uint8_t*>(pixels);
  const auto decode = held == 4 ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (decode(data, bytes.size(), to, shape.height * stride,
             static_cast<int>(stride)) == nullptr) {
    return InvalidArgument("Failed to decode WebP image.");
  }
  return OkStatus();
}

}  // namespace gk
