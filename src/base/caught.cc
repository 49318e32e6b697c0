#include "base/caught.h"

#include <cxxabi.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace gk {
namespace {

// Saying so needs memory, too: what was thrown has freed some by now, and
// others may have.
constexpr int kMaxTries = 100;
// Made while there is memory.
const Status nothing_left =
    ResourceExhausted("OOM: the system gave no more memory");

Status Exhausted(std::string_view what, std::string_view doing) {
  for (int tries = 1;; ++tries) {
    try {
      if (doing.empty()) return ResourceExhausted("{}", what);
      return ResourceExhausted("{} in {}", what, doing);
    } catch (const std::bad_alloc&) {
      if (tries == kMaxTries) return nothing_left;
    }
  }
}

}  // namespace

Status CaughtStatus(std::string_view doing) {
  try {
    throw;
  } catch (const Error& e) {
    return e.status();
  } catch (const std::bad_alloc&) {
    return Exhausted("OOM: the system gave no more memory", doing);
  } catch (const std::length_error&) {
    return Exhausted("OOM: more memory was asked for than can be addressed",
                     doing);
  } catch (const std::system_error& e) {
    return Exhausted(e.what(), doing);
  }
}

Status LastCaughtStatus(std::string_view doing) {
  try {
    return CaughtStatus(doing);
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::exception& e) {
    return Internal("unexpected exception: {}", e.what());
  } catch (...) {
    return Internal("unexpected exception");
  }
}

}  // namespace gk
