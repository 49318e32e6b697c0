// Graph and Node: ops, edges, and what is known of each edge.
//
// A Graph owns its nodes; nodes point at each other freely within it. Graphs
// are built by one thread at a time and constant once finished. Removing
// nodes is for passes, on graphs that nobody else sees yet. Symbolic tensors
// keep their graph alive, the graph keeps no tensor alive.
#ifndef GK_FRAMEWORK_GRAPH_H_
#define GK_FRAMEWORK_GRAPH_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/inlined_vector.h"
#include "framework/attr_value.h"
#include "framework/op_record.h"
#include "framework/resource.h"
#include "framework/symbolic_tensor.h"

namespace gk {

class Node;
class OpBuilder;

// An edge's source: output `index` of `node`.
struct Output {
  Node* node = nullptr;
  int index = 0;
  friend bool operator==(const Output&, const Output&) = default;
};

// Where in the user's program an op was made: an interned chain of (code
// object, instruction offset) kept by the host language. 0: unknown.
using SourceId = uint32_t;

class Node {
 public:
  struct OutputInfo {
    DataType dtype = DataType::kInvalid;
    PartialTensorShape shape;
    HandleData handle_data;            // of resources and variants
    Tensor value;                      // if known while building
    SymbolicTensor* tensor = nullptr;  // the live one, weakly
  };

  int id() const { return id_; }
  const std::string& name() const { return name_; }
  const OpRecord& op() const { return *op_; }
  std::string_view type() const { return op_->name; }
  const AttrMap& attrs() const { return attrs_; }
  AttrMap& mutable_attrs() { return attrs_; }
  template <class T>
  T attr(std::string_view name) const {
    const T* v = attrs_.Get<T>(name);
    return v ? *v : T();
  }

  int num_inputs() const { return inputs_.size(); }
  const Output& input(int i) const { return inputs_[i]; }
  std::span<const Output> inputs() const { return inputs_; }
  const std::vector<Node*>& control_inputs() const { return control_inputs_; }
  int num_outputs() const { return outputs_.size(); }
  const OutputInfo& output(int i) const { return outputs_[i]; }
  OutputInfo& mutable_output(int i) { return outputs_[i]; }

  // Changing edges; the graph keeps no other index of them.
  void set_input(int i, Output o) { inputs_[i] = o; }
  void add_input(Output o) { inputs_.push_back(o); }
  void AddControlInput(Node* n);  // ignores duplicates and itself
  void ClearControlInputs() { control_inputs_.clear(); }

  // For tests of what checks graphs: the node does not fit it.
  void set_op(const OpRecord* op) { op_ = op; }
  // More results, as attributes say. Existing outputs keep their indices.
  void AddOutput(OutputInfo info) { outputs_.push_back(std::move(info)); }

  const std::string& device() const { return device_; }
  void set_device(std::string d) { device_ = std::move(d); }
  SourceId source() const { return source_; }
  void set_source(SourceId s) { source_ = s; }

 private:
  friend class Graph;
  int id_ = 0;
  std::string name_;
  const OpRecord* op_ = nullptr;
  AttrMap attrs_;
  InlinedVector<Output, 3> inputs_;
  std::vector<Node*> control_inputs_;
  std::vector<OutputInfo> outputs_;
  std::string device_;
  SourceId source_ = 0;
  Ref<const RefCounted> own_op_;  // what keeps `op_` alive, if it must be kept
};

class Graph : public SymbolicTensor::Source {
 public:
  Graph();
  ~Graph() override;

  // Makes a node: `attrs` resolved (ResolveAttrs), output types and shapes
  // inferred. `name` is made unique ("add", "add_1"); one that ends in '/' was
  // got from UniqueName and is taken as it is. Shape errors come back as
  // InvalidArgument with the text users know ("... for '{{node MatMul}} =
  // MatMul[T=DT_FLOAT, ...](x, y)' with input shapes: [], [].").
  StatusOr<Node*> AddNode(const OpRecord& op, std::string_view name,
                          std::span<const Output> inputs, AttrMap attrs,
                          std::span<Node* const> control_inputs = {});

  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  int num_nodes() const { return nodes_.size(); }
  Node* FindNode(std::string_view name) const;
  // For passes: drops the nodes for which keep[node id] is false and
  // renumbers the rest. No kept node may use a dropped one.
  void RemoveNodes(const std::vector<bool>& keep);

  // "x", or the first of "x_1", "x_2", ... not in use (case-insensitively,
  // as TensorFlow does); marks it used.
  std::string UniqueName(std::string_view name);
  // What UniqueName would give, without taking it.
  std::string PeekUniqueName(std::string_view name) const;

