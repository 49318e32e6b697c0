// Examples as JSON, by the mapping of protobuf's, to messages on the wire.
#ifndef GK_OPS_EXAMPLE_EXAMPLE_JSON_H_
#define GK_OPS_EXAMPLE_EXAMPLE_JSON_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace gk {

// The message Example that a text says. Names may be those of the fields or
// what JSON makes of them ("int64List"), without quotes or in single ones too;
// a comma may follow the last member. InvalidArgument, with the place, for
// text that is none.
StatusOr<std::string> ExampleOfJson(std::string_view text);

}  // namespace gk

#endif  // GK_OPS_EXAMPLE_EXAMPLE_JSON_H_
