// CompressedElement: the components of an element of a dataset, compressed, as
// a value.
#ifndef GK_OPS_DATA_COMPRESSED_ELEMENT_H_
#define GK_OPS_DATA_COMPRESSED_ELEMENT_H_

#include <string_view>
#include <utility>

#include "framework/variant.h"
#include "proto/compressed_element.gk.h"

namespace gk {

class CompressedElement final : public VariantObject {
 public:
  static constexpr std::string_view kTypeName =
      "tensorflow.data.CompressedElement";

  explicit CompressedElement(proto::CompressedElement message)
      : message_(std::move(message)) {}
  std::string_view type_name() const override { return kTypeName; }
  const proto::CompressedElement& message() const { return message_; }

 private:
  const proto::CompressedElement message_;
};

}  // namespace gk

#endif  // GK_OPS_DATA_COMPRESSED_ELEMENT_H_
