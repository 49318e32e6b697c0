// GraphInputs: what a graph that is built gets from outside: its arguments, and
// captures, one placeholder for each distinct external tensor.
//
// A part of its FuncGraph, on whose thread it is used.
#ifndef GK_FUNCTION_GRAPH_INPUTS_H_
#define GK_FUNCTION_GRAPH_INPUTS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "framework/graph.h"
#include "framework/graph_builder.h"
#include "framework/handle_data.h"
#include "function/graph_scopes.h"
#include "graph/automatic_control.h"

namespace gk {

// A value from outside that a function uses: a tensor known when tracing, or
// what `value` gives at each call.
struct FunctionCapture {
  Tensor external;  // null if deferred
  std::function<StatusOr<Tensor>()> value;
  Node* placeholder = nullptr;
};

class GraphInputs {
 public:
  // What it is a part of.
  struct Owner {
    OpBuilder* builder;  // of `graph`
    Graph* graph;
    GraphScopes* scopes;
    AutomaticControl* effects;  // resources that are arguments begin an order
    GraphInputs* outer;  // of the graph around it, until the end; or null
    // May `t`, of another graph, be used there?
    std::function<Status(const Tensor& t)> check_scope;
  };
  explicit GraphInputs(Owner owner) : owner_(std::move(owner)) {}
  GraphInputs(const GraphInputs&) = delete;

  // --- Arguments.
  // `user_name` is kept as _user_specified_name.
  StatusOr<Tensor> AddArgument(std::string_view name, DataType dtype,
                               const PartialTensorShape& shape,
                               std::string_view user_name = {},
                               HandleData handle_data = {});
  const std::vector<Node*>& arguments() const { return arguments_; }
  // In another order than they were made in: a permutation.
  Status OrderArguments(std::span<const Tensor> arguments);
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

  // --- Captures.
  // The tensor of this graph that stands for `t`: itself if it is of this
  // graph. TypeError if it belongs to a graph that is out of scope.
  StatusOr<Tensor> Capture(const Tensor& t, std::string_view name = {});
  // A value asked for at each call.
  StatusOr<Tensor> CaptureDeferred(std::function<StatusOr<Tensor>()> value,
                                   DataType dtype,
                                   const PartialTensorShape& shape,
                                   std::string_view name = {},
                                   HandleData handle_data = {});
  const std::vector<FunctionCapture>& captures() const { return captures_; }
  // What stands for `t` if it was captured; else null.
  Node* Captured(const Tensor& t) const;
  // Captures exactly these, in this order: all that were captured so far must
  // be among them. New ones are called `name`.
  Status OrderCaptures(std::span<const Tensor> externals,
                       std::string_view name);
  // Tensors of this graph may be captured although nobody builds it: the
  // forward graph of a gradient. Small values known there become Const here.
  // `originals`: graphs that `graph` is a clone of; their tensors mean the
  // clone's (custom gradients hold them).
  void AllowCapturesFrom(Graph* graph, std::vector<Ref<Graph>> originals = {}) {
    capture_source_ = graph;
    capture_originals_ = std::move(originals);
  }
  // A gradient function that was made while `original` was built uses `outer`,
  // a tensor of a graph around that: the node `own` of `original` stands for it
  // where tensors of `original` may be captured.
  void SetStandIn(Output outer, const Graph* original, std::string own) {
    stand_ins_.push_back({outer, original, std::move(own)});
  }
  // May tensors from outside be used? Not in graphs that nobody calls.
  void set_may_capture(bool may) { may_capture_ = may; }

  // --- What placeholders stand for, as GraphBuilder tells.
  const void* ResourceOf(const Tensor& placeholder) const;
  bool IsTrainable(const Tensor& placeholder) const;
  Tensor CapturedBy(const Node* placeholder) const;

  // --- The end: the function's arguments, then what it captures. Callers may
  // give other values: only static shapes keep what was known of these.
  std::vector<Node*> Finish();
  // Those of a function that is there.
  void Take(std::span<Node* const> arguments,
            std::vector<FunctionCapture> captures);

 private:
  StatusOr<Tensor> AddPlaceholder(std::string_view name, DataType dtype,
                                  const PartialTensorShape& shape,
                                  std::string_view user_name,
                                  HandleData handle_data, bool reserved);
  bool IsOwn(const Tensor& t) const {
    return t.is_symbolic() && Graph::GraphOf(t) == owner_.graph;
  }
  // Was it, or a graph around it, told to capture such tensors?
  bool CapturesFrom(const Tensor& t) const;
  // What stands for a tensor from around the capture source; null if nothing.
  Tensor StandInFor(const Tensor& t) const;
  // Of the capture source: a constant here if its value is known and small.
  StatusOr<Tensor> KnownConstant(const Tensor& t);
  Tensor CaptureAsArgument(Node* argument, const Tensor& t);
  void ForgetCapturedValues();

  Owner owner_;
  Graph* capture_source_ = nullptr;
  std::vector<Ref<Graph>> capture_originals_;
  struct StandIn {
    Output outer;  // compared, never followed, as is `original`
    const Graph* original;
    std::string own;
  };
  std::vector<StandIn> stand_ins_;
  bool may_capture_ = true;

  std::vector<Node*> arguments_;
  std::vector<FunctionCapture> captures_;
  std::unordered_map<const void*, int> capture_of_;  // by ResourceKey
  // Resources that are arguments, likewise, and those of them that were
  // captured.
  std::unordered_map<const void*, Node*> argument_values_;
  std::vector<CapturedArgument> captured_arguments_;
  struct PlaceholderFacts {
    const void* key = nullptr;  // null: the placeholder's own
    bool trainable = false;
  };
  std::unordered_map<const Node*, PlaceholderFacts> facts_of_;
  // Known values of the capture source and their constants here.
  std::unordered_map<const void*, std::pair<Tensor, Output>> constant_of_;
};

}  // namespace gk

#endif  // GK_FUNCTION_GRAPH_INPUTS_H_
