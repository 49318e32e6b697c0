// Examples as they lie in records: messages of named features, read in place.
//
// Views point into the serialized text, which outlives them. Every function
// returns false for what is no such message and reads nothing beyond it.
#ifndef GK_OPS_EXAMPLE_EXAMPLE_MESSAGE_H_
#define GK_OPS_EXAMPLE_EXAMPLE_MESSAGE_H_

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/function_ref.h"
#include "framework/types.h"
#include "proto/wire.h"

namespace gk {

// The values of a feature: a list of one kind, or none at all.
struct FeatureView {
  DataType dtype = DataType::kInvalid;  // kString, kFloat or kInt64
  std::string_view list;                // the message of the list
};

// Reads the message Feature.
bool ReadFeature(std::string_view message, FeatureView* feature);

// Calls on_feature(name, message) for each feature of the message Example; a
// name may come again, the last one counts.
bool ReadExample(
    std::string_view message,
    FunctionRef<void(std::string_view, std::string_view)> on_feature);

// Calls on_value(value) for each value of a list; T is int64_t, float or
// std::string_view.
template <class T, class F>
bool ReadValues(std::string_view list, F on_value) {
  constexpr uint32_t kTag = 1 << 3;
  proto::Reader reader(list);
  while (!reader.done()) {
    uint32_t tag;
    if (!reader.Tag(&tag)) return false;
    const bool is_packed = tag == (kTag | proto::kBytes);
    if constexpr (std::is_same_v<T, std::string_view>) {
      std::string_view value;
      if (is_packed) {
        if (!reader.Bytes(&value)) return false;
        on_value(value);
        continue;
      }
    } else {
      constexpr bool kIsFloat = std::is_same_v<T, float>;
      const auto read = [&](proto::Reader& from) {
        if constexpr (kIsFloat) {
          float value;
          if (!from.Fixed(&value)) return false;
          on_value(value);
        } else {
          uint64_t value;
          if (!from.Varint(&value)) return false;
          on_value(static_cast<int64_t>(value));
        }
        return true;
      };
      if (is_packed) {
        proto::Reader packed;
        if (!reader.Message(&packed)) return false;
        while (!packed.done()) {
          if (!read(packed)) return false;
        }
        continue;
      }
      if (tag == (kTag | (kIsFloat ? proto::kFixed32 : proto::kVarint))) {
        if (!read(reader)) return false;
        continue;
      }
    }
    if (!reader.Skip(tag)) return false;
  }
  return true;
}

// The values of a list of floats, which has been counted, from `to` on.
bool CopyFloats(std::string_view list, float* to);

// How many values a feature has.
bool CountValues(const FeatureView& feature, int64_t* count);

}  // namespace gk

#endif  // GK_OPS_EXAMPLE_EXAMPLE_MESSAGE_H_
