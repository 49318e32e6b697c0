#include "api/exported_function.h"

#include <memory>
#include <utility>
#include <vector>

#include "api/concrete_rep.h"
#include "api/inner.h"
#include "saved_model/trace_messages.h"

namespace gk::api::saved_model {
namespace {

// How the results of a trace nest: a tuple of them if nothing is known.
StructureRef OutputOf(const ConcreteFunction::Rep& trace) {
  if (trace.Output()) return trace.Output();
  std::vector<StructureRef> leaves(trace.function->num_outputs(),
                                   ::gk::Structure::Leaf());
  if (leaves.size() == 1) return leaves[0];
  return ::gk::Structure::Tuple(std::move(leaves));
}

class FunctionObject final : public ExportedObject {
 public:
  FunctionObject(std::string name, ExportedFunction function)
      : name_(std::move(name)), function_(std::move(function)) {}

  const void* identity() const override { return this; }
  std::string Text() const override { return Format("function {}", name_); }
  ExportedFacts Facts() override {
    ExportedFacts facts;
    std::vector<std::string> parameters;
    for (const ConcreteFunction& trace : function_.traces()) {
      facts.traces.push_back(Exported(trace));
      const auto& own = trace.rep().type->parameters();
      for (size_t i = parameters.size(); i < own.size(); ++i) {
        parameters.push_back(own[i].name);
      }
    }
    facts.message.mutable_function().function_spec =
        SpecOfParameters(parameters);
    return facts;
  }

 private:
  const std::string name_;
  const ExportedFunction function_;
};

}  // namespace

ExportedTrace Exported(const ConcreteFunction& trace) {
  const ConcreteFunction::Rep& rep = trace.rep();
  ExportedTrace made;
  made.function = rep.function;
  made.inputs = ValueOrThrow(MessageOfArguments(*rep.function, *rep.type));
  made.outputs = ValueOrThrow(MessageOfResults(*rep.function, *OutputOf(rep)));
  return made;
}

ExportedObjectRef ExportedFunctionObject(std::string name,
                                         ExportedFunction function) {
  return std::make_shared<FunctionObject>(std::move(name), std::move(function));
}

}  // namespace gk::api::saved_model
