// PNG, by libpng. Its errors jump: between a setjmp and the calls it guards
// stand no objects that would have to be destroyed.
#include <png.h>
#include <setjmp.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/interrupt.h"
#include "kernels/picture_codec.h"
#include "kernels/png_inflate.h"

namespace gk {
namespace {

void JumpOut(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void Ignore(png_structp, png_const_charp) {}

class PngReader {
 public:
  explicit PngReader(std::string_view bytes) {
    ahead_ = InflateAhead(bytes, &inflated_);
    if (ahead_) {
      rest_ = {inflated_.before, inflated_.stream(), inflated_.after};
    } else {
      rest_ = {bytes};
    }

    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, JumpOut, Ignore);
    if (png_ != nullptr) picture_ = png_create_info_struct(png_);
  }
  ~PngReader() {
    if (png_ != nullptr) png_destroy_read_struct(&png_, &picture_, nullptr);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  // Sizes, and everything that makes rows of `channels` numbers of `bits`.
  bool ReadHeader(int channels, int bits) {
    channels_ = channels;
    if (picture_ == nullptr || setjmp(png_jmpbuf(png_))) return false;
    png_set_read_fn(png_, this, Read);
    if (ahead_) {
      // It has all been summed up.
      png_set_crc_action(png_, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
      png_set_option(png_, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
    }
    png_read_info(png_, picture_);
    const int depth = png_get_bit_depth(png_, picture_);
    const int kind = png_get_color_type(png_, picture_);
    const bool has_trns = png_get_valid(png_, picture_, PNG_INFO_tRNS) != 0;
    const bool has_alpha = (kind & PNG_COLOR_MASK_ALPHA) != 0;
    const bool palette = kind == PNG_COLOR_TYPE_PALETTE;
    if (channels_ == 0) {
      channels_ =
          palette ? (has_trns ? 4 : 3) : png_get_channels(png_, picture_);
    }
    if (channels_ % 2 == 0) {
      if (has_trns) {
        png_set_tRNS_to_alpha(png_);
      } else if (!has_alpha) {
        png_set_add_alpha(png_, (1u << depth) - 1, PNG_FILLER_AFTER);
      }
    } else if (has_alpha || has_trns) {
      png_set_strip_alpha(png_);
    }
    if (depth > 8 && bits <= 8) png_set_strip_16(png_);
    widens_ = depth <= 8 && bits == 16;
    png_set_packing(png_);
    passes_ = png_set_interlace_handling(png_);
    if (bits > 8) png_set_swap(png_);
    if (palette) png_set_palette_to_rgb(png_);
    const bool gray = (kind & PNG_COLOR_MASK_COLOR) == 0;
    if (gray && depth < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (channels_ < 3) {
      // Blue has what is left of 1.
      if (!gray) png_set_rgb_to_gray(png_, 1, 0.299, 0.587);
    } else if (gray) {
      png_set_gray_to_rgb(png_);
    }
    png_read_update_info(png_, picture_);
    return true;
  }
  int64_t height() const { return png_get_image_height(png_, picture_); }
  int64_t width() const { return png_get_image_width(png_, picture_); }
  int64_t row_bytes() const { return png_get_rowbytes(png_, picture_); }
  int channels() const { return channels_; }
  int passes() const { return passes_; }
  // Rows are of 8 bits and stand for 16.
  bool widens() const { return widens_; }

  bool ReadRow(uint8_t* row) {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_row(png_, row, nullptr);
    return true;
  }
  bool Finish() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_end(png_, picture_);
    return true;
  }

 private:
  static void Read(png_structp png, png_bytep to, size_t n) {
    auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
    for (std::string_view& part : reader->rest_) {
      const size_t taken = std::min(n, part.size());
      if (taken == 0) continue;
      std::memcpy(to, part.data(), taken);
      part.remove_prefix(taken);
      to += taken;
      n -= taken;
    }
    if (n != 0) png_error(png, "More bytes requested");
  }

  png_structp png_ = nullptr;
  png_infop picture_ = nullptr;
  InflatedPng inflated_;
  bool ahead_ = false;
  std::array<std::string_view, 3> rest_;
  int channels_ = 0, passes_ = 1;
  bool widens_ = false;
};

}  // namespace

Status ReadPng(std::string_view bytes, int channels, int bits,
               PixelMaker make) {
  const auto bad = [&](std::string_view what) {
    return InvalidArgument("Invalid PNG {}, size {}", what, bytes.size());
  };
  PngReader reader(bytes);
  if (!reader.ReadHeader(channels, bits)) return bad("header");
  const PictureShape shape{1, reader.height(), reader.width(),
                           reader.channels()};
  if (shape.height <= 0 || shape.width <= 0 ||
      shape.height * shape.width >= kMaxPictureSize) {
    return InvalidArgument("PNG size too large for int: {} by {}", shape.width,
                           shape.height);
  }
  const int64_t numbers = shape.width * shape.channels;
  const int64_t wide = bits / 8;
  if (reader.row_bytes() != numbers * (reader.widens() ? 1 : wide)) {
    return bad("data");
  }
  GK_ASSIGN_OR_RETURN(void* pixels, make(shape));
  auto* out = static_cast<uint8_t*>(pixels);
  for (int pass = 0; pass < reader.passes(); ++pass) {
    for (int64_t y = 0; y < shape.height; ++y) {
      if ((y & 63) == 0) PollInterrupt();
      if (!reader.ReadRow(out + y * numbers * wide)) return bad("data");
    }
  }
  if (!reader.Finish()) return bad("data");
  for (int64_t y = 0; reader.widens() && y < shape.height; ++y) {
    uint8_t* row = out + y * numbers * 2;
    for (int64_t i = numbers - 1; i >= 0; --i) {
      row[i * 2] = row[i * 2 + 1] = row[i];
    }
  }
  return OkStatus();
}

namespace {

struct PngWriter {
  png_structp png = nullptr;
  png_infop picture = nullptr;
  std::string* bytes = nullptr;

  ~PngWriter() {
    if (png != nullptr) png_destroy_write_struct(&png, &picture);
  }
  static void Take(png_structp p, png_bytep from, size_t n) {
    auto* writer = static_cast<PngWriter*>(png_get_io_ptr(p));
    bool done = true;
    // No exception may pass the library.
    try {
      writer->bytes->append(reinterpret_cast<const char*>(from), n);
    } catch (...) {
      done = false;
    }
    if (!done) png_error(p, "out of memory");
  }

  bool Begin(const PictureShape& shape, int bits, int compression) {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, JumpOut, Ignore);
    if (png == nullptr) return false;
    picture = png_create_info_struct(png);
    if (picture == nullptr || setjmp(png_jmpbuf(png))) return false;
    static constexpr int kKinds[] = {PNG_COLOR_TYPE_GRAY,
                                     PNG_COLOR_TYPE_GRAY_ALPHA,
                                     PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
    png_set_write_fn(png, this, Take, nullptr);
    png_set_compression_level(png, compression);
    png_set_compression_mem_level(png, MAX_MEM_LEVEL);
    png_set_IHDR(png, picture, shape.width, shape.height, bits,
                 kKinds[shape.channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, picture);
    if (bits > 8) png_set_swap(png);
    return true;
  }
  bool WriteRow(const uint8_t* row) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_write_row(png, row);
    return true;
  }
  bool Finish() {
    if (setjmp(png_jmpbuf(png))) return false;
    png_write_end(png, picture);
    return true;
  }
};

}  // namespace

Status WritePng(const void* pixels, const PictureShape& shape, int bits,
                int compression, std::string* bytes) {
  bytes->clear();
  PngWriter writer;
  writer.bytes = bytes;
  const Status bad = Internal("PNG encoding failed");
  if (shape.height <= 0 || shape.width <= 0 ||
      !writer.Begin(shape, bits, compression)) {
    return bad;
  }
  const int64_t stride = shape.width * shape.channels * bits / 8;
  for (int64_t y = 0; y < shape.height; ++y) {
    if ((y & 63) == 0) PollInterrupt();
    if (!writer.WriteRow(static_cast<const uint8_t*>(pixels) + y * stride)) {
      return bad;
    }
  }
  return writer.Finish() ? OkStatus() : bad;
}

}  // namespace gk
