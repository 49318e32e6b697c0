// Files of pictures: PNG, JPEG, GIF, BMP, WebP, by their own decoder and by
// what finds out the format. The corpus says which.
#include <cstring>
#include <string>

#include "driver/fuzz_target.h"
#include "driver/mutate_bytes.h"
#include "files/public_call.h"

namespace gk::fuzz {
namespace {

constexpr std::string_view kPng("\x89PNG\r\n\x1a\n", 8);

uint32_t Crc32(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1)));
    }
  }
  return ~crc;
}

uint32_t BigEndian(const char* p) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(p[i]);
  return value;
}

// Right checksums of PNG's chunks where the lengths lead.
void Mend(std::string* file) {
  if (!file->starts_with(kPng)) return;
  size_t at = kPng.size();
  while (at + 12 <= file->size()) {
    const size_t size = BigEndian(&(*file)[at]);
    if (size > file->size() - at - 12) return;
    const uint32_t crc =
        Crc32(std::string_view(*file).substr(at + 4, size + 4));
    for (int i = 0; i < 4; ++i) {
      (*file)[at + 8 + size + i] = static_cast<char>(crc >> (24 - 8 * i));
    }
    at += size + 12;
  }
}

void DecodeJpeg(const Tensor& file, Choices& choices) {
  const int64_t channels = choices.OneOf<int64_t>({0, 0, 1, 3});
  const int64_t ratio = choices.OneOf<int64_t>({1, 1, 2, 4, 8});
  const bool fancy = choices.Below(2) == 0;
  const bool recover = choices.Below(2) == 0;
  const double fraction = choices.OneOf<double>({1, 0.5, 0});
  CallTwice([&] {
    return std::vector{
        io::decode_jpeg(file, channels, ratio, fancy, recover, fraction)};
  });
  const Tensor window = {
      static_cast<int32_t>(choices.Below(5)),
      static_cast<int32_t>(choices.Below(5)),
      static_cast<int32_t>(1 + choices.Below(9)),
      static_cast<int32_t>(1 + choices.Below(9))};
  CallTwice([&] {
    return std::vector{io::decode_and_crop_jpeg(file, window, channels, ratio,
                                                fancy, recover, fraction)};
  });
  CallTwice([&] { return std::vector{io::extract_jpeg_shape(file)}; });
}

void Decode(const std::string& bytes) {
  Choices choices(bytes);
  const Tensor file(bytes);
  const int64_t channels = choices.OneOf<int64_t>({0, 0, 1, 3, 4});
  const bool animated = choices.Below(2) == 0;
  const auto dtype =
      choices.OneOf({DataType::kUint8, DataType::kUint16, DataType::kFloat});
  CallTwice([&] {
    return std::vector{io::decode_image(file, channels, dtype, animated)};
  });
  if (bytes.starts_with("GIF")) {
    CallTwice([&] { return std::vector{io::decode_gif(file)}; });
  } else if (bytes.starts_with("BM")) {
    CallTwice([&] { return std::vector{io::decode_bmp(file, channels)}; });
  } else if (bytes.starts_with("RIFF")) {
    CallTwice([&] { return std::vector{io::decode_webp(file, channels)}; });
  } else if (bytes.starts_with(kPng)) {
    const auto depth = choices.OneOf({DataType::kUint8, DataType::kUint16});
    CallTwice(
        [&] { return std::vector{io::decode_png(file, channels, depth)}; });
  } else {
    DecodeJpeg(file, choices);
  }
}

}  // namespace
}  // namespace gk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gk::fuzz::Decode({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  return gk::fuzz::MutateFile(data, size, max_size, seed, gk::fuzz::Mend);
}
