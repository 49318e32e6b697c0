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

// Three bytes are four letters; fewer at the end fewer.
void Encode(const std::string& s, bool pad, std::string* out) {
  const size_t whole = s.size() / 3, rest = s.size() % 3;
  const size_t tail = rest == 0 ? 0 : pad ? 4 : rest + 1;
  CountText(static_cast<int64_t>(whole * 4 + tail));
  *out = std::string(whole * 4 + tail, '=');
  const auto* from = reinterpret_cast<const unsigned char*>(s.data());
  char* to = out->data();
  const auto letter = [](uint32_t bits) { return kLetters[bits & 0x3F]; };
  for (size_t i = 0; i < whole; ++i, from += 3, to += 4) {
    const uint32_t bits =
        uint32_t{from[0]} << 16 | uint32_t{from[1]} << 8 | uint32_t{from[2]};
    std::memcpy(to, &kPairs[bits >> 12], 2);
    std::memcpy(to + 2, &kPairs[bits & 0xFFF], 2);
  }
  if (rest > 0) {
    const uint32_t bits =
        uint32_t{from[0]} << 16 | (rest == 2 ? uint32_t{from[1]} << 8 : 0);
    to[0] = letter(bits >> 18);
    to[1] = letter(bits >> 12);
    if (rest == 2) to[2] = letter(bits >> 6);
  }
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
                                       for (int64_t i = begin; i < end; ++i)
                                         Encode(from[i], pad, &to[i]);
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
