// FuncGraph: builds a graph function op by op; the OpBuilder of tracing.
//
// Inputs from outside become captures (GraphInputs). Ops with side effects are
// ordered as they are made. One thread builds a FuncGraph, entered with
// FuncGraph::Building. After Finish it is constant and stays only for
// inspection.
#ifndef GK_FUNCTION_FUNC_GRAPH_H_
#define GK_FUNCTION_FUNC_GRAPH_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/graph.h"
#include "framework/graph_builder.h"
#include "function/graph_inputs.h"
#include "function/graph_scopes.h"
#include "function/traced_signature.h"
#include "graph/automatic_control.h"

namespace gk {

class GraphCollections;

class FuncGraph final : public GraphBuilder, public RefCounted {
 public:
  // `outer`: the builder whose tensors may be captured; usually the current.
  explicit FuncGraph(std::string name, OpBuilder* outer = OpBuilder::Current());
  ~FuncGraph() override;
  // One that is finished, over the graph of a function that was read from a
  // file: its last arguments are the captures.
  static Ref<FuncGraph> Over(const GraphFunction& function,
                             std::vector<FunctionCapture> captures);

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
  StatusOr<Tensor> Constant(const Tensor& value,
                            std::string_view name) override;
  // Traces `body` into a new function of the given input types (captures
  // become trailing inputs).
  StatusOr<Ref<GraphFunction>> BuildFunction(
      std::string_view name, std::span<const DataType> types,
      std::span<const PartialTensorShape> shapes,
      const std::function<TensorVector(std::span<const Tensor>)>& body,
      TensorVector* captures);

  // --- GraphBuilder. A function begins with the seed of what is around it, a
  // graph for its own sake without any.
  GraphSeeds& random_seeds() override { return random_seeds_; }
  const GraphSeeds& random_seeds() const { return random_seeds_; }
  std::string GradientScope(const Tensor& made) const override;
  void EnterGradientScope(const std::string& scope) override;
  void LeaveGradientScope() override { scopes_.PopName(); }
  // Of all graphs around it, too.
  void NoteDifferentiation() override;
  bool differentiated() const { return differentiated_; }
  const void* ResourceOf(const Tensor& placeholder) const override {
    return inputs_.ResourceOf(placeholder);
  }
  bool IsTrainable(const Tensor& placeholder) const override {
    return inputs_.IsTrainable(placeholder);
  }
  Tensor CapturedBy(const Node* placeholder) const override {
    if (finished_) return Tensor();
    Tensor found = inputs_.CapturedBy(placeholder);
    return found || !outer_ ? found : outer_->CapturedBy(placeholder);
  }

  GraphInputs& inputs() { return inputs_; }
  const GraphInputs& inputs() const { return inputs_; }
  GraphScopes& scopes() { return scopes_; }
  const GraphScopes& scopes() const { return scopes_; }

  // Orders side effects automatically; on by default.
  void set_automatic_control(bool on) { automatic_control_on_ = on; }
  bool automatic_control() const { return automatic_control_on_; }
  // Is it a function's? Otherwise it was made for its own sake: its effects
  // are in no order, and init_scope stays in it.
  bool is_function() const { return is_function_; }
  void set_is_function(bool yes) {
    is_function_ = automatic_control_on_ = yes;
    if (!yes) random_seeds_.graph.reset();
  }
  // Tells the graphs of NewUserGraph() apart, also those that are gone; 0 of
  // others.
  uint64_t user_number() const { return user_number_; }
  void set_user_number(uint64_t number) { user_number_ = number; }
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
    enum Observers { kNone, kOfGraph };

    // kOfGraph: those see it that saw what was made in this graph last, if it
    // is being built already.
    explicit Building(FuncGraph* graph, Observers observers = kNone);
    ~Building();
    Building(const Building&) = delete;

   private:
    Building* around_;                // on this thread
    const OpBuilder* const outside_;  // the builder before
    Building* lender_ = nullptr;      // whose saved observers are current
    const bool goes_on_;              // with the observers outside
    OpBuilder::Scope scope_;
    ObserverList saved_;
  };

 private:
  FuncGraph(std::string name, OpBuilder* outer, Ref<Graph> graph);
  // TypeError unless tensors of the graph of `t` may be captured: one around
  // it.
  Status CheckScope(const Tensor& t) const;

  std::string name_;
  GraphSeeds random_seeds_;
  Ref<Graph> graph_;
  GraphScopes scopes_;
  const Ref<GraphCollections> collections_;
  Ref<FuncGraph> outer_;
  std::vector<const Graph*> ancestors_;  // compared, never followed
  AutomaticControl automatic_control_;
  GraphInputs inputs_;
  bool finished_ = false;
  bool is_function_ = true;
  uint64_t user_number_ = 0;

  TracedSignature signature_;
  std::vector<Output> results_;
  std::vector<const Node*> returned_;  // by MarkReturned

  // What written graphs gather effects in, for who looks at the graph.
  Status AddGather();
  bool automatic_control_on_ = true;
  bool differentiated_ = false;
};

// "__inference_f_12": `prefix` + `name` + "_" + a number that no other
// function of this process has.
std::string UniqueFunctionName(std::string_view prefix, std::string_view name);
int NextFunctionId();
// The other way: "f" of "__inference_f_12".
std::string PlainFunctionName(std::string_view name);

// Computes edges of a graph under construction from values of its arguments
// (may be null tensors where they are not needed) and captures: for initial
// values of variables created while tracing. FailedPrecondition if they
// depend on what is not known.
StatusOr<TensorVector> EvaluateInGraph(const FuncGraph& graph,
                                       std::span<const Tensor> outputs,
                                       std::span<const Tensor> arguments);

}  // namespace gk

#endif  // GK_FUNCTION_FUNC_GRAPH_H_
