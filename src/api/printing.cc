#include "graphkiln/printing.h"

#include "api/inner.h"
#include "ops/fn/PrintV2.h"
#include "ops/text_pieces.h"

namespace gk::api {

void print(const std::vector<Argument>& inputs, const PrintOptions& options) {
  Guarded([&] {
    std::vector<TextPiece> pieces;
    for (const Argument& input : inputs) {
      if (&input != &inputs.front()) pieces.push_back({options.sep, {}});
      if (const auto* text = std::get_if<std::string>(&input.value())) {
        pieces.push_back({*text, {}});
      } else {
        pieces.push_back({"", Inner(detail::Operands({input}, "T")[0])});
      }
    }
    ::gk::ops::PrintV2(TextOf(pieces, options.summarize), options.output_stream,
                       options.end);
  });
}

namespace strings {

Tensor format(const std::string& format, const std::vector<Tensor>& inputs,
              const std::string& placeholder, int64_t summarize) {
  return Guarded([&] {
    return Outer(FormattedText(format, Inner(inputs), placeholder, summarize));
  });
}

}  // namespace strings
}  // namespace gk::api
