// Texts as code points, code points as texts, and texts in other encodings.
#include "ops/fn/string_unicode.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "kernels/unicode_text.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// What is done of bytes that are no characters.
struct Handling {
  bool strict = false, skips = false;
  bool controls = false;  // C0 controls are replaced, too
  int32_t replacement = kReplacementCharacter;
};

Status ReadHandling(KernelContext& c, bool reads_text, Handling* handling) {
  const std::string& errors = c.attr<std::string>("errors");
  handling->strict = errors == "strict";
  handling->skips = errors == "ignore";
  if (reads_text) {
    handling->controls = c.attr<bool>("replace_control_characters");
  }
  const int64_t code = c.attr<int64_t>("replacement_char");
  if (code < 0 || code > kMaxCodePoint) {
    return InvalidArgument("replacement_char out of unicode codepoint range");
  }
  handling->replacement = static_cast<int32_t>(code);
  return OkStatus();
}

StatusOr<std::unique_ptr<TextDecoder>> DecoderOf(KernelContext& c) {
  const std::string& name = c.attr<std::string>("input_encoding");
  std::unique_ptr<TextDecoder> decoder = TextDecoder::Make(name);
  if (decoder == nullptr) {
    return InvalidArgument("Could not create converter for input encoding: {}",
                           name);
  }
  return decoder;
}

Status IllFormed() {
  return InvalidArgument("Invalid formatting on input string");
}

TextForm FormOf(KernelContext& c) {
  const std::string& name = c.attr<std::string>("output_encoding");
  return name == "UTF-8"       ? TextForm::kUtf8
         : name == "UTF-16-BE" ? TextForm::kUtf16Be
                               : TextForm::kUtf32Be;
}

// ---- UnicodeDecode, UnicodeDecodeWithOffsets ----

Status DecodeShape(InferenceContext& c) {
  const PartialTensorShape& x = c.input(0);
  int64_t rows = 1;
  for (int i = 0; !x.unknown_rank() && i < x.rank(); ++i) {
    rows = rows < 0 || x.dim(i) < 0 ? kUnknownDim
                                    : MultiplyWithoutOverflow(rows, x.dim(i));
  }
  if (x.unknown_rank() || rows < 0) rows = kUnknownDim;
  c.set_output(0, {rows < 0 ? kUnknownDim : rows + 1});
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, {kUnknownDim});
  return OkStatus();
}

template <class T>
Status VectorOutput(KernelContext& c, int i, DataType dtype,
                    const std::vector<T>& values) {
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(
      i, dtype, TensorShape({static_cast<int64_t>(values.size())}), &out));
  std::copy(values.begin(), values.end(), out->data<T>());
  return OkStatus();
}

Status ComputeDecode(KernelContext& c) {
  const Tensor& x = c.input(0);
  Handling handling;
  GK_RETURN_IF_ERROR(ReadHandling(c, true, &handling));
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<TextDecoder> decoder, DecoderOf(c));
  const bool with_offsets = c.num_outputs() == 3;
  std::vector<int64_t> splits{0}, offsets;
  std::vector<int32_t> codes;
  bool failed = false;
  TurnPoll poll;
  for (int64_t i = 0; i < x.num_elements() && !failed; ++i) {
    int64_t at = 0;
    decoder->Decode(x.data<std::string>()[i], [&](int32_t code, int bytes,
                                                  bool malformed) {
      poll();
      failed |= malformed && handling.strict;
      const bool replaced = malformed || (handling.controls && code <= 0x1F);
      if (!replaced || !handling.skips) {
        codes.push_back(replaced ? handling.replacement : code);
        if (with_offsets) offsets.push_back(at);
      }
      at += bytes;
    });
    splits.push_back(static_cast<int64_t>(codes.size()));
  }
  if (failed) return IllFormed();
  GK_ASSIGN_OR_RETURN(
      Tensor rows,
      IntegerTensor(c.attr<DataType>("Tsplits"), splits,
                    TensorShape({static_cast<int64_t>(splits.size())})));
  c.set_output(0, std::move(rows));
  GK_RETURN_IF_ERROR(VectorOutput(c, 1, DataType::kInt32, codes));
  if (with_offsets) return VectorOutput(c, 2, DataType::kInt64, offsets);
  return OkStatus();
}

// ---- UnicodeEncode ----

Status EncodeShape(InferenceContext& c) {
  PartialTensorShape values, splits;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &values));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &splits));
  const int64_t n = splits.dim(0);
  if (n == 0) {
    return InvalidArgument("input_splits must hold at least one element");
  }
  c.set_output(0, {n < 0 ? kUnknownDim : n - 1});
  return OkStatus();
}

Status CheckSplits(const Tensor& values, const Tensor& splits,
                   std::vector<int64_t>* ends) {
  if (values.rank() != 1 || splits.rank() != 1) {
    return InvalidArgument(
        "Both the input_tensor and input_splits should be of rank 1. ");
  }
  GK_RETURN_IF_ERROR(IntegerValues(splits, ends));
  if (ends->empty()) {
    return InvalidArgument(
        "Input_splits should contain elements, but given input_values has 0 "
        "elements");
  }
  if (ends->front() != 0) {
    return InvalidArgument("First value in input_splits must be zero.");
  }
  if (ends->back() != values.num_elements()) {
    return InvalidArgument(
        "Last value in input_splits must be equal to length of input_tensor.");
  }
  if (!std::is_sorted(ends->begin(), ends->end())) {
    return InvalidArgument(
        "Values in input_splits must be equal or in ascending order.");
  }
  return OkStatus();
}

