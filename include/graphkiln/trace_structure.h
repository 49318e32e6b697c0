// TraceStructure: how gk::function sees the fields of a struct.
//
// Aggregates of up to 16 fields without base classes or plain arrays need
// nothing:
//
//   struct Batch { gk::Tensor images, labels; };
//   auto step = gk::function([](const Batch& b) { return b.images * 2; });
//
// GK_TRACE_STRUCTURE, at global scope, lists the fields of any copyable class
// (a friend, if they are private), and gives them names in what is printed:
//
//   GK_TRACE_STRUCTURE(Batch, images, labels)
//
// Fields that are not listed keep the value they had at the traced call.
#ifndef GRAPHKILN_TRACE_STRUCTURE_H_
#define GRAPHKILN_TRACE_STRUCTURE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <graphkiln/export.h>

namespace gk {
GK_API_NAMESPACE {

// Specialised by GK_TRACE_STRUCTURE, or by hand: `kName`, `kFields` ("a, b")
// and `Tie(value)`, a std::tie of the fields.
template <class T>
struct TraceStructure;

struct ElementSpec;
struct TypeSpec;

// Specialised by GK_EXTENSION_TYPE (extension_type.h).
template <class T>
inline constexpr bool kIsExtensionType = false;
// Specialised by hand (extension_type.h).
template <class T>
struct BatchEncoder;

namespace detail {

template <class T>
concept HasEncoder = requires(const T& value) {
  BatchEncoder<T>::decode(BatchEncoder<T>::encode(value));
};

// Specialised for what is one leaf of an element of a dataset, though it is
// made of several tensors or of another kind: `Add(Results&, value)` adds its
// components, `Next(ResultReader&)` makes it of the next ones, and
// `Fits(const TypeSpec&)` says whether they are such a value's, `kName` what
// that is called.
template <class T>
struct ElementLeaf;
template <class T>
concept IsElementLeaf = requires { &ElementLeaf<T>::Add; };

struct ResultReader;
struct Results;

template <class T>
concept NamedStructure = requires(T& value) {
  TraceStructure<T>::Tie(value);
  std::string_view(TraceStructure<T>::kName);
  std::string_view(TraceStructure<T>::kFields);
};

inline constexpr size_t kMaxFields = 16;

// Stands for any field of an aggregate Whole when its fields are counted.
template <class Whole>
struct AnyField {
  template <class T>
    requires(!std::is_same_v<T, Whole>)
  operator T() const;
};
template <class Whole, size_t... i>
constexpr bool MadeOf(std::index_sequence<i...>) {
  return requires { Whole{(static_cast<void>(i), AnyField<Whole>())...}; };
}
template <class T, size_t n = kMaxFields + 1>
constexpr size_t CountFields() {
  if constexpr (n == 0) {
    return 0;
  } else if constexpr (MadeOf<T>(std::make_index_sequence<n>())) {
    return n;
  } else {
    return CountFields<T, n - 1>();
  }
}

template <class T>
auto TieAggregate(T& v) {
  constexpr size_t n = CountFields<std::remove_const_t<T>>();
  static_assert(n <= kMaxFields,
                "list the fields of this struct with GK_TRACE_STRUCTURE");
  if constexpr (n == 0) {
    return std::tie();
  } else if constexpr (n == 1) {
    auto& [a] = v;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = v;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = v;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = v;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = v;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = v;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = v;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, f, g, h] = v;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = v;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (n == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (n == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o);
  } else if constexpr (n == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p);
  } else {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q);
  }
}

// Structs that are taken apart by their fields.
template <class T>
inline constexpr bool kIsStructure =
    NamedStructure<T> || (std::is_class_v<T> && std::is_aggregate_v<T>);

// The fields of a struct as a tuple of references.
template <class T>
auto FieldsOf(T& value) {
  if constexpr (NamedStructure<std::remove_const_t<T>>) {
    return TraceStructure<std::remove_const_t<T>>::Tie(value);
  } else {
    return TieAggregate(value);
  }
}
template <class T>
inline constexpr size_t kNumFields =
    std::tuple_size_v<decltype(FieldsOf(std::declval<T&>()))>;

// What the words of a call say of a struct: its address tells the type.
struct StructureFacts {
  std::string name;                 // empty if it was not listed
  std::vector<std::string> fields;  // "0", "1", ... if they were not
};
// `fields`: "a, b"; or nothing, for `n` numbers.
GK_EXPORT StructureFacts MakeStructureFacts(std::string_view name,
                                            std::string_view fields, size_t n);

template <class T>
const StructureFacts& FactsOf() {
  static const StructureFacts facts = [] {
    if constexpr (NamedStructure<T>) {
      return MakeStructureFacts(TraceStructure<T>::kName,
                                TraceStructure<T>::kFields, kNumFields<T>);
    } else {
      return MakeStructureFacts({}, {}, kNumFields<T>);
    }
  }();
  return facts;
}

}  // namespace detail
}  // GK_API_NAMESPACE
}  // namespace gk

#define GK_TRACE_STRUCTURE(Type, ...)                          \
  template <>                                                  \
  struct gk::TraceStructure<Type> {                            \
    static constexpr const char* kName = #Type;                \
    static constexpr const char* kFields = #__VA_ARGS__;       \
    static auto Tie(auto& value) {                             \
      return std::tie(GK_DETAIL_FIELDS(value, __VA_ARGS__));   \
    }                                                          \
  };

// value.a, value.b, ...
#define GK_DETAIL_FIELDS(value, ...) \
  __VA_OPT__(GK_DETAIL_SCAN(GK_DETAIL_FIELD(value, __VA_ARGS__)))
#define GK_DETAIL_FIELD(value, field, ...) \
  value.field __VA_OPT__(, GK_DETAIL_AGAIN GK_DETAIL_PARENS(value, __VA_ARGS__))
#define GK_DETAIL_AGAIN() GK_DETAIL_FIELD
#define GK_DETAIL_PARENS ()
#define GK_DETAIL_SCAN(...) \
  GK_DETAIL_SCAN3(GK_DETAIL_SCAN3(GK_DETAIL_SCAN3(__VA_ARGS__)))
#define GK_DETAIL_SCAN3(...) \
  GK_DETAIL_SCAN2(GK_DETAIL_SCAN2(GK_DETAIL_SCAN2(__VA_ARGS__)))
#define GK_DETAIL_SCAN2(...) \
  GK_DETAIL_SCAN1(GK_DETAIL_SCAN1(GK_DETAIL_SCAN1(__VA_ARGS__)))
#define GK_DETAIL_SCAN1(...) __VA_ARGS__

#endif  // GRAPHKILN_TRACE_STRUCTURE_H_
