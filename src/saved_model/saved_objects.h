// SavedObjects: the objects of a program as those of a file: each with its
// number, and which of them functions capture.
#ifndef GK_SAVED_MODEL_SAVED_OBJECTS_H_
#define GK_SAVED_MODEL_SAVED_OBJECTS_H_

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "checkpoint/object_graph.h"
#include "saved_model/exported_object.h"
#include "saved_model/signature_wrapper.h"

namespace gk {

// The number of each function is its place here; its name in the file is found
// when that is written.
class SavedObjects {
 public:
  // Those of a walk over ExportedObjects, with the numbers that they have
  // there, and what their functions need beside them; `variable_devices`: with
  // where variables are.
  static StatusOr<SavedObjects> Of(const std::vector<WalkedObject>& objects,
                                   bool variable_devices);

  // A function among the children of object 0's "signatures".
  Status AddSignatures(
      const std::vector<std::pair<std::string, ExportedTrace>>& signatures);

  // A function that none of them is: the gradient of a node. Of what it
  // captures, tensors of `graph` become objects that the caller describes.
  // Gives the numbers.
  StatusOr<std::vector<int>> AddGradient(const ExportedTrace& trace,
                                         const TensorVector& captures,
                                         const gk::Graph* graph);

  int size() const { return static_cast<int>(messages_.size()); }
  const proto::SavedObject& message(int object) const {
    return messages_[object];
  }
  // What captures it gets: null of objects that are none.
  const Tensor& tensor(int object) const { return tensors_[object]; }
  // The files of assets, and what each is called in the model: the name of the
  // file, with a number if another one has it.
  const std::map<std::string, std::string>& asset_names() const {
    return asset_names_;
  }
  const std::string& asset_name(int object) const {
    return asset_names_.at(assets_[object]);
  }
  void SetAssetIndex(int object, int index);
  void SetConstantName(int object, const std::string& node);

  // All functions, each once; and the objects that one captures, in order.
  const std::vector<ExportedTrace>& functions() const { return functions_; }
  const std::vector<int>& captured(const ConcreteFunction& function) const {
    return captured_.at(&function);
  }
  // The function without arguments that is a child by this name; null if there
  // is none.
  const ConcreteFunction* ChildFunction(int object,
                                        std::string_view name) const;

  // The function of an object that is a bare one.
  const ConcreteFunction* BareFunction(int object) const {
    return traces_[object].at(0);
  }

  // With the names that functions have in the file.
  using Names = std::unordered_map<const GraphFunction*, std::string>;
  proto::SavedObjectGraph Graph(const Names& names) const;

 private:
  SavedObjects() = default;
  int AddObject(proto::SavedObject message);
  // The object that is the captured tensor: one of the program, or a constant
  // that is added.
  StatusOr<int> ObjectOf(const FunctionCapture& capture,
                         const ConcreteFunction& function);
  Status AddTrace(int object, const ExportedTrace& trace,
                  const std::string& child);
  Status AddFunction(const ExportedTrace& trace);
  int AddBare(const ExportedTrace& trace);
  void NameAsset(const std::string& path);
  std::string PathTo(int object) const;

  std::vector<proto::SavedObject> messages_;
  TensorVector tensors_;
  std::vector<std::string> assets_;  // the path of the file
  std::map<std::string, std::string> asset_names_;
  // The traces of function objects, and of bare ones.
  std::vector<std::vector<const ConcreteFunction*>> traces_;
  std::unordered_map<const void*, int> object_of_;  // by ResourceKey
  std::vector<ExportedTrace> functions_;
  std::unordered_map<const ConcreteFunction*, std::vector<int>> captured_;
};

}  // namespace gk

#endif  // GK_SAVED_MODEL_SAVED_OBJECTS_H_
