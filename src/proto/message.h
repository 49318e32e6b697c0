// What generated message structs are made of: presence, codecs and text.
//
// A codec reads, writes and prints one kind of value; the generated code names
// a codec for each field and leaves the loops over repeated fields and maps to
// the templates here. Values own their bytes. Messages may be read from many
// threads at once, like any plain struct.
#ifndef GK_PROTO_MESSAGE_H_
#define GK_PROTO_MESSAGE_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "proto/text.h"
#include "proto/wire.h"

namespace gk::proto {

// A field that may be absent, held outside the struct: copies are deep, and
// reading an absent one gives an empty message.
template <class T>
class Sub {
 public:
  Sub() = default;
  Sub(const Sub& other) : p_(other.p_ ? new T(*other.p_) : nullptr) {}
  Sub(Sub&& other) noexcept = default;
  Sub& operator=(const Sub& other) {
    if (this != &other) p_.reset(other.p_ ? new T(*other.p_) : nullptr);
    return *this;
  }
  Sub& operator=(Sub&& other) noexcept = default;
  Sub& operator=(T value) {
    p_ = std::make_unique<T>(std::move(value));
    return *this;
  }

  bool has() const { return p_ != nullptr; }
  explicit operator bool() const { return has(); }
  const T& operator*() const {
    static const T empty{};
    return p_ ? *p_ : empty;
  }
  const T* operator->() const { return &**this; }
  // The value to change, made when absent.
  T& mut() {
    if (!p_) p_ = std::make_unique<T>();
    return *p_;
  }
  void reset() { p_.reset(); }

