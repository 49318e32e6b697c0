// Protobuf's text format, as debugging output prints it: one field a line,
// two spaces a level. Bytes outside printable ASCII are escaped in octal.
#ifndef GK_PROTO_TEXT_H_
#define GK_PROTO_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace gk::proto {

// `text` with C escapes, without quotes.
std::string Escape(std::string_view text);
// The shortest of two precisions that reads back as the same number.
std::string FloatText(float value);
std::string FloatText(double value);

class TextWriter {
 public:
  // A field is Name() and then one value.
  void Name(std::string_view name) {
    out_.append(indent_, ' ').append(name);
  }
  template <class T>
  void Number(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      Line(value ? "true" : "false");
    } else if constexpr (std::is_floating_point_v<T>) {
      Line(FloatText(value));
    } else {
      Line(std::to_string(value));
    }
  }
  // An empty name stands for a value that the enum lacks.
  void Enum(std::string_view name, int value) {
    Line(name.empty() ? std::to_string(value) : std::string(name));
  }
  void Quoted(std::string_view text) { Line('"' + Escape(text) + '"'); }
  void Open() {
    out_ += " {\n";
    indent_ += 2;
  }
  void Close() {
    indent_ -= 2;
    out_.append(indent_, ' ').append("}\n");
  }
  std::string Take() { return std::move(out_); }

 private:
  void Line(std::string_view value) {
    out_.append(": ").append(value).push_back('\n');
  }

  std::string out_;
  size_t indent_ = 0;
};

}  // namespace gk::proto

#endif  // GK_PROTO_TEXT_H_
