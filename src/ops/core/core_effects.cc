// Ops for the eye: assertions, printing, formatting, checks of values, time.
#include "ops/fn/core_effects.h"

#include <cmath>
#include <cstring>

#include "base/wall_time.h"
#include "framework/grad_context.h"
#include "framework/host_language.h"
#include "framework/op_registry.h"
#include "framework/tensor_text.h"
#include "framework/text_memory.h"
#include "io/files.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

Status AssertShape(InferenceContext& c) {
  PartialTensorShape condition;
  return c.WithRank(0, 0, &condition);
}

Status ComputeAssert(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"summarize"}));
  const Tensor& condition = c.input(0);
  if (!condition.shape().IsScalar()) {
    return InvalidArgument("In[0] should be a scalar: {}",
                           condition.shape().DebugString());
  }
  if (condition.scalar<bool>()) return OkStatus();
  std::string message = "assertion failed: ";
  const int64_t summarize = c.attr<int64_t>("summarize");
  for (int i = 1; i < c.num_inputs(); ++i) {
    message += Format("{}[{}]", i > 1 ? " " : "",
                      FirstValuesText(c.input(i), summarize));
  }
  return Status(Code::kInvalidArgument, std::move(message));
}

Status PrintShape(InferenceContext& c) {
  PartialTensorShape input;
  return c.WithRank(0, 0, &input);
}

constexpr std::string_view kFilePrefix = "file://";

Status AppendToFile(const std::string& path, const std::string& text) {
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<io::WritableFile> file,
                      io::OpenToWrite(path, io::WriteMode::kAppend));
  GK_RETURN_IF_ERROR(file->Append(text));
  return file->Close();
}

Status ComputePrint(KernelContext& c) {
  if (!c.input(0).shape().IsScalar()) {
    return InvalidArgument("Input is expected to be scalar, but got {}",
                           c.input(0).shape().DebugString());
  }
  const std::string text =
      c.input(0).scalar<std::string>() + c.attr<std::string>("end");
  const std::string& stream = c.attr<std::string>("output_stream");
  if (stream == "stdout")
    return HostLanguage::Get().Print(PrintStream::kStdout, text);
  if (stream == "stderr" || stream.starts_with("log(")) {
    return HostLanguage::Get().Print(PrintStream::kStderr, text);
  }
  if (stream.starts_with(kFilePrefix)) {
    return AppendToFile(stream.substr(kFilePrefix.size()), text);
  }
  return InvalidArgument(
      "Unknown output stream: {}, Valid streams are: stdout, stderr, log(info),"
      " log(warning), log(error), file://...",
      stream);
}

Status CheckPlaceholders(int64_t found, int64_t inputs) {
  if (found == inputs) return OkStatus();
  return InvalidArgument(
      "num placeholders in template and num inputs must match: {} vs. {}",
      found, inputs);
}

Status StringFormatShape(InferenceContext& c) {
  const std::string format = c.attr<std::string>("template");
  const std::string placeholder = c.attr<std::string>("placeholder");
  int64_t found = 0;
  size_t at = placeholder.empty() ? std::string::npos : 0;
  while (at != std::string::npos) {
    at = format.find(placeholder, at);
    if (at == std::string::npos) break;
    ++found;
    at += placeholder.size();
  }
  GK_RETURN_IF_ERROR(CheckPlaceholders(found, c.num_inputs()));
  return shape_fn::Scalar(c);
}

Status ComputeStringFormat(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"summarize"}));
  const std::string& format = c.attr<std::string>("template");
  const std::string& placeholder = c.attr<std::string>("placeholder");
  const int64_t summarize = c.attr<int64_t>("summarize");
  std::string text;
  size_t at = 0;
  int used = 0;
  while (!placeholder.empty()) {
    const size_t next = format.find(placeholder, at);
    if (next == std::string::npos) break;
    text.append(format, at, next - at);
    if (used < c.num_inputs()) {
      const std::string shown = BothEndsText(c.input(used), summarize);
      CountText(shown.size());
      text += shown;
    }
    ++used;
    at = next + placeholder.size();
  }
  text.append(format, at);
  GK_RETURN_IF_ERROR(CheckPlaceholders(used, c.num_inputs()));
  c.set_output(0, Tensor::Scalar(std::move(text)));
  return OkStatus();
}

Status ComputeTimestamp(KernelContext& c) {
  c.set_output(0, Tensor::Scalar(WallTime()));
  return OkStatus();
}

