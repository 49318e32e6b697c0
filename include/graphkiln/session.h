// Sessions: run parts of a graph again and again, with variables of their own.
//
//   gk::Graph graph;
//   const auto inside = graph.as_default();
//   gk::Tensor x = gk::placeholder(gk::DataType::kFloat, {2}, "x");
//   gk::Variable w(gk::Tensor(2.0f));
//   gk::Tensor y = x * w.value();
//   gk::Session session(graph);
//   session.run({}, {}, {w.initializer()});
//   gk::Tensor value = session.run({y}, {{x, gk::Tensor({1.0f, 2.0f})}})[0];
#ifndef GRAPHKILN_SESSION_H_
#define GRAPHKILN_SESSION_H_

#include <graphkiln/graph.h>

#include <memory>
#include <utility>
#include <vector>

namespace gk {
GK_API_NAMESPACE {

// Copies are the same session. Threads may run it at the same time.
class GK_EXPORT Session {
 public:
  // Keeps the graph, which may grow meanwhile.
  explicit Session(const Graph& graph);

  // The values of `fetches`, tensors of the graph. What they and `runs` need
  // runs, nothing else, in the order that the edges give; `feeds` are pairs
  // of a tensor of the graph and its value for this run. Throws Error
  // (kInvalidArgument) if a placeholder is needed that is not fed, and if the
  // session is closed.
  std::vector<Tensor> run(
      const std::vector<Tensor>& fetches,
      const std::vector<std::pair<Tensor, Tensor>>& feeds = {},
      const std::vector<Operation>& runs = {}) const;
  // Drops the values of its variables; nothing runs any more.
  void close() const;
  Graph graph() const;

 private:
  struct Rep;
  std::shared_ptr<Rep> rep_;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_SESSION_H_
