// VariantLevel: how deep a walk into variants within variants has got.
#ifndef GK_FRAMEWORK_VARIANT_LEVEL_H_
#define GK_FRAMEWORK_VARIANT_LEVEL_H_

#include <string_view>

#include "base/status.h"

namespace gk {

// Held on the stack while a level is worked on. Values nest as deep as a
// program likes, the stack does not.
class VariantLevel {
 public:
  VariantLevel();
  ~VariantLevel();
  VariantLevel(const VariantLevel&) = delete;
  VariantLevel& operator=(const VariantLevel&) = delete;
  // ResourceExhausted if this is too deep for `what`.
  static constexpr std::string_view kZeros = "ZerosLike", kSum = "Sum";
  Status Check(std::string_view what) const;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_VARIANT_LEVEL_H_
