// ExportedObject: what a saved model asks of an object of the program, beside
// what a checkpoint asks. Each face describes its objects so.
#ifndef GK_SAVED_MODEL_EXPORTED_OBJECT_H_
#define GK_SAVED_MODEL_EXPORTED_OBJECT_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/trackable.h"
#include "function/concrete_function.h"
#include "proto/saved_model.gk.h"

namespace gk {

// A trace, with how it is called and what it gives: (args, kwargs), and a
// structure of specs.
struct ExportedTrace {
  Ref<ConcreteFunction> function;
  proto::StructuredValue inputs, outputs;
};

struct ExportedFacts {
  // Of which kind the object is. What the other fields tell is filled in.
  proto::SavedObject message;
  // Of a function, or the one of a concrete function.
  std::vector<ExportedTrace> traces;
  // By which functions capture it: the handle of a variable or resource, the
  // path of an asset, a constant.
  TensorVector tensors;
  // The file that an asset is.
  std::string asset;
  // What has to be there before the object is loaded, by its names for them:
  // identities of objects in reach.
  std::vector<std::pair<std::string, const void*>> dependencies;
  // Of values that are no variable's, by their names: a function of the key in
  // the checkpoint that gives {"name", "slice_spec", "tensor"} of each tensor,
  // and one of these tensors.
  std::map<std::string, std::pair<ExportedTrace, ExportedTrace>> saveables;
};

class ExportedObject : public Trackable {
 public:
  virtual ExportedFacts Facts() = 0;
};
using ExportedObjectRef = std::shared_ptr<ExportedObject>;

}  // namespace gk

#endif  // GK_SAVED_MODEL_EXPORTED_OBJECT_H_
