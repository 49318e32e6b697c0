// XlaCallModule: functions of JAX, as modules of StableHLO. Who runs them is
// the business of the language above (framework/host_language.h).
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "framework/host_language.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

constexpr char kPlatform[] = "CPU";
constexpr int64_t kOldestVersion = 4, kNewestVersion = 10;
// Assertions about shapes are in modules from here on.
constexpr int64_t kVersionOfAssertions = 7;
// Tokens are no arguments any more.
constexpr int64_t kVersionWithoutTokens = 9;

using Strings = std::vector<std::string>;

std::string Joined(const Strings& texts) {
  std::string all;
  for (const std::string& text : texts) {
    if (!all.empty()) all += ", ";
    all += text;
  }
  return all;
}

bool Has(const Strings& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

Status CheckVersion(const KernelContext& c) {
  const auto version = c.attr<int64_t>("version");
  if (version < kOldestVersion) {
    return InvalidArgument(
        "XlaCallModuleOp with version {} is not supported anymore. Must be "
        ">= {}",
        version, kOldestVersion);
  }
  if (version > kNewestVersion) {
    return InvalidArgument(
        "XlaCallModuleOp with version {} is not supported by this build. Must "
        "be <= {}",
        version, kNewestVersion);
  }
  if (!c.attr<Strings>("dim_args_spec").empty()) {
    return Unimplemented("dim_args_spec attribute is no longer supported");
  }
  if (version < kVersionWithoutTokens &&
      c.attr<bool>("has_token_input_output")) {
    return Unimplemented(
        "XlaCallModule of version {} with has_token_input_output: tokens are "
        "ordered effects of a JAX function (callbacks, prints), which cannot "
        "be run here.",
        version);
  }
  if (!c.attr<std::vector<FunctionAttr>>("function_list").empty()) {
    return Unimplemented(
        "XlaCallModule with a function_list: the module calls back functions "
        "of TensorFlow (jax2tf.call_tf with call_tf_graph=True), which cannot "
        "be run here.");
  }
  const size_t shapes = c.attr<std::vector<PartialTensorShape>>("Sout").size();
  if (shapes != static_cast<size_t>(c.num_outputs())) {
    return InvalidArgument(
        "The size of Sout ({}) must match the size of Tout ({})", shapes,
        c.num_outputs());
  }
  return OkStatus();
}

StatusOr<std::shared_ptr<StableHloProgram>> ProgramOf(const KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckVersion(c));
  const auto& platforms = c.attr<Strings>("platforms");
  const auto& disabled = c.attr<Strings>("disabled_checks");
  if (platforms.empty()) {
    return InvalidArgument(
        "XlaCallModuleOp with version {} must have non-empty platforms.",
        c.attr<int64_t>("version"));
  }
  auto at = std::find(platforms.begin(), platforms.end(), kPlatform);
  if (at == platforms.end()) {
    if (!Has(disabled, "platform")) {
      return NotFound(
          "The current platform {} is not among the platforms required by the "
          "module: [{}]",
          kPlatform, Joined(platforms));
    }
    at = platforms.begin();
  }
  return HostLanguage::Get().MakeProgram(
      {.bytes = c.attr<std::string>("module"),
       .platform_index =
           platforms.size() > 1 ? static_cast<int>(at - platforms.begin()) : -1,
       .shape_assertions = c.attr<int64_t>("version") >= kVersionOfAssertions &&
                           !Has(disabled, "shape_assertions"),
       .shardy = c.attr<bool>("use_shardy_partitioner")});
}

class KeptProgram final : public KernelState {
 public:
  std::shared_ptr<StableHloProgram> program;
};

Status ComputeXlaModule(KernelContext& c) {
  KeptProgram& kept =
      c.state<KeptProgram>([] { return std::make_unique<KeptProgram>(); });
  if (!kept.program) {
    GK_ASSIGN_OR_RETURN(kept.program, ProgramOf(c));
  }
  std::vector<const Tensor*> inputs(c.num_inputs());
  for (int i = 0; i < c.num_inputs(); ++i) inputs[i] = &c.input(i);
  std::vector<Tensor> outputs(c.num_outputs());
  GK_RETURN_IF_ERROR(kept.program->Run(inputs, outputs));
  const auto& types = c.attr<std::vector<DataType>>("Tout");
  const auto& shapes = c.attr<std::vector<PartialTensorShape>>("Sout");
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (outputs[i].dtype() != types[i]) {
      return InvalidArgument(
          "XlaCallModule: Tout says {} of output {}, and the module gives {}",
          DataTypeString(types[i]), i, DataTypeString(outputs[i].dtype()));
    }
    // What was built from it counts on the shape.
    if (!shapes[i].IsCompatibleWith(outputs[i].shape())) {
      return InvalidArgument(
          "XlaCallModule: Sout says {} of output {}, and the module gives {}",
          shapes[i].DebugString(), i, outputs[i].shape().DebugString());
    }
    c.set_output(i, std::move(outputs[i]));
  }
  return OkStatus();
}

Status XlaModuleShape(InferenceContext& c) {
  const auto& shapes = c.attr<std::vector<PartialTensorShape>>("Sout");
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (static_cast<size_t>(i) < shapes.size()) c.set_output(i, shapes[i]);
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "XlaCallModule",
     .inputs = "args: Tin",
     .outputs = "output: Tout",
     .attrs = "version: int; module: string; Sout: list(shape) >= 0; "
              "Tout: list(type) >= 0; Tin: list(type) >= 0; "
              "dim_args_spec: list(string) = []; platforms: list(string) = []; "
              "function_list: list(func) = []; has_token_input_output: bool = "
              "False; disabled_checks: list(string) = []; "
              "use_shardy_partitioner: bool = False",
     .traits = kStateful,
     .shape = XlaModuleShape,
     .kernel = {.compute = ComputeXlaModule},
     .doc = "Calls a function of JAX, as a module of StableHLO; jaxlib runs "
            "it."},
};

}  // namespace

GK_REGISTER_OPS(core_xla_module)

}  // namespace gk
