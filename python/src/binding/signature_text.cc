#include "python/src/binding/signature_text.h"

#include <algorithm>

#include "python/src/tensors/dtype_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

nb::object Literal(std::string_view text) {
  if (text == "None") return nb::none();
  if (text == "True" || text == "False") return nb::bool_(text == "True");
  if (text.front() == '\'') {
    return nb::str(text.data() + 1, text.size() - 2);
  }
  if (text.starts_with("tf.")) {
    return nb::borrow(DTypeObject(*DataTypeFromName(text.substr(3))));
  }
  return nb::int_(std::stoll(std::string(text)));
}

}  // namespace

std::vector<SignatureParameter> ParametersIn(std::string_view signature) {
  std::vector<SignatureParameter> parameters;
  std::string_view rest = Trimmed(signature);
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view one = Trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const size_t equal = one.find('=');
    parameters.push_back({std::string(one.substr(0, equal)), {}, one});
    if (equal != one.npos) {
      parameters.back().otherwise = Literal(Trimmed(one.substr(equal + 1)));
    }
  }
  return parameters;
}

}  // namespace gk::py
