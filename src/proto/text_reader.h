// Protobuf's text format, read: what TextWriter prints, and all else that the
// format's description allows (protobuf.dev, "Text Format Language").
//
// Text may be anything: errors say line and column. Thread-safe.
#ifndef GK_PROTO_TEXT_READER_H_
#define GK_PROTO_TEXT_READER_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "proto/message_types.h"

namespace gk::proto {

// The message of that name ("tensorflow.GraphDef") as bytes on the wire.
// InvalidArgument for text that is none, and for fields, enum values and
// numbers that the message does not have.
StatusOr<std::string> WireOfText(
    std::string_view text, std::string_view message,
    const MessageTypes& types = MessageTypes::Known());

// Replaces the contents of a message by those of a text.
template <class T>
Status ParseText(std::string_view text, T* message) {
  GK_ASSIGN_OR_RETURN(const std::string wire, WireOfText(text, T::kName));
  return message->Parse(wire);
}

// Does it look like one? A message on the wire that is one by chance as well
// would begin with a field of a number above ten.
bool LooksLikeText(std::string_view bytes);

}  // namespace gk::proto

#endif  // GK_PROTO_TEXT_READER_H_
