// Lengths, case, ends and joints of strings.
#include "ops/fn/string_basic.h"

#include <algorithm>
#include <cctype>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "ops/element_moves.h"
#include "ops/string/put_text.h"

namespace gk {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Every byte of UTF-8 but those that continue a character.
int64_t CountCharacters(const std::string& s) {
  return std::count_if(s.begin(), s.end(),
                       [](char c) { return (c & 0xC0) != 0x80; });
}

Status ComputeLength(KernelContext& c) {
  const Tensor& x = c.input(0);
  const bool characters = c.attr<std::string>("unit") == "UTF8_CHAR";
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt32, x.shape(), &out));
  const std::string* const texts = x.data<std::string>();
  int32_t* const to = out->data<int32_t>();
  const int64_t n = x.num_elements();
  if (!characters) {
    for (int64_t i = 0; i < n; ++i) {
      to[i] = static_cast<int32_t>(texts[i].size());
    }
    return OkStatus();
  }
  TurnPoll poll;
  for (int64_t i = 0; i < n; ++i) {
    poll();
    to[i] = static_cast<int32_t>(CountCharacters(texts[i]));
  }
  return OkStatus();
}

Status ComputeStrip(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, x.shape(), &out));
  const std::string* const texts = x.data<std::string>();
  std::string* const to = out->data<std::string>();
  const int64_t n = x.num_elements();
  TurnPoll poll;
  for (int64_t i = 0; i < n; ++i) {
    poll();
    const std::string_view s = texts[i];
    size_t begin = 0, end = s.size();
    while (begin < end && IsSpace(s[begin])) ++begin;
    while (end > begin && IsSpace(s[end - 1])) --end;
    CountText(static_cast<int64_t>(end - begin));
    PutText(s.substr(begin, end - begin), &to[i]);
  }
  return OkStatus();
}

Status JoinShape(InferenceContext& c) {
  PartialTensorShape out = TensorShape();
  bool first = true;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const PartialTensorShape& s = c.input(i);
    if (s.unknown_rank()) {
      if (first) out = s;
      first = false;
      continue;
    }
    if (s.rank() == 0) continue;
    if (first) {
      out = s;
      first = false;
      continue;
    }
    GK_ASSIGN_OR_RETURN(out, out.MergeWith(s));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeJoin(KernelContext& c) {
  const std::string& separator = c.attr<std::string>("separator");
  TensorShape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const TensorShape& s = c.input(i).shape();
    if (s.rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = s;
    } else if (!(shape == s)) {
      return InvalidArgument("Input shapes do not match: {} vs. {}",
                             shape.DebugString(), s.DebugString());
    }
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, shape, &out));
  TurnPoll poll;
  for (int64_t k = 0; k < shape.num_elements(); ++k) {
    poll();
    const auto part = [&](int i) -> const std::string& {
      const Tensor& x = c.input(i);
      return x.data<std::string>()[x.rank() == 0 ? 0 : k];
    };
    int64_t size = separator.size() * std::max(0, c.num_inputs() - 1);
    for (int i = 0; i < c.num_inputs(); ++i) size += part(i).size();
    CountText(size);
    std::string joined;
    joined.reserve(size);
    for (int i = 0; i < c.num_inputs(); ++i) {
      if (i > 0) joined += separator;
      joined += part(i);
    }
    out->data<std::string>()[k] = std::move(joined);
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "StringLength",
     .inputs = "input: string",
     .outputs = "output: int32",
     .attrs = "unit: string in [BYTE, UTF8_CHAR] = 'BYTE'",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeLength},
     .python = {.names = "strings.length"},
     .doc = "The lengths of strings in bytes or UTF-8 characters.",
     .example = ">>> tf.strings.length(['ab', '']).numpy().tolist()\n[2, 0]"},

    {.name = "StringStrip",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeStrip},
     .python = {.names = "strings.strip"},
     .doc = "Strings without white space at their ends.",
     .example = ">>> tf.strings.strip(' a ').numpy()\nb'a'"},

    {.name = "StringJoin",
     .inputs = "inputs: N * string",
     .outputs = "output: string",
     .attrs = "N: int >= 0; separator: string = ''",
     .traits = kNoGradient,
     .shape = JoinShape,
     .kernel = {.compute = ComputeJoin},
     .python = {.names = "strings.join", .ragged = RaggedForm::kStringJoin},
     .doc = "Strings joined element by element; scalars go with every "
            "element.",
     .example = ">>> tf.strings.join(['a', 'b'], '-').numpy()\nb'a-b'"},
};

}  // namespace

GK_REGISTER_OPS(string_basic)

}  // namespace gk
