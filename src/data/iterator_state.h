// IteratorStateVariant: where an iterator is, as a value.
#ifndef GK_DATA_ITERATOR_STATE_H_
#define GK_DATA_ITERATOR_STATE_H_

#include <string>
#include <string_view>
#include <utility>

#include "framework/variant.h"

namespace gk {

class IteratorStateVariant final : public VariantObject {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::Iterator";

  explicit IteratorStateVariant(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string_view type_name() const override { return kTypeName; }
  void AppendText(std::string* text, size_t) const override {
    *text += Format("state of an iterator ({} bytes)", bytes_.size());
  }
  // What IteratorResource::Save() gave.
  const std::string& bytes() const { return bytes_; }

 private:
  const std::string bytes_;
};

}  // namespace gk

#endif  // GK_DATA_ITERATOR_STATE_H_
