// Fields of messages whose types are described where the program runs, read
// into arrays and written out of them.
//
// Views point into what is read. Thread-safe.
#ifndef GK_OPS_EXAMPLE_MESSAGE_FIELDS_H_
#define GK_OPS_EXAMPLE_MESSAGE_FIELDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "framework/types.h"
#include "proto/message_types.h"

namespace gk {

// The types that a source gives: "local://" or nothing, this library's;
// "bytes://" and a serialized FileDescriptorSet behind it; else the name of a
// file that holds one. InvalidArgument if there is none.
StatusOr<std::shared_ptr<const proto::MessageTypes>> TypesOf(
    std::string_view source);

// Whether values of a field are elements of a tensor of `dtype`.
bool FieldFits(proto::FieldKind kind, DataType dtype);
// "int32", as descriptions have it.
std::string_view FieldKindName(proto::FieldKind kind);

// The value of a field that is not there, as element `i` of `values`.
void WriteDefault(const proto::MessageTypes& types,
                  const proto::FieldType& field, DataType dtype, void* values,
                  int64_t i);

// How many values of a field there are, of a field that is not repeated at most
// one, and what they are: `limit` elements from `values` on. DataLoss for bytes
// that are no message.
Status CountField(std::string_view message, const proto::FieldType& field,
                  int64_t* count);
Status ReadField(std::string_view message, const proto::FieldType& field,
                 DataType dtype, void* values, int64_t limit);

// Appends `n` values to a message.
void WriteField(const proto::FieldType& field, DataType dtype,
                const void* values, int64_t n, std::string* message);

}  // namespace gk

#endif  // GK_OPS_EXAMPLE_MESSAGE_FIELDS_H_
