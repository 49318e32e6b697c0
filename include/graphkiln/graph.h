// Graphs that are being built: what is asked of them, what runs before what,
// names, and graphs in files; and graphs that a program makes for their own
// sake.
//
//   auto f = gk::function([](gk::Tensor x) {
//     gk::Operation done = gk::group({check(x), count(x)});
//     auto after = gk::control_dependencies({done});
//     return x + 1.0f;  // runs when both are done
//   });
//
//   gk::Graph graph;
//   {
//     const auto inside = graph.as_default();
//     const auto names = gk::name_scope("layer");
//     gk::Tensor x = gk::placeholder(gk::DataType::kFloat, {2}, "x");
//     gk::nn::relu(x * 2.0f);
//   }
//   auto f = graph.prune({graph.get_tensor_by_name("layer/x:0")},
//                        {graph.get_tensor_by_name("layer/Relu:0")});
#ifndef GRAPHKILN_GRAPH_H_
#define GRAPHKILN_GRAPH_H_

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graphkiln/concrete_function.h>
#include <graphkiln/tensor_spec.h>

namespace gk {
GK_API_NAMESPACE {

// Does what is called run at once? False while a function is traced.
GK_EXPORT bool executing_eagerly();
// Is a function being traced here?
GK_EXPORT bool inside_function();
// Is it a tensor of a graph, without a value yet?
GK_EXPORT bool is_symbolic_tensor(const Tensor& tensor);
// The value of a tensor if it is known while tracing; else not defined().
GK_EXPORT Tensor get_static_value(const Tensor& tensor);

class Graph;

// A node of a graph, such as that of a function that is being traced. A
// handle of it; the graph lives as long. Eagerly there are none: not
// defined().
class GK_EXPORT Operation {
 public:
  Operation() = default;
  // What made a symbolic tensor; of an eager one: not defined().
  Operation(const Tensor& made);

  // Is there one?
  bool defined() const { return rep_ != nullptr; }
  // These throw Error unless it is defined().
  std::string name() const;
  std::string type() const;  // "AddV2"
  std::string device() const;
  std::vector<Tensor> inputs() const;
  std::vector<Tensor> outputs() const;
  std::vector<Operation> control_inputs() const;
  // An attribute as an AttrValue message, as Graph::create_op takes it. Throws
  // Error (ValueError) if there is none of that name.
  std::string get_attr(const std::string& name) const;
  // The operation as a NodeDef message, and its op's signature as an OpDef.
  std::string node_def() const;
  std::string op_def() const;
  // The groups of operations that are to run on one device: "loc:@x".
  std::vector<std::string> colocation_groups() const;
  // Is it the same?
  bool operator==(const Operation& other) const;
  // The graph that it is of, while that is built or kept.
  Graph graph() const;

  struct Rep;
  // --- For the library itself.
  explicit Operation(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  const Rep* rep() const { return rep_.get(); }

 private:
  std::shared_ptr<const Rep> rep_;
};

// While it lives, operations run after others.
class GK_EXPORT ControlDependencies {
 public:
  // See control_dependencies().
  explicit ControlDependencies(const std::vector<Operation>& before);
  ~ControlDependencies();
  ControlDependencies(const ControlDependencies&) = delete;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};
// What is made while the result lives runs after these, tensors or
// operations. Eagerly everything runs in its order anyway.
[[nodiscard]] inline ControlDependencies control_dependencies(
    const std::vector<Operation>& control_inputs) {
  return ControlDependencies(control_inputs);
}
// An operation that is done when all of these are; not defined() eagerly.
GK_EXPORT Operation group(const std::vector<Operation>& inputs,
                          const std::string& name = "group_deps");
// The tensors, each available only when all are computed and `control_inputs`
// are done. One that is not defined() stays. Throws Error in a graph if
// nothing is given.
GK_EXPORT std::vector<Tensor> tuple(
    const std::vector<Tensor>& tensors,
    const std::vector<Operation>& control_inputs = {},
    const std::string& name = "tuple");

// What this thread makes is under a scope for as long as this lives. Scopes
// end on the thread that began them, the last first.
class GK_EXPORT GraphScope {
 public:
  // `leave` ends the scope.
  explicit GraphScope(std::function<void()> leave)
      : leave_(std::move(leave)) {}
  ~GraphScope() { leave_(); }
  GraphScope(const GraphScope&) = delete;

 private:
  const std::function<void()> leave_;
};

// What is made while it lives has names below `name`: operations, and the
// variables of eager code, too. One that ends in '/' is the whole scope, an
// empty one leaves all scopes. Throws Error for what cannot be a name.
class GK_EXPORT name_scope {
 public:
  // Until it is destroyed.
  explicit name_scope(const std::string& name);
  ~name_scope();
  name_scope(const name_scope&) = delete;
  // As it was given.
  const std::string& name() const;
  // "outer/name/".
  const std::string& full_name() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};
// The scope that names begin with here, "outer/inner"; empty outside of all.
GK_EXPORT std::string get_current_name_scope();

// What is made while it lives is in no function that is being traced: it runs
// now, or goes into the gk::Graph around. Tapes do not see it.
class GK_EXPORT init_scope {
 public:
  // Until it is destroyed.
  init_scope();
  ~init_scope();
  init_scope(const init_scope&) = delete;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

// Operations and the tensors between them. A handle; copying shares the
// graph. Members throw Error, where a graph is finalized or of a function
// that is no longer there, too.
class GK_EXPORT Graph {
 public:
  // An empty one.
  Graph();

  // What is made while the result lives becomes part of this graph. Tensors
  // of elsewhere cannot be used there.
  [[nodiscard]] GraphScope as_default() const;

  // All operations, as they were made.
  std::vector<Operation> get_operations() const;
  // The operation "x"; the tensor "x:0". Throw Error (kNotFound) if there is
  // none, kValueError for what is no such name.
  Operation get_operation_by_name(const std::string& name) const;
  Tensor get_tensor_by_name(const std::string& name) const;
  // How many there are, and those that were made since the last call on any
  // handle of the graph.
  int64_t num_operations() const { return version(); }
  std::vector<Operation> new_operations() const;
  // Grows with every operation that is made.
  int64_t version() const;
  // The signature of a type of op as an OpDef message. Throws Error
  // (RuntimeError) if there is none.
  std::string op_def_for_type(const std::string& type) const;

  // Of the graph of a function: its name; the graph around it; its arguments,
  // what it captured behind them, and its results; outside tensors that it uses
  // with what stands for them; operations that run even if no result needs
  // them; and the variables that it uses, in that order.
  bool building_function() const;
  std::string name() const;
  std::optional<Graph> outer_graph() const;
  std::vector<Tensor> inputs() const;
  std::vector<Tensor> outputs() const;
  std::vector<std::pair<Tensor, Tensor>> captures() const;
  std::vector<Operation> control_outputs() const;
  std::vector<Variable> variables() const;
  std::vector<Variable> trainable_variables() const;
  // An operation of a type of op ("AddV2") below the current name scope,
  // named after its type unless it has a name. `attrs`: AttrValue messages as
  // bytes; those that the inputs tell may be left out.
  Operation create_op(
      const std::string& op_type, const std::vector<Tensor>& inputs,
      const std::string& name = "",
      const std::map<std::string, std::string>& attrs = {}) const;

  // A name that is not in use, below the current name scope.
  std::string unique_name(const std::string& name,
                          bool mark_as_used = true) const;
  // The current name scope, without the final slash.
  std::string get_name_scope() const;

  // What is made in this graph while the results live: asks for a device;
  // runs after others; asks to be where `op` is, with `ignore_existing` there
  // alone; keeps resources in a container; has other gradients than its
  // types, {type: name given to RegisterGradient}.
  [[nodiscard]] GraphScope device(const std::string& name) const;
  // That `choose` names for each operation that is made.
  [[nodiscard]] GraphScope device(
      const std::function<std::string(const Operation&)>& choose) const;
  [[nodiscard]] GraphScope control_dependencies(
      const std::vector<Operation>& control_inputs) const;
  [[nodiscard]] GraphScope colocate_with(const Operation& op,
                                         bool ignore_existing = false) const;
  [[nodiscard]] GraphScope container(const std::string& name) const;
  [[nodiscard]] GraphScope gradient_override_map(
      const std::map<std::string, std::string>& op_type_map) const;

  // Lists of values by name, for whoever builds the graph. They live as long
  // as it. What changes them throws Error if the graph is finalized.
  void add_to_collection(const std::string& name, std::any value) const;
  // To each of these, once.
  void add_to_collections(const std::vector<std::string>& names,
                          std::any value) const;
  // The list itself, empty if it is new, until it is cleared.
  std::vector<std::any>& get_collection_ref(const std::string& name) const;
  // A copy. `scope`: only tensors of graphs, operations, variables and modules
  // whose names begin as this regular expression says, of at most 1,000
  // characters and without back references. Throws Error (kValueError) if it
  // is none.
  std::vector<std::any> get_collection(
      const std::string& name,
      const std::optional<std::string>& scope = std::nullopt) const;
  // In the order they were made.
  std::vector<std::string> get_all_collection_keys() const;
  void clear_collection(const std::string& name) const;

  // Marks of tensors that no value can be given in place of, and of
  // operations whose results cannot be asked for, for whoever runs the graph.
  void prevent_feeding(const Tensor& tensor) const;
  bool is_feedable(const Tensor& tensor) const;
  // Of a tensor that an operation made. Throw Error unless it is defined().
  void prevent_fetching(const Operation& op) const;
  bool is_fetchable(const Operation& tensor_or_op) const;

  // Nothing can be added from now on.
  void finalize() const;
  bool finalized() const;
  // Of the random operations that are made in it.
  std::optional<int64_t> seed() const;
  void set_seed(std::optional<int64_t> seed) const;

  // A function of some tensors of the graph that gives others, and runs what
  // lies between, and the operations of `runs` with what they need, in the
  // order that the edges give. Throws Error (kFailedPrecondition) if a
  // placeholder is needed that is not among `feeds`.
  ConcreteFunction prune(const std::vector<Tensor>& feeds,
                         const std::vector<Tensor>& fetches,
                         const std::vector<Operation>& runs = {},
                         const std::string& name = "pruned") const;

  // The graph as a GraphDef message; `add_shapes` adds `_output_shapes`.
  std::string as_graph_def(bool add_shapes = false) const;

  // Is it the same graph?
  bool operator==(const Graph& other) const;

  // --- For the library itself.
  struct Rep;
  explicit Graph(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  const Rep& rep() const { return *rep_; }

 private:
  std::shared_ptr<const Rep> rep_;
};

// The graph that is built here. Throws Error eagerly: there is none.
GK_EXPORT Graph get_default_graph();
// A tensor of the graph that is built here, without a value. Throws Error
// eagerly.
GK_EXPORT Tensor placeholder(DataType dtype,
                             const Shape& shape = Shape::UnknownRank(),
                             const std::string& name = "");

// Adds the nodes of a GraphDef, as bytes, to the graph that is built here:
// their names begin with `name`, unless it is empty. `input_map` gives
// tensors in place of edges ("x", "x:1"). Gives the tensors "y:0" of
// `return_elements`. Throws Error.
GK_EXPORT std::vector<Tensor> import_graph_def(
    const std::string& graph_def,
    const std::map<std::string, Tensor>& input_map = {},
    const std::vector<std::string>& return_elements = {},
    const std::string& name = "import");

namespace io {
// Writes the graph of a function to a file in a folder, which is made if it
// is not there, as text or as bytes; gives the file's path. Throws Error.
GK_EXPORT std::string write_graph(const ConcreteFunction& function,
                                  const std::string& logdir,
                                  const std::string& name,
                                  bool as_text = true);
}  // namespace io

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_GRAPH_H_
