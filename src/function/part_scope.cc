#include "function/part_scope.h"

#include <algorithm>

namespace gk {

std::string PartName(std::string scope, std::string_view suffix) {
  while (!scope.empty() && scope.back() == '/') scope.pop_back();
  std::replace(scope.begin(), scope.end(), '/', '_');
  return scope + "_" + std::string(suffix);
}

}  // namespace gk
