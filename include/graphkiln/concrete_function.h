// ConcreteFunction: one traced graph with what it captured.
//
// A handle; copying shares. Calls are safe from any number of threads.
#ifndef GRAPHKILN_CONCRETE_FUNCTION_H_
#define GRAPHKILN_CONCRETE_FUNCTION_H_

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <graphkiln/profiler.h>
#include <graphkiln/run_options.h>
#include <graphkiln/structure.h>
#include <graphkiln/tensor_spec.h>

namespace gk {
GK_API_NAMESPACE {

// One traced graph with what it captured.
class GK_EXPORT ConcreteFunction {
 public:
  // "__inference_power_12".
  std::string name() const;
  // The flat arguments, tensors and variables (of type kResource) in the
  // order of the traced function's; and its flat results.
  std::vector<TensorSpec> inputs() const;
  std::vector<TensorSpec> outputs() const;
  int num_captures() const;
  // How the arguments nest, (those by position, those by name); and the
  // results, of which leaf i is outputs()[i].
  Structure input_structure() const;
  Structure output_structure() const;
  // The arguments of the traced function with their types, the results, and
  // with `verbose` the captures, one on a line.
  std::string signature(bool verbose = false) const;

  // Takes the flat arguments. Throws Error if one's type or shape does not
  // match, and as RunOptions say.
  std::vector<Tensor> Call(const std::vector<TensorOrVariable>& inputs,
                           const RunOptions& options = {}) const;
  // The same by the names of inputs().
  std::vector<Tensor> CallByName(
      const std::map<std::string, TensorOrVariable>& inputs,
      const RunOptions& options = {}) const;
  template <class... Args>
  std::vector<Tensor> operator()(const Args&... args) const {
    return Call({TensorOrVariable(args)...});
  }

  // The same function with constants in the place of the variables and tensors
  // that it captured, of the values that they have now; calls are inlined.
  // Tables and the like stay captured. Throws Error: FailedPrecondition if a
  // variable has no value, Value if the function writes one.
  ConcreteFunction Freeze() const;

  // The graph as it was traced, one line an operation.
  std::string to_string() const;
  // The graph after the passes, and the plan that runs it, with those of the
  // functions that it calls: docs/internals/debugging.md. Throws Error if
  // none can be made.
  std::string optimized_text() const;
  std::string plan_text() const;

  // Calls it, again and again if it has no effects, and tells where the time
  // went. Throws Error: AlreadyExists while a profile is made, or as Call.
  profiler::FunctionProfile profile(
      const std::vector<TensorOrVariable>& inputs) const;
  // What memory its plan needs, for the shapes of the latest call or the
  // declared ones, and for which values. Throws Error if there can be no plan.
  profiler::MemoryReport memory_report() const;

  // --- For the library itself.
  struct Rep;
  explicit ConcreteFunction(std::shared_ptr<const Rep> rep)
      : rep_(std::move(rep)) {}
  const Rep& rep() const { return *rep_; }

 private:
  std::shared_ptr<const Rep> rep_;
};

// "ConcreteFunction Input Parameters:\n  x (POSITIONAL_ONLY): ...".
GK_EXPORT std::ostream& operator<<(std::ostream& out,
                                   const ConcreteFunction& f);

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CONCRETE_FUNCTION_H_
