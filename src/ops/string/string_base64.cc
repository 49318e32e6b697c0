// Bytes as letters that may stand in names of files and addresses.
#include "ops/fn/string_base64.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"

namespace gk {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// The two letters of twelve bits, as they lie in memory.
constexpr std::array<std::array<char, 2>, 4096> kPairs = [] {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {kLetters[i >> 6], kLetters[i & 0x3F]};
  }
  return pairs;
}();

constexpr std::array<int8_t, 256> kValues = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kLetters.size(); ++i) {
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<int8_t>(i);
  }
  return values;
}();

size_t EncodedSize(size_t bytes, bool pad) {
  const size_t rest = bytes % 3;
  return bytes / 3 * 4 + (rest == 0 ? 0 : pad ? 4 : rest + 1);
}

// Three bytes are four letters; fewer at the end fewer.
void Encode(const std::string& s, bool pad, std::string* out) {
  const size_t size = EncodedSize(s.size(), pad);
  // Texts of most lengths are written where they are not cleared before.
  char room[256];
  const bool fits = size <= sizeof(room);
  if (!fits) out->resize(size);
  char* to = fits ? room : out->data();
  const auto* from = reinterpret_cast<const unsigned char*>(s.data());
  const auto* const end = from + s.size() / 3 * 3;
  // Eight bytes are read for six, where there are more.
  for (; end - from >= 8; from += 6, to += 8) {
    uint64_t bits;
    std::memcpy(&bits, from, 8);
    bits = __builtin_bswap64(bits);
    uint64_t letters = 0;
    for (int k = 0; k < 4; ++k) {
      uint16_t pair;
      std::memcpy(&pair, &kPairs[bits >> (52 - 12 * k) & 0xFFF], 2);
      letters |= uint64_t{pair} << (16 * k);
    }
    std::memcpy(to, &letters, 8);
  }
  for (; from != end; from += 3, to += 4) {
    const uint32_t bits =
        uint32_t{from[0]} << 16 | uint32_t{from[1]} << 8 | uint32_t{from[2]};
    std::memcpy(to, &kPairs[bits >> 12], 2);
    std::memcpy(to + 2, &kPairs[bits & 0xFFF], 2);
  }
  if (const size_t rest = s.size() % 3; rest > 0) {
    const uint32_t bits =
        uint32_t{from[0]} << 16 | (rest == 2 ? uint32_t{from[1]} << 8 : 0);
    const char last[] = {kLetters[bits >> 18], kLetters[bits >> 12 & 0x3F],
                         rest == 2 ? kLetters[bits >> 6 & 0x3F] : '=', '='};
    std::memcpy(to, last, pad ? 4 : rest + 1);
  }
  if (fits) *out = std::string(room, size);
}

Status Decode(std::string_view s, std::string* out) {
  // Only two letters and more may be padded to four.
  if (s.size() % 4 == 0) {
    for (int k = 0; k < 2 && s.ends_with('='); ++k) s.remove_suffix(1);
  }
  if (s.size() % 4 == 1) {
    return InvalidArgument("Base64 string length cannot be 1 modulo 4.");
  }
  CountText(static_cast<int64_t>(s.size()));
  out->resize(s.size() * 3 / 4);
  char* to = out->data();
  uint32_t bits = 0;
  int count = 0;
  for (const char c : s) {
    const int value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) {
      return InvalidArgument("Invalid character found in base64.");
    }
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      *to++ = static_cast<char>(bits >> count & 0xFF);
    }
  }
  return OkStatus();
}

Status ComputeEncodeBase64(KernelContext& c) {
  const Tensor& x = c.input(0);
  const bool pad = c.attr<bool>("pad");
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, x.shape(), &out));
  const std::string* from = x.data<std::string>();
  std::string* to = out->data<std::string>();
  ThreadPool::Global().ParallelRange(x.num_elements(), 50,
                                     [&](int64_t begin, int64_t end) {
                                       int64_t bytes = 0;
                                       for (int64_t i = begin; i < end; ++i) {
                                         bytes += static_cast<int64_t>(
                                             EncodedSize(from[i].size(), pad));
                                       }
                                       CountText(bytes);
                                       for (int64_t i = begin; i < end; ++i) {
                                         Encode(from[i], pad, &to[i]);
                                       }
                                     });
  return OkStatus();
}

Status ComputeDecodeBase64(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, x.shape(), &out));
  TurnPoll poll;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    poll();
    GK_RETURN_IF_ERROR(
        Decode(x.data<std::string>()[i], &out->data<std::string>()[i]));
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "EncodeBase64",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "pad: bool = False",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeEncodeBase64},
     .python = {.names = "io.encode_base64"},
     .doc = "Bytes as letters, digits, - and _; filled up with = to a multiple "
            "of four if pad.",
     .example = ">>> tf.io.encode_base64('ab').numpy()\nb'YWI'"},

    {.name = "DecodeBase64",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeDecodeBase64},
     .python = {.names = "io.decode_base64"},
     .doc = "The bytes that tf.io.encode_base64 made letters of.",
     .example = ">>> tf.io.decode_base64('YWI').numpy()\nb'ab'"},
};

}  // namespace

GK_REGISTER_OPS(string_base64)

}  // namespace gk
