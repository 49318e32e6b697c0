#include "ops/example/example_message.h"

#include <cstring>

namespace gk {
namespace {

constexpr uint32_t BytesTag(uint32_t number) {
  return number << 3 | proto::kBytes;
}

// Calls on_field(bytes) for each field of that number that holds bytes.
template <class F>
bool ForFields(std::string_view message, uint32_t number, F on_field) {
  proto::Reader reader(message);
  while (!reader.done()) {
    uint32_t tag;
    if (!reader.Tag(&tag)) return false;
    std::string_view bytes;
    if (tag == BytesTag(number)) {
      if (!reader.Bytes(&bytes) || !on_field(bytes)) return false;
    } else if (!reader.Skip(tag)) {
      return false;
    }
  }
  return true;
}

// An entry of a map from names to messages.
bool ReadEntry(std::string_view entry, std::string_view* name,
               std::string_view* value) {
  proto::Reader reader(entry);
  while (!reader.done()) {
    uint32_t tag;
    if (!reader.Tag(&tag)) return false;
    if (tag == BytesTag(1)) {
      if (!reader.Bytes(name)) return false;
    } else if (tag == BytesTag(2)) {
      if (!reader.Bytes(value)) return false;
    } else if (!reader.Skip(tag)) {
      return false;
    }
  }
  return true;
}

// Calls on_floats(bytes) for floats of a list as they lie there: one, or those
// that are packed.
template <class F>
bool ForFloats(std::string_view list, F on_floats) {
  constexpr uint32_t kTag = 1 << 3;
  proto::Reader reader(list);
  while (!reader.done()) {
    uint32_t tag;
    if (!reader.Tag(&tag)) return false;
    if (tag == (kTag | proto::kBytes)) {
      std::string_view packed;
      if (!reader.Bytes(&packed) || packed.size() % sizeof(float) != 0) {
        return false;
      }
      on_floats(packed);
    } else if (tag == (kTag | proto::kFixed32)) {
      const char* const at = reader.position();
      float value;
      if (!reader.Fixed(&value)) return false;
      on_floats(std::string_view(at, sizeof value));
    } else if (!reader.Skip(tag)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool ReadFeature(std::string_view message, FeatureView* feature) {
  constexpr DataType kKinds[] = {DataType::kInvalid, DataType::kString,
                                 DataType::kFloat, DataType::kInt64};
  *feature = FeatureView();
  proto::Reader reader(message);
  while (!reader.done()) {
    uint32_t tag;
    if (!reader.Tag(&tag)) return false;
    const uint32_t number = tag >> 3;
    if (number <= 3 && tag == BytesTag(number)) {
      feature->dtype = kKinds[number];
      if (!reader.Bytes(&feature->list)) return false;
    } else if (!reader.Skip(tag)) {
      return false;
    }
  }
  return true;
}

bool ReadExample(
    std::string_view message,
    FunctionRef<void(std::string_view, std::string_view)> on_feature) {
  return ForFields(message, 1, [&](std::string_view features) {
    return ForFields(features, 1, [&](std::string_view entry) {
      std::string_view name, value;
      if (!ReadEntry(entry, &name, &value)) return false;
      on_feature(name, value);
      return true;
    });
  });
}

bool CopyFloats(std::string_view list, float* to) {
  return ForFloats(list, [&](std::string_view all) {
    std::memcpy(to, all.data(), all.size());
    to += all.size() / sizeof(float);
  });
}

bool CountValues(const FeatureView& feature, int64_t* count) {
  int64_t n = 0;
  bool is_right = true;
  switch (feature.dtype) {
    case DataType::kString:
      is_right = ReadValues<std::string_view>(feature.list,
                                              [&](std::string_view) { ++n; });
      break;
    case DataType::kFloat: {
      int64_t singles = 0;
      is_right = ForFloats(
          feature.list, [&](std::string_view all) { singles += all.size(); });
      n = singles / static_cast<int64_t>(sizeof(float));
      break;
    }
    case DataType::kInt64:
      is_right = ReadValues<int64_t>(feature.list, [&](int64_t) { ++n; });
      break;
    default:
      break;
  }
  *count = n;
  return is_right;
}

}  // namespace gk
