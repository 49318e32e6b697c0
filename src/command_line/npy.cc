#include "command_line/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "ops/fn/Cast.h"
#include "ops/fn/Transpose.h"

namespace gk::command {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kHeaderAlignment = 64;

struct Header {
  std::string type;  // "<f4"
  bool columns_first = false;
  std::vector<int64_t> shape;
};

// Python's literal of a dictionary with texts, truth values and tuples.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  StatusOr<Header> Read() {
    Header header;
    if (!Take('{')) return Wrong();
    while (!Take('}')) {
      std::string key;
      if (!TakeText(&key) || !Take(':')) return Wrong();
      bool read = false;
      if (key == "descr") {
        if (Peek() == '[') {
          return Unimplemented("arrays with named fields are no tensors");
        }
        read = TakeText(&header.type);
      } else if (key == "fortran_order") {
        header.columns_first = Peek() == 'T';
        read = TakeWord(header.columns_first ? "True" : "False");
      } else if (key == "shape") {
        read = TakeShape(&header.shape);
      }
      if (!read) return Wrong();
      Take(',');
    }
    return header;
  }

 private:
  static Status Wrong() { return DataLoss("its header cannot be read"); }
  char Peek() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) {
      text_.remove_prefix(1);
    }
    return text_.empty() ? '\0' : text_[0];
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool TakeWord(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool TakeText(std::string* out) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, 1);
    if (end == text_.npos) return false;
    *out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    Peek();
    return true;
  }
  bool TakeShape(std::vector<int64_t>* shape) {
    if (!Take('(')) return false;
    while (!Take(')')) {
      Peek();
      int64_t dim = 0;
      const auto [end, error] =
          std::from_chars(text_.data(), text_.data() + text_.size(), dim);
      if (error != std::errc()) return false;
      text_.remove_prefix(end - text_.data());
      shape->push_back(dim);
      Take(',');
    }
    return true;
  }

  std::string_view text_;
};

struct NpyType {
  std::string_view code;
  DataType dtype;
};
constexpr NpyType kTypes[] = {
    {"f4", DataType::kFloat},     {"f8", DataType::kDouble},
    {"f2", DataType::kHalf},      {"i1", DataType::kInt8},
    {"i2", DataType::kInt16},     {"i4", DataType::kInt32},
    {"i8", DataType::kInt64},     {"u1", DataType::kUint8},
    {"u2", DataType::kUint16},    {"u4", DataType::kUint32},
    {"u8", DataType::kUint64},    {"b1", DataType::kBool},
    {"c8", DataType::kComplex64}, {"c16", DataType::kComplex128},
    {"V2", DataType::kBfloat16},
};

std::string Utf8Of(std::string_view bytes, bool swap) {
  std::string text;
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    uint32_t c;
    std::memcpy(&c, bytes.data() + i, 4);
    if (swap) c = __builtin_bswap32(c);
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += static_cast<char>(0xC0 | c >> 6);
      text += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      text += static_cast<char>(0xE0 | c >> 12);
      text += static_cast<char>(0x80 | (c >> 6 & 0x3F));
      text += static_cast<char>(0x80 | (c & 0x3F));
    } else {
      text += static_cast<char>(0xF0 | (c >> 18 & 7));
      text += static_cast<char>(0x80 | (c >> 12 & 0x3F));
      text += static_cast<char>(0x80 | (c >> 6 & 0x3F));
      text += static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

Status CheckSize(std::string_view bytes, const TensorShape& shape,
                 int64_t width) {
  const int64_t wanted = MultiplyWithoutOverflow(shape.num_elements(), width);
  if (wanted >= 0 && static_cast<uint64_t>(wanted) <= bytes.size()) {
    return OkStatus();
  }
  return DataLoss("it has {} bytes of values; its shape {} takes {}",
                  bytes.size(), shape.DebugString(),
                  wanted < 0 ? std::string("more than there can be")
                             : std::to_string(wanted));
}

StatusOr<Tensor> ReadTexts(std::string_view bytes, const TensorShape& shape,
                           std::string_view type, bool swap) {
  int64_t length = 0;
  const auto [end, error] =
      std::from_chars(type.data() + 1, type.data() + type.size(), length);
  const bool wide = type[0] == 'U';
  if (error != std::errc() || end != type.data() + type.size() || length < 0 ||
      length > (int64_t{1} << 40)) {
    return DataLoss("its type '{}' is none", type);
  }
  const int64_t width = wide ? 4 * length : length;
  GK_RETURN_IF_ERROR(CheckSize(bytes, shape, width));
  // Texts of no length take no room in the file, but do in memory.
  if (width == 0 && shape.num_elements() > (int64_t{1} << 20)) {
    return DataLoss("it says to have {} empty texts", shape.num_elements());
  }
  GK_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(DataType::kString, shape));
  for (std::string& text : made.flat<std::string>()) {
    std::string_view own = bytes.substr(0, width);
    bytes.remove_prefix(width);
    if (wide) {
      text = Utf8Of(own, swap);
    } else {
      text = own.substr(0, own.find_last_not_of('\0') + 1);
    }
  }
  return made;
}

