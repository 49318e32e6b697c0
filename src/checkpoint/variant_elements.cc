#include "checkpoint/variant_elements.h"

#include "data/iterator_state.h"
#include "proto/crc32c.h"
#include "proto/tensor.gk.h"
#include "proto/wire.h"

namespace gk {
namespace {

template <class T>
std::string_view WordBytes(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

// Of a length, which counts as a word of 8 bytes, and a message.
uint32_t ExtendByMessage(uint32_t crc, std::string_view message) {
  const uint64_t length = message.size();
  return proto::ExtendCrc32c(proto::ExtendCrc32c(crc, WordBytes(length)),
                             message);
}

}  // namespace

StatusOr<std::string> VariantElements(std::span<const Variant> elements,
                                      uint32_t* crc) {
  std::string out;
  *crc = 0;
  for (const Variant& element : elements) {
    const auto* state = element.As<IteratorStateVariant>();
    if (state == nullptr) {
      return Unimplemented(
          "of variants only states of iterators can be written to a "
          "checkpoint, not {}",
          element.get() == nullptr ? "an empty one"
                                   : element.get()->type_name());
    }
    proto::VariantTensorDataProto data;
    data.type_name = IteratorStateVariant::kTypeName;
    data.metadata = state->bytes();
    const std::string message = data.Serialize();
    proto::Writer length;
    length.Varint(message.size());
    *crc = ExtendByMessage(*crc, message);
    const uint32_t masked = proto::MaskCrc(*crc);
    *crc = proto::ExtendCrc32c(*crc, WordBytes(masked));
    out.append(length.view()).append(message).append(WordBytes(masked));
  }
  return out;
}

Status ReadVariantElements(std::string_view bytes, std::span<Variant> elements,
                           uint32_t* crc) {
  proto::Reader in(bytes);
  *crc = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    std::string_view message;
    uint32_t masked = 0;
    if (!in.Bytes(&message) || !in.Fixed(&masked)) {
      return DataLoss("it ends within element {}", i);
    }
    *crc = ExtendByMessage(*crc, message);
    if (masked != proto::MaskCrc(*crc)) {
      return DataLoss("the checksum of element {} does not match", i);
    }
    *crc = proto::ExtendCrc32c(*crc, WordBytes(masked));
    proto::VariantTensorDataProto data;
    GK_RETURN_IF_ERROR(data.Parse(message));
    // TensorFlow's states hold tensors, ours none.
    if (data.type_name != IteratorStateVariant::kTypeName ||
        !data.tensors.empty()) {
      return Unimplemented(
          "of variants only states of iterators that graphkiln saved can be "
          "read from a checkpoint, not {}",
          data.tensors.empty() ? data.type_name : "one of TensorFlow's");
    }
    elements[i] =
        Variant(MakeRef<IteratorStateVariant>(std::move(data.metadata)));
  }
  if (!in.done()) return DataLoss("{} bytes are left over", in.left());
  return OkStatus();
}

}  // namespace gk
