// JPEG, by libjpeg. Its errors jump: between a setjmp and the calls it guards
// stand no objects that would have to be destroyed.
#include <setjmp.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

// Needs some of the above.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "base/interrupt.h"
#include "kernels/picture_codec.h"

namespace gk {
namespace {

struct JpegErrors {
  jpeg_error_mgr manager;
  jmp_buf jump;
  Status interrupt;  // why what was OK has ended

  template <class Info>
  void Attach(Info* info) {
    info->err = jpeg_std_error(&manager);
    info->client_data = this;
    manager.error_exit = [](j_common_ptr c) {
      longjmp(static_cast<JpegErrors*>(c->client_data)->jump, 1);
    };
    manager.output_message = [](j_common_ptr) {};
  }
};

// What asks whether to go on, and ends pictures of absurdly many scans.
struct JpegProgress {
  static constexpr int kMaxScans = 1000;

  jpeg_progress_mgr manager{};

  void Attach(j_common_ptr info) {
    manager.progress_monitor = [](j_common_ptr c) {
      auto* errors = static_cast<JpegErrors*>(c->client_data);
      if (Status s = CheckInterrupt(); !s.ok()) {
        errors->interrupt = std::move(s);
        longjmp(errors->jump, 1);
      }
      if (c->is_decompressor &&
          reinterpret_cast<j_decompress_ptr>(c)->input_scan_number >
              kMaxScans) {
        longjmp(errors->jump, 1);
      }
    };
    info->progress = &manager;
  }
};

// The bytes; where they end too early an end of the picture may be made up,
// once.
struct JpegSource {
  jpeg_source_mgr manager{};
  bool recover = false;
  const JOCTET* begin = nullptr;
  // Where data was last read again, and how often.
  static constexpr int kMaxStuck = 1000;
  const JOCTET* stuck_at = nullptr;
  int stuck = 0;

  void Attach(j_decompress_ptr info, std::string_view bytes) {
    begin = reinterpret_cast<const JOCTET*>(bytes.data());
    manager.next_input_byte = begin;
    manager.bytes_in_buffer = bytes.size();
    manager.init_source = [](j_decompress_ptr) {};
    manager.term_source = [](j_decompress_ptr) {};
    manager.resync_to_restart = jpeg_resync_to_restart;
    manager.fill_input_buffer = Fill;
    manager.skip_input_data = [](j_decompress_ptr c, long n) {
      if (n <= 0) return;
      const size_t skipped =
          std::min(static_cast<size_t>(n), c->src->bytes_in_buffer);
      c->src->next_input_byte += skipped;
      c->src->bytes_in_buffer -= skipped;
    };
    info->src = &manager;
  }

