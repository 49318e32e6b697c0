// What tf.print and tf.strings.format make of values: one text.
#ifndef GK_OPS_TEXT_PIECES_H_
#define GK_OPS_TEXT_PIECES_H_

#include <span>
#include <string>
#include <string_view>

#include "framework/tensor.h"

namespace gk {

struct TextPiece {
  std::string text;  // if there is no value
  Tensor value;
  bool as_is = false;  // the value is a text that stands for itself
};

// A scalar: the pieces one after another. Of each dimension of a value the
// first and last `summarize` elements are shown; -1: all. The op that makes
// the text is called `name`. Throws Error.
Tensor TextOf(std::span<const TextPiece> pieces, int64_t summarize,
              std::string_view name = {});

// `format` with the values in place of `placeholder`; ValueError unless there
// are as many.
Tensor FormattedText(const std::string& format, std::span<const Tensor> values,
                     const std::string& placeholder, int64_t summarize,
                     std::string_view name = {});

}  // namespace gk

#endif  // GK_OPS_TEXT_PIECES_H_
