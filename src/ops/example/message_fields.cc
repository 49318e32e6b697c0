#include "ops/example/message_fields.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "io/files.h"
#include "proto/varint.h"
#include "proto/wire.h"

namespace gk {
namespace {

using proto::FieldKind;
using proto::FieldType;

proto::WireType WireTypeOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kDouble:
    case FieldKind::kFixed64:
    case FieldKind::kSfixed64:
      return proto::kFixed64;
    case FieldKind::kFloat:
    case FieldKind::kFixed32:
    case FieldKind::kSfixed32:
      return proto::kFixed32;
    case FieldKind::kString:
    case FieldKind::kBytes:
    case FieldKind::kMessage:
      return proto::kBytes;
    case FieldKind::kGroup:
      return proto::kGroup;
    default:
      return proto::kVarint;
  }
}

bool IsNumber(FieldKind kind) {
  const proto::WireType wire = WireTypeOf(kind);
  return wire != proto::kBytes && wire != proto::kGroup;
}

template <class T>
void Set(void* values, int64_t i, T value) {
  static_cast<T*>(values)[i] = value;
}

// A number as it lies on the wire, as an element.
void SetNumber(FieldKind kind, DataType dtype, uint64_t bits, void* values,
               int64_t i) {
  switch (kind) {
    case FieldKind::kDouble:
      return Set(values, i, std::bit_cast<double>(bits));
    case FieldKind::kFloat: {
      const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
      return dtype == DataType::kFloat
                 ? Set(values, i, value)
                 : Set(values, i, static_cast<double>(value));
    }
    case FieldKind::kBool:
      return Set(values, i, bits != 0);
    case FieldKind::kFixed32:
    case FieldKind::kUint32:
      bits = static_cast<uint32_t>(bits);
      break;
    case FieldKind::kSint32:
      bits = static_cast<uint64_t>(int64_t{
          static_cast<int32_t>(proto::UnZigZag(static_cast<uint32_t>(bits)))});
      break;
    case FieldKind::kSint64:
      bits = static_cast<uint64_t>(proto::UnZigZag(bits));
      break;
    case FieldKind::kInt32:
    case FieldKind::kSfixed32:
    case FieldKind::kEnum:
      bits = static_cast<uint64_t>(int64_t{static_cast<int32_t>(bits)});
      break;
    default:
      break;
  }
  if (DataTypeSize(dtype) == 4) {
    Set(values, i, static_cast<uint32_t>(bits));
  } else {
    Set(values, i, bits);
  }
}

// The bits that stand for an element on the wire.
uint64_t NumberOf(FieldKind kind, DataType dtype, const void* values,
                  int64_t i) {
  switch (dtype) {
    case DataType::kDouble: {
      const double value = static_cast<const double*>(values)[i];
      return kind == FieldKind::kDouble
                 ? std::bit_cast<uint64_t>(value)
                 : std::bit_cast<uint32_t>(static_cast<float>(value));
    }
    case DataType::kFloat:
      return std::bit_cast<uint32_t>(static_cast<const float*>(values)[i]);
    case DataType::kBool:
      return static_cast<const bool*>(values)[i] ? 1 : 0;
    default:
      break;
  }
  int64_t value;
  if (dtype == DataType::kInt32) {
    value = static_cast<const int32_t*>(values)[i];
  } else if (dtype == DataType::kUint32) {
    value = static_cast<const uint32_t*>(values)[i];
  } else {
    value = static_cast<const int64_t*>(values)[i];
  }
  switch (kind) {
    case FieldKind::kSint32:
      return proto::ZigZag(static_cast<int32_t>(value));
    case FieldKind::kSint64:
      return proto::ZigZag(value);
    case FieldKind::kUint32:
      return static_cast<uint32_t>(value);
    default:
      return static_cast<uint64_t>(value);
  }
}

bool ReadNumber(proto::WireType wire, proto::Reader* in, uint64_t* bits) {
  if (wire == proto::kVarint) return in->Varint(bits);
  if (wire == proto::kFixed64) return in->Fixed(bits);
  uint32_t half;
  if (!in->Fixed(&half)) return false;
  *bits = half;
  return true;
}

