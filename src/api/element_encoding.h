// ElementEncoding: what a gk::BatchEncoder makes of the values of a type.
#ifndef GK_API_ELEMENT_ENCODING_H_
#define GK_API_ELEMENT_ENCODING_H_

#include <memory>

#include "api/type_spec_inner.h"
#include "graphkiln/extension_type.h"

namespace gk::api {

class ElementEncoding final : public SpecEncoding {
 public:
  ElementEncoding(std::shared_ptr<const ElementSpec> outer,
                  detail::DecodedSpec decode)
      : SpecEncoding(Inner(*outer)),
        outer_(std::move(outer)),
        decode_(std::move(decode)) {}

  const std::shared_ptr<const ElementSpec>& outer() const { return outer_; }
  SpecEncodingRef With(::gk::ElementSpec spec) const override {
    return std::make_shared<ElementEncoding>(Outer(spec, *outer_), decode_);
  }
  SpecFields Decoded() const override;

 private:
  std::shared_ptr<const ElementSpec> outer_;
  detail::DecodedSpec decode_;
};

}  // namespace gk::api

#endif  // GK_API_ELEMENT_ENCODING_H_
