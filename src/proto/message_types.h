// What fields messages have, by the name of the message: the descriptions in
// src/proto/*.proto, as protogen embeds them, and others that are given.
#ifndef GK_PROTO_MESSAGE_TYPES_H_
#define GK_PROTO_MESSAGE_TYPES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"

namespace gk::proto {

// Numbers of FieldDescriptorProto.Type.
enum class FieldKind : int {
  kDouble = 1,
  kFloat = 2,
  kInt64 = 3,
  kUint64 = 4,
  kInt32 = 5,
  kFixed64 = 6,
  kFixed32 = 7,
  kBool = 8,
  kString = 9,
  kGroup = 10,
  kMessage = 11,
  kBytes = 12,
  kUint32 = 13,
  kEnum = 14,
  kSfixed32 = 15,
  kSfixed64 = 16,
  kSint32 = 17,
  kSint64 = 18,
};

struct FieldType {
  uint32_t number = 0;
  FieldKind kind = FieldKind::kInt64;
  bool is_repeated = false;
  std::string type;  // of messages and enums: their full name
  bool is_packed = false;
  std::string otherwise;  // the default, as text; empty: none
  bool is_required = false;
  int oneof = -1;            // of its message; -1: none
  bool has_presence = true;  // its default, if set, is written
  bool is_utf8 = false;      // text that is none is refused
};
using MessageType = std::map<std::string, FieldType, std::less<>>;
using EnumType = std::map<std::string, int32_t, std::less<>>;

// The types of one FileDescriptorSet. Constant.
class MessageTypes {
 public:
  // Those of this library.
  static const MessageTypes& Known();
  // InvalidArgument for bytes that are no such set.
  static StatusOr<MessageTypes> Of(std::string_view descriptors);

  // Null if there is none of that full name. Maps are repeated messages with
  // the fields `key` and `value`.
  const MessageType* FindMessage(std::string_view name) const;
  const EnumType* FindEnum(std::string_view name) const;
  // Do its fields hold no other value?
  bool IsClosed(std::string_view enum_name) const;
  // Is it an element of a map?
  bool IsMapEntry(std::string_view message) const;
  // The value that the enum's description says first.
  int32_t FirstValue(std::string_view enum_name) const;

 private:
  friend struct TypesReader;
  std::map<std::string, MessageType, std::less<>> messages_;
  std::map<std::string, EnumType, std::less<>> enums_;
  std::map<std::string, int32_t, std::less<>> first_values_;
  std::set<std::string, std::less<>> closed_enums_, map_entries_;
};

// Of this library's.
const MessageType* FindMessageType(std::string_view name);
const EnumType* FindEnumType(std::string_view name);

// A serialized google.protobuf.FileDescriptorSet. Generated.
std::string_view EmbeddedDescriptors();

}  // namespace gk::proto

#endif  // GK_PROTO_MESSAGE_TYPES_H_