// Calls on_number(bits) or on_bytes(bytes) for each value. False for what is no
// message.
template <class N, class B>
bool ForValues(std::string_view message, const FieldType& field, N on_number,
               B on_bytes) {
  const proto::WireType wire = WireTypeOf(field.kind);
  proto::Reader in(message);
  while (!in.done()) {
    uint32_t tag;
    if (!in.Tag(&tag)) return false;
    const uint32_t got = tag & 7;
    if (tag >> 3 != field.number || (got != wire && got != proto::kBytes) ||
        (got != wire && !IsNumber(field.kind))) {
      if (!in.Skip(tag)) return false;
    } else if (got == proto::kGroup) {
      const char* const start = in.position();
      if (!in.Skip(tag)) return false;
      // Without the tag that ends it.
      size_t end_tag = 1;
      for (uint32_t rest = tag; rest >= 0x80; rest >>= 7) ++end_tag;
      on_bytes(std::string_view(start, in.position() - start - end_tag));
    } else if (got != wire) {
      proto::Reader packed;
      if (!in.Message(&packed)) return false;
      while (!packed.done()) {
        uint64_t bits;
        if (!ReadNumber(wire, &packed, &bits)) return false;
        on_number(bits);
      }
    } else if (IsNumber(field.kind)) {
      uint64_t bits;
      if (!ReadNumber(wire, &in, &bits)) return false;
      on_number(bits);
    } else {
      std::string_view bytes;
      if (!in.Bytes(&bytes)) return false;
      on_bytes(bytes);
    }
  }
  return true;
}

void AppendNumber(proto::WireType wire, uint64_t bits, std::string* out) {
  if (wire == proto::kVarint) return proto::AppendVarint(bits, out);
  out->append(reinterpret_cast<const char*>(&bits),
              wire == proto::kFixed64 ? 8 : 4);
}

// Text of a default of bytes has escapes.
std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    constexpr std::string_view kLetters = "nrtabfv\\'\"?";
    constexpr std::string_view kMeant = "\n\r\t\a\b\f\v\\'\"?";
    const char c = text[++i];
    if (const size_t at = kLetters.find(c); at != kLetters.npos) {
      out += kMeant[at];
    } else {
      const bool hex = c == 'x' || c == 'X';
      uint32_t code = 0;
      const std::string_view digits = text.substr(hex ? i + 1 : i, hex ? 2 : 3);
      const auto end = std::from_chars(
          digits.data(), digits.data() + digits.size(), code, hex ? 16 : 8);
      out += static_cast<char>(code);
      i = static_cast<size_t>(end.ptr - text.data()) - 1;
    }
  }
  return out;
}

}  // namespace

StatusOr<std::shared_ptr<const proto::MessageTypes>> TypesOf(
    std::string_view source) {
  using Types = std::shared_ptr<const proto::MessageTypes>;
  constexpr std::string_view kBytes = "bytes://";
  if (source.empty() || source == "local://") {
    return Types(Types(), &proto::MessageTypes::Known());
  }
  std::string set;
  if (source.starts_with(kBytes)) {
    set = source.substr(kBytes.size());
  } else if (StatusOr<std::string> read = io::ReadFile(std::string(source));
             read.ok()) {
    set = *std::move(read);
  } else {
    return read.status().code() == Code::kNotFound
               ? InvalidArgument(
                     "Source does not represent serialized file descriptor set "
                     "proto: there is no file {}",
                     source)
               : read.status();
  }
  GK_ASSIGN_OR_RETURN(proto::MessageTypes types, proto::MessageTypes::Of(set));
  return Types(std::make_shared<proto::MessageTypes>(std::move(types)));
}

bool FieldFits(FieldKind kind, DataType dtype) {
  using T = DataType;
  switch (kind) {
    case FieldKind::kDouble:
      return dtype == T::kDouble;
    case FieldKind::kFloat:
      return dtype == T::kFloat || dtype == T::kDouble;
    case FieldKind::kInt64:
    case FieldKind::kSfixed64:
    case FieldKind::kSint64:
      return dtype == T::kInt64;
    case FieldKind::kUint64:
    case FieldKind::kFixed64:
      return dtype == T::kUint64;
    case FieldKind::kInt32:
    case FieldKind::kSfixed32:
    case FieldKind::kSint32:
      return dtype == T::kInt32 || dtype == T::kInt64;
    case FieldKind::kUint32:
    case FieldKind::kFixed32:
      return dtype == T::kUint32 || dtype == T::kUint64;
    case FieldKind::kBool:
      return dtype == T::kBool;
    case FieldKind::kEnum:
      return dtype == T::kInt32;
    default:
      return dtype == T::kString;
  }
}

