// What gk::saved_model::save writes of modules and functions.
#include "api/exported_function.h"
#include "api/inner.h"
#include "api/module_objects.h"
#include "api/module_rep.h"
#include "api/saved_model_rep.h"
#include "api/sharding.h"
#include "function/user_scopes.h"
#include "graphkiln/saved_model.h"
#include "saved_model/loaded_objects.h"
#include "saved_model/save_model.h"

namespace gk::api::saved_model {
namespace {

// Can the function be a signature? It has one trace, of tensors with names.
bool CanBeSignature(const ExportedFunction& function) {
  if (function.traces().size() != 1) return false;
  ExportedSignature signature;
  signature.trace = Exported(function.traces()[0]);
  return WrapSignature(signature).ok();
}

ExportedSignature SignatureOf(const std::string& name,
                              const ExportedFunction& function,
                              const Exports& exports) {
  if (function.traces().size() != 1) {
    throw ::gk::Error(ValueError(
        "The function of signature '{}' has {} traces; a signature is of one. "
        "Pass what its get_concrete_function gives.",
        name, function.traces().size()));
  }
  ExportedSignature signature;
  signature.name = name;
  signature.trace = Exported(function.traces()[0]);
  const auto defaults = exports.defaults.find(name);
  if (defaults == exports.defaults.end()) return signature;
  for (const auto& [input, value] : defaults->second) {
    signature.defaults.emplace(input, Inner(value));
  }
  return signature;
}

::gk::SaveOptions Inner(const SaveOptions& options) {
  ::gk::SaveOptions inner;
  inner.extra_tags = options.extra_tags;
  inner.skip_saver = options.experimental_skip_saver;
  inner.variable_devices =
      options.experimental_variable_policy != VariablePolicy::NONE;
  inner.strip_debug_nodes = options.experimental_debug_stripper;
  inner.namespaces = options.namespace_whitelist;
  inner.sharding = api::Inner(options.experimental_sharding_callback);
  return inner;
}

}  // namespace

void save(const Module& module, const std::string& folder,
          const Exports& exports, const SaveOptions& options) {
  Guarded([&] {
    EnsureReady();
    InitScope outside;
    outside.Enter();
    std::map<std::string, ExportedObjectRef> functions;
    for (const auto& [name, function] : exports.functions) {
      if (module.rep()->attributes.contains(name)) {
        throw ::gk::Error(ValueError(
            "The module '{}' has an attribute '{}' already: a function cannot "
            "be saved by that name",
            module.name(), name));
      }
      functions.emplace(name, ExportedFunctionObject(name, function));
    }
    std::vector<ExportedSignature> signatures;
    for (const auto& [name, function] : exports.signatures) {
      signatures.push_back(SignatureOf(name, function, exports));
    }
    if (signatures.empty()) {
      std::vector<const ExportedFunction*> possible;
      for (const auto& [name, function] : exports.functions) {
        if (CanBeSignature(function)) possible.push_back(&function);
      }
      if (possible.size() == 1) {
        signatures.push_back(SignatureOf(DEFAULT_SERVING_SIGNATURE_DEF_KEY,
                                         *possible[0], exports));
      }
    }
    for (const auto& [name, values] : exports.defaults) {
      const bool known = std::ranges::any_of(
          signatures, [&](const auto& s) { return s.name == name; });
      if (known) continue;
      throw ::gk::Error(ValueError(
          "There are default values for '{}', which is no signature", name));
    }
    ThrowIfError(SaveModel(ExportedModule(module, functions), signatures,
                           folder, Inner(options)));
  });
}

void save(const SavedModel& model, const std::string& folder,
          const SaveOptions& options) {
  Guarded([&] {
    InitScope outside;
    outside.Enter();
    const std::shared_ptr<LoadedModel>& loaded = model.rep().model;
    const std::vector<ExportedSignature> signatures =
        ValueOrThrow(SignaturesOf(loaded.get()));
    ThrowIfError(
        SaveModel(ExportedOf(loaded), signatures, folder, Inner(options)));
  });
}

}  // namespace gk::api::saved_model
