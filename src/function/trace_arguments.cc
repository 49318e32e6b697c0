#include "function/trace_arguments.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <vector>

namespace gk {
namespace {

using TypeKind = TraceType::Kind;

// The name of the way to a child: a key, a field or a number.
std::string PartName(const TraceType& type, size_t i) {
  if (i >= type.keys().size()) return std::to_string(i);
  if (type.kind() != TypeKind::kDict) return type.keys()[i];
  // Keys are literals: a letter for their kind, then the text.
  return type.keys()[i].starts_with('s') ? type.keys()[i].substr(1)
                                         : type.key_texts()[i];
}

class ArgumentMaker {
 public:
  using Nodes = std::vector<Node*>;

  ArgumentMaker(std::span<const Tensor> variables, ArgumentFace* face)
      : graph_(face->graph()), variables_(variables), face_(face) {}

  // Appends the placeholders of a type in the order of calls.
  Status Make(const TraceType& type, const std::string& parameter,
              const std::string& path, Nodes* nodes) {
    switch (type.kind()) {
      case TypeKind::kTensor: {
        GK_ASSIGN_OR_RETURN(const Tensor placeholder,
                            face_->Add(face_->NamesOf(type, parameter, path),
                                       type.dtype(), type.shape(), {}));
        nodes->push_back(Graph::OutputOf(placeholder).node);
        return face_->Tensor(placeholder);
      }
      case TypeKind::kVariable:
        return MakeVariable(type, parameter, path, nodes);
      case TypeKind::kLiteral:
      case TypeKind::kObject:
        return face_->Constant(type);
      case TypeKind::kCustom: {
        const size_t before = graph_ ? graph_->inputs().arguments().size() : 0;
        GK_RETURN_IF_ERROR(face_->Custom(type, parameter));
        if (graph_ != nullptr) {
          const Nodes& all = graph_->inputs().arguments();
          nodes->insert(nodes->end(), all.begin() + before, all.end());
        }
        return OkStatus();
      }
      default:
        break;
    }
    std::vector<Nodes> parts(type.children().size());
    for (size_t i = 0; i < parts.size(); ++i) {
      GK_RETURN_IF_ERROR(Make(*type.children()[i], parameter,
                              path + "_" + PartName(type, i), &parts[i]));
    }
    for (size_t i : type.FlatteningOrder()) {
      nodes->insert(nodes->end(), parts[i].begin(), parts[i].end());
    }
    return face_->Container(type);
  }

  // Puts the placeholders into this order, each once.
  Status Order(const Nodes& nodes) {
    if (nodes == graph_->inputs().arguments()) return OkStatus();
    TensorVector ordered;
    std::unordered_set<const Node*> seen;
    for (Node* node : nodes) {
      if (!seen.insert(node).second) continue;
      ordered.push_back(graph_->graph()->TensorOf({node, 0}));
    }
    return graph_->inputs().OrderArguments(ordered);
  }

 private:
  Status MakeVariable(const TraceType& type, const std::string& parameter,
                      const std::string& path, Nodes* nodes) {
    auto [known, is_new] = by_alias_.try_emplace(type.alias());
    if (is_new) {
      GK_ASSIGN_OR_RETURN(
          known->second.handle,
          face_->Add(face_->NamesOf(type, parameter, path), DataType::kResource,
                     TensorShape(), {{type.dtype(), type.shape()}}));
      known->second.node = Graph::OutputOf(known->second.handle).node;
      const size_t alias = type.alias();
      graph_->inputs().SetArgumentVariable(
          known->second.handle, type.trainable(),
          alias < variables_.size() ? variables_[alias] : Tensor());
    }
    nodes->push_back(known->second.node);
    return face_->Variable(type, known->second.handle, parameter);
  }

