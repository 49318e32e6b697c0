// The C interface: models and their runs.
#include "api/c_models.h"

#include <algorithm>

#include "api/concrete_rep.h"
#include "api/run_limits.h"

using gk::Format;
using gk::OkStatus;
using gk::Status;
using gk::TensorVector;
using gk::api::Checked;
using gk::api::CheckGiven;
using gk::api::Inner;
using gk::api::Outer;
using Token = gk::CancellationToken;
using Clock = gk::RunLimit::Clock;
namespace saved = gk::api::saved_model;

struct gk_signature {
  saved::Signature signature;
  gk::Ref<gk::ConcreteFunction> function;
};
struct gk_cancellation {
  std::shared_ptr<Token> token;
};
struct gk_run_options {
  std::shared_ptr<const Token> cancellation;
  int64_t timeout = 0, deadline = INT64_MAX;
};

namespace gk::api {
namespace {

StatusOr<const Variable*> VariableAt(const gk_model* model, size_t i,
                                     std::string_view function) {
  GK_RETURN_IF_ERROR(CheckGiven(model, function, "model"));
  const std::vector<Variable>& all = model->model.variables();
  if (i < all.size()) return &all[i];
  return OutOfRange("{}: there is no variable {} of {}", function, i,
                    all.size());
}

const TensorSpec* SpecAt(const std::vector<TensorSpec>& all, size_t i) {
  return i < all.size() ? &all[i] : nullptr;
}
const TensorSpec* InputAt(const gk_signature* s, size_t i) {
  return s == nullptr ? nullptr : SpecAt(s->signature.inputs(), i);
}
const TensorSpec* OutputAt(const gk_signature* s, size_t i) {
  return s == nullptr ? nullptr : SpecAt(s->signature.outputs(), i);
}
const char* NameOf(const TensorSpec* spec) {
  return spec == nullptr ? nullptr : spec->name.c_str();
}
gk_dtype TypeOf(const TensorSpec* spec) {
  return static_cast<gk_dtype>(spec == nullptr ? 0
                                               : static_cast<int>(spec->dtype));
}
int RankOf(const TensorSpec* spec) {
  return spec == nullptr ? -1 : spec->shape.rank();
}
int64_t DimOf(const TensorSpec* spec, int dim) {
  return dim < 0 || dim >= RankOf(spec) ? -1 : spec->shape.dims()[dim];
}

// When a run that begins now has to be done.
Clock::time_point DeadlineOf(const gk_run_options& options) {
  using std::chrono::nanoseconds;
  Clock::time_point at = gk::RunLimit::kNever;
  if (options.deadline != INT64_MAX) {
    at = Clock::time_point(nanoseconds(options.deadline));
  }
  if (options.timeout > 0) {
    const Clock::time_point now = Clock::now();
    if (gk::RunLimit::kNever - now > nanoseconds(options.timeout)) {
      at = std::min(at, now + nanoseconds(options.timeout));
    }
  }
  return at;
}

// Runs a signature and gives its results, all or none.
Status Run(const gk_signature& signature, const TensorVector& inputs,
           gk_tensor** outputs, size_t num_outputs,
           const gk_run_options* options, std::string_view function) {
  const size_t n = signature.signature.outputs().size();
  if (n != num_outputs) {
    return InvalidArgument("{}: the signature '{}' gives {} tensors, not {}",
                           function, signature.signature.name(), n,
                           num_outputs);
  }
  if (n > 0) GK_RETURN_IF_ERROR(CheckGiven(outputs, function, "outputs"));
  TensorVector results;
  if (options == nullptr) {
    GK_RETURN_IF_ERROR(signature.function->Call(inputs, &results));
  } else {
    GK_RETURN_IF_ERROR(CallWithLimits(
        options->cancellation.get(), DeadlineOf(*options),
        signature.signature.name(), [&](const Token* token) {
          return signature.function->Call(inputs, &results, token);
        }));
  }
  std::vector<std::unique_ptr<gk_tensor>> made;
  made.reserve(n);
  for (InnerTensor& t : results) {
    made.push_back(std::make_unique<gk_tensor>(gk_tensor{std::move(t)}));
  }
  for (size_t i = 0; i < n; ++i) outputs[i] = made[i].release();
  return OkStatus();
}

gk_signature* NewSignature(saved::Signature signature) {
  auto function = signature.concrete_function().rep().function;
  return new gk_signature{std::move(signature), std::move(function)};
}

// The names in an array; nothing of none.
StatusOr<std::optional<std::vector<std::string>>> NamesIn(
    const char* const* names, size_t n, std::string_view function,
    std::string_view argument) {
  if (names == nullptr) return std::optional<std::vector<std::string>>();
  std::vector<std::string> given;
  for (size_t i = 0; i < n; ++i) {
    GK_RETURN_IF_ERROR(
        CheckGiven(names[i], function, Format("{}[{}]", argument, i)));
    given.emplace_back(names[i]);
  }
  return std::optional(std::move(given));
}

}  // namespace
}  // namespace gk::api