 private:
  std::unique_ptr<T> p_;
};

// Fields that this description does not know, as they stood on the wire.
using UnknownFields = Sub<std::string>;

template <class T>
struct IntCodec {
  using Type = T;
  static constexpr WireType kWire = kVarint;
  static bool Read(Reader& in, T* out) {
    uint64_t value;
    if (!in.Varint(&value)) return false;
    if constexpr (std::is_same_v<T, bool>) {
      *out = value != 0;
    } else {
      *out = static_cast<T>(value);
    }
    return true;
  }
  static void Write(Writer& out, T value) {
    if constexpr (std::is_unsigned_v<T>) {
      out.Varint(value);
    } else {
      out.Varint(static_cast<uint64_t>(static_cast<int64_t>(value)));
    }
  }
  static bool IsDefault(T value) { return value == T{}; }
  static void Print(TextWriter& out, T value) { out.Number(value); }
};

template <class T>
struct EnumCodec : IntCodec<T> {
  static void Print(TextWriter& out, T value) {
    out.Enum(EnumName(value), static_cast<int>(value));
  }
};

template <class T>
struct ZigZagCodec {
  using Type = T;
  static constexpr WireType kWire = kVarint;
  static bool Read(Reader& in, T* out) {
    uint64_t value;
    if (!in.Varint(&value)) return false;
    *out = static_cast<T>(UnZigZag(value));
    return true;
  }
  static void Write(Writer& out, T value) { out.Varint(ZigZag(value)); }
  static bool IsDefault(T value) { return value == 0; }
  static void Print(TextWriter& out, T value) { out.Number(value); }
};

template <class T>
struct FixedCodec {
  using Type = T;
  static constexpr WireType kWire = sizeof(T) == 8 ? kFixed64 : kFixed32;
  static bool Read(Reader& in, T* out) { return in.Fixed(out); }
  static void Write(Writer& out, T value) { out.Fixed(value); }
  // By bits: a negative zero is a value and is written.
  static bool IsDefault(T value) {
    const T zero{};
    return std::memcmp(&value, &zero, sizeof(T)) == 0;
  }
  static void Print(TextWriter& out, T value) { out.Number(value); }
};

struct StringCodec {
  using Type = std::string;
  static constexpr WireType kWire = kBytes;
  static bool Read(Reader& in, std::string* out) {
    std::string_view bytes;
    if (!in.Bytes(&bytes)) return false;
    out->assign(bytes);
    return true;
  }
  static void Write(Writer& out, const std::string& value) {
    out.Bytes(value);
  }
  static bool IsDefault(const std::string& value) { return value.empty(); }
  static void Print(TextWriter& out, const std::string& value) {
    out.Quoted(value);
  }
};

template <class T>
struct MessageCodec {
  using Type = T;
  static constexpr WireType kWire = kBytes;
  static bool Read(Reader& in, T* out) {
    Reader inner;
    return in.Message(&inner) && out->Merge(inner);
  }
  static void Write(Writer& out, const T& value) {
    size_t before = out.size();
    value.WriteTo(out);
    out.Varint(out.size() - before);
  }
  static void Print(TextWriter& out, const T& value) {
    out.Open();
    value.PrintTo(out);
    out.Close();
  }
};

template <class Codec>
bool ReadRepeated(Reader& in, std::vector<typename Codec::Type>* out) {
  if constexpr (Codec::kWire == kBytes) {
    out->emplace_back();
    return Codec::Read(in, &out->back());
  } else {
    typename Codec::Type value;
    if (!Codec::Read(in, &value)) return false;
    out->push_back(value);
    return true;
  }
}

template <class Codec>
bool ReadPacked(Reader& in, std::vector<typename Codec::Type>* out) {
  std::string_view bytes;
  if (!in.Bytes(&bytes)) return false;
  if constexpr (Codec::kWire != kVarint) {
    out->reserve(out->size() + bytes.size() / sizeof(typename Codec::Type));
  }
  Reader values(bytes);
  while (!values.done()) {
    if (!ReadRepeated<Codec>(values, out)) return false;
  }
  return true;
}

template <class Key, class Value>
bool ReadMapEntry(Reader& in,
                  std::map<typename Key::Type, typename Value::Type>* out) {
  Reader entry;
  if (!in.Message(&entry)) return false;
  typename Key::Type key{};
  typename Value::Type value{};
  while (!entry.done()) {
    uint32_t tag;
    if (!entry.Tag(&tag)) return false;
    bool ok = tag == (1 << 3 | Key::kWire)     ? Key::Read(entry, &key)
              : tag == (2 << 3 | Value::kWire) ? Value::Read(entry, &value)
                                               : entry.Skip(tag);
    if (!ok) return false;
  }
  out->insert_or_assign(std::move(key), std::move(value));
  return true;
}

template <class Codec>
void WriteField(Writer& out, uint32_t number,
                const typename Codec::Type& value) {
  Codec::Write(out, value);
  out.Tag(number, Codec::kWire);
}

template <class Codec>
void WriteScalar(Writer& out, uint32_t number,
                 const typename Codec::Type& value) {
  if (!Codec::IsDefault(value)) WriteField<Codec>(out, number, value);
}

template <class Codec>
void WriteRepeated(Writer& out, uint32_t number,
                   const std::vector<typename Codec::Type>& values) {
  if constexpr (Codec::kWire == kBytes) {
    for (size_t i = values.size(); i-- > 0;) {
      WriteField<Codec>(out, number, values[i]);
    }
  } else if (!values.empty()) {
    size_t before = out.size();
    for (size_t i = values.size(); i-- > 0;) Codec::Write(out, values[i]);
    out.Varint(out.size() - before);
    out.Tag(number, kBytes);
  }
}

template <class Key, class Value>
void WriteMap(Writer& out, uint32_t number,
              const std::map<typename Key::Type, typename Value::Type>& map) {
  for (auto it = map.rbegin(); it != map.rend(); ++it) {
    size_t before = out.size();
    WriteField<Value>(out, 2, it->second);
    WriteField<Key>(out, 1, it->first);
    out.Varint(out.size() - before);
    out.Tag(number, kBytes);
  }
}

template <class Codec>
void PrintField(TextWriter& out, std::string_view name,
                const typename Codec::Type& value) {
  out.Name(name);
  Codec::Print(out, value);
}

template <class Codec>
void PrintScalar(TextWriter& out, std::string_view name,
                 const typename Codec::Type& value) {
  if (!Codec::IsDefault(value)) PrintField<Codec>(out, name, value);
}

template <class Codec>
void PrintRepeated(TextWriter& out, std::string_view name,
                   const std::vector<typename Codec::Type>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    PrintField<Codec>(out, name, values[i]);
  }
}

template <class Key, class Value>
void PrintMap(TextWriter& out, std::string_view name,
              const std::map<typename Key::Type, typename Value::Type>& map) {
  for (const auto& [key, value] : map) {
    out.Name(name);
    out.Open();
    PrintField<Key>(out, "key", key);
    PrintField<Value>(out, "value", value);
    out.Close();
  }
}

// The public face of every message. `Self` adds Merge, WriteTo and PrintTo.
template <class Self>
struct Message {
  // Replaces the contents by those of `bytes`, which may be anything.
  Status Parse(std::string_view bytes) {
    Self fresh;
    Reader in(bytes);
    if (!fresh.Merge(in)) {
      return InvalidArgument(
          "Could not parse {} bytes as a {} message: the data is truncated, "
          "malformed or nested deeper than {} levels",
          bytes.size(), Self::kName, kMaxDepth);
    }
    static_cast<Self&>(*this) = std::move(fresh);
    return OkStatus();
  }
  // Equal messages give equal bytes: fields by number, maps by key.
  std::string Serialize() const {
    Writer out;
    static_cast<const Self&>(*this).WriteTo(out);
    return out.str();
  }
  std::string ToText() const {
    TextWriter out;
    static_cast<const Self&>(*this).PrintTo(out);
    return out.Take();
  }
};

}  // namespace gk::proto

#endif  // GK_PROTO_MESSAGE_H_
