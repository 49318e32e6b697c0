#include "function/session_streams.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/format.h"
#include "framework/op_registry.h"
#include "runtime/shared_state_attr.h"

namespace gk {
namespace {

// Graphs of files may call functions within functions in any number.
constexpr size_t kMostCopies = 10000;

// Those that a run has the nodes of their functions in the place of. Functions
// of datasets begin their streams anew.
bool IsCall(const proto::NodeDef& node) {
  const OpRecord* op = OpRegistry::Get().Find(node.op);
  return op != nullptr && op->control != Control::kNone;
}

bool IsRandom(const proto::NodeDef& node) {
  const OpRecord* op = OpRegistry::Get().Find(node.op);
  return op != nullptr && op->Has(kRandom);
}

// The functions of a call: which attribute each is, and its name there.
std::vector<std::pair<std::string, std::string*>> Called(proto::NodeDef& call) {
  std::vector<std::pair<std::string, std::string*>> called;
  for (auto& [name, value] : call.attr) {
    if (value.value_case == proto::AttrValue::ValueCase::kFunc) {
      called.emplace_back(name, &value.func.mut().name);
    } else if (value.value_case == proto::AttrValue::ValueCase::kList) {
      for (proto::NameAttrList& branch : value.list.mut().func) {
        called.emplace_back(Format("{}{}", name, called.size()), &branch.name);
      }
    }
  }
  return called;
}

class Streams {
 public:
  Streams(const std::string& session, proto::GraphDef* graph)
      : session_(session), graph_(*graph) {
    if (!graph->library.has()) return;
    for (const proto::FunctionDef& f : graph->library->function) {
      functions_.emplace(f.signature->name, &f);
    }
  }

  void Name() {
    for (proto::NodeDef& node : graph_.node) Name(node, node.name);
    if (copies_.empty()) return;
    auto& library = graph_.library.mut().function;
    library.insert(library.end(), std::make_move_iterator(copies_.begin()),
                   std::make_move_iterator(copies_.end()));
  }

 private:
  void Name(proto::NodeDef& node, const std::string& place) {
    if (IsRandom(node)) {
      node.attr[kSharedStateAttr].set_s(Format("{}/{}", session_, place));
    }
    if (!IsCall(node)) return;
    for (const auto& [name, function] : Called(node)) {
      Copy(function, Format("{}/{}", place, name));
    }
  }

  // Has a function that draws replaced by a copy for the place.
  void Copy(std::string* function, const std::string& place) {
    if (!Draws(*function) || copies_.size() >= kMostCopies ||
        std::ranges::find(open_, *function) != open_.end()) {
      return;
    }
    proto::FunctionDef copy = *functions_.at(*function);
    open_.push_back(*function);
    for (proto::NodeDef& node : copy.node_def) {
      Name(node, Format("{}/{}", place, node.name));
    }
    open_.pop_back();
    copy.signature.mut().name = Format("{}@{}", *function, place);
    *function = copy.signature->name;
    copies_.push_back(std::move(copy));
  }

  bool Draws(const std::string& function) {
    const auto found = functions_.find(function);
    if (found == functions_.end()) return false;
    // Of functions that call themselves: not yet.
    const auto [known, is_new] = draws_.emplace(function, false);
    if (!is_new) return known->second;
    for (const proto::NodeDef& node : found->second->node_def) {
      if (IsRandom(node)) return draws_[function] = true;
      if (!IsCall(node)) continue;
      proto::NodeDef call = node;
      for (const auto& [name, called] : Called(call)) {
        if (Draws(*called)) return draws_[function] = true;
      }
    }
    return false;
  }

  const std::string& session_;
  proto::GraphDef& graph_;
  std::map<std::string, const proto::FunctionDef*> functions_;
  std::map<std::string, bool> draws_;
  std::vector<proto::FunctionDef> copies_;
  std::vector<std::string> open_;  // functions that are copied now
};

}  // namespace

void NameStreams(const std::string& session, proto::GraphDef* graph) {
  Streams(session, graph).Name();
}

}  // namespace gk
