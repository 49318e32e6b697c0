// Objects of a loaded model as they are saved again, and where they are in it.
#ifndef GK_SAVED_MODEL_LOADED_OBJECTS_H_
#define GK_SAVED_MODEL_LOADED_OBJECTS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "saved_model/exported_object.h"
#include "saved_model/loaded_model.h"
#include "saved_model/signature_wrapper.h"

namespace gk {

// The model's object of that number, and what is in its reach. What saving adds
// by itself is left out: signatures, traces, constants that are captured.
ExportedObjectRef ExportedOf(std::shared_ptr<LoadedModel> model,
                             int object = 0);

// {the shortest way to an object, "layers.0.w": its number}; of the root "".
// The same objects as above.
std::map<std::string, int> ObjectPaths(const LoadedModel& model);

// The model's own signatures: objects by name.
std::map<std::string, int> SignatureObjects(const LoadedModel& model);
// The same as they are saved again.
StatusOr<std::vector<ExportedSignature>> SignaturesOf(LoadedModel* model);
// The values of a signature's arguments that need not be given.
StatusOr<std::map<std::string, Tensor>> SignatureDefaults(
    const LoadedModel& model, const std::string& signature);

}  // namespace gk

#endif  // GK_SAVED_MODEL_LOADED_OBJECTS_H_
