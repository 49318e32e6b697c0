#include "graphkiln/trace_structure.h"

namespace gk::api::detail {

StructureFacts MakeStructureFacts(std::string_view name,
                                  std::string_view fields, size_t n) {
  StructureFacts facts{std::string(name), {}};
  for (size_t i = 0; i < n; ++i) {
    const size_t begin = fields.find_first_not_of(" \t\n,");
    if (begin == fields.npos) {
      facts.fields.push_back(std::to_string(i));
      continue;
    }
    fields.remove_prefix(begin);
    const size_t end = std::min(fields.find_first_of(" \t\n,"), fields.size());
    facts.fields.emplace_back(fields.substr(0, end));
    fields.remove_prefix(end);
  }
  return facts;
}

}  // namespace gk::api::detail
