// Strings in lower and upper case, in ASCII or UTF-8.
#include "ops/fn/string_case.h"

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// The next code point of UTF-8 text, or -1 for a byte that begins none.
int32_t NextCodePoint(std::string_view s, size_t* at) {
  const unsigned char lead = s[*at];
  const int more = lead < 0x80           ? 0
                   : (lead >> 5) == 0x06 ? 1
                   : (lead >> 4) == 0x0E ? 2
                   : (lead >> 3) == 0x1E ? 3
                                         : -1;
  if (more < 0 || *at + more >= s.size()) return -1;
  int32_t code = more == 0 ? lead : lead & (0x3F >> more);
  for (int i = 1; i <= more; ++i) {
    const unsigned char next = s[*at + i];
    if ((next & 0xC0) != 0x80) return -1;
    code = code << 6 | (next & 0x3F);
  }
  *at += more + 1;
  return code;
}

void AppendCodePoint(int32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xC0 | code >> 6));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | code >> 12));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | code >> 18));
    out->push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

// Letters whose cases lie a fixed distance apart: lower = upper + distance
// for upper in [first, last], every `step`-th one.
struct CaseRange {
  int32_t first, last, distance, step;
};
constexpr CaseRange kCases[] = {
    {0x41, 0x5A, 32, 1},       {0xC0, 0xD6, 32, 1},
    {0xD8, 0xDE, 32, 1},       {0x100, 0x12E, 1, 2},
    {0x132, 0x136, 1, 2},      {0x139, 0x147, 1, 2},
    {0x14A, 0x176, 1, 2},      {0x178, 0x178, -121, 1},
    {0x179, 0x17D, 1, 2},      {0x1CD, 0x1DB, 1, 2},
    {0x1DE, 0x1EE, 1, 2},      {0x1F8, 0x21E, 1, 2},
    {0x222, 0x232, 1, 2},      {0x386, 0x386, 38, 1},
    {0x388, 0x38A, 37, 1},     {0x38C, 0x38C, 64, 1},
    {0x38E, 0x38F, 63, 1},     {0x391, 0x3A1, 32, 1},
    {0x3A3, 0x3AB, 32, 1},     {0x3D8, 0x3EE, 1, 2},
    {0x400, 0x40F, 80, 1},     {0x410, 0x42F, 32, 1},
    {0x460, 0x480, 1, 2},      {0x48A, 0x4BE, 1, 2},
    {0x4C1, 0x4CD, 1, 2},      {0x4D0, 0x52E, 1, 2},
    {0x531, 0x556, 48, 1},     {0x10A0, 0x10C5, 7264, 1},
    {0x1E00, 0x1E94, 1, 2},    {0x1EA0, 0x1EFE, 1, 2},
    {0x2160, 0x216F, 16, 1},   {0x24B6, 0x24CF, 26, 1},
    {0x2C00, 0x2C2F, 48, 1},   {0x2C80, 0x2CE2, 1, 2},
    {0xA640, 0xA66C, 1, 2},    {0xA722, 0xA72E, 1, 2},
    {0xA732, 0xA76E, 1, 2},    {0xFF21, 0xFF3A, 32, 1},
    {0x10400, 0x10427, 40, 1},
};

int32_t ToLower(int32_t code) {
  for (const CaseRange& r : kCases) {
    if (code >= r.first && code <= r.last && (code - r.first) % r.step == 0) {
      return code + r.distance;
    }
  }
  return code;
}

int32_t ToUpper(int32_t code) {
  if (code == 0x3C2) return 0x3A3;  // final sigma
  if (code == 0xB5) return 0x39C;   // micro sign
  for (const CaseRange& r : kCases) {
    const int32_t upper = code - r.distance;
    if (upper >= r.first && upper <= r.last &&
        (upper - r.first) % r.step == 0) {
      return upper;
    }
  }
  return code;
}

template <bool kUpper>
std::string ConvertUtf8(const std::string& s) {
  std::string out;
  out.reserve(s.size());
  for (size_t at = 0; at < s.size();) {
    const int32_t code = NextCodePoint(s, &at);
    if (code < 0) {
      out += "\xEF\xBF\xBD";  // what stands for bytes that are no text
      ++at;
    } else if (kUpper && code == 0xDF) {
      out += "SS";
    } else {
      AppendCodePoint(kUpper ? ToUpper(code) : ToLower(code), &out);
    }
  }
  return out;
}

template <bool kUpper>
Status ComputeCase(KernelContext& c) {
  const std::string& encoding = c.attr<std::string>("encoding");
  if (!encoding.empty() && encoding != "utf-8") {
    return InvalidArgument(
        "only utf-8 or '' (no encoding) is supported, received {}", encoding);
  }
  const Tensor& x = c.input(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, x.shape(), &out));
  TurnPoll poll;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    poll();
    const std::string& s = x.data<std::string>()[i];
    std::string& to = out->data<std::string>()[i];
    if (!encoding.empty()) {
      to = ConvertUtf8<kUpper>(s);
      continue;
    }
    to = s;
    constexpr char kFirst = kUpper ? 'a' : 'A', kLast = kUpper ? 'z' : 'Z';
    for (char& ch : to) {
      if (ch >= kFirst && ch <= kLast) ch = static_cast<char>(ch ^ 0x20);
    }
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "StringLower",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "encoding: string = ''",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeCase<false>},
     .python = {.names = "strings.lower"},
     .doc = "Strings in lower case; only ASCII letters change unless encoding "
            "is 'utf-8'.",
     .example = ">>> tf.strings.lower('Fox').numpy()\nb'fox'"},

    {.name = "StringUpper",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "encoding: string = ''",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeCase<true>},
     .python = {.names = "strings.upper"},
     .doc = "Strings in upper case; only ASCII letters change unless encoding "
            "is 'utf-8'.",
     .example = ">>> tf.strings.upper('Fox').numpy()\nb'FOX'"},
};

}  // namespace

GK_REGISTER_OPS(string_case)

}  // namespace gk
