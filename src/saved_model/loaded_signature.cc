#include "saved_model/loaded_signature.h"

#include <utility>

#include "saved_model/loaded_objects.h"

namespace gk {
namespace {

int NumTensors(const TraceType& type) {
  if (type.kind() == TraceType::Kind::kTensor) return 1;
  int n = 0;
  for (const TraceTypeRef& child : type.children()) n += NumTensors(*child);
  return n;
}

std::vector<std::string> InputNames(const ConcreteFunction& function,
                                    const TracedSignature& signature) {
  std::vector<std::string> names;
  if (signature.type) {
    for (const FunctionParameter& p : signature.type->parameters()) {
      const int n = NumTensors(*p.type);
      for (int i = 0; i < n; ++i) {
        names.push_back(n == 1 ? p.name : Format("{}/{}", p.name, i));
      }
    }
  }
  if (names.size() == function.arguments().size()) return names;
  names.clear();
  for (const ArgumentSpec& a : function.arguments()) names.push_back(a.name);
  return names;
}

std::vector<std::string> OutputNames(const ConcreteFunction& function,
                                     const TracedSignature& signature) {
  const StructureRef& output = signature.output;
  if (output && output->is_nested()) return output->JoinedLeafPaths("/");
  std::vector<std::string> names;
  for (int i = 0; i < function.num_outputs(); ++i) {
    names.push_back(Format("output_{}", i));
  }
  return names;
}

}  // namespace

std::vector<std::string> SignatureNames(const LoadedModel& model) {
  std::vector<std::string> names;
  for (const auto& [name, object] : SignatureObjects(model)) {
    names.push_back(name);
  }
  return names;
}

StatusOr<LoadedSignature> FindSignature(LoadedModel* model,
                                        const std::string& name) {
  const std::map<std::string, int> objects = SignatureObjects(*model);
  const auto found = objects.find(name);
  if (found == objects.end()) {
    std::string there;
    for (const std::string& own : SignatureNames(*model)) {
      there += (there.empty() ? "'" : ", '") + own + "'";
    }
    return NotFound("The SavedModel at {} has no signature '{}'. It has {}.",
                    model->folder(), name, there.empty() ? "none" : there);
  }
  LoadedSignature made;
  made.name = name;
  GK_ASSIGN_OR_RETURN(const std::string function,
                      model->FunctionOf(found->second));
  GK_ASSIGN_OR_RETURN(made.function, model->Function(function));
  GK_ASSIGN_OR_RETURN(made.signature, model->SignatureOf(function));
  made.inputs = InputNames(*made.function, made.signature);
  made.outputs = OutputNames(*made.function, made.signature);
  GK_ASSIGN_OR_RETURN(made.defaults, SignatureDefaults(*model, name));
  return made;
}

}  // namespace gk
