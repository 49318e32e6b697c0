// A signature of a loaded model: a function of tensors by name that gives
// tensors by name, whatever program wrote it.
#ifndef GK_SAVED_MODEL_LOADED_SIGNATURE_H_
#define GK_SAVED_MODEL_LOADED_SIGNATURE_H_

#include <map>
#include <string>
#include <vector>

#include "saved_model/loaded_model.h"

namespace gk {

struct LoadedSignature {
  std::string name;
  Ref<ConcreteFunction> function;
  TracedSignature signature;  // null parts if nothing is known
  // Of its arguments and its results, in their order; "x/0", "x/1" where one is
  // made of several tensors.
  std::vector<std::string> inputs, outputs;
  // Of inputs that need not be given.
  std::map<std::string, Tensor> defaults;
};

// Sorted.
std::vector<std::string> SignatureNames(const LoadedModel& model);
// NotFound, naming those that there are.
StatusOr<LoadedSignature> FindSignature(LoadedModel* model,
                                        const std::string& name);

}  // namespace gk

#endif  // GK_SAVED_MODEL_LOADED_SIGNATURE_H_
