// Graphs that are being built: what is asked of them, what runs before what,
// and graphs in files.
//
//   auto f = gk::function([](gk::Tensor x) {
//     gk::Operation done = gk::group({check(x), count(x)});
//     auto after = gk::control_dependencies({done});
//     return x + 1.0f;  // runs when both are done
//   });
#ifndef GRAPHKILN_GRAPH_H_
#define GRAPHKILN_GRAPH_H_

#include <map>
#include <memory>
#include <string>
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

// A node of the graph of a function that is being traced. A handle of it; the
// graph lives as long. Eagerly there are none: not defined().
class GK_EXPORT Operation {
 public:
  Operation() = default;
  // What made a symbolic tensor; of an eager one: not defined().
  Operation(const Tensor& made);

  bool defined() const { return rep_ != nullptr; }
  // These throw Error unless it is defined().
  std::string name() const;
  std::string type() const;  // "AddV2"
  std::string device() const;
  std::vector<Tensor> inputs() const;
  std::vector<Tensor> outputs() const;
  std::vector<Operation> control_inputs() const;

  struct Rep;
  explicit Operation(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  const Rep* rep() const { return rep_.get(); }

 private:
  std::shared_ptr<const Rep> rep_;
};

// While it lives, operations run after others.
class GK_EXPORT ControlDependencies {
 public:
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

// Adds the nodes of a GraphDef, as bytes, to the graph of the function that
// is traced: their names begin with `name`, unless it is empty. `input_map`
// gives tensors in place of edges ("x", "x:1"). Gives the tensors "y:0" of
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
