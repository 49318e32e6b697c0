#include "function/initialization_function.h"

#include "framework/handle_data.h"
#include "framework/variable.h"
#include "function/trace_function.h"
#include "function/user_scopes.h"
#include "ops/fn/AssignVariableOp.h"
#include "ops/fn/ReadVariableOp.h"

namespace gk {
namespace {

// Where the variables are, not in what is traced around.
TensorVector TakeValues(std::span<const Tensor> handles) {
  InitScope outside;
  outside.Enter();
  TensorVector values;
  for (const Tensor& handle : handles) {
    values.push_back(
        ops::ReadVariableOp(handle, HandleDataOf(handle).at(0).dtype));
  }
  for (const Tensor& handle : handles) {
    ThrowIfError(DropValue(handle));
  }
  ThrowIfError(outside.Exit());
  return values;
}

class AssigningBody final : public TracedBody {
 public:
  AssigningBody(FuncGraph* graph, std::span<const Tensor> handles,
                const TensorVector& values)
      : arguments_(graph), handles_(handles), values_(values) {}

  ArgumentFace* arguments() override { return &arguments_; }
  Status Call() override {
    for (size_t i = 0; i < handles_.size(); ++i) {
      ops::AssignVariableOp(handles_[i], values_[i]);
    }
    return OkStatus();
  }
  StatusOr<StructureRef> Results(AddResult) override {
    return Structure::None();
  }

 private:
  TensorArguments arguments_;
  const std::span<const Tensor> handles_;
  const TensorVector& values_;
};

}  // namespace

Ref<ConcreteFunction> InitializationFunction(FuncGraph* graph,
                                             std::span<const Tensor> handles) {
  const TensorVector values = TakeValues(handles);
  AssigningBody body(graph, handles, values);
  const auto type = MakeRef<FunctionType>(std::vector<FunctionParameter>());
  return ValueOrThrow(
      TraceFunction(graph, {graph->name(), type, {}, AttrMap()}, &body));
}

}  // namespace gk
