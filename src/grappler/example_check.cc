#include "grappler/example_check.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_set>

#include "framework/function_runner.h"
#include "framework/same_numbers.h"
#include "framework/variable.h"
#include "grappler/edges.h"
#include "ops/control/truth.h"

namespace gk {
namespace {

constexpr int kMaxNodes = 20000;
constexpr int64_t kMaxExampleElements = 1 << 18;
constexpr std::chrono::milliseconds kMaxTime{500};
constexpr int kExamples = 2;

// Functions that examples call are compiled, and that is checked, too; their
// callers run them by example already.
thread_local bool in_example = false;

Status RunAsItIs(const RewriteGraph& f, std::span<const Tensor> arguments,
                 TensorVector* results, const CancellationToken* cancellation) {
  const auto function = MakeRef<GraphFunction>(
      f.name, f.graph, f.arguments, f.results, f.control_outputs, AttrMap());
  return FunctionRunner::Get()->RunUnchanged(*function, arguments, results,
                                             cancellation);
}

// What stands for unknown dimensions in each example, and its rank where that
// is unknown.
struct Choice {
  int64_t size;
  int rank;
};
constexpr Choice kChoices[kExamples] = {{3, 1}, {2, 0}};

// Ends a run that takes too long; costs a thread, for graphs that may loop.
class Deadline {
 public:
  explicit Deadline(bool needed) {
    if (needed) thread_ = std::thread([this] { Wait(); });
  }
  ~Deadline() {
    if (!thread_.joinable()) return;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  const CancellationToken* token() const { return &token_; }

 private:
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!changed_.wait_for(lock, kMaxTime, [this] { return done_; })) {
      token_.Cancel();
    }
  }

  CancellationToken token_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

// Whether running the graph any number of times shows nowhere, and how large
// it is with all that it calls.
class Inspection {
 public:
  bool MayRun(const RewriteGraph& f) {
    return MayRun(*f.graph, f.arguments, 0);
  }
  bool calls() const { return calls_; }

 private:
  bool MayRun(const Graph& graph, const std::vector<Node*>& arguments,
              int depth) {
    nodes_ += graph.num_nodes();
    if (nodes_ > kMaxNodes || depth > 50) return false;
    const std::unordered_set<const Node*> given(arguments.begin(),
                                                arguments.end());
    for (const auto& node : graph.nodes()) {
      if (given.count(node.get()) == 0 && !MayRun(*node, given, depth)) {
        return false;
      }
    }
    return true;
  }

  bool MayRun(const Node& node, const std::unordered_set<const Node*>& given,
              int depth) {
    if (node.op().Has(kCallsFunction)) {
      calls_ = true;
      for (const auto& [name, value] : node.attrs()) {
        if (const auto* f = std::get_if<FunctionAttr>(&value)) {
          if (!MayRun(*f, depth)) return false;
        } else if (const auto* all =
                       std::get_if<std::vector<FunctionAttr>>(&value)) {
          for (const FunctionAttr& f : *all) {
            if (!MayRun(f, depth)) return false;
          }
        }
      }
    }
    // A function of the host language.
    if (node.attrs().Get<std::string>("token") != nullptr) return false;
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (node.output(i).dtype == DataType::kVariant &&
          node.op().Has(kCallsFunction)) {
        return false;  // of a dataset
      }
    }
    const FunctionEffects effects = EffectsOf(node);
    if (!effects.stateful) return true;
    if (effects.ordered || node.op().Has(kRandom)) return false;
    if (node.op().Has(kCallsFunction)) return true;
    bool of_argument = false;
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (effects.arguments[i] == ResourceUse::kNone) continue;
      of_argument = given.count(ResourceRoot(node.input(i)).node) != 0;
      if (!of_argument) return false;
    }
    return of_argument;
  }

  bool MayRun(const FunctionAttr& f, int depth) {
    const GraphFunction* function = GraphOf(&f);
    return function != nullptr &&
           MayRun(function->graph(), function->arguments(), depth + 1);
  }

  int64_t nodes_ = 0;
  bool calls_ = false;
};

