#include "saved_model/passed_values.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "framework/op_registry.h"
#include "function/own_gradient_attrs.h"

namespace gk {
namespace {

using Argument = proto::OpDef::ArgDef;
using ArgAttrs = proto::FunctionDef::ArgAttrs;
using proto::FunctionDef;
using AttrKind = proto::AttrValue::ValueCase;

constexpr char kBody[] = "body";
constexpr char kResultShapes[] = "output_shapes";
constexpr char kArgumentShapes[] = "_input_shapes";

// "Exp:0", a tensor of the graph, as an input in the function.
std::string EdgeOf(const std::string& tensor, const FunctionDef& owner) {
  const size_t colon = tensor.rfind(':');
  if (colon == tensor.npos) return "";
  const std::string node = tensor.substr(0, colon);
  for (const auto& argument : owner.signature->input_arg) {
    if (argument.name == node) return node;
  }
  for (const auto& other : owner.node_def) {
    if (other.name == node) {
      return Format("{}::{}", node, tensor.substr(colon + 1));
    }
  }
  return "";
}

std::string UnusedName(const FunctionDef& owner) {
  for (size_t i = owner.signature->input_arg.size();; ++i) {
    std::string name = Format("of_gradient_{}", i);
    if (EdgeOf(name + ":0", owner).empty()) return name;
  }
}

// The shapes of arguments, if a function says them.
std::vector<proto::TensorShapeProto>* ShapesOf(FunctionDef* function) {
  const auto shapes = function->attr.find(kArgumentShapes);
  if (shapes == function->attr.end() ||
      shapes->second.value_case != AttrKind::kList) {
    return nullptr;
  }
  auto& list = shapes->second.mutable_list().shape;
  return list.size() == function->signature->input_arg.size() ? &list : nullptr;
}

}  // namespace

PassedValues::PassedValues(proto::MetaGraphDef* graph)
    : objects_(graph->object_graph_def.mut()) {
  auto& library = graph->graph_def.mut().library.mut();
  for (FunctionDef& f : library.function) {
    functions_.emplace(f.signature->name, &f);
  }
  for (FunctionDef& f : library.function) {
    for (proto::NodeDef& node : f.node_def) AddSite(&f, &node);
  }
}

FunctionDef* PassedValues::Find(const std::string& name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

void PassedValues::AddSite(FunctionDef* owner, proto::NodeDef* node) {
  Site site{owner, node, {}, "", "", false};
  if (functions_.contains(node->op)) {
    site.functions = {node->op};
    site.may_grow = true;
  } else {
    for (const auto& [name, value] : node->attr) {
      if (value.value_case == AttrKind::kFunc) {
        site.functions.push_back(value.func->name);
      } else if (value.value_case == AttrKind::kList) {
        for (const auto& f : value.list->func) {
          site.functions.push_back(f.name);
        }
      }
    }
    if (site.functions.empty()) return;
    const OpRecord* const record = OpRegistry::Get().Find(node->op);
    if (record != nullptr) {
      const auto& inputs = record->def->inputs;
      const auto lists = std::ranges::count_if(
          inputs, [](const gk::ArgDef& a) { return a.is_list(); });
      if (lists == 1) site.types = inputs.back().type_list_attr;
      if (record->control == Control::kWhile) {
        const auto body = node->attr.find(kBody);
        if (body != node->attr.end()) site.body = body->second.func->name;
      }
    }
    site.may_grow = IsPlain(site);
  }
  sites_.push_back(std::make_unique<Site>(std::move(site)));
  for (const std::string& f : sites_.back()->functions) {
    callers_[f].push_back(sites_.back().get());
  }
}

// Do its functions take the inputs that are listed as their last?
bool PassedValues::IsPlain(const Site& site) const {
  if (site.types.empty()) return false;
  const auto types = site.node->attr.find(site.types);
  if (types == site.node->attr.end()) return false;
  const size_t n = types->second.list->type.size();
  return std::ranges::all_of(site.functions, [&](const std::string& name) {
    const FunctionDef* const f = Find(name);
    return f != nullptr && f->signature->input_arg.size() >= n;
  });
}

void PassedValues::AddGradient(FunctionDef* owner, proto::NodeDef* node,
                               const std::string& function) {
  sites_.push_back(std::make_unique<Site>(
      Site{owner, node, {function}, kGradientTypes, "", true}));
  callers_[function].push_back(sites_.back().get());
}

std::string PassedValues::KnownEdge(int object,
                                    const FunctionDef& owner) const {
  const proto::SavedObject& o = objects_.nodes[object];
  const std::string& name = owner.signature->name;
  if (o.captured_tensor.has() && o.captured_tensor->concrete_function == name) {
    return EdgeOf(o.captured_tensor->name, owner);
  }
  const auto passed = passed_.find({object, &owner});
  if (passed != passed_.end()) return passed->second;
  const auto saved = objects_.concrete_functions.find(name);
  if (saved == objects_.concrete_functions.end()) return "";
  const std::vector<int>& bound = saved->second.bound_inputs;
  const auto& arguments = owner.signature->input_arg;
  const auto known = std::ranges::find(bound, object);
  if (known == bound.end() || bound.size() > arguments.size()) return "";
  return arguments[arguments.size() - bound.size() + (known - bound.begin())]
      .name;
}

// Those that programs call have what is an object of its own without being
// called with it; a tensor of another function they have not.
bool PassedValues::CanTake(int object, const FunctionDef& function) const {
  const proto::SavedObject& o = objects_.nodes[object];
  const std::string& name = function.signature->name;
  const bool of_function = o.captured_tensor.has();
  if (of_function && o.captured_tensor->concrete_function == name) return false;
  const auto saved = objects_.concrete_functions.find(name);
  const bool is_saved = saved != objects_.concrete_functions.end();
  if (is_saved && (of_function || saved->second.bound_inputs.size() >
                                      function.signature->input_arg.size())) {
    return false;
  }
  const auto callers = callers_.find(name);
  if (callers == callers_.end()) return is_saved;
  const auto& sites = callers->second;
  const auto bodies = std::ranges::count_if(
      sites, [&](const Site* site) { return site->body == name; });
  if (bodies > 0 && (is_saved || bodies < std::ssize(sites))) return false;
  return std::ranges::all_of(sites, [](const Site* s) { return s->may_grow; });
}

PassedValues::Way PassedValues::WayTo(int object, FunctionDef* owner) const {
  Way way{{owner}, {}};
  std::set<const void*> seen = {owner};
  const auto enter = [&](FunctionDef* f) {
    if (f != nullptr && seen.insert(f).second) way.functions.push_back(f);
  };
  for (size_t i = 0; i < way.functions.size(); ++i) {
    if (!CanTake(object, *way.functions[i])) return {};
    const auto callers = callers_.find(way.functions[i]->signature->name);
    if (callers == callers_.end()) continue;
    for (const Site* site : callers->second) {
      if (!seen.insert(site).second) continue;
      way.sites.push_back(site);
      for (const std::string& called : site->functions) enter(Find(called));
      if (KnownEdge(object, *site->owner).empty()) enter(site->owner);
    }
  }
  return way;
}

std::string PassedValues::EdgeTo(int object, FunctionDef* owner,
                                 FunctionDef* taker, size_t index) {
  if (object < 0 || object >= static_cast<int>(objects_.nodes.size())) {
    return "";
  }
  if (std::string known = KnownEdge(object, *owner); !known.empty()) {
    return known;
  }
  const Way way = WayTo(object, owner);
  if (way.functions.empty()) return "";
  // Copied: the taker may get an argument, too.
  Argument argument = taker->signature->input_arg[index];
  proto::TensorShapeProto shape;
  shape.unknown_rank = true;
  if (const auto* shapes = ShapesOf(taker)) shape = shapes->at(index);
  const auto facts = taker->arg_attr.find(static_cast<uint32_t>(index));
  const bool has_facts = facts != taker->arg_attr.end();
  const ArgAttrs own_facts = has_facts ? facts->second : ArgAttrs();
  for (FunctionDef* const f : way.functions) {
    argument.name = UnusedName(*f);
    auto* const shapes = ShapesOf(f);
    auto& arguments = f->signature.mut().input_arg;
    if (has_facts) {
      f->arg_attr[static_cast<uint32_t>(arguments.size())] = own_facts;
    }
    if (shapes != nullptr) shapes->push_back(shape);
    arguments.push_back(argument);
    passed_[{object, f}] = argument.name;
    const auto saved = objects_.concrete_functions.find(f->signature->name);
    if (saved != objects_.concrete_functions.end()) {
      saved->second.bound_inputs.push_back(object);
    }
  }
  std::set<std::string> bodies;
  for (const Site* site : way.sites) {
    Extend(*site, KnownEdge(object, *site->owner), argument.type, shape);
    if (!site->body.empty()) bodies.insert(site->body);
  }
  for (const std::string& name : bodies) {
    FunctionDef& body = *Find(name);
    argument.name = passed_.at({object, &body});
    body.ret[argument.name] = argument.name;
    body.signature.mut().output_arg.push_back(argument);
  }
  return passed_.at({object, owner});
}

void PassedValues::Extend(const Site& site, const std::string& edge,
                          proto::DataType type,
                          const proto::TensorShapeProto& shape) {
  auto& inputs = site.node->input;
  inputs.insert(std::ranges::find_if(inputs, IsControl), edge);
  if (site.types.empty()) return;
  auto& types = site.node->attr[site.types].mutable_list().type;
  if (!site.body.empty()) {
    const auto shapes = site.node->attr.find(kResultShapes);
    if (shapes != site.node->attr.end() &&
        shapes->second.list->shape.size() == types.size()) {
      shapes->second.mutable_list().shape.push_back(shape);
    }
  }
  types.push_back(type);
}

}  // namespace gk
