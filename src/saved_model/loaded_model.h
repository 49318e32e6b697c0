// LoadedModel: what a folder of a saved model holds, put back to life: its
// objects with the values that they have, and its functions over these.
//
// Functions are read when they are asked for. Files come from anywhere:
// whatever they hold, the outcome is a model or an error. Thread-safe; holds
// all its objects.
#ifndef GK_SAVED_MODEL_LOADED_MODEL_H_
#define GK_SAVED_MODEL_LOADED_MODEL_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "function/concrete_function.h"
#include "graph/function_reader.h"
#include "saved_model/meta_graph_file.h"

namespace gk {

struct LoadOptions {
  // Values may be missing in the checkpoint: variables stay without one.
  bool allow_partial_checkpoint = false;
  // None are read; all variables stay without values.
  bool skip_checkpoint = false;
};

// DataLoss if numbers of objects in the graph name none.
Status CheckSavedObjects(const proto::SavedObjectGraph& graph);

class LoadedModel {
 public:
  // NotFound without a model; DataLoss or InvalidArgument of a damaged one,
  // naming the folder.
  static StatusOr<std::shared_ptr<LoadedModel>> Load(
      const std::string& folder, const std::optional<Tags>& tags = {},
      const LoadOptions& options = {});
  ~LoadedModel();

  const std::string& folder() const { return folder_; }
  const proto::MetaGraphDef& meta_graph() const { return meta_graph_; }
  // Object 0 is the root. Numbers of children and captures are checked.
  const std::vector<proto::SavedObject>& objects() const {
    return meta_graph_.object_graph_def->nodes;
  }
  // The tensor by which functions capture an object: the handle of a variable
  // or resource, the value of a constant, the path of an asset. Null of others.
  const Tensor& value(int object) const { return values_[object]; }
  // The object that is a child of another one by this name; -1: none.
  int Child(int object, std::string_view name) const;

  // A function of the file, over the objects that it captured. NotFound if
  // there is none, Unimplemented if it captures what cannot be had.
  StatusOr<Ref<ConcreteFunction>> Function(const std::string& name);

 private:
  class Object;
  LoadedModel(std::string folder, proto::MetaGraphDef graph)
      : folder_(std::move(folder)), meta_graph_(std::move(graph)) {}
  Status Init(const LoadOptions& options);
  Status MakeValues();
  StatusOr<Tensor> MakeValue(int object);
  StatusOr<Tensor> MakeConstant(const std::string& node);
  StatusOr<Tensor> MakeResource(int object);
  Status Restore(const LoadOptions& options);
  Status Initialize();
  // Calls an object that is a function.
  StatusOr<TensorVector> CallObject(int object, const TensorVector& arguments);
  // How a function is called, as far as the file says it, or null.
  const proto::SavedConcreteFunction* FindSaved(const std::string& name) const;
  StatusOr<Tensor> Captured(int object, const std::string& function);
  StatusOr<Ref<ConcreteFunction>> MakeFunction(const std::string& name);

  const std::string folder_;
  const proto::MetaGraphDef meta_graph_;
  std::vector<Tensor> values_;
  std::vector<bool> making_;    // resources, to notice circles
  std::vector<bool> restored_;  // from the checkpoint
  std::unordered_map<std::string, const proto::NodeDef*> constants_;
  std::recursive_mutex mutex_;  // of the functions and their reader
  std::unique_ptr<FunctionReader> reader_;
  std::map<std::string, Ref<ConcreteFunction>> functions_;
  std::set<const GraphFunction*> seen_;  // while the reader has them
};

}  // namespace gk

#endif  // GK_SAVED_MODEL_LOADED_MODEL_H_
