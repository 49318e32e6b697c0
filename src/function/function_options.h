// The options that a function of the program may be given: which there are,
// what each may be, and which of two names of one counts; for all faces.
#ifndef GK_FUNCTION_FUNCTION_OPTIONS_H_
#define GK_FUNCTION_FUNCTION_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/function_ref.h"
#include "base/status.h"
#include "function/polymorphic_function.h"

namespace gk {

struct OptionRecord {
  enum class Kind : uint8_t {
    kFlag,   // on, off or not given
    kCount,  // from 1; not given: no limit
    kWord,   // one of `words`
  };
  std::string_view name;
  Kind kind;
  // What it was called before, if it was. Given under both names, either the
  // old one counts or it is an error.
  std::string_view old_name = {};
  bool old_name_counts = false;
  std::span<const std::string_view> words = {};
};

inline constexpr OptionRecord kFunctionOptions[] = {
    {"jit_compile", OptionRecord::Kind::kFlag, "experimental_compile"},
    {"reduce_retracing", OptionRecord::Kind::kFlag, "experimental_relax_shapes",
     true},
    {"max_traces", OptionRecord::Kind::kCount},
    {"on_baked_change", OptionRecord::Kind::kWord, {}, false, kOnBakedChange},
};

// What the program gave, as the language has it: nothing, or something.
struct GivenOption {
  struct Other {};  // what no option may be
  std::variant<std::monostate, bool, int64_t, std::string, Other> value;
  std::string shown;  // for errors

  bool is_given() const { return value.index() != 0; }
};
using GiveOption =
    FunctionRef<GivenOption(const OptionRecord& option, std::string_view name)>;

// Of a function `name`; `give` is asked for each name of each option.
// ValueError for what one may not be.
StatusOr<PolymorphicFunctionOptions> SettleOptions(std::string name,
                                                   GiveOption give);

}  // namespace gk

#endif  // GK_FUNCTION_FUNCTION_OPTIONS_H_
