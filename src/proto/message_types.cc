#include "proto/message_types.h"

#include <utility>
#include <vector>

#include "proto/wire.h"

namespace gk::proto {
namespace {

constexpr uint64_t kRepeatedLabel = 3;

// The fields of one message of descriptor.proto.
struct Described {
  std::vector<std::pair<uint32_t, std::string_view>> parts;  // by number
  std::map<uint32_t, uint64_t> numbers;

  explicit Described(std::string_view bytes) {
    Reader in(bytes);
    uint32_t tag = 0;
    while (!in.done() && in.Tag(&tag)) {
      if ((tag & 7) == kBytes) {
        std::string_view part;
        if (!in.Bytes(&part)) return;
        parts.emplace_back(tag >> 3, part);
      } else if (!in.Varint(&numbers[tag >> 3])) {
        return;
      }
    }
  }
  std::string Text(uint32_t number) const {
    for (const auto& [n, part] : parts) {
      if (n == number) return std::string(part);
    }
    return "";
  }
};

struct Types {
  std::map<std::string, MessageType, std::less<>> messages;
  std::map<std::string, EnumType, std::less<>> enums;

  Types() {
    for (const auto& [n, bytes] : Described(EmbeddedDescriptors()).parts) {
      const Described file(bytes);
      for (const auto& [number, part] : file.parts) {
        if (number == 4) AddMessage(file.Text(2), part);
        if (number == 5) AddEnum(file.Text(2), part);
      }
    }
  }

  void AddEnum(const std::string& scope, std::string_view bytes) {
    const Described described(bytes);
    EnumType& own = enums[scope + "." + described.Text(1)];
    for (const auto& [number, part] : described.parts) {
      if (number != 2) continue;
      const Described value(part);
      const auto found = value.numbers.find(2);
      own[value.Text(1)] = found == value.numbers.end()
                               ? 0
                               : static_cast<int32_t>(found->second);
    }
  }

  void AddMessage(const std::string& scope, std::string_view bytes) {
    const Described described(bytes);
    const std::string name = scope + "." + described.Text(1);
    MessageType& own = messages[name];
    for (const auto& [number, part] : described.parts) {
      if (number == 3) AddMessage(name, part);
      if (number == 4) AddEnum(name, part);
      if (number != 2) continue;
      const Described field(part);
      std::string type = field.Text(6);
      if (type.starts_with('.')) type.erase(0, 1);
      own[field.Text(1)] = {static_cast<uint32_t>(field.numbers.at(3)),
                            static_cast<FieldKind>(field.numbers.at(5)),
                            field.numbers.at(4) == kRepeatedLabel,
                            std::move(type)};
    }
  }
};

const Types& AllTypes() {
  static const Types* const types = new Types;
  return *types;
}

}  // namespace

const MessageType* FindMessageType(std::string_view name) {
  const auto found = AllTypes().messages.find(name);
  return found == AllTypes().messages.end() ? nullptr : &found->second;
}

const EnumType* FindEnumType(std::string_view name) {
  const auto found = AllTypes().enums.find(name);
  return found == AllTypes().enums.end() ? nullptr : &found->second;
}

}  // namespace gk::proto
