// How gk::image::resize makes pixels of others.
#ifndef GRAPHKILN_IMAGE_H_
#define GRAPHKILN_IMAGE_H_

#include <graphkiln/export.h>

namespace gk {
GK_API_NAMESPACE {
  namespace image {

  // Names of the ways in which gk::image::resize resizes pictures:
  // gk::image::resize(picture, {4, 4}, gk::image::ResizeMethod::BICUBIC).
  struct ResizeMethod {
    static constexpr const char* BILINEAR = "bilinear";
    static constexpr const char* NEAREST_NEIGHBOR = "nearest";
    static constexpr const char* BICUBIC = "bicubic";
    static constexpr const char* AREA = "area";
    static constexpr const char* LANCZOS3 = "lanczos3";
    static constexpr const char* LANCZOS5 = "lanczos5";
    static constexpr const char* GAUSSIAN = "gaussian";
    static constexpr const char* MITCHELLCUBIC = "mitchellcubic";
  };

  }  // namespace image
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_IMAGE_H_