void SwapBytes(Tensor* tensor) {
  const int parts = IsComplex(tensor->dtype()) ? 2 : 1;
  const int width = DataTypeSize(tensor->dtype()) / parts;
  char* at = static_cast<char*>(tensor->raw_data());
  char* const end = at + tensor->byte_size();
  for (; at < end; at += width) std::reverse(at, at + width);
}

StatusOr<Tensor> ReadValues(std::string_view bytes, const TensorShape& shape,
                            std::string_view type) {
  if (type.size() < 2) return DataLoss("its type '{}' is none", type);
  const bool swap = type[0] == '>';
  const std::string_view code = type.substr(1);
  if (code[0] == 'O') {
    return Unimplemented(
        "it holds Python objects, which are not read. Save texts as an array "
        "of fixed length (numpy.asarray(texts, 'U')), or as JSON");
  }
  if (code[0] == 'S' || code[0] == 'U') {
    return ReadTexts(bytes, shape, code, swap);
  }
  const auto* known = std::ranges::find(kTypes, code, &NpyType::code);
  if (known == std::end(kTypes)) {
    return Unimplemented("no tensor has the type '{}'", type);
  }
  const int width = DataTypeSize(known->dtype);
  GK_RETURN_IF_ERROR(CheckSize(bytes, shape, width));
  GK_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(known->dtype, shape));
  if (made.byte_size() > 0) {
    std::memcpy(made.raw_data(), bytes.data(), made.byte_size());
  }
  if (swap) SwapBytes(&made);
  if (known->dtype == DataType::kBool) {
    for (uint8_t& b :
         std::span(static_cast<uint8_t*>(made.raw_data()), made.byte_size())) {
      b = b != 0;
    }
  }
  return made;
}

}  // namespace

StatusOr<Tensor> ReadNpy(std::string_view bytes) {
  const auto byte = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(bytes[i]));
  };
  if (bytes.size() < 10 || !bytes.starts_with(kNpyMagic)) {
    return DataLoss("it is no .npy file");
  }
  const bool old = byte(6) == 1;
  if (!old && byte(6) > 3) return Unimplemented("version {} of .npy", byte(6));
  const size_t start = old ? 10 : 12;
  if (bytes.size() < start) return DataLoss("it ends in its header");
  size_t length = byte(8) | byte(9) << 8;
  if (!old) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start) return DataLoss("it ends in its header");
  GK_ASSIGN_OR_RETURN(Header header,
                      HeaderReader(bytes.substr(start, length)).Read());
  if (header.columns_first) std::ranges::reverse(header.shape);
  const StatusOr<TensorShape> shape = TensorShape::Make(header.shape);
  if (!shape.ok()) return DataLoss("its shape: {}", shape.status().message());
  GK_ASSIGN_OR_RETURN(Tensor made, ReadValues(bytes.substr(start + length),
                                              *shape, header.type));
  if (!header.columns_first || shape->rank() < 2) return made;
  std::vector<int32_t> order;
  for (int i = shape->rank() - 1; i >= 0; --i) order.push_back(i);
  return ops::Transpose(made, Tensor::Vector<int32_t>(order));
}

StatusOr<std::string> WriteNpy(const Tensor& tensor) {
  const auto* known =
      std::ranges::find(kTypes, tensor.dtype(), &NpyType::dtype);
  std::string type;
  std::string values;
  if (tensor.dtype() == DataType::kString) {
    size_t width = 1;
    for (const std::string& text : tensor.flat<std::string>()) {
      if (text.ends_with('\0')) {
        return Unimplemented(
            "a text ends in a zero, which NumPy's arrays cannot hold; write "
            "JSON");
      }
      width = std::max(width, text.size());
    }
    type = Format("|S{}", width);
    for (const std::string& text : tensor.flat<std::string>()) {
      values.append(text).append(width - text.size(), '\0');
    }
  } else if (known == std::end(kTypes) || known->code == "V2") {
    if (!IsFloating(tensor.dtype())) {
      return Unimplemented("values of type {} cannot be written to .npy",
                           DataTypeName(tensor.dtype()));
    }
    return WriteNpy(ops::Cast(tensor, DataType::kFloat));
  } else {
    const bool one_byte = DataTypeSize(tensor.dtype()) == 1;
    type = Format("{}{}", one_byte ? '|' : '<', known->code);
    values.assign(static_cast<const char*>(tensor.raw_data()),
                  tensor.byte_size());
  }
  std::string shape = JoinText(tensor.shape().dims(), ", ");
  if (tensor.rank() == 1) shape += ',';
  std::string header =
      Format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type,
             shape);
  std::string file(kNpyMagic);
  file.append("\x01\x00", 2);
  const size_t used = file.size() + 2 + header.size() + 1;
  header.append((kHeaderAlignment - used % kHeaderAlignment) % kHeaderAlignment,
                ' ');
  header += '\n';
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  return file + header + values;
}

}  // namespace gk::command
