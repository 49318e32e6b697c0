#include "framework/op_def.h"

#include <charconv>

namespace gk {
namespace {

std::string_view Trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\n')) {
    s.remove_prefix(1);
  }
  while (!s.empty() && (s.back() == ' ' || s.back() == '\n')) {
    s.remove_suffix(1);
  }
  return s;
}

// Splits at `separator` outside brackets and quotes.
std::vector<std::string_view> Split(std::string_view s, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  size_t start = 0;
  for (size_t i = 0; i <= s.size(); ++i) {
    if (i == s.size() || (s[i] == separator && depth == 0 && !quoted)) {
      std::string_view part = Trim(s.substr(start, i - start));
      if (!part.empty()) parts.push_back(part);
      start = i + 1;
    } else if (s[i] == '\'') {
      quoted = !quoted;
    } else if (!quoted && (s[i] == '[' || s[i] == '(')) {
      ++depth;
    } else if (!quoted && (s[i] == ']' || s[i] == ')')) {
      --depth;
    }
  }
  return parts;
}

bool Consume(std::string_view* s, std::string_view prefix) {
  if (!s->starts_with(prefix)) return false;
  *s = Trim(s->substr(prefix.size()));
  return true;
}

std::string_view Inside(std::string_view s) {  // "[a, b]" -> "a, b"
  if (s.size() >= 2 && s.front() == '[') return s.substr(1, s.size() - 2);
  return s;
}

Status ParseArgs(std::string_view text, std::vector<ArgDef>* args) {
  for (std::string_view part : Split(text, ';')) {
    const size_t colon = part.find(':');
    if (colon == part.npos) return Internal("bad argument '{}'", part);
    ArgDef arg;
    arg.name = Trim(part.substr(0, colon));
    std::string_view type = Trim(part.substr(colon + 1));
    if (const size_t star = type.find('*'); star != type.npos) {
      arg.number_attr = Trim(type.substr(0, star));
      type = Trim(type.substr(star + 1));
    }
    if (auto t = DataTypeFromName(type)) {
      arg.type = *t;
    } else {
      arg.type_attr = type;  // told apart from a list by ParseOpDef
    }
    args->push_back(std::move(arg));
  }
  return OkStatus();
}

StatusOr<AttrValue> ParseScalar(AttrType type, std::string_view s) {
  switch (type) {
    case AttrType::kInt: {
      int64_t v = 0;
      auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
      if (error != std::errc() || end != s.data() + s.size()) {
        return Internal("bad integer '{}'", s);
      }
      return AttrValue(v);
    }
    case AttrType::kFloat:
      if (s == "inf") return AttrValue(std::numeric_limits<float>::infinity());
      return AttrValue(std::stof(std::string(s)));
    case AttrType::kBool:
      return AttrValue(s == "True" || s == "true");
    case AttrType::kString:
      if (s.size() >= 2 && s.front() == '\'') s = s.substr(1, s.size() - 2);
      return AttrValue(std::string(s));
    case AttrType::kType:
      if (auto t = DataTypeFromName(s)) return AttrValue(*t);
      return Internal("unknown type '{}'", s);
    case AttrType::kShape: {
      if (s == "None" || s == "unknown" || s == "<unknown>") {
        return AttrValue(PartialTensorShape());
      }
      PartialTensorShape shape(std::span<const int64_t>{});
      for (std::string_view d : Split(Inside(s), ',')) {
        GK_ASSIGN_OR_RETURN(AttrValue v, ParseScalar(AttrType::kInt, d));
        shape.AddDim(std::get<int64_t>(v));
      }
      return AttrValue(shape);
    }
    case AttrType::kTensor: {
      // A vector of bytes, uint8[255, 0].
      if (!s.starts_with("uint8[")) {
        return Internal("no default value can be written as '{}'", s);
      }
      std::vector<uint8_t> bytes;
      for (std::string_view part : Split(Inside(s.substr(5)), ',')) {
        GK_ASSIGN_OR_RETURN(AttrValue v, ParseScalar(AttrType::kInt, part));
        bytes.push_back(static_cast<uint8_t>(std::get<int64_t>(v)));
      }
      return AttrValue(Tensor::Vector<uint8_t>(bytes));
    }
    default:
      return Internal("no default value can be written for this type");
  }
}

template <class T>
StatusOr<AttrValue> ParseListOf(AttrType type, std::string_view s) {
  std::vector<T> list;
  for (std::string_view part : Split(Inside(s), ',')) {
    GK_ASSIGN_OR_RETURN(AttrValue v, ParseScalar(type, part));
    list.push_back(std::get<T>(v));
  }
  return AttrValue(std::move(list));
}

