#include "driver/fuzz_target.h"

#include <cstdio>
#include <cstdlib>

#include "base/status.h"

namespace gk::fuzz {

void Fail(std::string_view what) {
  std::fprintf(stderr, "fuzz: %.*s\n", static_cast<int>(what.size()),
               what.data());
  std::fflush(stderr);
  std::abort();
}

void CheckNotInternal(const Status& status) {
  if (status.code() == Code::kInternal) Fail(status.ToString());
}

}  // namespace gk::fuzz
