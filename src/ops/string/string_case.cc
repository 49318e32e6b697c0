// Strings in lower and upper case, in ASCII or UTF-8.
#include "ops/fn/string_case.h"

#include <algorithm>
#include <cstring>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "kernels/unicode_text.h"
#include "ops/element_moves.h"
#include "ops/string/put_text.h"

namespace gk {
namespace {

// Letters of ASCII in the other case, eight bytes at a time; the last eight may
// be some of those before.
template <bool kUpper>
void ChangeCase(const char* from, size_t n, char* to) {
  constexpr uint64_t kEach = 0x0101010101010101;
  constexpr uint64_t kFirst = kUpper ? 'a' : 'A';
  const auto changed = [](uint64_t bytes) {
    // The highest bit of each byte tells that it is beyond 'a', or 'z'.
    const uint64_t low = bytes & 0x7F * kEach;
    const uint64_t from_a = low + (0x80 - kFirst) * kEach;
    const uint64_t beyond_z = low + (0x80 - kFirst - 26) * kEach;
    return bytes ^ ((from_a ^ beyond_z) & ~bytes & 0x80 * kEach) >> 2;
  };
  size_t done = 0;
  for (; n >= 8 && done < n; done += 8) {
    const size_t at = std::min(done, n - 8);
    uint64_t bytes;
    std::memcpy(&bytes, from + at, 8);
    bytes = changed(bytes);
    std::memcpy(to + at, &bytes, 8);
  }
  for (; done < n; ++done) {
    to[done] =
        static_cast<char>(changed(static_cast<unsigned char>(from[done])));
  }
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
  const std::string* const from = x.data<std::string>();
  std::string* const texts = out->data<std::string>();
  const int64_t count = x.num_elements();
  TurnPoll poll;
  for (int64_t i = 0; i < count; ++i) {
    poll();
    const std::string& s = from[i];
    std::string& to = texts[i];
    CountText(static_cast<int64_t>(s.size()));
    if (!encoding.empty()) {
      to = CasedText(s, kUpper);
      continue;
    }
    PutText(s, &to);
    ChangeCase<kUpper>(s.data(), s.size(), to.data());
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