  struct Known {
    Tensor handle;
    Node* node = nullptr;
  };
  FuncGraph* graph_;
  std::span<const Tensor> variables_;
  ArgumentFace* face_;
  std::map<int, Known> by_alias_;
};

// What of a container's type a structure tells.
Structure::Facts FactsOf(const TraceType& type) {
  Structure::Facts facts;
  facts.name = type.name();
  facts.identity = type.identity();
  facts.value = type.value();
  switch (type.kind()) {
    case TypeKind::kList:
      facts.kind = Structure::Kind::kList;
      break;
    case TypeKind::kTuple:
      facts.kind = Structure::Kind::kTuple;
      break;
    case TypeKind::kDict: {
      facts.kind = Structure::Kind::kDict;
      const std::vector<size_t> flat = type.FlatteningOrder();
      bool sorted = true;
      for (size_t i = 0; i < flat.size(); ++i) {
        facts.keys.push_back({type.keys()[flat[i]], type.key_texts()[flat[i]]});
        facts.opaque |= type.keys()[flat[i]].starts_with('o');
        sorted &= flat[i] == i;
      }
      if (!sorted) {
        facts.order.resize(flat.size());
        for (size_t i = 0; i < flat.size(); ++i) {
          facts.order[flat[i]] = static_cast<int>(i);
        }
      }
      break;
    }
    case TypeKind::kComposite:
      facts.kind = Structure::Kind::kFlattened;
      facts.opaque = true;
      break;
    default:
      facts.kind = type.kind() == TypeKind::kAttrs
                       ? Structure::Kind::kAttrs
                       : Structure::Kind::kNamedTuple;
      for (const std::string& key : type.keys()) {
        facts.keys.push_back({"s" + key, key});
      }
  }
  return facts;
}

StructureRef StructureOf(const TraceTypeRef& type,
                         std::vector<TraceTypeRef>* leaves) {
  if (!type->is_container()) {
    leaves->push_back(type);
    return Structure::Leaf();
  }
  std::vector<StructureRef> children;
  for (size_t i : type->FlatteningOrder()) {
    children.push_back(StructureOf(type->children()[i], leaves));
  }
  return Structure::Of(FactsOf(*type), std::move(children));
}

}  // namespace

Status MakeArguments(const FunctionType& type,
                     std::span<const Tensor> variables, ArgumentFace* face) {
  ArgumentMaker maker(variables, face);
  ArgumentMaker::Nodes nodes;
  for (const FunctionParameter& p : type.parameters()) {
    GK_RETURN_IF_ERROR(maker.Make(*p.type, p.name, p.name, &nodes));
  }
  return maker.Order(nodes);
}

Status MakeArgument(const TraceType& type, const std::string& name,
                    ArgumentFace* face) {
  ArgumentMaker::Nodes nodes;
  return ArgumentMaker({}, face).Make(type, name, name, &nodes);
}

StructureRef InputStructure(const FunctionType& type,
                            std::vector<TraceTypeRef>* leaves) {
  std::vector<StructureRef> positional;
  std::vector<const FunctionParameter*> named;
  for (const FunctionParameter& p : type.parameters()) {
    if (p.kind == ParameterKind::kKeywordOnly) {
      named.push_back(&p);
    } else {
      positional.push_back(StructureOf(p.type, leaves));
    }
  }
  // By name, as calls give them.
  std::vector<int> order(named.size());
  std::vector<const FunctionParameter*> sorted = named;
  std::sort(sorted.begin(), sorted.end(),
            [](const FunctionParameter* a, const FunctionParameter* b) {
              return a->name < b->name;
            });
  Structure::Facts facts{.kind = Structure::Kind::kDict};
  std::vector<StructureRef> values;
  for (const FunctionParameter* p : sorted) {
    facts.keys.push_back({"s" + p->name, "'" + p->name + "'"});
    values.push_back(StructureOf(p->type, leaves));
  }
  if (sorted != named) {
    for (const FunctionParameter* p : named) {
      facts.order.push_back(static_cast<int>(
          std::find(sorted.begin(), sorted.end(), p) - sorted.begin()));
    }
  }
  return Structure::Tuple({Structure::Tuple(std::move(positional)),
                           Structure::Of(std::move(facts), std::move(values))});
}

}  // namespace gk