using gk::api::InputAt;
using gk::api::NamesIn;
using gk::api::NewSignature;
using gk::api::OutputAt;

gk_status* gk_model_load(const char* folder, const char* const* tags,
                         size_t num_tags, gk_model** model) {
  return Checked([&]() -> Status {
    constexpr std::string_view kName = "gk_model_load";
    GK_RETURN_IF_ERROR(CheckGiven(folder, kName, "folder"));
    GK_RETURN_IF_ERROR(CheckGiven(model, kName, "model"));
    saved::LoadOptions options;
    GK_ASSIGN_OR_RETURN(options.tags, NamesIn(tags, num_tags, kName, "tags"));
    saved::SavedModel loaded = saved::load(folder, options);
    std::vector<std::string> names = loaded.signature_names();
    *model = new gk_model{std::move(loaded), std::move(names)};
    return OkStatus();
  });
}

void gk_model_delete(gk_model* model) { delete model; }

size_t gk_model_num_signatures(const gk_model* model) {
  return model == nullptr ? 0 : model->signatures.size();
}
const char* gk_model_signature_name(const gk_model* model, size_t i) {
  return i < gk_model_num_signatures(model) ? model->signatures[i].c_str()
                                            : nullptr;
}
gk_status* gk_model_signature(const gk_model* model, const char* name,
                              gk_signature** signature) {
  return Checked([&]() -> Status {
    constexpr std::string_view kName = "gk_model_signature";
    GK_RETURN_IF_ERROR(CheckGiven(model, kName, "model"));
    GK_RETURN_IF_ERROR(CheckGiven(signature, kName, "signature"));
    saved::Signature found = model->model.signature(
        name == nullptr ? saved::DEFAULT_SERVING_SIGNATURE_DEF_KEY : name);
    *signature = NewSignature(std::move(found));
    return OkStatus();
  });
}

gk_status* gk_graph_load(const char* file, const char* const* feeds,
                         size_t num_feeds, const char* const* fetches,
                         size_t num_fetches, gk_signature** signature) {
  return Checked([&]() -> Status {
    constexpr std::string_view kName = "gk_graph_load";
    GK_RETURN_IF_ERROR(CheckGiven(file, kName, "file"));
    GK_RETURN_IF_ERROR(CheckGiven(signature, kName, "signature"));
    saved::GraphOptions options;
    GK_ASSIGN_OR_RETURN(options.feeds,
                        NamesIn(feeds, num_feeds, kName, "feeds"));
    GK_ASSIGN_OR_RETURN(options.fetches,
                        NamesIn(fetches, num_fetches, kName, "fetches"));
    *signature = NewSignature(saved::load_graph(file, options));
    return OkStatus();
  });
}

size_t gk_model_num_variables(const gk_model* model) {
  return model == nullptr ? 0 : model->model.variables().size();
}
const char* gk_model_variable_name(const gk_model* model, size_t i) {
  return i < gk_model_num_variables(model)
             ? model->model.variables()[i].name().c_str()
             : nullptr;
}
gk_status* gk_model_read_variable(const gk_model* model, size_t i,
                                  gk_tensor** value) {
  return Checked([&]() -> Status {
    constexpr std::string_view kName = "gk_model_read_variable";
    GK_RETURN_IF_ERROR(CheckGiven(value, kName, "value"));
    GK_ASSIGN_OR_RETURN(const auto* v, gk::api::VariableAt(model, i, kName));
    *value = new gk_tensor{Inner(v->value())};
    return OkStatus();
  });
}
gk_status* gk_model_assign_variable(gk_model* model, size_t i,
                                    const gk_tensor* value) {
  return Checked([&]() -> Status {
    constexpr std::string_view kName = "gk_model_assign_variable";
    GK_ASSIGN_OR_RETURN(const auto* v, gk::api::VariableAt(model, i, kName));
    GK_ASSIGN_OR_RETURN(gk::Tensor given,
                        gk::api::TensorOf(value, kName, "value"));
    v->assign(Outer(std::move(given)));
    return OkStatus();
  });
}

