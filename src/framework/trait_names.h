// Traits as text, for tests, stubs and reference pages.
#ifndef GK_FRAMEWORK_TRAIT_NAMES_H_
#define GK_FRAMEWORK_TRAIT_NAMES_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace gk {

// "stateful", "elementwise" ...: those of `traits`, in the order of the enum.
std::vector<std::string_view> TraitNames(uint64_t traits);

}  // namespace gk

#endif  // GK_FRAMEWORK_TRAIT_NAMES_H_
