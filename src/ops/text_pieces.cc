#include "ops/text_pieces.h"

#include "ops/fn/StringFormat.h"
#include "ops/fn/StringJoin.h"

namespace gk {
namespace {

// No text of a program holds it.
constexpr std::string_view kMark = "\x01{}\x02";

// How often it stands in the text, as Python counts.
size_t CountOf(std::string_view what, std::string_view text) {
  if (what.empty()) return text.size() + 1;
  size_t count = 0, at = 0;
  while ((at = text.find(what, at)) != std::string_view::npos) {
    ++count;
    at += what.size();
  }
  return count;
}

}  // namespace

Tensor TextOf(std::span<const TextPiece> pieces, int64_t summarize,
              std::string_view name) {
  TensorVector parts, values;
  std::string format;
  const auto finish = [&] {
    if (!parts.empty() && format.empty()) return;
    parts.push_back(
        ops::StringFormat(OpName(name), values, format, kMark, summarize));
    format.clear();
    values.clear();
  };
  for (const TextPiece& piece : pieces) {
    if (piece.as_is) {
      // StringFormat would quote it.
      finish();
      parts.push_back(piece.value);
    } else if (piece.value) {
      format += kMark;
      values.push_back(piece.value);
    } else {
      format += piece.text;
    }
  }
  finish();
  return parts.size() == 1 ? parts[0] : ops::StringJoin(parts);
}

Tensor FormattedText(const std::string& format, std::span<const Tensor> values,
                     const std::string& placeholder, int64_t summarize,
                     std::string_view name) {
  const size_t wanted = CountOf(placeholder, format);
  if (wanted != values.size()) {
    throw Error(ValueError(
        "The template expects {} tensors, but the inputs only has {}. Please "
        "ensure the number of placeholders in template matches inputs length.",
        wanted, values.size()));
  }
  return ops::StringFormat(OpName(name), values, format, placeholder,
                           summarize);
}

}  // namespace gk
