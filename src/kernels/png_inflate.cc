#include "kernels/png_inflate.h"

#include <libdeflate.h>
#include <png.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "kernels/picture_codec.h"

namespace gk {
namespace {

// The parts of a file: https://www.w3.org/TR/png-3/#5DataRep.
constexpr size_t kSignature = 8, kFrame = 12;  // length, type, checksum
// Of a deflate stream: https://www.rfc-editor.org/rfc/rfc1951#section-3.2.4.
constexpr size_t kStored = 65535, kStoredHead = 5;
constexpr size_t kZlibHead = 2, kZlibEnd = 4;
// What is smaller takes no time.
constexpr int64_t kWorthIt = 1 << 14;
constexpr int64_t kMost = int64_t{1} << 30;

uint32_t Big(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  }
  return value;
}
char* PutBig(uint32_t value, char* to) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    *to++ = static_cast<char>(value >> shift);
  }
  return to;
}

// Where the first chunk of pixels begins and the last one ends, and what they
// hold; they are neighbours.
struct Stream {
  size_t begin = 0, end = 0;
  std::string bytes;  // empty if one chunk holds it all
  std::string_view whole;
};

bool FindStream(std::string_view file, Stream* stream) {
  size_t at = kSignature;
  for (bool ended = false; !ended;) {
    if (file.size() < at + kFrame) return false;
    const uint64_t length = Big(file, at);
    if (length > file.size() - at - kFrame) return false;
    const std::string_view type = file.substr(at + 4, 4);
    const std::string_view data = file.substr(at + 8, length);
    if (libdeflate_crc32(0, type.data(), 4 + length) !=
        Big(file, at + 8 + length)) {
      return false;
    }
    if (type == "IDAT") {
      if (stream->begin == 0) {
        stream->begin = at;
        stream->whole = data;
      } else {
        if (at != stream->end) return false;
        if (stream->bytes.empty()) stream->bytes = stream->whole;
        stream->bytes += data;
      }
      stream->end = at + kFrame + length;
    }
    ended = type == "IEND";
    at += kFrame + length;
  }
  if (!stream->bytes.empty()) stream->whole = stream->bytes;
  return stream->begin != 0;
}

// By the header; 0 if it makes no sense.
int64_t SizeOfStream(std::string_view file) {
  constexpr size_t kHeader = kSignature + 8;
  if (file.size() < kHeader + 13 ||
      file.substr(kSignature + 4, 4) != std::string_view("IHDR")) {
    return 0;
  }
  const int64_t width = Big(file, kHeader), height = Big(file, kHeader + 4);
  const auto depth = static_cast<uint8_t>(file[kHeader + 8]);
  const auto kind = static_cast<uint8_t>(file[kHeader + 9]);
  const auto interlaced = static_cast<uint8_t>(file[kHeader + 12]);
  constexpr int kNumbers[] = {1, 0, 3, 1, 2, 0, 4};  // of a pixel, by kind
  if (kind > 6 || depth > 16 || interlaced > 1) return 0;
  if (width >= kMaxPictureSize || height >= kMaxPictureSize ||
      width * height >= kMaxPictureSize) {
    return 0;
  }
  const int64_t bits = kNumbers[kind] * depth;
  int64_t size = 0;
  for (int pass = 0; pass < 7; ++pass) {
    const int64_t rows = interlaced ? PNG_PASS_ROWS(height, pass) : height;
    const int64_t columns = interlaced ? PNG_PASS_COLS(width, pass) : width;
    if (columns > 0) size += rows * (1 + (columns * bits + 7) / 8);
    if (!interlaced) break;
  }
  return size;
}

}  // namespace

bool InflateAhead(std::string_view file, InflatedPng* inflated) {
  const int64_t size = SizeOfStream(file);
  if (size < kWorthIt || size > kMost) return false;
  Stream stream;
  if (!FindStream(file, &stream)) return false;
  const size_t blocks = (size + kStored - 1) / kStored;
  const size_t head = 8 + kZlibHead + blocks * kStoredHead;
  inflated->size = head + size + kZlibEnd + 4;
  inflated->pixels.reset(new (std::nothrow) char[inflated->size]);
  if (inflated->pixels == nullptr) return false;
  char* const pixels = inflated->pixels.get();
  const std::unique_ptr<libdeflate_decompressor,
                        decltype(&libdeflate_free_decompressor)>
      inflater(libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  if (inflater == nullptr ||
      libdeflate_zlib_decompress(inflater.get(), stream.whole.data(),
                                 stream.whole.size(), pixels + head, size,
                                 nullptr) != LIBDEFLATE_SUCCESS) {
    return false;
  }
  const uint32_t sum = libdeflate_adler32(1, pixels + head, size);
  char* to = PutBig(inflated->size - kFrame, pixels);
  to = std::copy_n("IDAT\x78\x01", 6, to);
  for (size_t i = 0; i < blocks; ++i) {
    const size_t from = i * kStored;
    const auto n = static_cast<uint16_t>(std::min(kStored, size - from));
    *to++ = i + 1 == blocks ? 1 : 0;
    for (const uint16_t number : {n, static_cast<uint16_t>(~n)}) {
      *to++ = static_cast<char>(number & 0xFF);
      *to++ = static_cast<char>(number >> 8);
    }
    // Blocks move towards the beginning, or stay where they are.
    std::memmove(to, pixels + head + from, n);
    to += n;
  }
  to = PutBig(sum, to);
  PutBig(libdeflate_crc32(0, pixels + 4, to - pixels - 4), to);
  inflated->before = file.substr(0, stream.begin);
  inflated->after = file.substr(stream.end);
  return true;
}

}  // namespace gk
