// How RaiseControlFlow goes about one graph or one function in it. It changes
// the nodes in place, in stages that each have a file:
//
//   control_flow_raiser.cc  finds the frame (the loop) that each node runs in,
//                           and has what all stages need: what follows from
//                           what, and making a function of a part
//   raise_loops.cc          from the innermost frame outwards makes a While of
//                           its Enter, Merge, Switch, NextIteration and Exit,
//                           once the branches in it are raised
//   raise_choices.cc        what each Merge of a branch merges: its condition,
//                           its Switches, the nodes of its sides, and which
//                           Merges are of one If
//   raise_branches.cc       makes an If or Case of such a group, inner ones
//                           first
//
// Used by one thread; borrows the graph, the names and the list of functions.
#ifndef GK_GRAPH_CONTROL_FLOW_RAISER_H_
#define GK_GRAPH_CONTROL_FLOW_RAISER_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "graph/lowered_graph.h"

namespace gk {

class ControlFlowRaiser {
 public:
  // New functions are named `function_prefix` and more, as no name in `taken`,
  // and go to `functions`.
  ControlFlowRaiser(LoweredGraph* graph, std::string function_prefix,
                    std::set<std::string>* taken,
                    std::vector<proto::FunctionDef>* functions)
      : g_(*graph),
        prefix_(std::move(function_prefix)),
        taken_(*taken),
        functions_(*functions) {}

  Status Run();

 private:
  using Edge = LoweredGraph::Edge;
  using Node = LoweredGraph::Node;

  struct Frame {
    int parent = -1;
    std::string name;
  };
  // What becomes a function.
  struct Part {
    std::string name;
    std::vector<Edge> arguments;
    // Other edges that are arguments: (edge, which).
    std::map<Edge, int> also;
    std::vector<DataType> types;
    std::vector<Edge> results;
    std::set<int> nodes;
  };
  // The nodes of one value that goes round a loop.
  struct Variable {
    int enter = -1, merge = -1, next = -1, test = -1, exit = -1;
  };
  struct Choice {                          // where a Merge's branches begin
    Edge on;                               // what is branched on
    std::vector<std::set<Edge>> switches;  // by input of the Merge
    std::vector<std::set<int>> cones;
    std::vector<int> side;  // of each input
    bool is_ready = true;   // no Merge within
  };

  Status Wrong(int node, std::string_view what) const;
  Status CheckWork() const;
  // The frame that each node runs in, from those of its inputs.
  Status FindFrames();
  // All that `to` follow from, as far as `stops`.
  std::set<int> Cone(const std::vector<Edge>& to,
                     FunctionRef<bool(Edge, bool control)> stops) const;
  std::string Unique(const std::string& name);
  Status Make(const Part& part);
  bool IsStateful(const std::set<int>& nodes) const;
  const std::vector<std::vector<int>>& Users() const;
  void Remove(int node, int moved_to);
  void BecomeIdentity(int node, Edge of);
  // The scope that a node is named in.
  static std::string Scope(const std::string& name);

  // Loops.
  Status RaiseLoop(int frame);
  int EntersTo(int enter) const;
  std::vector<int> Members(int frame,
                           const std::unordered_set<int>& without) const;
  // What no value of the loop follows from, and runs for its effect.
  void AddRest(const std::vector<int>& inner,
               const std::vector<Variable>& variables, Part* test,
               Part* body) const;

  // Choices.
  // Through Identity: the same value.
  Edge Value(Edge e) const;
  bool IsSwitch(int i) const;
  Edge On(int node) const;
  StatusOr<Choice> ChoiceOf(int merge, const std::unordered_set<int>& borders);
  // Whether there is no branching left within the branches, neither that they
  // give results of nor, `strictly`, for effects alone.
  StatusOr<bool> IsReady(const std::vector<int>& group,
                         const std::unordered_map<int, Choice>& choices,
                         const std::vector<int>& within, bool strictly) const;
  bool IsUsedAtAll(int node) const;
  // The Merges of one If: those that branch on the same and share a Switch, a
  // node, or what waits for one.
  std::vector<int> Together(
      int merge, const std::vector<int>& merges,
      const std::unordered_map<int, Choice>& choices) const;
  // What follows from a side (-1: any) of these Switches.
  std::set<int> Following(const std::set<int>& switches, int side,
                          const std::vector<int>& within,
                          const std::set<int>& until) const;
  // The Switches that lead into the branches of these Merges: on the way to
  // their inputs, or as what follows from them is part of these branches, too.
  StatusOr<std::set<int>> SwitchesOf(
      const std::vector<int>& group,
      const std::unordered_map<int, Choice>& choices,
      const std::vector<int>& within) const;

  // Branches.
  Status RaiseBranches(std::vector<int> within,
                       const std::unordered_set<int>& borders);
  StatusOr<int> RaiseIf(const std::vector<int>& group,
                        const std::unordered_map<int, Choice>& choices,
                        const std::vector<int>& within,
                        const std::unordered_set<int>& borders);
  bool IsUsed(Edge e) const;
  void Redirect(Edge from, Edge to);
  int AddNumber(const std::string& scope, int number, int frame);

  LoweredGraph& g_;
  const std::string prefix_;
  std::set<std::string>& taken_;
  std::vector<proto::FunctionDef>& functions_;
  std::vector<Frame> frames_;
  std::vector<int> frame_;               // by node
  std::unordered_map<int, int> enters_;  // the frame that an Enter leads to
  // Who uses or waits for each node; empty if that has changed.
  mutable std::vector<std::vector<int>> users_;
  mutable int64_t work_ = 0;
};

}  // namespace gk

#endif  // GK_GRAPH_CONTROL_FLOW_RAISER_H_
