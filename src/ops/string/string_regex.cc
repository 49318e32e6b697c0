// Texts matched against regular expressions, and rewritten by them.
#include "ops/fn/string_regex.h"

#include <memory>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/text_memory.h"
#include "ops/string/regex.h"

namespace gk {
namespace {

// One text, found in an input that must be a scalar.
Status ScalarText(const Tensor& t, std::string_view what,
                  const std::string** text) {
  if (t.rank() != 0) {
    return InvalidArgument("{} must be scalar, but received {}", what,
                           t.shape().DebugString());
  }
  *text = &t.scalar<std::string>();
  return OkStatus();
}

constexpr int64_t kMatchNanoseconds = 300;

Status Match(KernelContext& c, const std::string& pattern) {
  const Tensor& x = c.input(0);
  GK_ASSIGN_OR_RETURN(const std::shared_ptr<const Regex> regex,
                      Regex::Of(pattern));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kBool, x.shape(), &out));
  const std::string* from = x.data<std::string>();
  bool* to = out->data<bool>();
  ThreadPool::Global().ParallelRange(x.num_elements(), kMatchNanoseconds,
                                     [&](int64_t begin, int64_t end) {
                                       for (int64_t i = begin; i < end; ++i) {
                                         to[i] = regex->MatchesAll(from[i]);
                                       }
                                     });
  return OkStatus();
}

Status ComputeFullMatch(KernelContext& c) {
  const std::string* pattern = nullptr;
  GK_RETURN_IF_ERROR(ScalarText(c.input(1), "Pattern", &pattern));
  return Match(c, *pattern);
}

Status ComputeStaticFullMatch(KernelContext& c) {
  return Match(c, c.attr<std::string>("pattern"));
}

// What the text becomes is not known before; it has at most one replacement a
// byte and one more. Only what could be absurd is asked for.
void CheckRewritten(const std::string& text, const std::string& rewrite) {
  constexpr int64_t kLarge = int64_t{1} << 28;
  const auto most =
      static_cast<int64_t>((text.size() + 1) * (rewrite.size() + 1));
  if (most > kLarge) CountText(most);
}

Status Replace(KernelContext& c, const std::string& pattern,
               const std::string& rewrite) {
  const Tensor& x = c.input(0);
  GK_ASSIGN_OR_RETURN(const std::shared_ptr<const Regex> regex,
                      Regex::Of(pattern));
  const bool global = c.attr<bool>("replace_global");
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, x.shape(), &out));
  const std::string* from = x.data<std::string>();
  std::string* to = out->data<std::string>();
  ThreadPool::Global().ParallelRange(
      x.num_elements(), kMatchNanoseconds, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          CountText(static_cast<int64_t>(from[i].size()));
          CheckRewritten(from[i], rewrite);
          regex->Replace(from[i], rewrite, global, &to[i]);
        }
      });
  return OkStatus();
}

Status ComputeReplace(KernelContext& c) {
  const std::string *pattern = nullptr, *rewrite = nullptr;
  GK_RETURN_IF_ERROR(ScalarText(c.input(1), "Pattern", &pattern));
  GK_RETURN_IF_ERROR(ScalarText(c.input(2), "Rewrite", &rewrite));
  return Replace(c, *pattern, *rewrite);
}

Status ComputeStaticReplace(KernelContext& c) {
  return Replace(c, c.attr<std::string>("pattern"),
                 c.attr<std::string>("rewrite"));
}

Status TextsShape(InferenceContext& c) {
  PartialTensorShape scalar;
  for (int i = 1; i < c.num_inputs(); ++i) {
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &scalar));
  }
  c.set_output(0, c.input(0));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "RegexFullMatch",
     .inputs = "input: string; pattern: string",
     .outputs = "output: bool",
     .attrs = "",
     .traits = kNoGradient,
     .shape = TextsShape,
     .kernel = {.compute = ComputeFullMatch},
     .doc = "Does the regular expression match the whole of each text?"},

    {.name = "StaticRegexFullMatch",
     .inputs = "input: string",
     .outputs = "output: bool",
     .attrs = "pattern: string",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeStaticFullMatch},
     .doc = "Does the regular expression match the whole of each text?"},

    {.name = "RegexReplace",
     .inputs = "input: string; pattern: string; rewrite: string",
     .outputs = "output: string",
     .attrs = "replace_global: bool = True",
     .traits = kNoGradient,
     .shape = TextsShape,
     .kernel = {.compute = ComputeReplace},
     .doc = "Texts with what the regular expression matches replaced by "
            "rewrite, in which a backslash "
            "and a digit stand for a group of the match; the first one only "
            "unless replace_global."},

    {.name = "StaticRegexReplace",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "pattern: string; rewrite: string; replace_global: bool = True",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeStaticReplace},
     .doc = "Texts with what the regular expression matches replaced by "
            "rewrite."},
};

}  // namespace

GK_REGISTER_OPS(string_regex)

}  // namespace gk
