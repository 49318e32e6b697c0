#include "command_line/canonical_graph.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/format.h"

namespace gk::command {
namespace {

using Names = std::unordered_map<std::string, std::string>;

// "f_12" is ("f", 12) to be sorted by; the numbers of others have no digits.
std::tuple<std::string, size_t, std::string> PartsOf(const std::string& name) {
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits == name.size() || name[digits - 1] != '_') {
    return {name, 0, ""};
  }
  return {name.substr(0, digits - 1), name.size() - digits,
          name.substr(digits)};
}

Names CanonicalNames(const proto::GraphDef& graph) {
  std::vector<std::string> sorted;
  for (const auto& f : graph.library->function) {
    sorted.push_back(f.signature->name);
  }
  std::ranges::sort(sorted, {}, PartsOf);
  Names names;
  std::map<std::string, int> next;
  for (const std::string& name : sorted) {
    const std::string stem = std::get<0>(PartsOf(name));
    names[name] = Format("{}#{}", stem, next[stem]++);
  }
  return names;
}

void Rename(const Names& names, std::string* name) {
  if (const auto found = names.find(*name); found != names.end()) {
    *name = found->second;
  }
}

void RenameIn(const Names& names, proto::AttrValue* value, int depth = 0);

void RenameFunction(const Names& names, proto::NameAttrList* f, int depth) {
  Rename(names, &f->name);
  for (auto& [key, value] : f->attr) RenameIn(names, &value, depth + 1);
}

void RenameIn(const Names& names, proto::AttrValue* value, int depth) {
  if (depth > 100) return;
  using Kind = proto::AttrValue::ValueCase;
  if (value->value_case == Kind::kFunc) {
    RenameFunction(names, &value->func.mut(), depth);
  } else if (value->value_case == Kind::kList) {
    for (proto::NameAttrList& f : value->list.mut().func) {
      RenameFunction(names, &f, depth);
    }
  } else if (value->value_case == Kind::kS) {
    Rename(names, &value->s);  // names of gradients' and other functions
  }
}

void RenameIn(const Names& names, std::vector<proto::NodeDef>* nodes) {
  for (proto::NodeDef& node : *nodes) {
    Rename(names, &node.op);
    for (auto& [key, value] : node.attr) RenameIn(names, &value);
  }
}

}  // namespace

proto::GraphDef CanonicalGraph(const proto::GraphDef& graph) {
  const Names names = CanonicalNames(graph);
  proto::GraphDef made = graph;
  RenameIn(names, &made.node);
  if (!made.library.has()) return made;
  for (proto::FunctionDef& f : made.library.mut().function) {
    Rename(names, &f.signature.mut().name);
    RenameIn(names, &f.node_def);
    for (auto& [key, value] : f.attr) RenameIn(names, &value);
  }
  for (proto::GradientDef& g : made.library.mut().gradient) {
    Rename(names, &g.function_name);
    Rename(names, &g.gradient_func);
  }
  return made;
}

}  // namespace gk::command
