#include "command_line/value_text.h"

#include <charconv>

#include "framework/small_numbers.h"
#include "ops/string/parse_number.h"

namespace gk::command {
namespace {

constexpr std::string_view kDigits64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kBase64Key[] = "b64";

std::string Base64Of(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      const bool there = i + k < bytes.size();
      group =
          group << 8 | (there ? static_cast<unsigned char>(bytes[i + k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      text +=
          i + k <= bytes.size() ? kDigits64[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

bool FromBase64(std::string_view text, std::string* bytes) {
  while (text.ends_with('=')) text.remove_suffix(1);
  uint32_t group = 0;
  int bits = 0;
  for (char c : text) {
    if (c == '-') c = '+';
    if (c == '_') c = '/';
    const size_t digit = kDigits64.find(c);
    if (digit == kDigits64.npos) return false;
    group = group << 6 | static_cast<uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes->push_back(static_cast<char>(group >> bits));
    group &= (1u << bits) - 1;
  }
  return bits < 6 && group == 0;
}

template <class T>
bool ParseComplex(std::string_view s, std::complex<T>* out) {
  T real = 0, imaginary = 0;
  s = Stripped(s);
  if (s.starts_with('(') && s.ends_with(')')) s = s.substr(1, s.size() - 2);
  if (!s.ends_with('j')) {
    if (!ParseReal(s, &real)) return false;
    *out = {real, 0};
    return true;
  }
  s.remove_suffix(1);
  size_t sign = s.size();
  while (sign-- > 1) {
    if ((s[sign] == '+' || s[sign] == '-') && s[sign - 1] != 'e' &&
        s[sign - 1] != 'E') {
      break;
    }
  }
  if (sign == 0 || sign > s.size()) {
    if (!ParseReal(s, &imaginary)) return false;
  } else if (!ParseReal(s.substr(0, sign), &real) ||
             !ParseReal(s.substr(sign), &imaginary)) {
    return false;
  }
  *out = {real, imaginary};
  return true;
}

template <class T>
std::string FloatDigits(T v) {
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, v).ptr};
}

// A shape is that of the first values at each depth.
std::vector<int64_t> ShapeOfLists(const Json& json) {
  std::vector<int64_t> dims;
  for (const Json* at = &json; at->list() != nullptr;) {
    dims.push_back(at->list()->size());
    if (at->list()->empty()) break;
    at = &at->list()->front();
  }
  return dims;
}

class JsonToTensor {
 public:
  JsonToTensor(Tensor* to) : to_(to) {}

  Status Fill(const Json& json, int depth, const std::string& place) {
    const Json::List* const list = json.list();
    if (depth == to_->rank()) {
      if (list != nullptr) return Wrong(place, "a list", "a value");
      return FillOne(json, place);
    }
    if (list == nullptr) return Wrong(place, json.KindName(), "a list");
    const int64_t n = list->size();
    if (n != to_->dim(depth)) {
      return Wrong(place, Format("{} values", n),
                   Format("{}, as in the lists beside it", to_->dim(depth)));
    }
    for (int64_t i = 0; i < n; ++i) {
      GK_RETURN_IF_ERROR(
          Fill((*list)[i], depth + 1, Format("{}[{}]", place, i)));
    }
    return OkStatus();
  }

 private:
  Status Wrong(const std::string& place, std::string_view got,
               std::string_view expected) const {
    return InvalidArgument("{}: expected {}, got {}",
                           place.empty() ? std::string("the value") : place,
                           expected, got);
  }

  Status FillOne(const Json& json, const std::string& place) {
    const bool texts = to_->dtype() == DataType::kString;
    const int64_t i = next_++;
    if (texts && json.members() && json.members()->size() == 1 &&
        json.members()->front().first == kBase64Key &&
        json.members()->front().second.text()) {
      if (FromBase64(*json.members()->front().second.text(),
                     &to_->data<std::string>()[i])) {
        return OkStatus();
      }
      return Wrong(place, "something else", "digits of base 64");
    }
    const std::string* text = json.text();
    std::string word;
    if (text == nullptr && json.number()) text = &json.number()->text;
    if (text == nullptr && json.boolean()) {
      word = *json.boolean() ? "true" : "false";
      text = &word;
    }
    const bool fits =
        text != nullptr &&
        (texts || to_->dtype() == DataType::kBool || word.empty());
    if (fits && ParseValue(*text, to_, i)) return OkStatus();
    return Wrong(
        place,
        text != nullptr ? Format("'{}'", *text) : std::string(json.KindName()),
        Format("a value of {}", DataTypeName(to_->dtype())));
  }

  Tensor* const to_;
  int64_t next_ = 0;
};

Json JsonOfValue(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DataType::kBool:
      return tensor.data<bool>()[i];
    case DataType::kString: {
      const std::string& text = tensor.data<std::string>()[i];
      if (IsUtf8(text)) return text;
      return Json::Members{{kBase64Key, Base64Of(text)}};
    }
    case DataType::kComplex64:
    case DataType::kComplex128:
    case DataType::kResource:
    case DataType::kVariant:
      return ValueText(tensor, i);
    default:
      return Json::Number{ValueText(tensor, i)};
  }
}

Json JsonOfPart(const Tensor& tensor, int depth, int64_t* next) {
  if (depth == tensor.rank()) return JsonOfValue(tensor, (*next)++);
  Json::List list;
  for (int64_t i = 0; i < tensor.dim(depth); ++i) {
    list.push_back(JsonOfPart(tensor, depth + 1, next));
  }
  return list;
}

}  // namespace

bool ParseValue(std::string_view text, Tensor* tensor, int64_t i) {
  bool parsed = false;
  if (tensor->dtype() == DataType::kString) {
    tensor->data<std::string>()[i] = text;
    return true;
  }
  if (tensor->dtype() == DataType::kBool) {
    const std::string_view s = Stripped(text);
    const bool yes = s == "true" || s == "True" || s == "1";
    tensor->data<bool>()[i] = yes;
    return yes || s == "false" || s == "False" || s == "0";
  }
  VisitType<complex64, complex128>(tensor->dtype(), [&](auto tag) {
    parsed = ParseComplex(text, &tensor->data<decltype(tag)>()[i]);
  });
  VisitType<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
            uint32_t, uint64_t>(tensor->dtype(), [&](auto tag) {
    parsed = ParseNumber(text, &tensor->data<decltype(tag)>()[i]);
  });
  VisitType<half, bfloat16, float8_e5m2, float8_e4m3fn>(
      tensor->dtype(), [&](auto tag) {
        float value = 0;
        parsed = ParseReal(text, &value);
        tensor->data<decltype(tag)>()[i] = decltype(tag)(value);
      });
  if (const int bits = SmallIntegerBits(tensor->dtype())) {
    int8_t value = 0;
    const auto byte = [&] {
      return static_cast<uint8_t>(value & ((1 << bits) - 1));
    };
    parsed = ParseNumber(text, &value) &&
             SmallNumber(tensor->dtype(), byte()) == value;
    static_cast<uint8_t*>(tensor->raw_data())[i] = byte();
  }
  return parsed;
}

std::string ValueText(const Tensor& tensor, int64_t i) {
  std::string text;
  if (tensor.dtype() == DataType::kString) return tensor.data<std::string>()[i];
  if (tensor.dtype() == DataType::kBool) {
    return tensor.data<bool>()[i] ? "true" : "false";
  }
  const auto real = [](double v, auto digits) -> std::string {
    if (v != v) return "NaN";
    if (v - v != 0) return v < 0 ? "-Infinity" : "Infinity";
    return FloatDigits(digits);
  };
  VisitType<float, double>(tensor.dtype(), [&](auto tag) {
    const auto v = tensor.data<decltype(tag)>()[i];
    text = real(v, v);
  });
  VisitType<half, bfloat16, float8_e5m2, float8_e4m3fn>(
      tensor.dtype(), [&](auto tag) {
        const float v = static_cast<float>(tensor.data<decltype(tag)>()[i]);
        text = real(v, v);
      });
  VisitType<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
            uint64_t>(tensor.dtype(), [&](auto tag) {
    text = std::to_string(tensor.data<decltype(tag)>()[i]);
  });
  if (IsSmallNumber(tensor.dtype())) {
    const auto v = static_cast<float>(SmallNumber(
        tensor.dtype(), static_cast<const uint8_t*>(tensor.raw_data())[i]));
    text = SmallIntegerBits(tensor.dtype()) > 0
               ? std::to_string(static_cast<int>(v))
               : real(v, v);
  }
  VisitType<complex64, complex128>(tensor.dtype(), [&](auto tag) {
    const auto v = tensor.data<decltype(tag)>()[i];
    const std::string imaginary = real(v.imag(), v.imag());
    text = real(v.real(), v.real()) + (imaginary.starts_with('-') ? "" : "+") +
           imaginary + "j";
  });
  return text.empty() ? Format("<{}>", DataTypeName(tensor.dtype())) : text;
}

StatusOr<Tensor> TensorOfJson(const Json& json, DataType dtype) {
  const StatusOr<TensorShape> shape = TensorShape::Make(ShapeOfLists(json));
  GK_RETURN_IF_ERROR(shape.status());
  GK_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(dtype, *shape));
  GK_RETURN_IF_ERROR(JsonToTensor(&made).Fill(json, 0, ""));
  return made;
}

Json JsonOfTensor(const Tensor& tensor) {
  int64_t next = 0;
  return JsonOfPart(tensor, 0, &next);
}

}  // namespace gk::command