struct Found {
  bool nan = false, plus = false, minus = false;
};

Found FindNonFinite(const Tensor& t) {
  Found found;
  VisitType<half, bfloat16, float, double>(t.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
    // Sums of v * 0 are nan if anything is not finite, which is rare.
    C sum = 0;
    for (const T v : t.flat<T>()) sum += static_cast<C>(v) * C(0);
    if (sum == 0) return;
    for (const T e : t.flat<T>()) {
      const C v = static_cast<C>(e);
      found.nan |= std::isnan(v);
      found.plus |= std::isinf(v) && v > 0;
      found.minus |= std::isinf(v) && v < 0;
    }
  });
  return found;
}

template <bool kSigned>
Status ComputeCheckNumerics(KernelContext& c) {
  const Found found = FindNonFinite(c.input(0));
  std::vector<std::string_view> kinds;
  if (kSigned) {
    if (found.minus) kinds.push_back("-Inf");
    if (found.plus) kinds.push_back("+Inf");
  } else if (found.plus || found.minus) {
    kinds.push_back("Inf");
  }
  if (found.nan) kinds.push_back("NaN");
  if (kinds.empty()) {
    c.set_output(0, c.input(0).Alias());
    return OkStatus();
  }
  std::string list(kinds[0]);
  if (kinds.size() == 2) list += Format(" and {}", kinds[1]);
  if (kinds.size() == 3) list += Format(", {}, and {}", kinds[1], kinds[2]);
  return InvalidArgument("{} : Tensor had {} values",
                         c.attr<std::string>("message"), list);
}

template <Tensor (*kOp)(const Tensor&, std::string_view)>
void CheckNumericsGradient(GradContext& g) {
  g.Set(0, kOp(g.dy(0),
               "Not a number (NaN) or infinity (Inf) values detected in "
               "gradient. " +
                   g.attr<std::string>("message")));
}

const OpRecord kRecords[] = {
    {.name = "Assert",
     .inputs = "condition: bool; data: T",
     .outputs = "",
     .attrs = "T: list(type) >= 1; summarize: int = 3",
     .traits = kStateful | kNoGradient,
     .shape = AssertShape,
     .kernel = {.compute = ComputeAssert},
     .doc = "Fails with the values of `data` unless the condition holds."},

    {.name = "PrintV2",
     .inputs = "input: string",
     .outputs = "",
     .attrs = "output_stream: string = 'stderr'; end: string = '\n'",
     .traits = kStateful | kNoGradient,
     .shape = PrintShape,
     .kernel = {.compute = ComputePrint},
     .doc = "Prints a string to stdout, stderr or, named file://..., the end "
            "of a file."},

    {.name = "StringFormat",
     .inputs = "inputs: T",
     .outputs = "output: string",
     .attrs = "T: list(type) >= 0; template: string = '%s'; placeholder: "
              "string = '%s'; summarize: int = 3",
     .traits = kNoGradient,
     .shape = StringFormatShape,
     .kernel = {.compute = ComputeStringFormat},
     .doc = "A string with the values of tensors in place of the "
            "placeholders."},

    {.name = "Timestamp",
     .inputs = "",
     .outputs = "ts: double",
     .attrs = "",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeTimestamp},
     .python = {.names = "timestamp"},
     .doc = "The seconds since 1970-01-01 as the op runs.",
     .example = ">>> tf.timestamp().dtype\ntf.float64"},

    {.name = "CheckNumerics",
     .inputs = "tensor: T",
     .outputs = "output: T",
     .attrs = "T: type in [bfloat16, half, float, double]; message: string",
     .traits = kStateful | kPassesValues | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeCheckNumerics<false>},
     .gradient = CheckNumericsGradient<ops::CheckNumerics>,
     .python = {.names = "debugging.check_numerics"},
     .doc = "The input; fails if a value is infinite or not a number.",
     .example = ">>> tf.debugging.check_numerics([1., 2.], 'my "
                "values').numpy().tolist()\n[1.0, 2.0]"},

    {.name = "CheckNumericsV2",
     .inputs = "tensor: T",
     .outputs = "output: T",
     .attrs = "T: type in [bfloat16, half, float, double]; message: string",
     .traits = kStateful | kPassesValues | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeCheckNumerics<true>},
     .gradient = CheckNumericsGradient<ops::CheckNumericsV2>,
     .doc = "The input; fails if a value is infinite or not a number and says "
            "which signs there were."},
};

}  // namespace

GK_REGISTER_OPS(core_effects)

}  // namespace gk
