// The arguments of a trace: placeholders for the tensors and variables of a
// FunctionType, named as the face names them and in the order in which calls
// give their tensors.
#ifndef GK_FUNCTION_TRACE_ARGUMENTS_H_
#define GK_FUNCTION_TRACE_ARGUMENTS_H_

#include <span>
#include <string>

#include "function/func_graph.h"
#include "function/function_type.h"

namespace gk {

// What a face makes of placeholders: the values that the user's body gets, one
// for each parameter in the end. Parts of a container come before it, those of
// mappings in their own order.
class ArgumentFace {
 public:
  // `graph`: what is traced into; null where Add needs none.
  explicit ArgumentFace(FuncGraph* graph) : graph_(graph) {}
  FuncGraph* graph() const { return graph_; }
  struct Names {
    std::string node;
    std::string user;  // shown to the user
  };
  // Of a part of parameter `parameter`: "x" and "x_0_a".
  virtual Names NamesOf(const TraceType& type, const std::string& parameter,
                        const std::string& path) = 0;
  // A placeholder, an argument of the graph.
  virtual StatusOr<gk::Tensor> Add(const Names& names, DataType dtype,
                                   const PartialTensorShape& shape,
                                   const HandleData& handle_data) {
    return graph_->inputs().AddArgument(names.node, dtype, shape, names.user,
                                        handle_data);
  }
  virtual Status Tensor(const gk::Tensor& placeholder) = 0;
  // Once for each place, with the same handle for the same alias.
  virtual Status Variable(const TraceType& type, const gk::Tensor& handle,
                          const std::string& parameter) = 0;
  // A literal or an object.
  virtual Status Constant(const TraceType&) { return OkStatus(); }
  // A type of the host's own: adds the arguments that it needs itself.
  virtual Status Custom(const TraceType& type, const std::string& parameter) {
    return TypeError("{} is no type of an argument of {}", type.Text(),
                     parameter);
  }
  virtual Status Container(const TraceType&) { return OkStatus(); }

 protected:
  ~ArgumentFace() = default;

 private:
  FuncGraph* graph_;
};

// That of bodies which take the placeholders themselves: each parameter is a
// tensor, and named like it.
class TensorArguments final : public ArgumentFace {
 public:
  using ArgumentFace::ArgumentFace;
  const TensorVector& tensors() const { return tensors_; }

  Names NamesOf(const TraceType&, const std::string& parameter,
                const std::string&) override {
    return {parameter, parameter};
  }
  Status Tensor(const gk::Tensor& placeholder) override {
    tensors_.push_back(placeholder);
    return OkStatus();
  }
  Status Variable(const TraceType& type, const gk::Tensor&,
                  const std::string& parameter) override {
    return Custom(type, parameter);
  }

 private:
  TensorVector tensors_;
};

// `variables`: the handles of the call's variables, by alias; null or missing
// where none is known.
Status MakeArguments(const FunctionType& type,
                     std::span<const Tensor> variables, ArgumentFace* face);
// The placeholders of one type, in the order in which they are met.
Status MakeArgument(const TraceType& type, const std::string& name,
                    ArgumentFace* face);

// How the arguments of a function are built, (those by position, {name: those
// by name alone}), and the types at its leaves: tensors, variables, constants
// and what the host defines.
StructureRef InputStructure(const FunctionType& type,
                            std::vector<TraceTypeRef>* leaves);

}  // namespace gk

#endif  // GK_FUNCTION_TRACE_ARGUMENTS_H_
