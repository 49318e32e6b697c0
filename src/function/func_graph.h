// FuncGraph: builds a graph function op by op; the OpBuilder of tracing.
//
// Inputs from outside become captures: one placeholder for each distinct
// external tensor. Ops with side effects are ordered as they are made. One
// thread builds a FuncGraph, entered with FuncGraph::Building. After Finish
// it is constant and stays only for inspection.
#ifndef GK_FUNCTION_FUNC_GRAPH_H_
#define GK_FUNCTION_FUNC_GRAPH_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/graph.h"
#include "framework/handle_data.h"
#include "framework/op_builder.h"
#include "function/graph_scopes.h"
#include "function/traced_signature.h"
#include "graph/automatic_control.h"
#include "ops/random/random_seeds.h"

namespace gk {

class GraphCollections;

// A value from outside that a function uses: a tensor known when tracing, or
// what `value` gives at each call.
struct FunctionCapture {
  Tensor external;  // null if deferred
  std::function<StatusOr<Tensor>()> value;
  Node* placeholder = nullptr;
};

class FuncGraph final : public OpBuilder,
                        public RandomSeedSource,
                        public RefCounted {
 public:
  // `outer`: the builder whose tensors may be captured; usually the current.
  explicit FuncGraph(std::string name, OpBuilder* outer = OpBuilder::Current());
  ~FuncGraph() override;

  // The FuncGraph that builds, or built, `graph`; null if it is gone.
  static FuncGraph* Of(const Graph* graph);
  // This thread's current builder if it is a FuncGraph, or null.
  static FuncGraph* Current();

  const std::string& name() const { return name_; }
  const Ref<Graph>& graph() const { return graph_; }
  // Null once finished, or if the outer builder is eager.
  FuncGraph* outer() const { return outer_.get(); }
  bool finished() const { return finished_; }
  // RuntimeError once it is.
  Status CheckOpen() const;

  // --- OpBuilder. Shape and type errors come back as ValueError, TypeError.
  StatusOr<TensorVector> Apply(const OpRecord& record,
                               std::span<const Tensor> inputs, AttrMap attrs,
                               std::string_view name) override;
  bool builds_graph() const override { return true; }
  StatusOr<Tensor> Constant(const Tensor& value,
                            std::string_view name) override;
  // Traces `body` into a new function of the given input types (captures
  // become trailing inputs).
  StatusOr<Ref<GraphFunction>> BuildFunction(
      std::string_view name, std::span<const DataType> types,
      std::span<const PartialTensorShape> shapes,
      const std::function<TensorVector(std::span<const Tensor>)>& body,
      TensorVector* captures);

  // --- Arguments and captures.
  // An argument; `user_name` is kept as _user_specified_name.
  StatusOr<Tensor> AddArgument(std::string_view name, DataType dtype,
                               const PartialTensorShape& shape,
                               std::string_view user_name = {},
                               HandleData handle_data = {});
  // The argument stands for a variable: for the one behind `handle`, unless
  // that is null, which is then captured as the argument. Whoever calls has to
  // see to it.
  void SetArgumentVariable(const Tensor& argument, bool trainable,
                           const Tensor& handle);
  // Resources that are captured as arguments.
  struct CapturedArgument {
    Node* argument;
    Tensor value;
  };
  const std::vector<CapturedArgument>& captured_arguments() const {
    return captured_arguments_;
  }
  // Gradients are being made in the graph that is built on this thread: they
  // depend on which arguments and captures are one variable.
  static void NoteDifferentiation();
  bool differentiated() const { return differentiated_; }
  // The tensor of this graph that stands for `t`: itself if it is of this
  // graph. TypeError if it belongs to a graph that is out of scope.
  StatusOr<Tensor> Capture(const Tensor& t, std::string_view name = {});
  // A value asked for at each call.
  StatusOr<Tensor> CaptureDeferred(std::function<StatusOr<Tensor>()> value,
                                   DataType dtype,
                                   const PartialTensorShape& shape,
                                   std::string_view name = {},
                                   HandleData handle_data = {});
  // Handles of one resource are one capture, whichever tensor holds them or,
  // in a graph around this one, stands for them.
  static const void* CaptureKey(const Tensor& t);
  // Does a placeholder stand for the handle of a trainable variable?
  static bool IsTrainablePlaceholder(const Tensor& t);
  // Captures exactly these, in this order: all that were captured so far must
  // be among them.
  // New ones are called `name`.
  Status OrderCaptures(std::span<const Tensor> externals,
                       std::string_view name);
  const std::vector<Node*>& arguments() const { return arguments_; }
  // Arguments in another order than they were made in: a permutation.
  Status OrderArguments(std::span<const Tensor> arguments);
  const std::vector<FunctionCapture>& captures() const { return captures_; }
  // Tensors of this graph may be captured although nobody builds it: the
  // forward graph of a gradient. Small values known there become Const here.
  // `originals`: graphs that `graph` is a clone of; their tensors mean the
  // clone's (custom gradients hold them).
  void AllowCapturesFrom(Graph* graph, std::vector<Ref<Graph>> originals = {}) {
    capture_source_ = graph;
    capture_originals_ = std::move(originals);
  }

  GraphScopes& scopes() { return scopes_; }
  const GraphScopes& scopes() const { return scopes_; }

  // Orders side effects automatically; on by default.
  void set_automatic_control(bool on) { automatic_control_on_ = on; }
  bool automatic_control() const { return automatic_control_on_; }
  // May tensors from outside be used? Not in graphs that nobody calls.
  void set_may_capture(bool may) { may_capture_ = may; }
  // Is it a function's? Otherwise it was made for its own sake: its effects
  // are in no order, and init_scope stays in it.
  bool is_function() const { return is_function_; }
  void set_is_function(bool yes) {
    is_function_ = automatic_control_on_ = yes;
    if (!yes) random_seed_.reset();
  }
  // Nodes that must run even if no result needs them.
  const std::vector<Node*>& control_outputs() const;
  // Nodes that were read from a file into the graph: their effects stand in
  // the order of the nodes, like those of ops that are made here.
  void Adopt(std::span<Node* const> nodes);
  // Nothing can be added any more, by the program's wish.
  void Finalize();
  // Never null.
  const Ref<GraphCollections>& collections() const { return collections_; }
  // Of what is traced; set by the host.
  const TracedSignature& signature() const { return signature_; }
  void set_signature(TracedSignature s) { signature_ = std::move(s); }
  // Empty until finished.
  const std::vector<Output>& results() const { return results_; }

  // --- RandomSeedSource. A function begins with the seed of what is around
  // it, a graph for its own sake without any.
  std::optional<int64_t> random_seed() const override { return random_seed_; }
  void set_random_seed(std::optional<int64_t> seed) override {
    random_seed_ = seed;
  }
  int64_t TakeRandomSeed() override { return random_seeds_++; }

  // Gives each node the user's position; set once by the host language.
  using SourceFn = SourceId (*)();
  static void SetSourceFn(SourceFn fn);

  // --- The end. Every result gets an Identity ("Identity", "Identity_1");
  // results from outside are captured. Arguments of the function are the
  // arguments, then the captures.
  // MarkReturned makes that Identity at once, for results that are converted
  // one by one; Finish takes what it gave as it is.
  StatusOr<Tensor> MarkReturned(const Tensor& result);
  StatusOr<Ref<GraphFunction>> Finish(std::span<const Tensor> results,
                                      std::string function_name = {},
                                      AttrMap attrs = {});

  // Makes a FuncGraph the current builder of this thread. Observers outside
  // do not see what is made inside: they see the call.
  class Building {
   public:
    explicit Building(FuncGraph* graph);
    ~Building();
    Building(const Building&) = delete;

   private:
    OpBuilder::Scope scope_;
    ObserverList saved_;
  };

 private:
  StatusOr<Tensor> AddPlaceholder(std::string_view name, DataType dtype,
                                  const PartialTensorShape& shape,
                                  std::string_view user_name,
                                  HandleData handle_data, bool reserved);
  // Was it, or a graph around it, told to capture from `graph`?
  bool CapturesFrom(const Graph* graph) const;
  Status CheckScope(const Tensor& t) const;

  std::string name_;
  int64_t random_seeds_ = 0;
  std::optional<int64_t> random_seed_;
  Ref<Graph> graph_;
  GraphScopes scopes_;
  const Ref<GraphCollections> collections_;
  Ref<FuncGraph> outer_;
  std::vector<const Graph*> ancestors_;  // compared, never followed
  Graph* capture_source_ = nullptr;
  std::vector<Ref<Graph>> capture_originals_;
  bool finished_ = false;
  bool is_function_ = true;

  TracedSignature signature_;
  std::vector<Node*> arguments_;
  std::vector<Output> results_;
  std::vector<const Node*> returned_;  // by MarkReturned
  std::vector<FunctionCapture> captures_;
  std::unordered_map<const void*, int> capture_of_;
  // Resources that are arguments, by CaptureKey, and those of them that were
  // captured.
  std::unordered_map<const void*, Node*> argument_values_;
  std::vector<CapturedArgument> captured_arguments_;
  // What placeholders of this graph stand for, by node.
  struct PlaceholderFacts {
    const void* key = nullptr;  // null: the placeholder's own
    bool trainable = false;
  };
  static const PlaceholderFacts* FactsOf(const Tensor& t);
  std::unordered_map<const Node*, PlaceholderFacts> facts_of_;
  // Known values of the capture source and their constants here.
  std::unordered_map<const void*, std::pair<Tensor, Output>> constant_of_;

  // What written graphs gather effects in, for who looks at the graph.
  Status AddGather();
  // Callers may give other values: only static shapes keep what was known.
  void ForgetCapturedValues();
  bool automatic_control_on_ = true;
  bool may_capture_ = true;
  bool differentiated_ = false;
  AutomaticControl automatic_control_;
};

// Tells tapes where they put gradients into graphs: into "gradient_tape/" and
// the scope that the op differentiated was made in.
void InitGradientScopes();

// "__inference_f_12": `prefix` + `name` + "_" + a number that no other
// function of this process has.
std::string UniqueFunctionName(std::string_view prefix, std::string_view name);
int NextFunctionId();

// Computes edges of a graph under construction from values of its arguments
// (may be null tensors where they are not needed) and captures: for initial
// values of variables created while tracing. FailedPrecondition if they
// depend on what is not known.
StatusOr<TensorVector> EvaluateInGraph(const FuncGraph& graph,
                                       std::span<const Tensor> outputs,
                                       std::span<const Tensor> arguments);

}  // namespace gk

#endif  // GK_FUNCTION_FUNC_GRAPH_H_
