// What programs keep with a gk::Graph.
#include "function/graph_collections.h"

#include <any>
#include <regex>
#include <utility>

#include "api/graph_rep.h"
#include "base/format.h"
#include "graphkiln/module.h"
#include "graphkiln/variable.h"

namespace gk::api {
namespace {

using Value = GraphCollections::Value;
using Mark = GraphCollections::Mark;
using Anything = std::vector<std::any>;

struct List final : LanguageValue {
  Anything values;
};
constexpr auto kMakeList = []() -> Value { return MakeRef<List>(); };

class Name final : public LanguageValue {
 public:
  explicit Name(std::string text) : text(std::move(text)) {}
  size_t Hash() const override { return std::hash<std::string>()(text); }
  bool Equals(const LanguageValue& other) const override {
    return text == static_cast<const Name&>(other).text;
  }

  const std::string text;
};
Anything& ValuesIn(const Value& list) {
  return static_cast<List&>(*list).values;
}

// A tensor, or a node of a graph that is kept.
class MarkedElement final : public LanguageValue {
 public:
  explicit MarkedElement(const Tensor& t)
      : tensor_(Inner(t)), id_(tensor_.impl()) {}
  explicit MarkedElement(const Operation::Rep& op)
      : graph_(op.graph), id_(op.node) {}
  size_t Hash() const override { return reinterpret_cast<size_t>(id_); }
  bool Equals(const LanguageValue& other) const override {
    return Hash() == other.Hash();
  }

 private:
  InnerTensor tensor_;
  Ref<::gk::Graph> graph_;
  const void* id_;
};

Ref<MarkedElement> NodeOf(const Operation& op) {
  if (op.defined()) return MakeRef<MarkedElement>(*op.rep());
  throw ::gk::Error(
      ValueError("An operation was expected, got one that is not defined()"));
}

// Nothing if it has none.
std::optional<std::string> NameOf(const std::any& value) {
  if (const auto* op = std::any_cast<Operation>(&value)) {
    if (op->defined()) return op->name();
  } else if (const auto* t = std::any_cast<Tensor>(&value)) {
    const Operation made(*t);
    if (made.defined()) {
      return Format("{}:{}", made.name(),
                    ::gk::Graph::OutputOf(Inner(*t)).index);
    }
  } else if (const auto* v = std::any_cast<Variable>(&value)) {
    return v->name();
  } else if (const auto* m = std::any_cast<Module>(&value)) {
    return m->name();
  }
  return std::nullopt;
}

// Both reading a pattern and backtracking recurse: long ones would end the
// process.
constexpr size_t kLongestPattern = 1000;

std::regex PatternOf(const std::string& text) {
  if (text.size() > kLongestPattern) {
    throw ::gk::Error(
        ValueError("A scope has at most {} characters, got a regular "
                   "expression of {}",
                   kLongestPattern, text.size()));
  }
  try {
    return std::regex(text, std::regex_constants::ECMAScript |
                                std::regex_constants::__polynomial);
  } catch (const std::regex_error& e) {
    throw ::gk::Error(
        ValueError("'{}' is no regular expression: {}", text, e.what()));
  }
}

}  // namespace

void Graph::add_to_collection(const std::string& name, std::any value) const {
  add_to_collections({name}, std::move(value));
}

void Graph::add_to_collections(const std::vector<std::string>& names,
                               std::any value) const {
  Guarded([&] {
    GraphCollections::Values all;
    for (const std::string& name : names) all.push_back(MakeRef<Name>(name));
    for (const Value& list :
         ValueOrThrow(rep_->graph->collections()->ToExtend(all, kMakeList))) {
      ValuesIn(list).push_back(value);
    }
  });
}

std::vector<std::any>& Graph::get_collection_ref(
    const std::string& name) const {
  return ValuesIn(
      rep_->graph->collections()->FindOrMake(MakeRef<Name>(name), kMakeList));
}

std::vector<std::any> Graph::get_collection(
    const std::string& name, const std::optional<std::string>& scope) const {
  return Guarded([&] {
    Anything found;
    const Value list = rep_->graph->collections()->Find(Name(name));
    if (list == nullptr) return found;
    if (!scope) return ValuesIn(list);
    const std::regex pattern = PatternOf(*scope);
    for (const std::any& value : ValuesIn(list)) {
      const std::optional<std::string> own = NameOf(value);
      if (own && std::regex_search(*own, pattern,
                                   std::regex_constants::match_continuous)) {
        found.push_back(value);
      }
    }
    return found;
  });
}

std::vector<std::string> Graph::get_all_collection_keys() const {
  std::vector<std::string> keys;
  for (const Value& name : rep_->graph->collections()->names()) {
    keys.push_back(static_cast<const Name&>(*name).text);
  }
  return keys;
}

void Graph::clear_collection(const std::string& name) const {
  Guarded([&] { ThrowIfError(rep_->graph->collections()->Clear(Name(name))); });
}

void Graph::prevent_feeding(const Tensor& tensor) const {
  Guarded([&] {
    rep_->graph->collections()->Set(Mark::kUnfeedable,
                                    MakeRef<MarkedElement>(tensor));
  });
}
bool Graph::is_feedable(const Tensor& tensor) const {
  return Guarded([&] {
    return !rep_->graph->collections()->Has(Mark::kUnfeedable,
                                            MarkedElement(tensor));
  });
}
void Graph::prevent_fetching(const Operation& op) const {
  Guarded(
      [&] { rep_->graph->collections()->Set(Mark::kUnfetchable, NodeOf(op)); });
}
bool Graph::is_fetchable(const Operation& tensor_or_op) const {
  return Guarded([&] {
    return !rep_->graph->collections()->Has(Mark::kUnfetchable,
                                            *NodeOf(tensor_or_op));
  });
}

}  // namespace gk::api