size_t gk_signature_num_inputs(const gk_signature* signature) {
  return signature == nullptr ? 0 : signature->signature.inputs().size();
}
const char* gk_signature_input_name(const gk_signature* signature, size_t i) {
  return gk::api::NameOf(InputAt(signature, i));
}
gk_dtype gk_signature_input_dtype(const gk_signature* signature, size_t i) {
  return gk::api::TypeOf(InputAt(signature, i));
}
int gk_signature_input_rank(const gk_signature* signature, size_t i) {
  return gk::api::RankOf(InputAt(signature, i));
}
int64_t gk_signature_input_dim(const gk_signature* signature, size_t i,
                               int dim) {
  return gk::api::DimOf(InputAt(signature, i), dim);
}
size_t gk_signature_num_outputs(const gk_signature* signature) {
  return signature == nullptr ? 0 : signature->signature.outputs().size();
}
const char* gk_signature_output_name(const gk_signature* signature, size_t i) {
  return gk::api::NameOf(OutputAt(signature, i));
}
gk_dtype gk_signature_output_dtype(const gk_signature* signature, size_t i) {
  return gk::api::TypeOf(OutputAt(signature, i));
}
int gk_signature_output_rank(const gk_signature* signature, size_t i) {
  return gk::api::RankOf(OutputAt(signature, i));
}
int64_t gk_signature_output_dim(const gk_signature* signature, size_t i,
                                int dim) {
  return gk::api::DimOf(OutputAt(signature, i), dim);
}
void gk_signature_delete(gk_signature* signature) { delete signature; }

gk_status* gk_cancellation_new(gk_cancellation** cancellation) {
  return Checked([&]() -> Status {
    GK_RETURN_IF_ERROR(
        CheckGiven(cancellation, "gk_cancellation_new", "cancellation"));
    *cancellation = new gk_cancellation{std::make_shared<Token>()};
    return OkStatus();
  });
}
void gk_cancellation_cancel(gk_cancellation* cancellation) {
  if (cancellation != nullptr) cancellation->token->Cancel();
}
int gk_cancellation_is_cancelled(const gk_cancellation* cancellation) {
  return cancellation != nullptr && cancellation->token->IsCancelled() ? 1 : 0;
}
void gk_cancellation_delete(gk_cancellation* cancellation) {
  delete cancellation;
}

gk_status* gk_run_options_new(gk_run_options** options) {
  return Checked([&]() -> Status {
    GK_RETURN_IF_ERROR(CheckGiven(options, "gk_run_options_new", "options"));
    *options = new gk_run_options;
    return OkStatus();
  });
}
void gk_run_options_set_cancellation(gk_run_options* options,
                                     const gk_cancellation* cancellation) {
  if (options == nullptr) return;
  options->cancellation =
      cancellation == nullptr ? nullptr : cancellation->token;
}
void gk_run_options_set_timeout_ns(gk_run_options* options,
                                   int64_t nanoseconds) {
  if (options != nullptr) options->timeout = nanoseconds;
}
void gk_run_options_set_deadline_ns(gk_run_options* options, int64_t at) {
  if (options != nullptr) options->deadline = at;
}
int64_t gk_now_ns(void) {
  return Clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}
void gk_run_options_delete(gk_run_options* options) { delete options; }

gk_status* gk_signature_run(const gk_signature* signature,
                            const gk_tensor* const* inputs, size_t num_inputs,
                            gk_tensor** outputs, size_t num_outputs,
                            const gk_run_options* options) {
  return Checked([&]() -> Status {
    constexpr std::string_view kName = "gk_signature_run";
    GK_RETURN_IF_ERROR(CheckGiven(signature, kName, "signature"));
    if (num_inputs > 0) {
      GK_RETURN_IF_ERROR(CheckGiven(inputs, kName, "inputs"));
    }
    TensorVector given;
    given.reserve(num_inputs);
    for (size_t i = 0; i < num_inputs; ++i) {
      if (inputs[i] == nullptr) {
        return CheckGiven(nullptr, kName, Format("inputs[{}]", i));
      }
      given.push_back(inputs[i]->tensor);
    }
    return gk::api::Run(*signature, given, outputs, num_outputs, options,
                        kName);
  });
}

gk_status* gk_signature_run_named(const gk_signature* signature,
                                  const char* const* names,
                                  const gk_tensor* const* inputs,
                                  size_t num_inputs, gk_tensor** outputs,
                                  size_t num_outputs,
                                  const gk_run_options* options) {
  return Checked([&]() -> Status {
    constexpr std::string_view kName = "gk_signature_run_named";
    GK_RETURN_IF_ERROR(CheckGiven(signature, kName, "signature"));
    std::map<std::string, gk::api::Tensor> by_name;
    for (size_t i = 0; i < num_inputs; ++i) {
      GK_RETURN_IF_ERROR(CheckGiven(names, kName, "names"));
      GK_RETURN_IF_ERROR(CheckGiven(inputs, kName, "inputs"));
      GK_RETURN_IF_ERROR(CheckGiven(names[i], kName, Format("names[{}]", i)));
      GK_ASSIGN_OR_RETURN(
          gk::Tensor given,
          gk::api::TensorOf(inputs[i], kName, Format("inputs[{}]", i)));
      if (!by_name.emplace(names[i], Outer(std::move(given))).second) {
        return gk::InvalidArgument("{}: the input '{}' is given twice", kName,
                                   names[i]);
      }
    }
    TensorVector given;
    for (const auto& t : signature->signature.InputsByName(by_name)) {
      given.push_back(Inner(t));
    }
    return gk::api::Run(*signature, given, outputs, num_outputs, options,
                        kName);
  });
}
