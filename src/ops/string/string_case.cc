// Strings in lower and upper case, in ASCII or UTF-8.
#include "ops/fn/string_case.h"

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "kernels/unicode_text.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

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
    to = s;
    constexpr auto kFirst = static_cast<uint8_t>(kUpper ? 'a' : 'A');
    char* const letters = to.data();
    const size_t n = to.size();
    for (size_t k = 0; k < n; ++k) {
      const auto letter = static_cast<uint8_t>(letters[k]);
      const bool changes = static_cast<uint8_t>(letter - kFirst) < 26;
      letters[k] = static_cast<char>(letter ^ (changes ? 0x20 : 0));
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
