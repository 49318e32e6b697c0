// Calls that failed because an argument is of a type that no op takes: who
// registered for that is asked.
#include "python/src/ops/fallback_dispatch.h"

#include <map>
#include <vector>

namespace gk::py {

namespace nb = nanobind;

namespace {

struct Fallbacks {
  std::map<const void*, std::vector<nb::object>> of_function;
  std::vector<nb::object> of_all;
};
Fallbacks& TheFallbacks() {
  static Fallbacks& fallbacks = *new Fallbacks();
  return fallbacks;
}

}  // namespace

bool has_fallbacks = false;

nb::object AskFallbacks(const DispatchedCall& call) {
  // A handler may register more: they are copied.
  std::vector<nb::object> asked;
  const auto own = TheFallbacks().of_function.find(call.key());
  if (own != TheFallbacks().of_function.end()) asked = own->second;
  for (const nb::object& handle : asked) {
    nb::object answer = handle(call.args(), call.kwargs());
    if (answer.ptr() != Py_NotImplemented) return answer;
  }
  asked = TheFallbacks().of_all;
  for (const nb::object& handle : asked) {
    nb::object answer = handle(call.api(), call.args(), call.kwargs());
    if (answer.ptr() != Py_NotImplemented) return answer;
  }
  return nb::borrow(Py_NotImplemented);
}

void AddFallbackDispatch(nb::module_& m) {
  m.def(
      "add_fallback",
      [](nb::object api, nb::object handle) {
        has_fallbacks = true;
        if (api.is_none()) {
          TheFallbacks().of_all.push_back(std::move(handle));
          return true;
        }
        const DispatchedCall call(api, nb::make_tuple(), nb::dict());
        if (call.key() == nullptr) return false;
        TheFallbacks().of_function[call.key()].push_back(std::move(handle));
        return true;
      },
      nb::arg("api").none(), nb::arg("handle"),
      "Asks handle(args, kwargs) when a call of `api` raises TypeError or "
      "ValueError, and handle(api, args, kwargs) when one of any function does "
      "if `api` is None. It gives NotImplemented where it knows nothing. "
      "False: `api` cannot be dispatched.");
  m.def(
      "ask_fallbacks",
      [](nb::handle api, nb::tuple args, nb::dict kwargs) {
        if (!has_fallbacks) return nb::borrow(Py_NotImplemented);
        return AskFallbacks(DispatchedCall(api, args, kwargs));
      },
      "What they give for a call that failed, or NotImplemented.");
}

}  // namespace gk::py