StatusOr<AttrValue> ParseDefault(const AttrDef& attr, std::string_view s) {
  if (!attr.is_list) return ParseScalar(attr.type, s);
  switch (attr.type) {
    case AttrType::kInt:
      return ParseListOf<int64_t>(attr.type, s);
    case AttrType::kFloat:
      return ParseListOf<float>(attr.type, s);
    case AttrType::kBool:
      return ParseListOf<bool>(attr.type, s);
    case AttrType::kString:
      return ParseListOf<std::string>(attr.type, s);
    case AttrType::kType:
      return ParseListOf<DataType>(attr.type, s);
    case AttrType::kShape:
      return ParseListOf<PartialTensorShape>(attr.type, s);
    case AttrType::kFunc:
      return AttrValue(std::vector<FunctionAttr>());
    default:
      return Internal("no default for list of tensors");
  }
}

std::optional<AttrType> ParseAttrType(std::string_view s) {
  if (s == "int") return AttrType::kInt;
  if (s == "float") return AttrType::kFloat;
  if (s == "bool") return AttrType::kBool;
  if (s == "string") return AttrType::kString;
  if (s == "type") return AttrType::kType;
  if (s == "shape") return AttrType::kShape;
  if (s == "tensor") return AttrType::kTensor;
  if (s == "func") return AttrType::kFunc;
  return std::nullopt;
}

// "T: type in [float, double] = float", "N: int >= 1", "s: list(int) >= 2".
StatusOr<AttrDef> ParseAttr(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == text.npos) return Internal("bad attribute '{}'", text);
  AttrDef attr;
  attr.name = Trim(text.substr(0, colon));
  std::string_view rest = Trim(text.substr(colon + 1));
  const size_t end = rest.find_first_of(" =>");
  std::string_view type = rest.substr(0, end);
  rest = end == rest.npos ? std::string_view() : Trim(rest.substr(end));
  if (type.starts_with("list(")) {
    attr.is_list = true;
    type = type.substr(5, type.size() - 6);
  }
  auto parsed = ParseAttrType(type);
  if (!parsed) return Internal("unknown attribute type '{}'", type);
  attr.type = *parsed;
  if (Consume(&rest, "in")) {
    const size_t close = rest.find(']');
    if (close == rest.npos) return Internal("missing ] in '{}'", text);
    for (std::string_view v : Split(Inside(rest.substr(0, close + 1)), ',')) {
      if (attr.type == AttrType::kType) {
        auto t = DataTypeFromName(v);
        if (!t) return Internal("unknown type '{}' in '{}'", v, text);
        attr.allowed_types = attr.allowed_types | *t;
      } else {
        GK_ASSIGN_OR_RETURN(AttrValue s, ParseScalar(AttrType::kString, v));
        attr.allowed_strings.push_back(std::get<std::string>(s));
      }
    }
    rest = Trim(rest.substr(close + 1));
  }
  if (Consume(&rest, ">=")) {
    const size_t stop = rest.find(' ');
    GK_ASSIGN_OR_RETURN(AttrValue v,
                        ParseScalar(AttrType::kInt, rest.substr(0, stop)));
    attr.has_minimum = true;
    attr.minimum = std::get<int64_t>(v);
    rest = stop == rest.npos ? std::string_view() : Trim(rest.substr(stop));
  }
  if (Consume(&rest, "=")) {
    GK_ASSIGN_OR_RETURN(AttrValue v, ParseDefault(attr, rest));
    attr.default_value = std::move(v);
  } else if (!rest.empty()) {
    return Internal("cannot read '{}' in attribute '{}'", rest, text);
  }
  return attr;
}

}  // namespace

const AttrDef* OpDef::FindAttr(std::string_view name) const {
  for (const AttrDef& a : attrs) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

int OpDef::FindInput(std::string_view name) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

StatusOr<OpDef> ParseOpDef(std::string_view name, std::string_view inputs,
                           std::string_view outputs, std::string_view attrs) {
  OpDef def;
  def.name = name;
  GK_RETURN_IF_ERROR(ParseArgs(inputs, &def.inputs));
  GK_RETURN_IF_ERROR(ParseArgs(outputs, &def.outputs));
  for (std::string_view part : Split(attrs, ';')) {
    GK_ASSIGN_OR_RETURN(AttrDef attr, ParseAttr(part));
    def.attrs.push_back(std::move(attr));
  }
  for (auto* args : {&def.inputs, &def.outputs}) {
    for (ArgDef& arg : *args) {
      if (arg.type_attr.empty()) continue;
      const AttrDef* attr = def.FindAttr(arg.type_attr);
      if (!attr || attr->type != AttrType::kType) {
        return Internal("argument '{}' has unknown type '{}'", arg.name,
                        arg.type_attr);
      }
      if (attr->is_list) std::swap(arg.type_attr, arg.type_list_attr);
    }
  }
  return def;
}

}  // namespace gk
