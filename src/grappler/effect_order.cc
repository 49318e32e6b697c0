#include "grappler/effect_order.h"

#include <algorithm>

namespace gk {
namespace {

// Deeper than any chain of bodies that a pass puts in.
constexpr int kMaxLevels = 10000;

bool Writes(const EffectOrder::Vertex& v) {
  return std::find(v.effects.arguments.begin(), v.effects.arguments.end(),
                   ResourceUse::kWrite) != v.effects.arguments.end();
}

}  // namespace

bool OrderShows(const EffectOrder::Vertex& a, const EffectOrder::Vertex& b) {
  if (a.effects.ordered && b.effects.ordered) return true;
  if ((a.effects.ordered && Writes(b)) || (b.effects.ordered && Writes(a))) {
    return true;
  }
  for (size_t i = 0; i < a.resources.size(); ++i) {
    const ResourceUse use = a.effects.arguments[i];
    if (use == ResourceUse::kNone) continue;
    for (size_t j = 0; j < b.resources.size(); ++j) {
      const ResourceUse other = b.effects.arguments[j];
      if (other == ResourceUse::kNone || a.resources[i] != b.resources[j]) {
        continue;
      }
      if (use == ResourceUse::kWrite || other == ResourceUse::kWrite) {
        return true;
      }
    }
  }
  return false;
}

StatusOr<EffectOrder> EffectOrder::Of(const RewriteGraph& function,
                                      std::span<const SplicedNode> spliced) {
  Splices splices;
  for (const SplicedNode& s : spliced) splices.emplace(s.node, &s);
  EffectOrder order;
  order.levels_.emplace_back();
  GK_RETURN_IF_ERROR(order.Build(*function.graph, function.arguments, splices,
                                 -1, &order.levels_.front()));
  return order;
}

const std::string& EffectOrder::NameOf(const Level& level, const Node& node) {
  return level.splice ? level.splice->copies[node.id()] : node.name();
}

Status EffectOrder::Build(const Graph& graph,
                          const std::vector<Node*>& arguments,
                          const Splices& splices, int entry, Level* level) {
  if (levels_.size() > size_t(kMaxLevels)) {
    return Internal("A pass put in more than {} bodies", kMaxLevels);
  }
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order, graph.TopologicalOrder());
  level->argument.assign(graph.num_nodes(), -1);
  level->in.assign(graph.num_nodes(), -1);
  level->out.assign(graph.num_nodes(), -1);
  for (size_t i = 0; i < arguments.size(); ++i) {
    level->argument[arguments[i]->id()] = static_cast<int>(i);
  }
  for (const Node* node : order) {
    const int id = node->id();
    const bool is_argument = level->argument[id] >= 0;
    const int v = static_cast<int>(vertices_.size());
    vertices_.emplace_back();
    level->in[id] = level->out[id] = v;
    std::vector<int> from;
    if (entry >= 0) from.push_back(entry);
    for (const Output& in : node->inputs()) {
      from.push_back(level->out[in.node->id()]);
    }
    for (const Node* c : node->control_inputs()) {
      from.push_back(level->out[c->id()]);
    }
    vertices_[v].from = std::move(from);
    if (is_argument && level->parent != nullptr) continue;
    const std::string& name = NameOf(*level, *node);
    const auto found = splices.find(name);
    if (found == splices.end()) {
      Vertex& vertex = vertices_[v];
      vertex.node = node;
      vertex.name = name;
      by_name_.emplace(name, v);
      if (!is_argument && KeepsPlace(*node)) {
        vertex.keeps_place = true;
        vertex.effects = EffectsOf(*node);
        vertex.resources.resize(node->num_inputs());
        for (int i = 0; i < node->num_inputs(); ++i) {
          if (vertex.effects.arguments[i] == ResourceUse::kNone) continue;
          vertex.resources[i] = Root(*level, node->input(i));
        }
      }
      continue;
    }
    ++num_spliced_;
    const SplicedNode& splice = *found->second;
    if (splice.body == nullptr) {
      level->dropped[node] = true;
      continue;
    }
    if (splice.copies.size() != size_t(splice.body->graph().num_nodes()) ||
        splice.body->arguments().size() + splice.first_input !=
            size_t(node->num_inputs()) ||
        splice.body->results().size() != size_t(node->num_outputs())) {
      return Internal("A body that does not fit was put in the place of {}",
                      name);
    }
    levels_.emplace_back();
    Level* body = &levels_.back();
    level->bodies[node] = body;
    body->parent = level;
    body->call = node;
    body->splice = &splice;
    const int first = static_cast<int>(vertices_.size());
    GK_RETURN_IF_ERROR(Build(splice.body->graph(), splice.body->arguments(),
                             splices, v, body));
    level->out[id] = static_cast<int>(vertices_.size());
    Vertex end;
    end.from.push_back(v);
    for (int w = first; w < level->out[id]; ++w) end.from.push_back(w);
    vertices_.push_back(std::move(end));
  }
  for (const Node* node : order) AddWaits(*level, *node);
  return OkStatus();
}

void EffectOrder::AddWaits(const Level& level, const Node& node) {
  if (level.argument[node.id()] >= 0) return;
  // Waiting for a loop that was dropped is waiting for what it waited for.
  std::vector<const Node*> todo(node.control_inputs().begin(),
                                node.control_inputs().end());
  while (!todo.empty()) {
    const Node* before = todo.back();
    todo.pop_back();
    if (level.dropped.count(before) != 0) {
      todo.insert(todo.end(), before->control_inputs().begin(),
                  before->control_inputs().end());
    } else if (level.argument[before->id()] < 0 &&
               level.dropped.count(&node) == 0) {
      const auto range = [&](const Node& n) {
        return Range{level.in[n.id()], level.out[n.id()]};
      };
      waits_.push_back({range(*before), range(node)});
    }
  }
}

std::string EffectOrder::Root(const Level& level, Output o) const {
  const Level* at = &level;
  while (true) {
    o = ResourceRoot(o);
    const int argument = at->argument[o.node->id()];
    if (argument >= 0 && at->parent != nullptr) {
      o = at->call->input(at->splice->first_input + argument);
      at = at->parent;
    } else if (const auto body = at->bodies.find(o.node);
               body != at->bodies.end()) {
      at = body->second;
      o = at->splice->body->results()[o.index];
    } else if (at->dropped.count(o.node) != 0) {
      o = o.node->input(o.index);
    } else {
      return Format("{}:{}", NameOf(*at, *o.node), o.index);
    }
  }
}

int EffectOrder::Find(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? -1 : it->second;
}

EffectOrder::Reach EffectOrder::ReachOf(std::span<const int> columns) const {
  Reach reach;
  reach.words_ = (columns.size() + 63) / 64;
  reach.bits_.assign(reach.words_ * vertices_.size(), 0);
  std::vector<std::vector<int>> columns_of(vertices_.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    columns_of[columns[c]].push_back(int(c));
  }
  // Vertices stand in a topological order.
  for (size_t v = 0; v < vertices_.size(); ++v) {
    uint64_t* row = reach.bits_.data() + v * reach.words_;
    for (int from : vertices_[v].from) {
      const uint64_t* before = reach.bits_.data() + from * reach.words_;
      for (size_t w = 0; w < reach.words_; ++w) row[w] |= before[w];
      for (int c : columns_of[from]) row[c / 64] |= uint64_t{1} << (c % 64);
    }
  }
  return reach;
}

}  // namespace gk