  static boolean Fill(j_decompress_ptr c) {
    static constexpr JOCTET kEnd[2] = {0xff, JPEG_EOI};
    auto* source = reinterpret_cast<JpegSource*>(c->src);
    // Some data is left, which was no whole unit: it is read again, as
    // TensorFlow does, but not for ever.
    if (source->manager.bytes_in_buffer > 0) {
      if (!source->recover) return FALSE;
      const bool moved = source->manager.next_input_byte != source->stuck_at;
      source->stuck_at = source->manager.next_input_byte;
      source->stuck = moved ? 0 : source->stuck + 1;
      if (source->stuck < kMaxStuck) return TRUE;
      ERREXIT(c, JERR_FILE_READ);
    }
    if (source->manager.next_input_byte == source->begin) {
      ERREXIT(c, JERR_INPUT_EMPTY);
    }
    const bool ended = source->manager.next_input_byte == kEnd + 2;
    if (ended || !source->recover) ERREXIT(c, JERR_FILE_READ);
    source->manager.next_input_byte = kEnd;
    source->manager.bytes_in_buffer = 2;
    return TRUE;
  }
};

class JpegReader {
 public:
  JpegReader(std::string_view bytes, bool recover) : bytes_(bytes) {
    source_.recover = recover;
    errors_.Attach(&info_);
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  jpeg_decompress_struct& info() { return info_; }
  const Status& interrupt() const { return errors_.interrupt; }

  bool ReadHeader() {
    if (setjmp(errors_.jump)) return false;
    jpeg_create_decompress(&info_);
    source_.Attach(&info_, bytes_);
    progress_.Attach(reinterpret_cast<j_common_ptr>(&info_));
    return jpeg_read_header(&info_, TRUE) == JPEG_HEADER_OK;
  }
  bool ComputeSizes() {
    if (setjmp(errors_.jump)) return false;
    jpeg_calc_output_dimensions(&info_);
    return true;
  }
  bool Start() {
    if (setjmp(errors_.jump)) return false;
    return jpeg_start_decompress(&info_);
  }
  // Columns from `left` on, at a place the library chooses before it.
  bool Crop(JDIMENSION left, JDIMENSION width, JDIMENSION top) {
    if (setjmp(errors_.jump)) return false;
    jpeg_crop_scanline(&info_, &left, &width);
    return jpeg_skip_scanlines(&info_, top) == top;
  }
  // 1: a line; 0: there is none; -1: an error.
  int ReadLine(JSAMPLE* line) {
    if (setjmp(errors_.jump)) return -1;
    return static_cast<int>(jpeg_read_scanlines(&info_, &line, 1));
  }
  bool Finish() {
    if (setjmp(errors_.jump)) return false;
    return jpeg_finish_decompress(&info_);
  }

 private:
  jpeg_decompress_struct info_{};
  JpegErrors errors_;
  JpegProgress progress_;
  JpegSource source_;
  std::string_view bytes_;
};

Status BadJpeg(const JpegReader& reader) {
  if (!reader.interrupt().ok()) return reader.interrupt();
  return InvalidArgument(
      "jpeg::Uncompress failed. Invalid JPEG data or crop window.");
}

// One pixel of four inks as red, green and blue; Adobe writes inks inverted.
void FromInks(const JSAMPLE* inks, bool inverted, uint8_t* rgb) {
  const auto light = [&](int ink) { return inverted ? ink : 255 - ink; };
  for (int i = 0; i < 3; ++i) {
    rgb[i] = static_cast<uint8_t>(light(inks[3]) * light(inks[i]) / 255);
  }
}

// The lines of the picture; how many there were.
StatusOr<int64_t> ReadLines(JpegReader& reader, const JpegReading& how,
                            const PictureShape& shape, uint8_t* out) {
  jpeg_decompress_struct& info = reader.info();
  const bool inks = info.out_color_space == JCS_CMYK;
  const int64_t source_channels = inks ? 4 : shape.channels;
  // A crop begins where a block does.
  const int64_t before =
      (static_cast<int64_t>(info.output_width) - shape.width) * source_channels;
  const bool aside = inks || how.crops;
  std::vector<JSAMPLE> line(
      aside ? static_cast<int64_t>(info.output_width) * source_channels : 0);
  const int64_t stride = shape.width * shape.channels;
  for (int64_t y = 0; y < shape.height; ++y) {
    if ((y & 63) == 0) PollInterrupt();
    uint8_t* to = out + y * stride;
    const int n = reader.ReadLine(aside ? line.data() : to);
    if (n < 0) return BadJpeg(reader);
    if (n == 0) {
      std::memset(to, 0, (shape.height - y) * stride);
      return how.recover ? shape.height : y;
    }
    if (inks) {
      for (int64_t x = 0; x < shape.width; ++x) {
        FromInks(line.data() + before + x * 4, info.saw_Adobe_marker,
                 to + x * 3);
      }
    } else if (how.crops) {
      std::memcpy(to, line.data() + before, stride);
    }
  }
  return shape.height;
}

}  // namespace

Status ReadJpegShape(std::string_view bytes, PictureShape* shape) {
  JpegReader reader(bytes, false);
  if (!reader.ReadHeader() || !reader.ComputeSizes()) {
    return InvalidArgument("Invalid JPEG data, size {}", bytes.size());
  }
  const jpeg_decompress_struct& info = reader.info();
  *shape = {1, info.output_height, info.output_width, info.num_components};
  return OkStatus();
}

Status ReadJpeg(std::string_view bytes, const JpegReading& how,
                PixelMaker make) {
  JpegReader reader(bytes, how.recover);
  if (!reader.ReadHeader()) return BadJpeg(reader);
  jpeg_decompress_struct& info = reader.info();
  const int channels =
      how.channels == 0 ? std::min(info.num_components, 3) : how.channels;
  if (channels == 1) {
    info.out_color_space = JCS_GRAYSCALE;
  } else if (channels == 3) {
    const bool inks =
        info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    info.out_color_space = inks ? JCS_CMYK : JCS_RGB;
  } else {
    return BadJpeg(reader);
  }
  info.do_fancy_upsampling = how.smooth_upscaling;
  info.scale_num = 1;
  info.scale_denom = how.ratio;
  info.dct_method = how.accurate ? JDCT_ISLOW : JDCT_IFAST;
  if (!reader.ComputeSizes()) return BadJpeg(reader);
  PictureShape shape{1, info.output_height, info.output_width, channels};
  // Before any memory of that size is asked for.
  if (shape.height <= 0 || shape.width <= 0 ||
      shape.height * shape.width * info.num_components >= kMaxPictureSize) {
    return BadJpeg(reader);
  }
  if (!reader.Start()) return BadJpeg(reader);
  if (how.crops) {
    const bool fits = how.top >= 0 && how.left >= 0 && how.height > 0 &&
                      how.width > 0 && how.height <= shape.height &&
                      how.width <= shape.width &&
                      how.top <= shape.height - how.height &&
                      how.left <= shape.width - how.width;
    if (!fits || !reader.Crop(how.left, how.width, how.top)) {
      return BadJpeg(reader);
    }
    shape.height = how.height;
    shape.width = how.width;
  }
  GK_ASSIGN_OR_RETURN(void* pixels, make(shape));
  GK_ASSIGN_OR_RETURN(
      const int64_t lines,
      ReadLines(reader, how, shape, static_cast<uint8_t*>(pixels)));
  const float part =
      static_cast<float>(lines) / static_cast<float>(shape.height);
  if (part < std::min(1.0f, how.least)) return BadJpeg(reader);
  if (!how.crops && lines == shape.height && !reader.Finish()) {
    return BadJpeg(reader);
  }
  return OkStatus();
}

namespace {

// Compressed bytes, in pieces that end up in a string.
struct JpegSink {
  static constexpr size_t kPiece = 1 << 16;

