// Bytes as letters that may stand in names of files and addresses.
#include "ops/fn/string_base64.h"

#include <algorithm>
#include <array>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"

namespace gk {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<int8_t, 256> kValues = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kLetters.size(); ++i) {
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<int8_t>(i);
  }
  return values;
}();

// Three bytes are four letters; fewer at the end fewer.
std::string Encoded(const std::string& s, bool pad) {
  std::string out;
  CountText(static_cast<int64_t>(s.size() / 3 * 4 + 4));
  out.reserve(s.size() / 3 * 4 + 4);
  for (size_t i = 0; i < s.size(); i += 3) {
    const size_t n = std::min<size_t>(3, s.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 |
             (k < n ? static_cast<unsigned char>(s[i + k]) : uint32_t{0});
    }
    for (size_t k = 0; k < 4; ++k) {
      if (k <= n) {
        out.push_back(kLetters[bits >> (18 - 6 * k) & 0x3F]);
      } else if (pad) {
        out.push_back('=');
      }
    }
  }
  return out;
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
  out->clear();
  out->reserve(s.size() / 4 * 3 + 3);
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
      out->push_back(static_cast<char>(bits >> count & 0xFF));
    }
  }
  return OkStatus();
}

Status ComputeEncodeBase64(KernelContext& c) {
  const Tensor& x = c.input(0);
  const bool pad = c.attr<bool>("pad");
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, x.shape(), &out));
  TurnPoll poll;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    poll();
    out->data<std::string>()[i] = Encoded(x.data<std::string>()[i], pad);
  }
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
