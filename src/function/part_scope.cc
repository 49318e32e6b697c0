#include "function/part_scope.h"

#include <algorithm>

#include "function/graph_collections.h"

namespace gk {
namespace {

// Deeper than people nest, and shallow enough for the stack of a thread.
constexpr int kMaxDepth = 200;
thread_local int depth = 0;

}  // namespace

PartScope::Depth::Depth() {
  if (depth >= kMaxDepth) {
    throw Error(RuntimeError(
        "maximum recursion depth exceeded: branches and loops are nested "
        "deeper than {} while they are traced; does a function call itself in "
        "a branch?",
        kMaxDepth));
  }
  ++depth;
}
PartScope::Depth::~Depth() { --depth; }

std::string PartName(std::string scope, std::string_view suffix) {
  while (!scope.empty() && scope.back() == '/') scope.pop_back();
  std::replace(scope.begin(), scope.end(), '/', '_');
  return scope + "_" + std::string(suffix);
}

Ref<FuncGraph> PartScope::NewPart(const FuncGraph& outer,
                                  const std::string& scope,
                                  std::string_view suffix) {
  auto part = MakeRef<FuncGraph>(PartName(scope, suffix));
  part->scopes().InheritDevices(outer.scopes());
  part->collections()->ShareLists(outer.collections());
  return part;
}

TensorVector PartScope::Returned(std::span<const Tensor> results) {
  TensorVector returned;
  for (const Tensor& t : results) {
    returned.push_back(ValueOrThrow(part_->MarkReturned(t)));
  }
  return returned;
}

}  // namespace gk
