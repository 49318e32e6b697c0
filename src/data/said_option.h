// SaidOption: what a dataset's options say of one of them.
#ifndef GK_DATA_SAID_OPTION_H_
#define GK_DATA_SAID_OPTION_H_

#include <string_view>
#include <variant>

#include "data/dataset_options.h"

namespace gk {

// Of the option `name`, or of `inside` in the group of that name. Null where
// nobody said anything, and where the value is of another type.
template <class T>
const T* SaidOption(const DatasetOptions* options, std::string_view name,
                    std::string_view inside = {}) {
  const Option* option = DatasetOptions::Whole().Find(name);
  if (option != nullptr && !inside.empty()) {
    option = option->group == nullptr ? nullptr : option->group->Find(inside);
  }
  if (option == nullptr || options == nullptr) return nullptr;
  const auto* value = options->Find(*option);
  return value == nullptr ? nullptr : std::get_if<T>(value);
}

}  // namespace gk

#endif  // GK_DATA_SAID_OPTION_H_
