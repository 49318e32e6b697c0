#include "function/dataset_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "framework/graph.h"
#include "function/trace_function.h"
#include "function/variable_creation.h"
#include "ops/composition.h"
#include "ops/fn/Cast.h"

namespace gk {

std::string OpOfDataset(const Tensor& variant) {
  if (variant.is_symbolic()) {
    return std::string(Graph::OutputOf(variant).node->op().name);
  }
  return std::string(ValueOrThrow(Dataset::Of(variant))->kind());
}

namespace {

class ElementBody final : public TracedBody {
 public:
  ElementBody(FuncGraph* graph, OfComponents body)
      : arguments_(graph), body_(body) {}

  ArgumentFace* arguments() override { return &arguments_; }
  Status Call() override {
    results_ = body_(arguments_.tensors());
    return OkStatus();
  }
  StatusOr<StructureRef> Results(AddResult add) override {
    std::vector<StructureRef> leaves;
    for (const Tensor& t : results_) {
      GK_RETURN_IF_ERROR(add(t));
      leaves.push_back(Structure::Leaf());
    }
    return Structure::List(std::move(leaves));
  }

 private:
  TensorArguments arguments_;
  const OfComponents body_;
  TensorVector results_;
};

Ref<FunctionType> TypeOf(const ElementSignature& arguments) {
  std::vector<FunctionParameter> parameters;
  for (size_t i = 0; i < arguments.types.size(); ++i) {
    parameters.push_back(
        {Format("args_{}", i), ParameterKind::kPositionalOrKeyword, false,
         TraceType::Tensor(arguments.types[i], arguments.shapes[i])});
  }
  return MakeRef<FunctionType>(std::move(parameters));
}

}  // namespace

StatusOr<Ref<ConcreteFunction>> TraceElements(FuncGraph* graph,
                                              const ElementSignature& arguments,
                                              OfComponents body) {
  ElementBody traced(graph, body);
  return TraceFunction(
      graph,
      {graph->name(), TypeOf(arguments), {}, {{"_tf_data_function", true}}},
      &traced);
}

ElementFunction AsElementFunction(const ConcreteFunction& function) {
  const Ref<GraphFunction>& definition = function.function();
  ElementFunction made{{definition->name(), definition, nullptr},
                       ValueOrThrow(function.CaptureValues()),
                       {}};
  for (const Output& result : definition->results()) {
    const Node::OutputInfo& info = result.node->output(result.index);
    made.result.types.push_back(info.dtype);
    made.result.shapes.push_back(info.shape);
  }
  return made;
}

ElementFunction TraceElementFunction(std::string name,
                                     const ElementSignature& arguments,
                                     OfComponents body,
                                     const HostWords* words) {
  Ref<ConcreteFunction> made;
  const auto trace = [&]() -> Status {
    const auto graph = MakeRef<FuncGraph>(name);
    GK_ASSIGN_OR_RETURN(made, TraceElements(graph.get(), arguments, body));
    return OkStatus();
  };
  ThrowIfError(words ? TraceMakingVariables(*words, trace) : trace());
  return AsElementFunction(*made);
}

ElementFunction TraceUntilFixed(
    ElementSignature* state,
    FunctionRef<ElementFunction(const ElementSignature&)> trace) {
  const size_t n = state->types.size();
  while (true) {
    ElementFunction made = trace(*state);
    ElementSignature after = made.result;
    if (after.types.size() < n) {
      throw Error(TypeError(
          "The element structure for the new state must match the initial "
          "state. Expected {} tensors but got {}.",
          n, after.types.size()));
    }
    after.types.resize(n);
    after.shapes.resize(n);
    const std::optional<ElementSignature> wider = CommonElements(*state, after);
    if (!wider) {
      size_t i = 0;
      while (after.types[i] == state->types[i]) ++i;
      throw Error(TypeError(
          "The element types for the new state must match the initial state. "
          "Expected {} but got {} as tensor {}.",
          DataTypeName(state->types[i]), DataTypeName(after.types[i]), i));
    }
    if (wider->shapes == state->shapes) return made;
    state->shapes = wider->shapes;
  }
}

ElementSignature SignatureOf(std::span<const Tensor> tensors) {
  ElementSignature e;
  for (const Tensor& t : tensors) {
    e.types.push_back(t.dtype());
    e.shapes.push_back(t.partial_shape());
  }
  return e;
}

ElementSignature Joined(ElementSignature a, const ElementSignature& b) {
  a.types.insert(a.types.end(), b.types.begin(), b.types.end());
  a.shapes.insert(a.shapes.end(), b.shapes.begin(), b.shapes.end());
  return a;
}

ElementSignature Stacked(const ElementSignature& e, int64_t size) {
  ElementSignature batch = e;
  for (PartialTensorShape& s : batch.shapes) {
    if (!s.unknown_rank()) s.InsertDim(0, size);
  }
  return batch;
}

ElementSignature RowsOf(const ElementSignature& e) {
  ElementSignature rows = e;
  for (PartialTensorShape& s : rows.shapes) {
    if (s.unknown_rank()) continue;
    if (s.rank() == 0) {
      throw Error(
          ValueError("Unbatching a tensor is only supported for rank >= 1"));
    }
    s.RemoveDim(0);
  }
  return rows;
}

std::optional<std::pair<int64_t, int64_t>> UnequalLengths(
    const ElementSignature& e) {
  int64_t length = -1;
  for (const PartialTensorShape& s : e.shapes) {
    const int64_t n = s.rank() > 0 ? s.dim(0) : -1;
    if (length >= 0 && n >= 0 && n != length) return {{length, n}};
    if (length < 0) length = n;
  }
  return std::nullopt;
}

std::optional<ElementSignature> CommonElements(const ElementSignature& a,
                                               const ElementSignature& b) {
  if (a.types != b.types) return std::nullopt;
  ElementSignature common = a;
  for (size_t i = 0; i < common.shapes.size(); ++i) {
    common.shapes[i] = a.shapes[i].CommonSupertype(b.shapes[i]);
  }
  return common;
}

ElementSignature PaddedTo(const ElementSignature& e,
                          std::span<const PartialTensorShape> shapes) {
  if (shapes.size() != e.types.size()) {
    throw Error(ValueError("{} padded shapes were given for {} components",
                           shapes.size(), e.types.size()));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const PartialTensorShape &to = shapes[i], &from = e.shapes[i];
    const bool ranks = !to.unknown_rank() && !from.unknown_rank();
    bool fits = !ranks || to.rank() == from.rank();
    for (int k = 0; ranks && fits && k < from.rank(); ++k) {
      fits = to.dim(k) < 0 || from.dim(k) < 0 || to.dim(k) >= from.dim(k);
    }
    if (!fits) {
      throw Error(ValueError(
          "The padded shape {} is not compatible with the shape {} of the "
          "corresponding input component.",
          to.PythonString(), from.PythonString()));
    }
  }
  return {e.types, {shapes.begin(), shapes.end()}};
}

std::vector<PartialTensorShape> OwnPaddedShapes(const ElementSignature& e) {
  for (size_t i = 0; i < e.shapes.size(); ++i) {
    if (e.shapes[i].unknown_rank()) {
      throw Error(ValueError(
          "You must provide `padded_shapes` argument because component {} has "
          "unknown rank.",
          i));
    }
  }
  return e.shapes;
}

int64_t KnownBatchSize(const Tensor& size, const Tensor& drop_remainder) {
  const Tensor drop = drop_remainder.KnownValue();
  if (!drop || drop.num_elements() != 1 || !*drop.data<bool>()) return -1;
  const auto known = KnownInts(size);
  if (!known || known->empty()) return -1;
  const auto differs = [&](int64_t n) { return n != known->front(); };
  return std::ranges::any_of(*known, differs) ? -1 : known->front();
}

Tensor AsInt64(const Tensor& value) {
  if (value.dtype() == DataType::kInt64) return value;
  if (!IsInteger(value.dtype())) {
    throw Error(TypeError("An integer was expected, got a tensor of dtype {}",
                          DataTypeName(value.dtype())));
  }
  return ops::Cast(value, DataType::kInt64);
}

}  // namespace gk