  // What builds this graph (a FuncGraph), weakly; null once that is gone.
  OpBuilder* builder() const { return builder_; }
  void set_builder(OpBuilder* builder) { builder_ = builder; }

  // The tensor of an edge: the live one, or a new one.
  Tensor TensorOf(Output o);
  static Output OutputOf(const Tensor& t) {
    const SymbolicTensor* s = SymbolicTensor::Of(t);
    return {s->node(), s->index()};
  }
  static Graph* GraphOf(const Tensor& t) {
    return static_cast<Graph*>(SymbolicTensor::Of(t)->source());
  }

  // A copy with the same names and ids. `map`, if given, receives the new
  // node of each old one (by id).
  Ref<Graph> Clone(std::vector<Node*>* map = nullptr) const;

  // SymbolicTensor::Source
  PartialTensorShape OutputShape(const Node* node, int index) const override;
  Tensor OutputValue(const Node* node, int index) const override;
  void RefineShape(Node* node, int index,
                   const PartialTensorShape& shape) override;
  void ForgetTensor(Node* node, int index) override;

  // Nodes so that producers (data and control) come first; error on a cycle.
  StatusOr<std::vector<Node*>> TopologicalOrder() const;

 private:
  // Do producers have lower ids than their consumers? Such an order is also
  // what the search for one would find.
  bool IsOrdered() const;

  std::vector<std::unique_ptr<Node>> nodes_;
  std::unordered_map<std::string, Node*> by_name_;
  std::unordered_map<std::string, int> used_names_;  // lower case
  OpBuilder* builder_ = nullptr;
};

// Runs shape inference for `node` from what its inputs say; fills in shapes,
// handle data and known values (small constants are computed).
Status InferShapes(Node* node);
// If `node` calls a function and knows more of the arguments than was known
// when that was traced: the shapes that follow for the results. An error if
// the function cannot take such arguments. As costly as InferShapes for each
// node of the function.
Status InferThroughCallee(Node* node);

// "{{node add}} = AddV2[T=DT_FLOAT](x, y)".
std::string NodeText(const Node& node);

// The edge that made a resource: Identity passes it on under another.
Output ResourceRoot(Output o);

// How a function or node uses a resource that it is given.
enum class ResourceUse : uint8_t { kNone, kRead, kWrite };

// What running a function does besides computing its results.
struct FunctionEffects {
  InlinedVector<ResourceUse, 8> arguments;  // of each argument
  bool stateful = false;  // contains any stateful op
  bool must_run = false;  // does more than read and draw random numbers
  // Prints, checks, calls into the host language, changes resources that are
  // not arguments: keeps its place among such ops.
  bool ordered = false;
};

// The same for one node; `inputs` instead of arguments.
FunctionEffects EffectsOf(const Node& node);

// A function as a graph: placeholders as arguments, edges as results.
class GraphFunction final : public RefCounted {
 public:
  GraphFunction(std::string name, Ref<Graph> graph,
                std::vector<Node*> arguments, std::vector<Output> results,
                std::vector<Node*> control_outputs, AttrMap attrs);
  ~GraphFunction() override;

  const std::string& name() const { return name_; }
  std::vector<DataType> input_types() const;
  std::vector<DataType> output_types() const;
  std::vector<PartialTensorShape> output_shapes() const;
  // Contains an op with side effects (directly or in a function it calls).
  bool is_stateful() const { return effects_.stateful; }
  const FunctionEffects& effects() const { return effects_; }

  const Graph& graph() const { return *graph_; }
  const Ref<Graph>& graph_ref() const { return graph_; }
  const std::vector<Node*>& arguments() const { return arguments_; }
  const std::vector<Output>& results() const { return results_; }
  // Must run even if no result needs them.
  const std::vector<Node*>& control_outputs() const { return control_outputs_; }
  const AttrMap& attrs() const { return attrs_; }
  AttrMap& mutable_attrs() { return attrs_; }

  // The executable form, made by the runtime on first use and kept here.
  class Compiled : public RefCounted {};
  std::atomic<Compiled*>& compiled() const { return compiled_; }
  // Its forward and backward variants, likewise kept by the layer above.
  std::atomic<RefCounted*>& gradients() const { return gradients_; }

 private:
  std::string name_;
  Ref<Graph> graph_;
  std::vector<Node*> arguments_;
  std::vector<Output> results_;
  std::vector<Node*> control_outputs_;
  AttrMap attrs_;
  FunctionEffects effects_;
  mutable std::atomic<Compiled*> compiled_{nullptr};
  mutable std::atomic<RefCounted*> gradients_{nullptr};
};

}  // namespace gk

#endif  // GK_FRAMEWORK_GRAPH_H_
