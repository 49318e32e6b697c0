// The protobuf wire format: a bounded reader and a writer, usable by hand.
//
// A Reader walks memory that the caller keeps alive; byte fields come back as
// views into it. Every method that can meet bad input returns false and never
// reads past the end. The Writer fills its buffer from the back to the front:
// a message's length is known once its fields are written, so one pass is
// enough and nothing is measured beforehand. Write fields in reverse order.
// Neither is thread-safe.
#ifndef GK_PROTO_WIRE_H_
#define GK_PROTO_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace gk::proto {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "fixed-width fields are copied as they lie in memory");

// Messages nested deeper than this are refused: recursion is bounded.
inline constexpr int kMaxDepth = 100;

enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

inline uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^
         static_cast<uint64_t>(value >> 63);
}
inline int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes, int depth = kMaxDepth)
      : p_(bytes.data()), end_(p_ + bytes.size()), depth_(depth) {}
  Reader() : Reader(std::string_view()) {}

  bool done() const { return p_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - p_); }
  const char* position() const { return p_; }

  bool Varint(uint64_t* value) {
    if (p_ != end_ && static_cast<signed char>(*p_) >= 0) {
      *value = static_cast<uint8_t>(*p_++);
      return true;
    }
    return LongVarint(value);
  }
  // Field number and wire type together; a field number of zero is refused.
  bool Tag(uint32_t* tag) {
    uint64_t value;
    if (!Varint(&value) || value > UINT32_MAX || value < 8) return false;
    *tag = static_cast<uint32_t>(value);
    return true;
  }
  template <class T>
  bool Fixed(T* value) {
    if (left() < sizeof(T)) return false;
    std::memcpy(value, p_, sizeof(T));
    p_ += sizeof(T);
    return true;
  }
  bool Bytes(std::string_view* value) {
    uint64_t size;
    if (!Varint(&size) || size > left()) return false;
    *value = std::string_view(p_, static_cast<size_t>(size));
    p_ += size;
    return true;
  }
  // The same bytes as Bytes(), to be read as a message one level deeper.
  bool Message(Reader* inner) {
    std::string_view bytes;
    if (depth_ <= 0 || !Bytes(&bytes)) return false;
    *inner = Reader(bytes, depth_ - 1);
    return true;
  }
  // Passes over the field whose tag was just read.
  bool Skip(uint32_t tag);
  // Skips it and appends the bytes from `start`, where its tag began.
  bool Keep(uint32_t tag, const char* start, std::string* unknown);

 private:
  bool LongVarint(uint64_t* value);
  bool SkipField(uint32_t tag, int depth);

  const char* p_;
  const char* end_;
  int depth_;
};

class Writer {
 public:
  size_t size() const { return static_cast<size_t>(end() - p_); }

  void Varint(uint64_t value) {
    size_t n = 1;
    for (uint64_t rest = value; rest >= 0x80; rest >>= 7) ++n;
    char* p = Grow(n);
    for (; value >= 0x80; value >>= 7) *p++ = static_cast<char>(value | 0x80);
    *p = static_cast<char>(value);
  }
  void Tag(uint32_t number, WireType type) { Varint(number << 3 | type); }
  template <class T>
  void Fixed(T value) {
    std::memcpy(Grow(sizeof(T)), &value, sizeof(T));
  }
  // Bytes without a length.
  void Raw(std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(Grow(bytes.size()), bytes.data(),
                                    bytes.size());
  }
  void Bytes(std::string_view bytes) {
    Raw(bytes);
    Varint(bytes.size());
  }
  std::string_view view() const { return {p_, size()}; }
  std::string str() const { return std::string(view()); }

 private:
  const char* end() const { return buffer_.get() + capacity_; }
  char* Grow(size_t n) {
    if (static_cast<size_t>(p_ - buffer_.get()) < n) Enlarge(n);
    return p_ -= n;
  }
  void Enlarge(size_t n);

  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  char* p_ = nullptr;
};

}  // namespace gk::proto

#endif  // GK_PROTO_WIRE_H_