// Which results may be anything: what a branch gives for values that only
// another branch makes (FakeParam), and what follows from it.
std::vector<bool> UnspecifiedResults(const Graph& graph,
                                     std::span<const Output> results,
                                     int depth) {
  const StatusOr<std::vector<Node*>> order = graph.TopologicalOrder();
  if (!order.ok() || depth > 50) return std::vector<bool>(results.size(), true);
  std::vector<std::vector<bool>> any(graph.num_nodes());
  for (const Node* node : *order) {
    bool all = node->op().Has(kUndefined);
    for (const Output& in : node->inputs()) {
      all = all || any[in.node->id()][in.index];
    }
    std::vector<bool>& of_node = any[node->id()];
    of_node.assign(node->num_outputs(), all);
    const auto add = [&](const FunctionAttr& f) {
      const GraphFunction* function = GraphOf(&f);
      if (function == nullptr) return;
      const std::vector<bool> of_body =
          UnspecifiedResults(function->graph(), function->results(), depth + 1);
      for (size_t i = 0; i < std::min(of_body.size(), of_node.size()); ++i) {
        if (of_body[i]) of_node[i] = true;
      }
    };
    if (all || !node->op().Has(kCallsFunction)) continue;
    for (const auto& [name, value] : node->attrs()) {
      if (const auto* f = std::get_if<FunctionAttr>(&value)) {
        add(*f);
      } else if (const auto* fs =
                     std::get_if<std::vector<FunctionAttr>>(&value)) {
        for (const FunctionAttr& f : *fs) add(f);
      }
    }
  }
  std::vector<bool> found;
  for (const Output& r : results) {
    found.push_back(any[r.node->id()][r.index]);
  }
  return found;
}

// The arguments of one example, and what they are made of.
class Example {
 public:
  Example(const std::string& name, int number)
      : choice_(kChoices[number]),
        random_(std::hash<std::string>()(name) + number) {}

  // Null if there is no example of such a value.
  Tensor Value(DataType dtype, const PartialTensorShape& partial) {
    TensorShape shape;
    if (partial.unknown_rank()) {
      for (int i = 0; i < choice_.rank; ++i) shape.AddDim(choice_.size);
    } else {
      for (int64_t dim : partial.dims()) {
        if (dim > kMaxExampleElements) return Tensor();
        shape.AddDim(dim < 0 ? choice_.size : dim);
        if (shape.num_elements() > kMaxExampleElements) return Tensor();
      }
    }
    elements_ += shape.num_elements();
    if (elements_ > kMaxExampleElements) return Tensor();
    StatusOr<Tensor> made = Tensor::Zeros(dtype, shape);
    if (!made.ok()) return Tensor();
    Tensor t = std::move(*made);
    const int64_t n = t.num_elements();
    if (dtype == DataType::kString) {
      for (int64_t i = 0; i < n; ++i) {
        t.data<std::string>()[i] = std::string(1, char('a' + Small()));
      }
      return t;
    }
    if (IsObjectType(dtype)) return Tensor();
    bool filled = false;
    VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t,
              uint8_t, uint16_t, uint32_t, uint64_t, bool, std::complex<float>,
              std::complex<double>>(dtype, [&](auto tag) {
      using T = decltype(tag);
      filled = true;
      for (int64_t i = 0; i < n; ++i) {
        if constexpr (std::is_same_v<T, bool>) {
          t.data<T>()[i] = Small() % 2 == 1;
        } else if constexpr (std::is_integral_v<T>) {
          t.data<T>()[i] = T(Small());
        } else {
          t.data<T>()[i] = T(Real());
        }
      }
    });
    return filled ? t : Tensor();
  }

  bool Arguments(const RewriteGraph& f) {
    for (const Node* node : f.arguments) {
      const Node::OutputInfo& info = node->output(0);
      if (info.dtype != DataType::kResource) {
        values_.push_back(Value(info.dtype, info.shape));
      } else if (info.handle_data.size() == 1 && info.shape.rank() <= 0) {
        values_.push_back(
            Value(info.handle_data[0].dtype, info.handle_data[0].shape));
      } else {
        return false;
      }
      if (!values_.back()) return false;
      is_variable_.push_back(info.dtype == DataType::kResource);
      shapes_.push_back(is_variable_.back() ? info.handle_data[0].shape
                                            : info.shape);
    }
    return true;
  }

  // Results, and then what is in the variables.
  Status Run(const RewriteGraph& f, bool may_loop,
             TensorVector* outcome) const {
    TensorVector arguments;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (!is_variable_[i]) {
        arguments.push_back(values_[i]);
        continue;
      }
      arguments.push_back(NewVariableHandle(
          f.arguments[i]->name(), values_[i].dtype(), shapes_[i], true));
      GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(arguments[i]));
      GK_RETURN_IF_ERROR(v->Assign(values_[i].Alias()));
    }
    const Deadline deadline(may_loop);
    GK_RETURN_IF_ERROR(RunAsItIs(f, arguments, outcome, deadline.token()));
    for (size_t i = 0; i < values_.size(); ++i) {
      if (!is_variable_[i]) continue;
      GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(arguments[i]));
      const StatusOr<Tensor> value = v->Read();
      outcome->push_back(value.ok() ? *value : Tensor());
    }
    return OkStatus();
  }

 private:
  int Small() { return int(random_() % 4); }
  double Real() {
    return std::uniform_real_distribution<double>(-2, 2)(random_);
  }

  const Choice choice_;
  std::mt19937 random_;
  int64_t elements_ = 0;
  TensorVector values_;  // of arguments; in variables where they are these
  std::vector<bool> is_variable_;
  std::vector<PartialTensorShape> shapes_;
};

