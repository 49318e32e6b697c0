#include "function/argument_names.h"

#include <algorithm>
#include <utility>

namespace gk {

std::vector<std::string> FlatNames(const ConcreteFunction& function) {
  std::vector<std::string> names;
  const std::vector<Node*>& arguments = function.function()->arguments();
  for (size_t i = 0; i < function.arguments().size(); ++i) {
    auto base = arguments[i]->attr<std::string>("_user_specified_name");
    if (base.empty()) base = arguments[i]->name();
    std::string unique = base;
    for (int n = 1; std::ranges::find(names, unique) != names.end(); ++n) {
      unique = Format("{}_{}", base, n);
    }
    names.push_back(std::move(unique));
  }
  return names;
}

}  // namespace gk
