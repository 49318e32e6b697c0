#include "graphkiln/concrete_function.h"

#include "api/concrete_rep.h"
#include "api/inner.h"
#include "api/run_limits.h"
#include "api/structure_rep.h"
#include "function/freeze.h"
#include "function/plan_text.h"
#include "function/trace_arguments.h"
#include "ops/fn/ReadVariableOp.h"

namespace gk::api {

std::string ConcreteFunction::name() const { return rep_->function->name(); }

std::vector<TensorSpec> ConcreteFunction::inputs() const {
  std::vector<TensorSpec> out;
  for (const ArgumentSpec& a : rep_->function->arguments()) {
    out.push_back({Outer(a.shape), Outer(a.dtype), a.name});
  }
  return out;
}

std::vector<TensorSpec> ConcreteFunction::outputs() const {
  std::vector<TensorSpec> out;
  for (const Output& r : rep_->function->function()->results()) {
    const Node::OutputInfo& info = r.node->output(r.index);
    out.push_back({Outer(info.shape), Outer(info.dtype), r.node->name()});
  }
  return out;
}

int ConcreteFunction::num_captures() const {
  return static_cast<int>(rep_->function->captures().size());
}

Structure ConcreteFunction::input_structure() const {
  std::vector<TraceTypeRef> leaves;
  return Outer(InputStructure(*rep_->type, &leaves));
}

Structure ConcreteFunction::output_structure() const {
  return Outer(rep_->Output());
}

std::vector<Tensor> ConcreteFunction::Call(
    const std::vector<TensorOrVariable>& inputs,
    const RunOptions& options) const {
  return Guarded([&] {
    const std::vector<ArgumentSpec>& specs = rep_->function->arguments();
    TensorVector arguments, outputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      InnerTensor t = Inner(inputs[i].tensor());
      // A variable where a value is expected is read.
      if (t.dtype() == InnerType::kResource && i < specs.size() &&
          specs[i].dtype != InnerType::kResource) {
        t = ::gk::ops::ReadVariableOp(t, specs[i].dtype);
      }
      arguments.push_back(std::move(t));
    }
    ThrowIfError(CallWithLimits(options, rep_->function->name(),
                                [&](const ::gk::CancellationToken* token) {
                                  return rep_->function->Call(arguments,
                                                              &outputs, token);
                                }));
    return Outer(outputs);
  });
}

std::vector<Tensor> ConcreteFunction::CallByName(
    const std::map<std::string, TensorOrVariable>& inputs,
    const RunOptions& options) const {
  return Guarded([&] {
    std::vector<TensorOrVariable> flat;
    for (const ArgumentSpec& a : rep_->function->arguments()) {
      const auto found = inputs.find(a.name);
      if (found == inputs.end()) {
        throw ::gk::Error(
            TypeError("{} missing required arguments: {}.", name(), a.name));
      }
      flat.push_back(found->second);
    }
    if (flat.size() != inputs.size()) {
      throw ::gk::Error(TypeError("{} takes {} arguments, got {}.", name(),
                                  flat.size(), inputs.size()));
    }
    return Call(flat, options);
  });
}

std::string ConcreteFunction::signature(bool verbose) const {
  std::vector<FunctionType::Capture> captures;
  int64_t id = 0;
  for (const FunctionCapture& c : rep_->function->captures()) {
    const Node::OutputInfo& info = c.placeholder->output(0);
    captures.emplace_back(std::to_string(id++),
                          TraceType::Tensor(info.dtype, info.shape));
  }
  std::vector<TraceTypeRef> results;
  for (const Output& r : rep_->function->function()->results()) {
    const Node::OutputInfo& info = r.node->output(r.index);
    results.push_back(TraceType::Tensor(info.dtype, info.shape));
  }
  TraceTypeRef output =
      results.size() == 1
          ? results[0]
          : TraceType::Sequence(TraceType::Kind::kTuple, std::move(results));
  const FunctionType type(rep_->type->parameters(), std::move(captures),
                          std::move(output));
  return verbose ? type.LongText() : type.Text();
}

std::ostream& operator<<(std::ostream& out, const ConcreteFunction& f) {
  return out << "ConcreteFunction " << f.signature(/*verbose=*/true);
}

ConcreteFunction ConcreteFunction::Freeze() const {
  return Guarded([&] {
    return ConcreteFunction(std::make_shared<Rep>(
        ValueOrThrow(FreezeVariables(*rep_->function)).function, rep_->type));
  });
}

std::string ConcreteFunction::to_string() const {
  std::string text = name() + "\n";
  for (const auto& node : rep_->function->function()->graph().nodes()) {
    text += "  " + NodeText(*node) + "\n";
  }
  return text;
}

std::string ConcreteFunction::optimized_text() const {
  return Guarded(
      [&] { return ValueOrThrow(OptimizedText(*rep_->function->function())); });
}

std::string ConcreteFunction::plan_text() const {
  return Guarded(
      [&] { return ValueOrThrow(PlanText(*rep_->function->function())); });
}

}  // namespace gk::api
