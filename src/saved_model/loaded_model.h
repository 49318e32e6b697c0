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

#include "checkpoint/trackable.h"
#include "function/concrete_function.h"
#include "graph/function_reader.h"
#include "saved_model/meta_graph_file.h"

namespace gk {

class BundleReader;

// What a model's objects are in a graph that a program makes for its own sake
// and runs later. A language that has such graphs implements it; its tensors
// are of the graph.
class GraphValues {
 public:
  virtual ~GraphValues() = default;
  // The handle of a variable that begins with `value`; null: without one.
  // `object`: -1 of a local variable of a model of TensorFlow 1.
  virtual Tensor Variable(int object, const proto::SavedVariable& saved,
                          const PartialTensorShape& shape,
                          const Tensor& value) = 0;
  // The handle of a resource of the program that is the object from now on;
  // null: the model makes one.
  virtual Tensor Resource(int object) = 0;
  virtual Tensor Constant(const Tensor& value) = 0;
  virtual Tensor Asset(const std::string& path) = 0;
  // What a run has to do before it uses the model: where these are from.
  virtual void Initializer(const TensorVector& done) = 0;
};

struct LoadOptions {
  // Values may be missing in the checkpoint: variables stay without one.
  bool allow_partial_checkpoint = false;
  // None are read; all variables stay without values.
  bool skip_checkpoint = false;
  // Variables are where the file says that they were, if there is such a
  // device.
  bool variable_devices = false;
  // Handles of variables and resources of the program, which are objects of the
  // model from now on, by their numbers. Variables get the saved values.
  std::unordered_map<int, Tensor> given;
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
  // A loaded model in the graph that is built here: `values` makes its objects,
  // and functions and resources are over these.
  static StatusOr<std::shared_ptr<LoadedModel>> InGraph(
      std::shared_ptr<LoadedModel> eager, GraphValues* values);
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
  // How it is called and what it gives, as values of the program; null parts if
  // the file does not say it.
  StatusOr<TracedSignature> SignatureOf(const std::string& name);
  // What the file says of one, or null.
  const proto::SavedConcreteFunction* FindSaved(const std::string& name) const;
  // The name of an object's first function; DataLoss if it has none.
  StatusOr<std::string> FunctionOf(int object) const;

  // The objects that are functions of which the file has aliases, by those: all
  // their traces, and no other, have the alias.
  std::map<std::string, int> AliasedFunctions() const;
  // The other aliases, of functions that no object is: names for Function.
  std::map<std::string, std::vector<std::string>> AliasedTraces() const;

  // The whole graph of a model without objects, as TensorFlow 1 writes them;
  // else null. Its captures are those of the eager model: InProgram() has what
  // stands for them in a program's graph.
  const Ref<FuncGraph>& graph() const { return graph_; }
  // What stands for a value of the eager model that this one was put in a graph
  // of; null: nothing else does.
  const Tensor* InProgram(const Tensor& value) const;

  // The slots of an optimizer: their names, and the one of a variable; -1:
  // none.
  std::vector<std::string> SlotNames(int object) const;
  int Slot(int object, int variable, std::string_view name) const;

  // What a checkpoint has of an object, and the tensors of all that, in order.
  // Throw Error.
  std::vector<Trackable::Value> ValuesOf(int object);
  TensorVector TensorsOf(int object);

 private:
  class Object;
  LoadedModel(std::string folder, proto::MetaGraphDef graph)
      : folder_(std::move(folder)), meta_graph_(std::move(graph)) {}
  Status Init(const LoadOptions& options);
  Status InitVersionOne(const LoadOptions& options);
  void NameParameters();
  Status TakeGiven(const LoadOptions& options);
  Status MakeValues();
  StatusOr<Tensor> MakeValue(int object);
  StatusOr<Tensor> MakeConstant(const std::string& node);
  StatusOr<Tensor> MakeResource(int object);
  Status Restore(const LoadOptions& options);
  Status TakeSlotsOf(const BundleReader& reader);
  // `values`: of a graph, else null.
  Status Initialize(GraphValues* values = nullptr);
  Status ReadFunctions();
  Status PutInGraph(GraphValues* values);
  StatusOr<Tensor> GraphValueOf(int object, GraphValues* values);
  // Calls an object that is a function.
  StatusOr<TensorVector> CallObject(int object, const TensorVector& arguments);
  // What a function gives that saves a value of an object: of each tensor its
  // name, a slice and itself.
  TensorVector SavedParts(int function);
  StatusOr<Tensor> Captured(int object, const std::string& function);
  StatusOr<Ref<ConcreteFunction>> MakeFunction(const std::string& name);

  const std::string folder_;
  bool variable_devices_ = false;  // LoadOptions
  std::string scope_;  // that the program was in, of the variables' names
  proto::MetaGraphDef meta_graph_;  // constant once loaded
  std::vector<Tensor> values_;
  std::vector<bool> making_;    // resources, to notice circles
  std::vector<bool> restored_;  // from the checkpoint
  std::unordered_map<std::string, const proto::NodeDef*> constants_;
  // Names of the arguments of functions.
  std::unordered_map<std::string, std::vector<std::string>> parameters_;
  std::recursive_mutex mutex_;  // of the functions and their reader
  std::unique_ptr<FunctionReader> reader_;
  std::map<std::string, Ref<ConcreteFunction>> functions_;
  std::set<const GraphFunction*> seen_;  // while the reader has them
  Ref<FuncGraph> graph_;
  std::string container_;               // of that graph's resources
  std::shared_ptr<LoadedModel> eager_;  // that this one is in a graph of
  std::map<const void*, Tensor> in_program_;  // by resources of that model
};

}  // namespace gk

#endif  // GK_SAVED_MODEL_LOADED_MODEL_H_
