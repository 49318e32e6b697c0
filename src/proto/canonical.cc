#include "proto/canonical.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/json_quoted.h"
#include "proto/varint.h"
#include "proto/wire.h"

namespace gk::proto {
namespace {

WireType OwnWire(FieldKind kind) {
  switch (kind) {
    case FieldKind::kDouble:
    case FieldKind::kFixed64:
    case FieldKind::kSfixed64:
      return kFixed64;
    case FieldKind::kFloat:
    case FieldKind::kFixed32:
    case FieldKind::kSfixed32:
      return kFixed32;
    case FieldKind::kString:
    case FieldKind::kMessage:
    case FieldKind::kBytes:
      return kBytes;
    case FieldKind::kGroup:
      return kGroup;
    default:
      return kVarint;
  }
}

bool HoldsMessage(FieldKind kind) {
  return kind == FieldKind::kMessage || kind == FieldKind::kGroup;
}

// As the field's type holds them.
uint64_t AsHeld(FieldKind kind, uint64_t bits) {
  switch (kind) {
    case FieldKind::kBool:
      return bits != 0 ? 1 : 0;
    case FieldKind::kInt32:
    case FieldKind::kEnum:
      return static_cast<uint64_t>(int64_t{static_cast<int32_t>(bits)});
    case FieldKind::kUint32:
    case FieldKind::kSint32:
      return static_cast<uint32_t>(bits);
    default:
      return bits;
  }
}

void AddNumberTo(WireType wire, uint64_t bits, std::string* to) {
  if (wire == kVarint) return AppendVarint(bits, to);
  to->append(reinterpret_cast<const char*>(&bits), wire == kFixed64 ? 8 : 4);
}

bool TakeNumber(WireType wire, Reader* in, uint64_t* bits) {
  if (wire == kVarint) return in->Varint(bits);
  if (wire == kFixed64) return in->Fixed(bits);
  uint32_t half = 0;
  const bool is_right = in->Fixed(&half);
  *bits = half;
  return is_right;
}

class CanonicalWriter {
 public:
  explicit CanonicalWriter(const MessageTypes& types) : types_(types) {}

  bool Rewrite(std::string_view wire, std::string_view message, int depth,
               std::string* to) {
    const MessageType* const type = types_.FindMessage(message);
    if (type == nullptr) {
      *to += wire;
      return true;
    }
    if (depth <= 0) return false;
    std::map<uint32_t, Given> given;
    for (const auto& [name, field] : *type) given[field.number].field = &field;
    std::string unknown;
    if (!Read(wire, &given, &unknown)) return false;
    const bool is_entry = types_.IsMapEntry(message);
    for (auto& [number, one] : given) {
      if (one.field->is_required && one.empty()) return false;
      // Of a map both are written.
      if (is_entry && one.empty()) one.SetDefault();
      if (!Write(one, is_entry, depth, to)) return false;
    }
    *to += unknown;
    return true;
  }

 private:
  struct Given {
    const FieldType* field = nullptr;
    std::vector<uint64_t> numbers;
    std::vector<std::string> texts;  // and messages

    bool empty() const { return numbers.empty() && texts.empty(); }
    void Clear() {
      numbers.clear();
      texts.clear();
    }
    void SetDefault() {
      if (OwnWire(field->kind) == kBytes) {
        texts.emplace_back();
      } else {
        numbers.push_back(0);
      }
    }
  };
  using Fields = std::map<uint32_t, Given>;

  bool Read(std::string_view wire, Fields* given, std::string* unknown) {
    Reader in(wire);
    uint32_t tag = 0;
    while (!in.done()) {
      const char* const start = in.position();
      if (!in.Tag(&tag)) return false;
      const auto found = given->find(tag >> 3);
      const auto type = static_cast<WireType>(tag & 7);
      if (found == given->end() || !Takes(*found->second.field, type)) {
        if (!in.Keep(tag, start, unknown)) return false;
        continue;
      }
      Given& one = found->second;
      if (one.field->oneof >= 0) {
        for (auto& [number, other] : *given) {
          if (&other != &one && other.field->oneof == one.field->oneof) {
            other.Clear();
          }
        }
      }
      if (!ReadField(type, tag, &in, &one, unknown)) return false;
    }
    return true;
  }

