#include "proto/message_types.h"

#include <utility>
#include <vector>

#include "proto/wire.h"

namespace gk::proto {
namespace {

constexpr uint64_t kRequiredLabel = 2, kRepeatedLabel = 3;

// The fields of one message of descriptor.proto.
struct Described {
  std::vector<std::pair<uint32_t, std::string_view>> parts;  // by number
  std::map<uint32_t, uint64_t> numbers;
  bool is_right = false;

  explicit Described(std::string_view bytes) {
    Reader in(bytes);
    uint32_t tag = 0;
    while (!in.done()) {
      if (!in.Tag(&tag)) return;
      if ((tag & 7) == kBytes) {
        std::string_view part;
        if (!in.Bytes(&part)) return;
        parts.emplace_back(tag >> 3, part);
      } else if ((tag & 7) == kVarint) {
        if (!in.Varint(&numbers[tag >> 3])) return;
      } else if (!in.Skip(tag)) {
        return;
      }
    }
    is_right = true;
  }
  std::string Text(uint32_t number) const {
    for (const auto& [n, part] : parts) {
      if (n == number) return std::string(part);
    }
    return "";
  }
  // Zero if it is not there.
  uint64_t Number(uint32_t number) const {
    const auto found = numbers.find(number);
    return found == numbers.end() ? 0 : found->second;
  }
};

std::string InScope(const std::string& scope, const std::string& name) {
  return scope.empty() ? name : scope + "." + name;
}

}  // namespace

struct TypesReader {
  MessageTypes types;

  bool AddFile(std::string_view bytes) {
    const Described file(bytes);
    const std::string scope = file.Text(2), syntax = file.Text(12);
    // In the newer language repeated numbers are packed if nobody says no.
    packed = syntax == "proto3" || syntax == "editions";
    implicit = syntax == "proto3";
    for (const auto& [number, part] : file.parts) {
      if (number == 4 && !AddMessage(scope, part, kMaxDepth)) return false;
      if (number == 5 && !AddEnum(scope, part)) return false;
    }
    return file.is_right;
  }

 private:
  bool AddEnum(const std::string& scope, std::string_view bytes) {
    const Described described(bytes);
    const std::string name = InScope(scope, described.Text(1));
    EnumType& own = types.enums_[name];
    if (!packed) types.closed_enums_.insert(name);
    for (const auto& [number, part] : described.parts) {
      if (number != 2) continue;
      const Described value(part);
      if (!value.is_right) return false;
      const auto is = static_cast<int32_t>(value.Number(2));
      types.first_values_.try_emplace(name, is);
      own[value.Text(1)] = is;
    }
    return described.is_right;
  }

  bool AddMessage(const std::string& scope, std::string_view bytes, int depth) {
    if (depth == 0) return false;
    const Described described(bytes);
    const std::string name = InScope(scope, described.Text(1));
    MessageType& own = types.messages_[name];
    if (Described(described.Text(7)).Number(7) != 0) {
      types.map_entries_.insert(name);
    }
    for (const auto& [number, part] : described.parts) {
      if (number == 3 && !AddMessage(name, part, depth - 1)) return false;
      if (number == 4 && !AddEnum(name, part)) return false;
      if (number == 2 && !AddField(part, &own)) return false;
    }
    return described.is_right;
  }

  bool AddField(std::string_view bytes, MessageType* message) {
    const Described field(bytes);
    FieldType own;
    const uint64_t kind = field.Number(5);
    own.number = static_cast<uint32_t>(field.Number(3));
    if (!field.is_right || own.number == 0 || kind < 1 || kind > 18) {
      return false;
    }
    own.kind = static_cast<FieldKind>(kind);
    own.is_repeated = field.Number(4) == kRepeatedLabel;
    own.type = field.Text(6);
    if (own.type.starts_with('.')) own.type.erase(0, 1);
    const bool is_number =
        own.kind != FieldKind::kString && own.kind != FieldKind::kBytes &&
        own.kind != FieldKind::kMessage && own.kind != FieldKind::kGroup;
    own.is_packed = own.is_repeated && is_number && packed;
    if (const Described options(field.Text(8));
        own.is_repeated && options.numbers.contains(2)) {
      own.is_packed = options.Number(2) != 0;
    }
    own.otherwise = field.Text(7);
    own.is_required = field.Number(4) == kRequiredLabel;
    if (field.numbers.contains(9))
      own.oneof = static_cast<int>(field.Number(9));
    own.has_presence = !implicit || own.oneof >= 0 ||
                       own.kind == FieldKind::kMessage ||
                       own.kind == FieldKind::kGroup;
    own.is_utf8 = packed && own.kind == FieldKind::kString;
    (*message)[field.Text(1)] = std::move(own);
    return true;
  }

  bool packed = false;
  bool implicit = false;  // fields have no presence if nobody says so
};

StatusOr<MessageTypes> MessageTypes::Of(std::string_view descriptors) {
  TypesReader reader;
  const Described set(descriptors);
  bool is_right = set.is_right;
  for (const auto& [number, bytes] : set.parts) {
    is_right = is_right && number == 1 && reader.AddFile(bytes);
  }
  if (!is_right) {
    return InvalidArgument("These bytes are no FileDescriptorSet");
  }
  return std::move(reader.types);
}

const MessageTypes& MessageTypes::Known() {
  static const MessageTypes* const types =
      new MessageTypes(ValueOrThrow(Of(EmbeddedDescriptors())));
  return *types;
}

const MessageType* MessageTypes::FindMessage(std::string_view name) const {
  const auto found = messages_.find(name);
  return found == messages_.end() ? nullptr : &found->second;
}

const EnumType* MessageTypes::FindEnum(std::string_view name) const {
  const auto found = enums_.find(name);
  return found == enums_.end() ? nullptr : &found->second;
}

bool MessageTypes::IsClosed(std::string_view enum_name) const {
  return closed_enums_.contains(enum_name);
}

bool MessageTypes::IsMapEntry(std::string_view message) const {
  return map_entries_.contains(message);
}

int32_t MessageTypes::FirstValue(std::string_view enum_name) const {
  const auto found = first_values_.find(enum_name);
  return found == first_values_.end() ? 0 : found->second;
}

const MessageType* FindMessageType(std::string_view name) {
  return MessageTypes::Known().FindMessage(name);
}

const EnumType* FindEnumType(std::string_view name) {
  return MessageTypes::Known().FindEnum(name);
}

}  // namespace gk::proto
