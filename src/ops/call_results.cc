#include "ops/call_results.h"

namespace gk {

Status TakeResults(KernelContext& c, std::string_view role,
                   const std::string& function, TensorVector results) {
  if (static_cast<int>(results.size()) != c.num_outputs()) {
    return InvalidArgument("{} {} returned {} values, expected {}", role,
                           function, results.size(), c.num_outputs());
  }
  const auto& types = c.attr<std::vector<DataType>>("Tout");
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (i < static_cast<int>(types.size()) && results[i].dtype() != types[i]) {
      return InvalidArgument("{} {} returned {} as value {}, expected {}", role,
                             function, DataTypeString(results[i].dtype()), i,
                             DataTypeString(types[i]));
    }
    c.set_output(i, std::move(results[i]));
  }
  return OkStatus();
}

}  // namespace gk