std::string_view FieldKindName(FieldKind kind) {
  constexpr std::string_view kNames[] = {
      "",       "double",   "float",    "int64",  "uint64", "int32",  "fixed64",
      "fixed32", "bool",    "string",   "group",  "message", "bytes", "uint32",
      "enum",   "sfixed32", "sfixed64", "sint32", "sint64"};
  return kNames[static_cast<int>(kind)];
}

void WriteDefault(const proto::MessageTypes& types, const FieldType& field,
                  DataType dtype, void* values, int64_t i) {
  const std::string& text = field.otherwise;
  if (dtype == DataType::kString) {
    static_cast<std::string*>(values)[i] =
        field.kind == FieldKind::kBytes ? Unescaped(text) : text;
    return;
  }
  const char* const end = text.data() + text.size();
  uint64_t bits = 0;
  switch (field.kind) {
    case FieldKind::kDouble:
      bits = std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr));
      break;
    case FieldKind::kFloat:
      bits = std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr));
      break;
    case FieldKind::kBool:
      bits = text == "true" ? 1 : 0;
      break;
    case FieldKind::kEnum: {
      const proto::EnumType* const all = types.FindEnum(field.type);
      int32_t value = types.FirstValue(field.type);
      if (all != nullptr) {
        if (const auto at = all->find(text); at != all->end()) {
          value = at->second;
        }
      }
      bits = static_cast<uint32_t>(value);
      break;
    }
    default:
      if (text.starts_with('-')) {
        int64_t value = 0;
        std::from_chars(text.data(), end, value);
        bits = static_cast<uint64_t>(value);
      } else {
        std::from_chars(text.data(), end, bits);
      }
      if (field.kind == FieldKind::kSint32 ||
          field.kind == FieldKind::kSint64) {
        bits = proto::ZigZag(static_cast<int64_t>(bits));
      }
  }
  SetNumber(field.kind, dtype, bits, values, i);
}

Status CountField(std::string_view message, const FieldType& field,
                  int64_t* count) {
  int64_t n = 0;
  const bool is_right = ForValues(
      message, field, [&](uint64_t) { ++n; }, [&](std::string_view) { ++n; });
  *count = field.is_repeated ? n : std::min<int64_t>(n, 1);
  return is_right ? OkStatus()
                  : DataLoss("These {} bytes are no message", message.size());
}

Status ReadField(std::string_view message, const FieldType& field,
                 DataType dtype, void* values, int64_t limit) {
  int64_t n = 0;
  // Of a field that is not repeated the last value counts.
  const auto next = [&]() -> int64_t {
    return field.is_repeated ? std::min(n++, limit - 1) : 0;
  };
  if (limit > 0) {
    ForValues(
        message, field,
        [&](uint64_t bits) {
          SetNumber(field.kind, dtype, bits, values, next());
        },
        [&](std::string_view bytes) {
          static_cast<std::string*>(values)[next()] = bytes;
        });
  }
  return OkStatus();
}

void WriteField(const FieldType& field, DataType dtype, const void* values,
                int64_t n, std::string* message) {
  const proto::WireType wire = WireTypeOf(field.kind);
  if (field.is_packed) {
    if (n == 0) return;
    std::string packed;
    for (int64_t i = 0; i < n; ++i) {
      AppendNumber(wire, NumberOf(field.kind, dtype, values, i), &packed);
    }
    proto::AppendVarint(field.number << 3 | proto::kBytes, message);
    proto::AppendVarint(packed.size(), message);
    *message += packed;
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    proto::AppendVarint(field.number << 3 | wire, message);
    if (IsNumber(field.kind)) {
      AppendNumber(wire, NumberOf(field.kind, dtype, values, i), message);
      continue;
    }
    const auto& bytes = static_cast<const std::string*>(values)[i];
    if (wire == proto::kBytes) proto::AppendVarint(bytes.size(), message);
    *message += bytes;
    if (wire == proto::kGroup) {
      proto::AppendVarint(field.number << 3 | proto::kEndGroup, message);
    }
  }
}

}  // namespace gk