bool SameElements(const Tensor& a, const Tensor& b) {
  if (!a || !b) return !a && !b;
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  const int64_t n = a.num_elements();
  if (a.dtype() == DataType::kString) {
    return std::equal(a.data<std::string>(), a.data<std::string>() + n,
                      b.data<std::string>());
  }
  if (IsObjectType(a.dtype())) return true;
  return SameNumbers(a.dtype(), a.raw_data(), b.raw_data(), n);
}

std::string Shown(const Tensor& t) {
  return t ? Format("{} of shape {}", DataTypeString(t.dtype()),
                    t.shape().DebugString())
           : std::string("nothing");
}

// Runs both on one example.
Status Compare(std::string_view what, const RewriteGraph& before,
               const RewriteGraph& after, int number, bool may_loop,
               bool* go_on) {
  Example example(before.name, number);
  if (!example.Arguments(before)) return OkStatus();
  TensorVector want, have;
  const Status first = example.Run(before, may_loop, &want);
  // Passes may leave out what fails and nobody needs, but not the contrary.
  if (!first.ok()) {
    *go_on = first.code() != Code::kCancelled;
    return OkStatus();
  }
  const Status second = example.Run(after, may_loop, &have);
  if (second.code() == Code::kCancelled) {
    *go_on = false;
    return OkStatus();
  }
  // Memory that was there for the first and is not any more proves nothing.
  if (second.code() == Code::kResourceExhausted) return OkStatus();
  const auto broken = [&](std::string_view how) {
    return Internal("{} broke function {}: by example {}, {}", what,
                    before.name, number, how);
  };
  if (!second.ok()) return broken(Format("it fails: {}", second.message()));
  const std::vector<bool> anything =
      UnspecifiedResults(*before.graph, before.results, 0);
  for (size_t i = 0; i < want.size(); ++i) {
    if (i < anything.size() && anything[i]) continue;
    if (SameElements(want[i], have[i])) continue;
    if (i >= before.results.size()) {
      return broken(Format("variable {} of those given has another value",
                           i - before.results.size()));
    }
    return broken(Format("result {} (node {}) is {} with other bits than {}", i,
                         after.results[i].node->name(), Shown(have[i]),
                         Shown(want[i])));
  }
  return OkStatus();
}

class InExample {
 public:
  InExample() { in_example = true; }
  ~InExample() { in_example = false; }
};

}  // namespace

Status CompareByExample(std::string_view what, const RewriteGraph& before,
                        const RewriteGraph& after) {
  if (FunctionRunner::Get() == nullptr || in_example) return OkStatus();
  Inspection was, is;
  if (!was.MayRun(before) || !is.MayRun(after)) return OkStatus();
  const InExample scope;
  const bool may_loop = was.calls() || is.calls();
  bool go_on = true;
  for (int i = 0; i < kExamples && go_on; ++i) {
    GK_RETURN_IF_ERROR(Compare(what, before, after, i, may_loop, &go_on));
  }
  return OkStatus();
}

bool RunsByExample(const Node& loop) {
  const auto* condition = GraphOf(loop.attrs().Get<FunctionAttr>("cond"));
  if (condition == nullptr || FunctionRunner::Get() == nullptr || in_example) {
    return false;
  }
  const InExample scope;
  const RewriteGraph test = RewriteGraph::CloneOf(*condition);
  Inspection inspection;
  if (!inspection.MayRun(test)) return false;
  Example example(condition->name(), 0);
  TensorVector arguments, results;
  for (int i = 0; i < loop.num_inputs(); ++i) {
    const Node::OutputInfo& info = test.arguments[i]->output(0);
    const Tensor& known = KnownValue(loop.input(i));
    arguments.push_back(known ? known : example.Value(info.dtype, info.shape));
    if (!arguments.back()) return false;
  }
  const Deadline deadline(inspection.calls());
  if (!RunAsItIs(test, arguments, &results, deadline.token()).ok()) {
    return false;
  }
  const StatusOr<bool> truth = TruthOf(results[0]);
  return truth.ok() && *truth;
}

}  // namespace gk
