#include "ops/example/sequence_message.h"

#include "proto/wire.h"

namespace gk {
namespace {

constexpr uint32_t Tag(uint32_t field) { return field << 3 | proto::kBytes; }

// Calls use(message) for each field of this number and kind.
template <class F>
bool ForEachMessage(std::string_view message, uint32_t field, F&& use) {
  proto::Reader reader(message);
  while (!reader.done()) {
    uint32_t tag;
    if (!reader.Tag(&tag)) return false;
    if (tag != Tag(field)) {
      if (!reader.Skip(tag)) return false;
      continue;
    }
    std::string_view part;
    if (!reader.Bytes(&part) || !use(part)) return false;
  }
  return true;
}

}  // namespace

bool ReadFeatureLists(
    std::string_view message,
    FunctionRef<void(std::string_view, std::string_view)> on_list) {
  return ForEachMessage(message, 2, [&](std::string_view lists) {
    return ForEachMessage(lists, 1, [&](std::string_view entry) {
      std::string_view name, list;
      const auto keep = [](std::string_view* to) {
        return [to](std::string_view part) {
          *to = part;
          return true;
        };
      };
      if (!ForEachMessage(entry, 1, keep(&name)) ||
          !ForEachMessage(entry, 2, keep(&list))) {
        return false;
      }
      on_list(name, list);
      return true;
    });
  });
}

bool ReadFeatureList(std::string_view message,
                     FunctionRef<bool(std::string_view)> on_feature) {
  return ForEachMessage(message, 1, on_feature);
}

}  // namespace gk