  jpeg_destination_mgr manager{};
  JOCTET piece[kPiece];
  std::string* bytes = nullptr;

  void Attach(j_compress_ptr info, std::string* to) {
    bytes = to;
    manager.init_destination = [](j_compress_ptr c) {
      Of(c)->manager.next_output_byte = Of(c)->piece;
      Of(c)->manager.free_in_buffer = kPiece;
    };
    manager.empty_output_buffer = [](j_compress_ptr c) -> boolean {
      if (!Of(c)->Take(kPiece)) ERREXIT(c, JERR_OUT_OF_MEMORY);
      return TRUE;
    };
    manager.term_destination = [](j_compress_ptr c) {
      if (!Of(c)->Take(kPiece - Of(c)->manager.free_in_buffer)) {
        ERREXIT(c, JERR_OUT_OF_MEMORY);
      }
    };
    info->dest = &manager;
  }
  static JpegSink* Of(j_compress_ptr c) {
    return reinterpret_cast<JpegSink*>(c->dest);
  }
  // No exception may pass the library.
  bool Take(size_t n) {
    try {
      bytes->append(reinterpret_cast<const char*>(piece), n);
    } catch (...) {
      return false;
    }
    manager.next_output_byte = piece;
    manager.free_in_buffer = kPiece;
    return true;
  }
};

struct JpegWriter {
  jpeg_compress_struct info{};
  JpegErrors errors;
  JpegProgress progress;
  JpegSink sink;

  JpegWriter() { errors.Attach(&info); }
  ~JpegWriter() { jpeg_destroy_compress(&info); }

  bool Write(const uint8_t* pixels, const PictureShape& shape,
             const JpegWriting& how, const JOCTET* xmp, size_t xmp_size,
             std::string* bytes) {
    if (setjmp(errors.jump)) return false;
    jpeg_create_compress(&info);
    sink.Attach(&info, bytes);
    progress.Attach(reinterpret_cast<j_common_ptr>(&info));
    info.image_width = shape.width;
    info.image_height = shape.height;
    info.input_components = static_cast<int>(shape.channels);
    info.in_color_space = shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    if (how.small) info.optimize_coding = TRUE;
    info.density_unit = how.per_inch ? 1 : 2;
    info.X_density = static_cast<UINT16>(how.x_density);
    info.Y_density = static_cast<UINT16>(how.y_density);
    jpeg_set_quality(&info, how.quality, TRUE);
    if (how.progressive) jpeg_simple_progression(&info);
    if (!how.fewer_colors) {
      for (int i = 0; i < info.num_components; ++i) {
        info.comp_info[i].h_samp_factor = 1;
        info.comp_info[i].v_samp_factor = 1;
      }
    }
    jpeg_start_compress(&info, TRUE);
    if (xmp_size > 0) {
      jpeg_write_marker(&info, JPEG_APP0 + 1, xmp,
                        static_cast<unsigned int>(xmp_size));
    }
    while (info.next_scanline < info.image_height) {
      JSAMPROW row = const_cast<JSAMPROW>(
          pixels + static_cast<int64_t>(info.next_scanline) * shape.width *
                       shape.channels);
      jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    return true;
  }
};

}  // namespace

Status WriteJpeg(const uint8_t* pixels, const PictureShape& shape,
                 const JpegWriting& how, std::string* bytes) {
  std::string xmp;
  if (!how.xmp.empty()) {
    xmp = "http://ns.adobe.com/xap/1.0/";
    xmp.push_back('\0');
    xmp += how.xmp;
  }
  const auto writer = std::make_unique<JpegWriter>();
  bytes->clear();
  const bool done = shape.height > 0 && shape.width > 0 &&
                    writer->Write(pixels, shape, how,
                                  reinterpret_cast<const JOCTET*>(xmp.data()),
                                  xmp.size(), bytes);
  if (!writer->errors.interrupt.ok()) return writer->errors.interrupt;
  if (!done)
    return Internal(
        "JPEG encoding failed: the image (of images) is empty or too large");
  return OkStatus();
}

}  // namespace gk
