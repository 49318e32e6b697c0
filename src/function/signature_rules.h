// What an input signature demands of the calls of a function, and what is said
// of calls that do not fit it, for all faces.
#ifndef GK_FUNCTION_SIGNATURE_RULES_H_
#define GK_FUNCTION_SIGNATURE_RULES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "function/function_type.h"
#include "function/host_words.h"

namespace gk {

// A parameter of a function as an input signature has it.
struct SignedParameter {
  FunctionParameter parameter;  // without a type
  size_t of;                    // the function's
  int type;                     // of the signature's; -1: the default's
};
// One for each of `num_types` types and each default. TypeError unless that
// gives a type to all parameters of `function`, and each type to one.
StatusOr<std::vector<SignedParameter>> SignParameters(
    const FunctionType& function, size_t num_types);

// Why a call does not fit a signature; empty where it does.
//
// `names`: those given by name, of which some only a place can give.
std::string GivenNamesMisfit(std::span<const std::string_view> names,
                             const FunctionType& signature);
// `bound`: the names and kinds that the arguments were bound to.
struct BoundName {
  std::string_view name;
  ParameterKind kind;
};
std::string BoundNamesMisfit(std::span<const BoundName> bound,
                             const FunctionType& signature);
// `call`: of the same parameters.
std::string TypesMisfit(const FunctionType& call,
                        const FunctionType& signature);

// What is said of a value that is none of a type, or that no cast makes one.
// `value`: as the language shows it.
//
// `cls`: as the language shows the type's class, where it has one.
std::string WrongValue(const TraceType& type, std::string_view value,
                       std::string_view cls = {});
std::string WrongLength(const TraceType& type, std::string_view value,
                        size_t length);
std::string WrongParts(const TraceType& type, std::string_view value,
                       size_t number);
std::string WrongKeys(const TraceType& type, std::string_view value);
std::string WrongMetadata(std::string_view expected, std::string_view given);

// The one error of calls that do not fit: `reason` is one of the above. `more`
// follows.
std::string MisfitText(const HostWords& words, std::string_view reason,
                       std::string_view args, std::string_view kwargs,
                       const FunctionType& signature,
                       std::string_view more = {});

}  // namespace gk

#endif  // GK_FUNCTION_SIGNATURE_RULES_H_