  static bool Takes(const FieldType& field, WireType type) {
    const WireType own = OwnWire(field.kind);
    return type == own || (type == kBytes && field.is_repeated &&
                           own != kBytes && own != kGroup);
  }

  bool ReadField(WireType type, uint32_t tag, Reader* in, Given* one,
                 std::string* unknown) {
    const FieldType& field = *one->field;
    if (type == kGroup) {
      const char* const start = in->position();
      if (!in->Skip(tag)) return false;
      std::string end;
      AppendVarint(field.number << 3 | kEndGroup, &end);
      const auto size = static_cast<size_t>(in->position() - start);
      AddText(std::string_view(start, size - end.size()), one);
      return true;
    }
    if (type == kBytes) {
      std::string_view bytes;
      if (!in->Bytes(&bytes)) return false;
      if (OwnWire(field.kind) == kBytes) {
        if (field.is_utf8 && !IsUtf8(bytes)) return false;
        AddText(bytes, one);
        return true;
      }
      for (Reader packed(bytes); !packed.done();) {
        if (!AddNumber(&packed, one, unknown)) return false;
      }
      return true;
    }
    return AddNumber(in, one, unknown);
  }

  static void AddText(std::string_view bytes, Given* one) {
    if (one->field->is_repeated || one->texts.empty()) {
      one->texts.emplace_back(bytes);
    } else if (HoldsMessage(one->field->kind)) {
      one->texts[0] += bytes;  // what two messages have together
    } else {
      one->texts[0] = bytes;
    }
  }

  bool AddNumber(Reader* in, Given* one, std::string* unknown) {
    const FieldType& field = *one->field;
    const WireType wire = OwnWire(field.kind);
    uint64_t bits = 0;
    if (!TakeNumber(wire, in, &bits)) return false;
    bits = AsHeld(field.kind, bits);
    if (field.kind == FieldKind::kEnum && types_.IsClosed(field.type)) {
      const EnumType* const all = types_.FindEnum(field.type);
      const auto value = static_cast<int32_t>(bits);
      if (std::ranges::none_of(
              *all, [&](const auto& known) { return known.second == value; })) {
        AppendVarint(field.number << 3 | kVarint, unknown);
        AppendVarint(bits, unknown);
        return true;
      }
    }
    if (!field.is_repeated) one->numbers.clear();
    one->numbers.push_back(bits);
    return true;
  }

  bool Write(const Given& one, bool is_entry, int depth, std::string* to) {
    const FieldType& field = *one.field;
    const WireType wire = OwnWire(field.kind);
    const bool keeps = field.has_presence || field.is_repeated || is_entry;
    if (field.is_packed && !one.numbers.empty()) {
      std::string packed;
      for (const uint64_t bits : one.numbers) AddNumberTo(wire, bits, &packed);
      AppendVarint(field.number << 3 | kBytes, to);
      AppendVarint(packed.size(), to);
      *to += packed;
      return true;
    }
    for (const uint64_t bits : one.numbers) {
      if (bits == 0 && !keeps) continue;
      AppendVarint(field.number << 3 | wire, to);
      AddNumberTo(wire, bits, to);
    }
    for (const std::string& text : one.texts) {
      if (text.empty() && !keeps) continue;
      std::string inner;
      if (HoldsMessage(field.kind) &&
          !Rewrite(text, field.type, depth - 1, &inner)) {
        return false;
      }
      const std::string& bytes = HoldsMessage(field.kind) ? inner : text;
      AppendVarint(field.number << 3 | wire, to);
      if (wire == kBytes) AppendVarint(bytes.size(), to);
      *to += bytes;
      if (wire == kGroup) AppendVarint(field.number << 3 | kEndGroup, to);
    }
    return true;
  }

  const MessageTypes& types_;
};

}  // namespace

StatusOr<std::string> Canonical(std::string_view wire, std::string_view message,
                                const MessageTypes& types) {
  std::string made;
  if (!CanonicalWriter(types).Rewrite(wire, message, kMaxDepth, &made)) {
    return InvalidArgument("These {} bytes are no {}", wire.size(), message);
  }
  return made;
}

}  // namespace gk::proto
