// A message as protobuf's libraries have it once they read and wrote it: of
// what a field is given several times the last counts, or all of it together
// where that is a message; of a oneof one field; fields in the order of their
// numbers, then what the message does not know.
#ifndef GK_PROTO_CANONICAL_H_
#define GK_PROTO_CANONICAL_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "proto/message_types.h"

namespace gk::proto {

// Of the message of that name. InvalidArgument for bytes that are none, for
// text that is not UTF-8 where it has to be, and where a field is missing that
// has to be there.
StatusOr<std::string> Canonical(std::string_view wire, std::string_view message,
                                const MessageTypes& types);

}  // namespace gk::proto

#endif  // GK_PROTO_CANONICAL_H_
