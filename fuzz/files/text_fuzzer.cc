// Strings of any bytes, through what reads them: expressions, encodings,
// numbers, parts. An input's lines are the operands.
#include <algorithm>
#include <string>

#include "driver/fuzz_target.h"
#include "files/public_call.h"

namespace gk::fuzz {
namespace {

std::vector<Tensor> Parts(const RaggedTensor& rows) {
  if (rows.ragged_rank() == 0) return {rows.tensor()};
  return {rows.flat_values(), rows.row_splits()};
}

// The first line, which is taken off.
std::string TakeLine(std::string* rest) {
  const size_t end = std::min(rest->find('\n'), rest->size());
  std::string line = rest->substr(0, end);
  rest->erase(0, std::min(end + 1, rest->size()));
  return line;
}

void Expressions(const Tensor& text, const std::string& pattern,
                 const std::string& rewrite, Choices& choices) {
  const bool everywhere = choices.Below(2) == 0;
  CallTwice([&] {
    return std::vector{
        strings::regex_replace(text, pattern, rewrite, everywhere)};
  });
  CallTwice(
      [&] { return std::vector{strings::regex_full_match(text, pattern)}; });
}

void Encodings(const Tensor& text, Choices& choices) {
  const std::string from =
      choices.OneOf<const char*>({"UTF-8", "UTF-8", "UTF-16-BE", "UTF-32-BE",
                                  "latin-1", "windows-1252", "shift_jis"});
  const std::string to =
      choices.OneOf<const char*>({"UTF-8", "UTF-16-BE", "UTF-32-BE"});
  const std::string errors =
      choices.OneOf<const char*>({"replace", "ignore", "strict"});
  const bool controls = choices.Below(2) == 0;
  CallTwice([&] {
    return std::vector{
        strings::unicode_transcode(text, from, to, errors, 65533, controls)};
  });
  CallTwice([&] {
    const auto [codes, starts] = strings::unicode_decode_with_offsets(
        text, from, errors, 65533, controls);
    std::vector<Tensor> all = Parts(codes);
    for (const Tensor& part : Parts(starts)) all.push_back(part);
    all.push_back(strings::unicode_script(all[0]));
    for (const Tensor& part : Parts(strings::unicode_encode(codes, to))) {
      all.push_back(part);
    }
    return all;
  });
  CallTwice([&] {
    return std::vector{strings::upper(text, "utf-8"),
                       strings::lower(text, "utf-8"), strings::length(text),
                       strings::length(text, "UTF8_CHAR")};
  });
}

void PartsAndNumbers(const Tensor& text, const std::string& separator,
                     Choices& choices) {
  const int64_t at = choices.Below(9) - 4, size = choices.Below(9) - 1;
  const std::string unit = choices.OneOf<const char*>({"BYTE", "UTF8_CHAR"});
  CallTwice([&] {
    return std::vector{strings::substr(text, Tensor(at), Tensor(size), unit)};
  });
  const int64_t most = choices.Below(4) - 1;
  CallTwice([&] { return Parts(strings::split(text, separator, most)); });
  CallTwice([&] { return Parts(strings::bytes_split(text)); });
  CallTwice([&] { return std::vector{strings::strip(text)}; });
  const auto dtype = choices.OneOf({DataType::kFloat, DataType::kDouble,
                                    DataType::kInt32, DataType::kInt64});
  CallTwice([&] { return std::vector{strings::to_number(text, dtype)}; });
  CallTwice([&] { return std::vector{io::decode_base64(text)}; });
  const bool pad = choices.Below(2) == 0;
  CallTwice([&] {
    const Tensor coded = io::encode_base64(text, pad);
    return std::vector{coded, io::decode_base64(coded)};
  });
  CallTwice([&] {
    return std::vector{strings::to_hash_bucket(text, 97),
                       strings::to_hash_bucket_fast(text, 97),
                       strings::to_hash_bucket_strong(text, 97, {1, 2})};
  });
  const auto raw = choices.OneOf({DataType::kUint8, DataType::kUint16,
                                  DataType::kInt32, DataType::kDouble});
  CallTwice([&] { return std::vector{io::decode_raw(text, raw)}; });
}

void Run(std::string input) {
  Choices choices(input);
  const std::string pattern = TakeLine(&input), rewrite = TakeLine(&input);
  const Tensor text = choices.Below(2) == 0
                          ? Tensor(input)
                          : gk::stack({Tensor(input), Tensor(rewrite)});
  Expressions(text, pattern, rewrite, choices);
  Encodings(text, choices);
  PartsAndNumbers(text, pattern, choices);
}

}  // namespace
}  // namespace gk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gk::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
