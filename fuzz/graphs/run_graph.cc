#include "graphs/run_graph.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "driver/fuzz_target.h"
#include "framework/host_language.h"
#include "framework/tensor_list.h"
#include "framework/variable.h"
#include "function/concrete_function.h"
#include "function/control_flow.h"
#include "function/custom_gradient.h"
#include "function/derivatives.h"
#include "function/function_gradient.h"
#include "graph/import_graph_def.h"

namespace gk::fuzz {
namespace {

constexpr auto kRunTime = std::chrono::milliseconds(300);
constexpr size_t kMaxResults = 24;
constexpr size_t kMaxSources = 12;
constexpr int64_t kMaxElements = 1 << 16;

// Cancels a run that goes on for too long.
class Watch {
 public:
  Watch()
      : thread_([this] {
          std::unique_lock lock(mutex_);
          if (!ended_.wait_for(lock, kRunTime, [&] { return over_; })) {
            token_.Cancel();
          }
        }) {}
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }
  const CancellationToken* token() const { return &token_; }

 private:
  CancellationToken token_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

void Look(const Status& status) { CheckNotInternal(status); }

// A value of this type and a shape that fits; null if there is none.
Tensor SomeValue(DataType dtype, const PartialTensorShape& shape,
                 const HandleData& data) {
  TensorShape made;
  if (shape.unknown_rank()) {
    if (!IsObjectType(dtype)) made.AddDim(3);
  } else {
    for (int64_t d : shape.dims()) made.AddDim(d < 0 ? 2 : d);
  }
  if (made.num_elements() < 0 || made.num_elements() > kMaxElements) return {};
  StatusOr<Tensor> t = Tensor::Zeros(dtype, made);
  if (!t.ok()) return {};
  for (int64_t i = 0; i < made.num_elements(); ++i) {
    switch (dtype) {
      case DataType::kFloat:
        t->data<float>()[i] = 0.5f * static_cast<float>(i % 7) - 1;
        break;
      case DataType::kInt32:
        t->data<int32_t>()[i] = static_cast<int32_t>(i % 5);
        break;
      case DataType::kInt64:
        t->data<int64_t>()[i] = i % 5;
        break;
      case DataType::kString:
        t->data<std::string>()[i] = i % 2 == 0 ? "kiln" : "";
        break;
      case DataType::kVariant:
        t->data<Variant>()[i] = Variant(
            MakeRef<TensorList>(DataType::kFloat, PartialTensorShape()));
        break;
      case DataType::kResource: {
        const DataType of = data.empty() ? DataType::kFloat : data[0].dtype;
        const PartialTensorShape want =
            data.empty() ? PartialTensorShape() : data[0].shape;
        auto variable =
            MakeRef<VariableResource>("v", of, PartialTensorShape(), true);
        const Tensor value =
            of == DataType::kResource ? Tensor() : SomeValue(of, want, {});
        if (value) Look(variable->Assign(value));
        t->data<ResourceHandle>()[i] =
            ResourceHandle(Ref<Resource>(std::move(variable)), "v", data);
        break;
      }
      default:
        break;
    }
  }
  return *std::move(t);
}

// A graph with what stands for its placeholders.
struct Imported {
  Ref<FuncGraph> graph;
  TensorVector arguments;  // values
  std::vector<Node*> nodes;
};

StatusOr<Imported> Import(const proto::GraphDef& message) {
  Imported in;
  in.graph = MakeRef<FuncGraph>("fuzzed");
  const FuncGraph::Building building(in.graph.get());
  ImportGraphDefOptions options;
  for (const proto::NodeDef& node : message.node) {
    if (node.op != "Placeholder" || !node.input.empty()) continue;
    const auto type = node.attr.find("dtype");
    const auto shape = node.attr.find("shape");
    if (type == node.attr.end()) continue;
    const int number = static_cast<int>(type->second.type);
    if (!DataTypeIsValid(number) || options.input_map.count(node.name) != 0) {
      continue;
    }
    PartialTensorShape known;
    if (shape != node.attr.end() && !shape->second.shape->unknown_rank) {
      std::vector<int64_t> dims;
      for (const auto& d : shape->second.shape->dim) dims.push_back(d.size);
      StatusOr<PartialTensorShape> read = PartialTensorShape::Make(dims);
      if (!read.ok()) continue;
      known = *std::move(read);
    }
    const auto dtype = static_cast<DataType>(number);
    const Tensor value = SomeValue(dtype, known, {});
    if (!value) continue;
    GK_ASSIGN_OR_RETURN(const Tensor argument,
                        in.graph->inputs().AddArgument("arg", dtype, known));
    in.arguments.push_back(value);
    options.input_map[node.name] = Graph::OutputOf(argument);
  }
  options.prefix = "fuzzed";
  options.unknown_ops = UnknownOps::kCarry;
  GK_ASSIGN_OR_RETURN(
      in.nodes, ImportGraphDef(message, in.graph->graph().get(), options));
  in.graph->Adopt(in.nodes);
  return in;
}

void RunResults(const Imported& in, const TensorVector& results) {
  StatusOr<Ref<ConcreteFunction>> made = [&] {
    const FuncGraph::Building building(in.graph.get());
    return ConcreteFunction::FromFuncGraph(*in.graph, results);
  }();
  Look(made.status());
  if (!made.ok()) return;
  for (int turn = 0; turn < 2; ++turn) {
    const Watch watch;
    TensorVector outputs;
    const Status status = (*made)->Call(in.arguments, &outputs, watch.token());
    Look(status);
    if (!status.ok()) return;
    // Reads all that was promised.
    for (const Tensor& t : outputs) t.DebugString(1 << 12);
  }
}

// Last things first: they depend on most.
TensorVector Results(const Imported& in, bool differentiable) {
  TensorVector results;
  for (size_t i = in.nodes.size(); i-- > 0;) {
    Node* node = in.nodes[i];
    if (node->type() == "Placeholder") continue;
    for (int k = 0; k < node->num_outputs(); ++k) {
      if (results.size() >= kMaxResults) return results;
      const DataType dtype = node->output(k).dtype;
      if (differentiable && (!IsTrainable(dtype) || IsObjectType(dtype))) {
        continue;
      }
      results.push_back(in.graph->graph()->TensorOf({node, k}));
    }
  }
  return results;
}

void Run(const proto::GraphDef& message) {
  StatusOr<Imported> in = Import(message);
  Look(in.status());
  if (in.ok()) RunResults(*in, Results(*in, false));
}

// Of the first `max_targets` results. False if there is none that way.
bool Differentiate(const proto::GraphDef& message, size_t max_targets) {
  StatusOr<Imported> in = Import(message);
  if (!in.ok()) return true;
  TensorVector sources;
  for (Node* argument : in->graph->inputs().arguments()) {
    sources.push_back(in->graph->graph()->TensorOf({argument, 0}));
  }
  for (Node* node : in->nodes) {
    if (sources.size() >= kMaxSources) break;
    if (node->num_inputs() > 0 || node->num_outputs() == 0) continue;
    sources.push_back(in->graph->graph()->TensorOf({node, 0}));
  }
  std::erase_if(sources, [](const Tensor& t) {
    return !IsTrainable(t.dtype()) && t.dtype() != DataType::kResource;
  });
  TensorVector targets = Results(*in, true);
  if (sources.empty() || targets.empty()) return true;
  if (targets.size() > max_targets) targets.resize(max_targets);
  TensorVector results;
  {
    const FuncGraph::Building building(in->graph.get());
    const StatusOr<std::vector<Gradient>> made =
        SymbolicGradients(targets, {}, sources);
    Look(made.status());
    if (!made.ok()) return false;
    for (const Gradient& g : *made) {
      if (!g.is_none()) results.push_back(Densify(g));
    }
  }
  RunResults(*in, results);
  return true;
}

class SilentLanguage final : public HostLanguage {
 public:
  Status Print(PrintStream, std::string_view) override { return OkStatus(); }
};

}  // namespace

void StartRuntime() {
  InitControlFlow();
  InitCustomGradients();
  static SilentLanguage silent;
  HostLanguage::Set(&silent);
}

void Guarded(FunctionRef<void()> work) {
  try {
    work();
  } catch (const Error& error) {
    Look(error.status());
  } catch (const std::bad_alloc&) {
    // More than there is: a caller is told so.
  }
}

void RunFunction(const ConcreteFunction& function) {
  TensorVector arguments;
  for (const ArgumentSpec& spec : function.arguments()) {
    const Tensor value = SomeValue(spec.dtype, spec.shape, {});
    if (!value) return;
    arguments.push_back(value);
  }
  Guarded([&] {
    const Watch watch;
    TensorVector outputs;
    Look(function.Call(arguments, &outputs, watch.token()));
    for (const Tensor& t : outputs) t.DebugString(1 << 12);
  });
  Guarded([&] {
    const Watch watch;
    UserTape tape;
    tape.Push();
    TensorVector sources, outputs;
    for (const Tensor& t : arguments) {
      if (!IsTrainable(t.dtype())) continue;
      tape.Watch(t);
      sources.push_back(t);
    }
    const Status called = function.Call(arguments, &outputs, watch.token());
    Look(called);
    tape.Pop();
    std::erase_if(outputs,
                  [](const Tensor& t) { return !IsTrainable(t.dtype()); });
    if (!called.ok() || outputs.empty() || sources.empty()) return;
    tape.Gradients(outputs, sources, {}, UnconnectedGradients::kNone);
  });
}

void RunGraphDef(const proto::GraphDef& message) {
  Guarded([&] { Run(message); });
  Guarded([&] {
    if (!Differentiate(message, kMaxResults)) Differentiate(message, 1);
  });
}

}  // namespace gk::fuzz