Status ComputeEncode(KernelContext& c) {
  Handling handling;
  GK_RETURN_IF_ERROR(ReadHandling(c, false, &handling));
  std::vector<int64_t> ends;
  GK_RETURN_IF_ERROR(CheckSplits(c.input(0), c.input(1), &ends));
  const TextForm form = FormOf(c);
  const auto rows = static_cast<int64_t>(ends.size()) - 1;
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kString, TensorShape({rows}), &out));
  const int32_t* codes = c.input(0).data<int32_t>();
  TurnPoll poll;
  for (int64_t i = 0; i < rows; ++i) {
    std::string text;
    CountText(ends[i + 1] - ends[i]);
    for (int64_t k = ends[i]; k < ends[i + 1]; ++k) {
      poll();
      int32_t code = codes[k];
      if (!IsScalarValue(code)) {
        if (handling.strict) {
          return InvalidArgument(
              "Code point is out of range for Unicode, or is a surrogate.");
        }
        if (handling.skips) continue;
        code = handling.replacement;
      }
      AppendCharacter(form, code, &text);
    }
    out->data<std::string>()[i] = std::move(text);
  }
  return OkStatus();
}

// ---- UnicodeTranscode ----

Status ComputeTranscode(KernelContext& c) {
  const Tensor& x = c.input(0);
  Handling handling;
  GK_RETURN_IF_ERROR(ReadHandling(c, true, &handling));
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<TextDecoder> decoder, DecoderOf(c));
  const TextForm form = FormOf(c);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, x.shape(), &out));
  bool failed = false;
  TurnPoll poll;
  for (int64_t i = 0; i < x.num_elements() && !failed; ++i) {
    const std::string& from = x.data<std::string>()[i];
    CountText(static_cast<int64_t>(from.size()));
    std::string text;
    decoder->Decode(from, [&](int32_t code, int, bool malformed) {
      poll();
      if (malformed || (handling.controls && code <= 0x1F)) {
        failed |= handling.strict;
        if (handling.skips) return;
        code = handling.replacement;
      }
      AppendCharacter(form, code, &text);
    });
    out->data<std::string>()[i] = std::move(text);
  }
  return failed ? IllFormed() : OkStatus();
}

// ---- UnicodeScript ----

Status ComputeScript(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt32, x.shape(), &out));
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    out->data<int32_t>()[i] = ScriptOf(x.data<int32_t>()[i]);
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "UnicodeDecode",
     .inputs = "input: string",
     .outputs = "row_splits: Tsplits; char_values: int32",
     .attrs = "input_encoding: string; errors: string in [strict, replace, "
              "ignore] = 'replace'; replacement_char: int = 65533; "
              "replace_control_characters: bool = False; Tsplits: type in "
              "[int32, int64] = int64",
     .traits = kNoGradient,
     .shape = DecodeShape,
     .kernel = {.compute = ComputeDecode},
     .doc = "The code points of all texts, and where those of each begin."},

    {.name = "UnicodeDecodeWithOffsets",
     .inputs = "input: string",
     .outputs = "row_splits: Tsplits; char_values: int32; "
                "char_to_byte_starts: int64",
     .attrs = "input_encoding: string; errors: string in [strict, replace, "
              "ignore] = 'replace'; replacement_char: int = 65533; "
              "replace_control_characters: bool = False; Tsplits: type in "
              "[int32, int64] = int64",
     .traits = kNoGradient,
     .shape = DecodeShape,
     .kernel = {.compute = ComputeDecode},
     .doc = "The code points of all texts, where those of each begin, and at "
            "which byte of its text each one does."},

    {.name = "UnicodeEncode",
     .inputs = "input_values: int32; input_splits: Tsplits",
     .outputs = "output: string",
     .attrs = "errors: string in [ignore, replace, strict] = 'replace'; "
              "output_encoding: string in [UTF-8, UTF-16-BE, UTF-32-BE]; "
              "replacement_char: int = 65533; Tsplits: type in [int32, int64] "
              "= int64",
     .traits = kNoGradient,
     .shape = EncodeShape,
     .kernel = {.compute = ComputeEncode},
     .doc = "A text of each row of code points."},

    {.name = "UnicodeTranscode",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "input_encoding: string; output_encoding: string in [UTF-8, "
              "UTF-16-BE, UTF-32-BE]; errors: string in [strict, replace, "
              "ignore] = 'replace'; replacement_char: int = 65533; "
              "replace_control_characters: bool = False",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeTranscode},
     .python = {.names = "strings.unicode_transcode"},
     .doc = "Texts in another encoding.",
     .example = ">>> tf.strings.unicode_transcode('a', 'UTF-8', 'UTF-16-BE')."
                "numpy().hex()\n'0061'"},

    {.name = "UnicodeScript",
     .inputs = "input: int32",
     .outputs = "output: int32",
     .attrs = "",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeScript},
     .python = {.names = "strings.unicode_script"},
     .doc = "The script that each code point belongs to, as ICU numbers them; "
            "-1 of what is no code point.",
     .example = ">>> tf.strings.unicode_script([1, 31, 38]).numpy().tolist()\n"
                "[0, 0, 0]"},
};

}  // namespace

GK_REGISTER_OPS(string_unicode)

}  // namespace gk
