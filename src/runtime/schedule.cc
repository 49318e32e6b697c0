#include "runtime/schedule.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>

#include "base/interrupt.h"
#include "runtime/cluster.h"
#include "runtime/feeds.h"
#include "runtime/variable_update.h"

namespace gk {
namespace {

constexpr size_t kMaxClusterSteps = 512;

using MinHeap = std::priority_queue<int, std::vector<int>, std::greater<int>>;

class Scheduler {
 public:
  Scheduler(const RewriteGraph& f, bool merge_updates)
      : f_(f), merge_updates_(merge_updates) {}

  StatusOr<std::vector<Unit>> Run() {
    GK_ASSIGN_OR_RETURN(const std::vector<Node*> all,
                        f_.graph->TopologicalOrder());
    Prune(all);
    const int n = order_.size();
    users_.resize(n);
    waits_.assign(n, 0);
    domain_.resize(n);
    writes_.assign(n, VariableWrite::kNone);
    in_group_.assign(n, false);
    std::vector<bool> is_argument(f_.graph->num_nodes());
    for (const Node* a : f_.arguments) is_argument[a->id()] = true;
    for (int p = 0; p < n; ++p) {
      const auto after = [&](const Node* before) {
        users_[position_[before->id()]].push_back(p);
        ++waits_[p];
      };
      for (const Output& in : order_[p]->inputs()) after(in.node);
      for (const Node* c : order_[p]->control_inputs()) after(c);
      if (FusableTile(*order_[p])) {
        SetDomain(p, order_[p]->output(0).shape);
      } else if (merge_updates_) {
        writes_[p] = FusableWrite(*order_[p], is_argument);
        if (writes_[p] != VariableWrite::kNone) {
          const Output& value = order_[p]->input(1);
          SetDomain(p, value.node->output(value.index).shape);
        }
      }
    }
    for (int p = 0; p < n; ++p) {
      if (waits_[p] == 0) MakeReady(p);
    }
    while (true) {
      while (!ready_.empty()) {
        PollInterrupt();
        const int p = ready_.top();
        ready_.pop();
        units_.push_back({{order_[p]}, false});
        Done(p);
      }
      if (fusable_.empty()) break;
      EmitDomain();
    }
    LowerFeeds();
    return std::move(units_);
  }

 private:
  // Kernels that may feed a cluster (feeds.h) go to the place in front of it,
  // unless somebody wants the result before.
  void LowerFeeds() {
    std::vector<int> unit_of(f_.graph->num_nodes(), -1);
    const auto number = [&](size_t begin, size_t end) {
      for (size_t u = begin; u < end; ++u) {
        for (const Node* node : units_[u].nodes) unit_of[node->id()] = int(u);
      }
    };
    number(0, units_.size());
    for (size_t u = 1; u < units_.size(); ++u) {
      if (!units_[u].fusable) continue;
      PollInterrupt();
      int fed = -1;  // the unit of the last that the cluster reads
      for (const Node* node : units_[u].nodes) {
        if (node->num_outputs() == 0) continue;  // writes a variable
        for (const Output& in : node->inputs()) {
          const int before = unit_of[in.node->id()];
          if (before < int(u) && MayFeed(*in.node) &&
              in.node->output(0).shape == node->output(0).shape) {
            fed = std::max(fed, before);
          }
        }
      }
      if (fed < 0 || fed + 1 == int(u)) continue;
      const int p = position_[units_[fed].nodes[0]->id()];
      const bool wanted_before = std::any_of(
          users_[p].begin(), users_[p].end(),
          [&](int user) { return unit_of[order_[user]->id()] < int(u); });
      if (wanted_before) continue;
      std::rotate(units_.begin() + fed, units_.begin() + fed + 1,
                  units_.begin() + int(u));
      number(fed, u);
    }
  }

  void Prune(const std::vector<Node*>& all) {
    std::vector<bool> keep(f_.graph->num_nodes());
    for (const Output& r : f_.results) keep[r.node->id()] = true;
    for (const Node* c : f_.control_outputs) keep[c->id()] = true;
    for (int i = all.size() - 1; i >= 0; --i) {
      const Node* node = all[i];
      if (!keep[node->id()] && !HasSideEffect(*node)) continue;
      keep[node->id()] = true;
      for (const Output& in : node->inputs()) keep[in.node->id()] = true;
      for (const Node* c : node->control_inputs()) keep[c->id()] = true;
    }
    position_.assign(f_.graph->num_nodes(), -1);
    for (Node* node : all) {
      if (!keep[node->id()]) continue;
      position_[node->id()] = order_.size();
      order_.push_back(node);
    }
  }

  void SetDomain(int p, const PartialTensorShape& shape) {
    domain_[p] = std::vector<int64_t>(shape.dims().begin(), shape.dims().end());
  }

