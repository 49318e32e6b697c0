// GIF and BMP, and which format bytes are of.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "kernels/picture_codec.h"

namespace gk {

PictureFormat PictureFormatOf(std::string_view bytes) {
  if (bytes.starts_with("\xff\xd8\xff")) return PictureFormat::kJpeg;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return PictureFormat::kPng;
  if (bytes.starts_with("GIF8")) return PictureFormat::kGif;
  if (bytes.starts_with("BM")) return PictureFormat::kBmp;
  if (bytes.starts_with("RIFF") && bytes.size() > 12 &&
      bytes.substr(8, 4) == "WEBP") {
    return PictureFormat::kWebp;
  }
  return PictureFormat::kUnknown;
}

namespace {

// Bytes one after the other; none when they are over.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::optional<int> Byte() {
    if (rest_.empty()) return std::nullopt;
    const int byte = static_cast<unsigned char>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
  std::optional<int> Word() {
    if (rest_.size() < 2) return std::nullopt;
    const int low = *Byte();
    return low | *Byte() << 8;
  }
  std::optional<std::string_view> Take(size_t n) {
    if (rest_.size() < n) return std::nullopt;
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  // A block behind its length; empty: the last.
  std::optional<std::string_view> Block() {
    const std::optional<int> n = Byte();
    if (!n) return std::nullopt;
    return Take(*n);
  }
  bool SkipBlocks() {
    while (true) {
      const auto block = Block();
      if (!block) return false;
      if (block->empty()) return true;
    }
  }

 private:
  std::string_view rest_;
};

struct GifFrame {
  int64_t left = 0, top = 0, width = 0, height = 0;
  std::string_view colors;  // three bytes each
  int transparent = -1;
  std::vector<uint8_t> pixels;  // numbers of colours
};

// The codes of a frame: strings of pixels, each one longer than one before.
class LzwReader {
 public:
  LzwReader(ByteReader& bytes, int size)
      : bytes_(bytes), size_(size), clear_(1 << size) {
    Reset();
  }

  // Up to `n` pixels; false if there are fewer.
  bool Read(int64_t n, std::vector<uint8_t>* out) {
    int before = -1;
    while (static_cast<int64_t>(out->size()) < n) {
      poll_();
      const std::optional<int> code = Code();
      if (!code || *code == clear_ + 1) return false;
      if (*code == clear_) {
        Reset();
        before = -1;
        continue;
      }
      if (*code > next_ || (before < 0 && *code >= clear_)) return false;
      if (*code == next_ && (next_ >= kCodes || before < 0)) return false;
      // The string, from its end; an entry that is about to be made begins
      // and ends as the last one began.
      const bool fresh = *code == next_;
      int at = fresh ? before : *code;
      stack_.clear();
      while (at >= clear_) {
        stack_.push_back(suffix_[at]);
        at = prefix_[at];
      }
      const uint8_t first = static_cast<uint8_t>(at);
      stack_.push_back(first);
      if (before >= 0 && next_ < kCodes) {
        prefix_[next_] = static_cast<uint16_t>(before);
        suffix_[next_] = first;
        ++next_;
        if (next_ == 1 << bits_ && bits_ < 12) ++bits_;
      }
      const int64_t room = n - static_cast<int64_t>(out->size());
      const int64_t length =
          static_cast<int64_t>(stack_.size()) + (fresh ? 1 : 0);
      for (int64_t i = 0; i < std::min(room, length); ++i) {
        out->push_back(i < static_cast<int64_t>(stack_.size())
                           ? stack_[stack_.size() - 1 - i]
                           : first);
      }
      before = *code;
    }
    return true;
  }

 private:
  static constexpr int kCodes = 4096;

  void Reset() {
    next_ = clear_ + 2;
    bits_ = size_ + 1;
  }
  std::optional<int> Code() {
    while (held_ < bits_) {
      if (block_.empty()) {
        const auto block = bytes_.Block();
        if (!block || block->empty()) return std::nullopt;
        block_ = *block;
      }
      buffer_ |= static_cast<uint32_t>(static_cast<unsigned char>(block_[0]))
                 << held_;
      block_.remove_prefix(1);
      held_ += 8;
    }
    const int code = static_cast<int>(buffer_ & ((1u << bits_) - 1));
    buffer_ >>= bits_;
    held_ -= bits_;
    return code;
  }

