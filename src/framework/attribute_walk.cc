#include "framework/attribute_walk.h"

#include <algorithm>
#include <utility>

namespace gk {

AttributeWalk::AttributeWalk(Host* host, const Leaf& root,
                             const Options& options)
    : host_(host), all_paths_(options.all_paths), seen_{root.identity} {
  Enter(root, options.recursive);
}

void AttributeWalk::Enter(const Leaf& module, bool recursive) {
  for (const Visit& around : visits_) {
    if (around.module.identity == module.identity) recursive = false;
  }
  visits_.push_back({module, recursive, host_->Attributes(module.value)});
}

std::optional<size_t> AttributeWalk::Next() {
  while (!visits_.empty()) {
    Visit& visit = visits_.back();
    if (visit.leaf < visit.leaves.size()) {
      const Leaf leaf = visit.leaves[visit.leaf++];
      if (!all_paths_ && !seen_.insert(leaf.identity).second) continue;
      if (visit.recursive && leaf.is_module) visit.inside.push_back(leaf);
      if (host_->IsWanted(leaf.value)) return leaf.value;
    } else if (visit.attribute < visit.attributes.size()) {
      visit.leaf = 0;
      visit.leaves = host_->Leaves(visit.module.value,
                                   visit.attributes[visit.attribute++]);
    } else if (visit.child < visit.inside.size()) {
      const Leaf child = visit.inside[visit.child++];
      Enter(child, visit.recursive);
    } else {
      visits_.pop_back();
    }
  }
  return std::nullopt;
}

bool IsModuleName(std::string_view name) {
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (name.ends_with('\n')) name.remove_suffix(1);
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9');
         });
}

}  // namespace gk