  // A read of what a write in the open group has written: the cluster has
  // the value.
  void TryJoin(int p) {
    const Node& node = *order_[p];
    if (!node.op().Has(kReadsVariable)) return;
    for (const Node* before : node.control_inputs()) {
      const int w = position_[before->id()];
      if (!in_group_[w] || writes_[w] == VariableWrite::kNone ||
          !(ResourceRoot(before->input(0)) == ResourceRoot(node.input(0)))) {
        continue;
      }
      const Output& value = before->input(1);
      const Node::OutputInfo& written = value.node->output(value.index);
      if (written.dtype == node.output(0).dtype &&
          written.shape == node.output(0).shape) {
        SetDomain(p, written.shape);
      }
    }
  }

  void MakeReady(int p) {
    if (merge_updates_ && !domain_[p]) TryJoin(p);
    if (domain_[p]) {
      fusable_[*domain_[p]].push(p);
    } else {
      ready_.push(p);
    }
  }

  void Done(int p) {
    for (int user : users_[p]) {
      if (--waits_[user] == 0) MakeReady(user);
    }
  }

  // Takes the domain whose first ready node comes first in the program.
  void EmitDomain() {
    auto best = fusable_.begin();
    for (auto it = fusable_.begin(); it != fusable_.end(); ++it) {
      if (it->second.top() < best->second.top()) best = it;
    }
    const std::vector<int64_t> domain = best->first;
    std::vector<int> group;
    for (auto it = best; it != fusable_.end() && !it->second.empty();) {
      PollInterrupt();
      const int p = it->second.top();
      it->second.pop();
      group.push_back(p);
      in_group_[p] = true;
      Done(p);
    }
    for (int p : group) in_group_[p] = false;
    fusable_.erase(domain);
    Split(group);
  }

  // Nodes that share values form one cluster, others would only mix.
  void Split(const std::vector<int>& group) {
    std::vector<int> parent(group.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto find = [&](int i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    std::map<std::pair<int, int>, int> first_reader;
    std::map<int, int> member;  // by position
    for (size_t i = 0; i < group.size(); ++i) member[group[i]] = i;
    for (size_t i = 0; i < group.size(); ++i) {
      const Node* node = order_[group[i]];
      const auto link = [&](int producer, int index) {
        const auto [it, is_new] =
            first_reader.try_emplace({producer, index}, int(i));
        if (!is_new) parent[find(i)] = find(it->second);
      };
      for (const Node* c : node->control_inputs()) {
        const auto before = member.find(position_[c->id()]);
        if (before != member.end()) parent[find(i)] = find(before->second);
      }
      if (node->num_outputs() > 0) link(group[i], 0);
      for (const Output& in : node->inputs()) {
        if (in.node->output(in.index).dtype == DataType::kResource) continue;
        const auto& shape = in.node->output(in.index).shape;
        if (shape.num_elements() == 1 && node->num_outputs() == 1 &&
            node->output(0).shape != shape) {
          continue;  // sharing a scalar is no reason to fuse
        }
        link(position_[in.node->id()], in.index);
      }
    }
    std::map<int, std::vector<Node*>> parts;  // by first member
    std::vector<int> part_of(group.size(), -1);
    for (size_t i = 0; i < group.size(); ++i) {
      const int root = find(i);
      if (part_of[root] < 0) part_of[root] = i;
      parts[part_of[root]].push_back(order_[group[i]]);
    }
    for (auto& [first, nodes] : parts) AddPart(nodes);
  }

  void AddPart(const std::vector<Node*>& nodes) {
    const auto computes = [this](const Node* node) {
      const VariableWrite write = writes_[position_[node->id()]];
      return write == VariableWrite::kNone ? FusableTile(*node) != nullptr
                                           : write != VariableWrite::kAssign;
    };
    if (nodes.size() <= kMaxClusterSteps &&
        std::any_of(nodes.begin(), nodes.end(), computes)) {
      units_.push_back({nodes, true});
      return;
    }
    // In program order, whatever touches variables by itself.
    std::vector<Node*> run;
    const auto flush = [&] {
      if (!run.empty()) units_.push_back({run, true});
      run.clear();
    };
    for (Node* node : nodes) {
      if (FusableTile(*node)) {
        run.push_back(node);
        if (run.size() == kMaxClusterSteps) flush();
      } else {
        flush();
        units_.push_back({{node}, false});
      }
    }
    flush();
  }

  const RewriteGraph& f_;
  const bool merge_updates_;
  std::vector<Node*> order_;
  std::vector<int> position_;  // by node id; -1: pruned
  std::vector<std::vector<int>> users_;
  std::vector<int> waits_;
  std::vector<std::optional<std::vector<int64_t>>> domain_;
  std::vector<VariableWrite> writes_;
  std::vector<bool> in_group_;  // the one that is being emitted
  MinHeap ready_;
  std::map<std::vector<int64_t>, MinHeap> fusable_;
  std::vector<Unit> units_;
};

}  // namespace

StatusOr<std::vector<Unit>> MakeSchedule(const RewriteGraph& function,
                                         bool merge_updates) {
  return Scheduler(function, merge_updates).Run();
}

}  // namespace gk
