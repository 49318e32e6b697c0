// Signatures as the documentation of a function shows them: "a, b=None".
#ifndef GK_PYTHON_SIGNATURE_TEXT_H_
#define GK_PYTHON_SIGNATURE_TEXT_H_

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

namespace gk::py {

struct SignatureParameter {
  std::string name;
  nanobind::object otherwise;  // null: the argument must be given
  std::string_view text;       // "b=None"
};

// Defaults are None, True, False, integers, 'text' and tf.dtypes.
std::vector<SignatureParameter> ParametersIn(std::string_view signature);

}  // namespace gk::py

#endif  // GK_PYTHON_SIGNATURE_TEXT_H_
