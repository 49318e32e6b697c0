#include "function/function_options.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/format.h"

namespace gk {
namespace {

using Kind = OptionRecord::Kind;

StatusOr<GivenOption> TheOneGiven(const OptionRecord& option, GiveOption give) {
  GivenOption given = give(option, option.name);
  if (option.old_name.empty()) return given;
  GivenOption old = give(option, option.old_name);
  if (!old.is_given()) return given;
  if (given.is_given() && !option.old_name_counts) {
    return ValueError("Cannot specify both '{}' and '{}'.", option.old_name,
                      option.name);
  }
  return old;
}

Status Check(const OptionRecord& option, const GivenOption& given) {
  if (!given.is_given()) return OkStatus();
  if (option.kind == Kind::kCount) {
    const int64_t* count = std::get_if<int64_t>(&given.value);
    if (count != nullptr && *count >= 1) return OkStatus();
    return ValueError("{} must be a positive integer or None, got {}.",
                      option.name, given.shown);
  }
  if (option.kind == Kind::kWord) {
    const std::string* word = std::get_if<std::string>(&given.value);
    if (word != nullptr &&
        std::ranges::find(option.words, *word) != option.words.end()) {
      return OkStatus();
    }
    std::string words;
    for (std::string_view w : option.words) {
      words += Format("{}'{}'", words.empty() ? "" : ", ", w);
    }
    return ValueError("{} must be None or one of {}, got {}.", option.name,
                      words, given.shown);
  }
  return OkStatus();
}

}  // namespace

StatusOr<PolymorphicFunctionOptions> SettleOptions(std::string name,
                                                   GiveOption give) {
  GivenOption given[std::size(kFunctionOptions)];
  for (size_t i = 0; i < std::size(kFunctionOptions); ++i) {
    GK_ASSIGN_OR_RETURN(given[i], TheOneGiven(kFunctionOptions[i], give));
    GK_RETURN_IF_ERROR(Check(kFunctionOptions[i], given[i]));
  }
  const auto find = [&]<class T>(std::string_view option, T) {
    for (size_t i = 0; i < std::size(kFunctionOptions); ++i) {
      if (kFunctionOptions[i].name != option) continue;
      if (const T* found = std::get_if<T>(&given[i].value)) {
        return std::optional<T>(*found);
      }
    }
    return std::optional<T>();
  };
  const auto value = [&]<class T>(std::string_view option, T otherwise) {
    return find(option, otherwise).value_or(otherwise);
  };
  return PolymorphicFunctionOptions{
      .name = std::move(name),
      .jit_compile = find("jit_compile", true),
      .reduce_retracing = value("reduce_retracing", false),
      .max_traces = static_cast<size_t>(value("max_traces", int64_t{0})),
      .on_baked_change =
          OnBakedChangeNamed(value("on_baked_change", std::string())),
  };
}

}  // namespace gk