  ByteReader& bytes_;
  int size_, clear_, next_ = 0, bits_ = 0;
  uint32_t buffer_ = 0;
  int held_ = 0;
  std::string_view block_;
  uint16_t prefix_[kCodes] = {};
  uint8_t suffix_[kCodes] = {};
  std::vector<uint8_t> stack_;
  TurnPoll poll_;
};

// One frame behind its mark; false if its data ends or makes no sense.
bool ReadFrame(ByteReader& bytes, std::string_view colors, GifFrame* frame) {
  const auto left = bytes.Word(), top = bytes.Word(), width = bytes.Word(),
             height = bytes.Word();
  const auto flags = bytes.Byte();
  if (!left || !top || !width || !height || !flags) return false;
  frame->left = *left;
  frame->top = *top;
  frame->width = *width;
  frame->height = *height;
  frame->colors = colors;
  if (*flags & 0x80) {
    const auto own = bytes.Take(3 << ((*flags & 7) + 1));
    if (!own) return false;
    frame->colors = *own;
  }
  const int64_t n = frame->width * frame->height;
  const auto size = bytes.Byte();
  if (!size || *size < 1 || *size > 8 || n <= 0 || n >= kMaxPictureSize) {
    return false;
  }
  LzwReader codes(bytes, *size);
  if (!codes.Read(n, &frame->pixels) || !bytes.SkipBlocks()) return false;
  if (*flags & 0x40) {
    // Every eighth line, then those between, and so on.
    std::vector<uint8_t> lines(n);
    int64_t from = 0;
    static constexpr int kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
    for (int pass = 0; pass < 4; ++pass) {
      for (int64_t y = kFirst[pass]; y < frame->height; y += kStep[pass]) {
        std::copy_n(frame->pixels.begin() + from * frame->width, frame->width,
                    lines.begin() + y * frame->width);
        ++from;
      }
    }
    frame->pixels = std::move(lines);
  }
  return true;
}

// Whole frames up to the end, or up to what makes no sense.
std::vector<GifFrame> ReadFrames(ByteReader& bytes, std::string_view colors,
                                 bool all) {
  std::vector<GifFrame> frames;
  int transparent = -1;
  while (const auto mark = bytes.Byte()) {
    if (*mark == 0x21) {
      const auto kind = bytes.Byte();
      if (!kind) break;
      if (*kind == 0xf9) {
        const auto block = bytes.Block();
        if (!block) break;
        if (block->size() == 4 && ((*block)[0] & 1)) {
          transparent = static_cast<unsigned char>((*block)[3]);
        }
        if (block->empty()) continue;
      }
      if (!bytes.SkipBlocks()) break;
    } else if (*mark == 0x2c) {
      GifFrame frame;
      if (!ReadFrame(bytes, colors, &frame)) break;
      frame.transparent = std::exchange(transparent, -1);
      frames.push_back(std::move(frame));
      if (!all) break;
    } else {
      break;
    }
  }
  return frames;
}

// A frame over what was there before.
Status Paint(const GifFrame& frame, size_t number, int64_t height,
             int64_t width, uint8_t* to) {
  const int64_t right = std::min(frame.left + frame.width, width);
  const int64_t bottom = std::min(frame.top + frame.height, height);
  const int64_t colors = static_cast<int64_t>(frame.colors.size()) / 3;
  if (colors == 0) {
    return InvalidArgument("missing color map for frame {}", number);
  }
  for (int64_t y = frame.top; y < bottom; ++y) {
    const uint8_t* from = frame.pixels.data() + (y - frame.top) * frame.width;
    for (int64_t x = frame.left; x < right; ++x) {
      const int color = from[x - frame.left];
      if (color == frame.transparent) continue;
      if (color >= colors) {
        return InvalidArgument(
            "found color index {} outside of color map range {}", color,
            colors);
      }
      std::memcpy(to + (y * width + x) * 3, frame.colors.data() + color * 3, 3);
    }
  }
  return OkStatus();
}

}  // namespace

Status ReadGif(std::string_view bytes, bool all_frames, PixelMaker make) {
  const auto bad = [&](std::string_view what) {
    return InvalidArgument("Invalid GIF data (size {}), {}", bytes.size(),
                           what);
  };
  ByteReader reader(bytes);
  const auto head = reader.Take(13);
  if (!head) {
    return bad("failed to open gif file: No screen descriptor detected");
  }
  std::string_view colors;
  if (const int flags = static_cast<unsigned char>((*head)[10]); flags & 0x80) {
    const auto shared = reader.Take(3 << ((flags & 7) + 1));
    if (!shared) {
      return bad("failed to open gif file: No screen descriptor detected");
    }
    colors = *shared;
  }
  const std::vector<GifFrame> frames = ReadFrames(reader, colors, all_frames);
  if (frames.empty()) {
    return bad("failed to slurp gif file: Failed to read from given file");
  }
  PictureShape shape{static_cast<int64_t>(frames.size()), 0, 0, 3};
  for (const GifFrame& frame : frames) {
    shape.height = std::max(shape.height, frame.height);
    shape.width = std::max(shape.width, frame.width);
  }
  if (shape.height * shape.width >= kMaxPictureSize) {
    return bad("the picture is too large");
  }
  GK_ASSIGN_OR_RETURN(void* pixels, make(shape));
  const int64_t size = shape.height * shape.width * 3;
  for (size_t i = 0; i < frames.size(); ++i) {
    PollInterrupt();
    uint8_t* to = static_cast<uint8_t*>(pixels) + i * size;
    if (i == 0) {
      std::memset(to, 0, size);
    } else {
      std::memcpy(to, to - size, size);
    }
    if (Status s = Paint(frames[i], i, shape.height, shape.width, to);
        !s.ok()) {
      return bad(s.message());
    }
  }
  return OkStatus();
}

Status ReadBmp(std::string_view bytes, int channels, PixelMaker make) {
  constexpr size_t kHead = 32;
  if (bytes.size() < kHead) {
    return InvalidArgument(
        "Incomplete bmp content, requires at least 32 bytes to find the "
        "header size, width, height, and bpp, got {} bytes",
        bytes.size());
  }
  const auto number = [&](size_t at) {
    int32_t v;
    std::memcpy(&v, bytes.data() + at, sizeof(v));
    return int64_t{v};
  };
  const int64_t header = number(10), width = number(18);
  const bool from_top = number(22) < 0;
  const int64_t height = std::abs(number(22));
  const int bits = static_cast<unsigned char>(bytes[28]) |
                   static_cast<unsigned char>(bytes[29]) << 8;
  const int held = bits / 8;
  if (held != 1 && held != 3 && held != 4) {
    return InvalidArgument(
        "Number of channels inherent in the image must be 1, 3 or 4, was {}",
        held);
  }
  if (header < 0) {
    return InvalidArgument("header size must be >= 0, got {}", header);
  }
  if (width <= 0) {
    return InvalidArgument("BMP width must be positive, got {}", width);
  }
  if (height == 0) return InvalidArgument("BMP height must not be 0");
  // Lines are filled up to whole words.
  const int64_t stride = (held * 8 * width + 31) / 32 * 4;
  const int64_t size = static_cast<int64_t>(bytes.size());
  if (height > size || stride > size || header + stride * height != size) {
    return InvalidArgument(
        "Input size should match (header_size + row_size * abs_height) but "
        "they differ by {}",
        height > size || stride > size ? -size
                                       : size - header - stride * height);
  }
  const int made = channels == 0 ? held : channels;
  GK_ASSIGN_OR_RETURN(void* pixels, make(PictureShape{1, height, width, made}));
  auto* to = static_cast<uint8_t*>(pixels);
  for (int64_t y = 0; y < height; ++y) {
    const auto* from = reinterpret_cast<const uint8_t*>(bytes.data()) + header +
                       (from_top ? y : height - 1 - y) * stride;
    for (int64_t x = 0; x < width; ++x, from += held, to += made) {
      if (held == 1) {
        to[0] = from[0];
        if (made >= 3) to[1] = to[2] = from[0];
      } else {
        to[0] = from[2];
        to[1] = from[1];
        to[2] = from[0];
      }
      if (made == 4) to[3] = held == 4 ? from[3] : 255;
    }
  }
  return OkStatus();
}

}  // namespace gk
