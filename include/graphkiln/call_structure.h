// How gk::function takes arguments apart and puts results together; and how
// branches and loops do.
//
// Arguments: tensors, variables, TensorArrays, specs of both (for tracing
// only), numbers, texts, enums; vectors, arrays, pairs, tuples, optionals, maps
// from texts and structs (trace_structure.h) of them. Results: nothing,
// tensors, variables (read), TensorArrays, numbers, texts; and the same
// containers.
#ifndef GRAPHKILN_CALL_STRUCTURE_H_
#define GRAPHKILN_CALL_STRUCTURE_H_

#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <graphkiln/structure.h>
#include <graphkiln/tensor_array.h>
#include <graphkiln/tensor_spec.h>
#include <graphkiln/trace_structure.h>

namespace gk {
GK_API_NAMESPACE {
namespace detail {

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsTuple = false;
template <class... T>
inline constexpr bool kIsTuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool kIsTuple<std::pair<A, B>> = true;
template <class T, size_t n>
inline constexpr bool kIsTuple<std::array<T, n>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsText = std::is_convertible_v<T, std::string_view>;
template <class T>
inline constexpr bool kNever = false;

// One address for each list of types that a lambda is called with: it may do
// other things for other types.
template <class... T>
inline constexpr char kSignature = 0;

// A call in words: what a trace is looked up by. Tensors count by type and
// shape, everything else by value.
class GK_EXPORT CallWords {
 public:
  explicit CallWords(const void* signature) : signature_(signature) {
    words_.reserve(16);
    words_.push_back(reinterpret_cast<uintptr_t>(signature));
    inputs_.reserve(4);
  }
  void Add(const Tensor& t);
  void Add(const Variable& v);
  void Add(const TensorSpec& spec);
  void Add(const TensorArray& array);
  void Add(const TensorArraySpec& spec);
  // `kind` tells literals of different types apart.
  void AddLiteral(char kind, const void* bytes, size_t size);
  void BeginTuple(size_t n);
  void BeginList(size_t n);
  // A text as a literal before each of the n values.
  void BeginMap(size_t n);
  // Followed by the fields.
  void BeginStructure(const StructureFacts& facts);

  const void* signature() const { return signature_; }
  const std::vector<uint64_t>& words() const { return words_; }
  // The tensors and, once each, the handles of variables.
  const std::vector<Tensor>& inputs() const { return inputs_; }
  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<std::string>& spec_names() const { return spec_names_; }
  bool has_specs() const { return !spec_names_.empty(); }

 private:
  // What comes before the handle of an array.
  void BeginArray(const TensorArraySpec& spec);

  const void* signature_;
  std::vector<uint64_t> words_;
  std::vector<Tensor> inputs_;
  std::vector<Variable> variables_;
  std::vector<std::string> spec_names_;
};

template <class T>
void AddTo(CallWords& words, const T& value) {
  if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, Variable> ||
                std::is_same_v<T, TensorSpec> ||
                std::is_same_v<T, TensorArray> ||
                std::is_same_v<T, TensorArraySpec>) {
    words.Add(value);
  } else if constexpr (kIsVector<T>) {
    words.BeginList(value.size());
    for (const auto& item : value) AddTo(words, item);
  } else if constexpr (kIsTuple<T>) {
    words.BeginTuple(std::tuple_size_v<T>);
    std::apply([&](const auto&... item) { (AddTo(words, item), ...); }, value);
  } else if constexpr (kIsMap<T>) {
    words.BeginMap(value.size());
    for (const auto& [key, item] : value) {
      words.AddLiteral('s', key.data(), key.size());
      AddTo(words, item);
    }
  } else if constexpr (kIsOptional<T>) {
    words.BeginTuple(value ? 1 : 0);
    if (value) AddTo(words, *value);
  } else if constexpr (std::is_same_v<T, bool>) {
    words.AddLiteral('b', &value, sizeof value);
  } else if constexpr (std::is_integral_v<T>) {
    const auto wide = static_cast<int64_t>(value);
    words.AddLiteral(std::is_signed_v<T> ? 'i' : 'u', &wide, sizeof wide);
  } else if constexpr (std::is_floating_point_v<T>) {
    const auto wide = static_cast<double>(value);
    words.AddLiteral(sizeof(T) == 4 ? 'f' : 'd', &wide, sizeof wide);
  } else if constexpr (std::is_enum_v<T>) {
    const auto wide = static_cast<int64_t>(value);
    words.AddLiteral('e', &wide, sizeof wide);
  } else if constexpr (kIsText<T>) {
    const std::string_view text = value;
    words.AddLiteral('s', text.data(), text.size());
  } else if constexpr (kIsStructure<T>) {
    words.BeginStructure(FactsOf<T>());
    std::apply([&](const auto&... field) { (AddTo(words, field), ...); },
               FieldsOf(value));
  } else {
    static_assert(kNever<T>,
                  "gk::function takes tensors, variables, numbers, enums, "
                  "texts and vectors, arrays, pairs, tuples, optionals, maps "
                  "from texts and structs of them; GK_TRACE_STRUCTURE lists "
                  "the fields of a class");
  }
}

// What stands for the tensors and variables while tracing, in order.
class Placeholders {
 public:
  std::vector<Tensor> tensors;
  std::vector<Variable> variables;
  const Tensor& NextTensor() { return tensors[next_tensor_++]; }
  const Variable& NextVariable() { return variables[next_variable_++]; }

 private:
  size_t next_tensor_ = 0, next_variable_ = 0;
};

// Calls `f` with the first, second, ... items of two tuples.
template <class F, class A, class B>
void ForEachPair(F&& f, A&& a, B&& b) {
  [&]<size_t... i>(std::index_sequence<i...>) {
    (f(std::get<i>(a), std::get<i>(b)), ...);
  }(std::make_index_sequence<std::tuple_size_v<std::decay_t<A>>>());
}

// The value that the traced function gets for `value`.
template <class T>
auto Stand(Placeholders& p, const T& value) {
  if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, TensorSpec>) {
    return p.NextTensor();
  } else if constexpr (std::is_same_v<T, Variable>) {
    return p.NextVariable();
  } else if constexpr (std::is_same_v<T, TensorArray>) {
    return value.with_flow(p.NextTensor(), /*alone=*/true);
  } else if constexpr (std::is_same_v<T, TensorArraySpec>) {
    return TensorArray(value, p.NextTensor());
  } else if constexpr (kIsVector<T>) {
    std::vector<decltype(Stand(p, value[0]))> items;
    items.reserve(value.size());
    for (const auto& item : value) items.push_back(Stand(p, item));
    return items;
  } else if constexpr (kIsTuple<T>) {
    // Braces: the items are made in order.
    return std::apply(
        [&](const auto&... item) {
          return std::tuple<decltype(Stand(p, item))...>{Stand(p, item)...};
        },
        value);
  } else if constexpr (kIsMap<T>) {
    std::map<std::string, decltype(Stand(p, value.begin()->second))> items;
    for (const auto& [key, item] : value) items.emplace(key, Stand(p, item));
    return items;
  } else if constexpr (kIsOptional<T>) {
    std::optional<decltype(Stand(p, *value))> item;
    if (value) item.emplace(Stand(p, *value));
    return item;
  } else if constexpr (kIsText<T>) {
    return std::string(value);
  } else if constexpr (kIsStructure<T>) {
    T stand(value);
    ForEachPair(
        [&](auto& field, const auto& from) {
          static_assert(
              std::is_assignable_v<decltype(field), decltype(Stand(p, from))>,
              "this field cannot hold what stands for it while tracing");
          field = Stand(p, from);
        },
        FieldsOf(stand), FieldsOf(value));
    return stand;
  } else {
    return value;
  }
}

template <class T, size_t n>
auto Stand(Placeholders& p, const std::array<T, n>& value) {
  using Item = decltype(Stand(p, value[0]));
  return std::apply(
      [&](const auto&... item) {
        return std::array<Item, n>{Stand(p, item)...};
      },
      value);
}
template <class A, class B>
auto Stand(Placeholders& p, const std::pair<A, B>& value) {
  auto first = Stand(p, value.first);
  auto second = Stand(p, value.second);
  return std::pair<decltype(first), decltype(second)>(std::move(first),
                                                      std::move(second));
}

// What flat results are to be put together to: the length of each vector and
// map, whether there is a value for each optional and tensor; keys of maps and
// plain values of extension types, in order;
// TensorArrays, of which the tensors hold the handles.
struct ResultShape {
  std::vector<int64_t> sizes;
  std::vector<std::string> keys;
  std::vector<TensorArray> arrays;
};
// What of a dataset's element are no tensors: where the components of each
// begin, and how many there are.
struct ElementLeaves {
  struct Entry {
    size_t first, count;
    std::shared_ptr<const TypeSpec> spec;
  };
  std::vector<Entry> entries;
  // Are the components rows of those of its rows?
  bool rows = false;
  // Is it taken apart into tensors, and not into components?
  bool parts = false;
  // Do ragged tensors without a ragged dimension count as such?
  bool uniform = false;
};
struct Results {
  std::vector<Tensor> tensors;
  ResultShape shape;
  ElementLeaves* leaves = nullptr;  // of an element
  // Of a value in a branch or a loop: how it nests, found when it is asked.
  Structure (*structure)(const Results&) = nullptr;
};

// Throws Error (TypeError): it is a value of elements alone.
[[noreturn]] GK_EXPORT void ThrowOutsideElements();

// Fields of an extension type that are part of the type.
template <class T>
inline constexpr bool kIsPlain = std::is_arithmetic_v<T> ||
                                 std::is_enum_v<T> ||
                                 std::is_same_v<T, std::string>;
// "true", "3", "1.5", or a text as it is; and the value again.
template <class T>
std::string PlainText(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<int64_t>(value));
  } else {
    char text[64];
    return std::string(text, std::to_chars(text, text + 64, value).ptr);
  }
}
template <class T>
T PlainOf(const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>) {
    return text;
  } else if constexpr (std::is_same_v<T, bool>) {
    return text == "true";
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(std::stoll(text));
  } else {
    T value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
}
// Is a field of the struct plain?
template <class Struct, class Field>
inline constexpr bool kIsPlainField =
    kIsExtensionType<Struct>&& kIsPlain<Field>;

// How a value nests, with the leaves that Flatten gives.
template <class T>
void Describe(StructureMaker& out, const T& value) {
  if constexpr (IsElementLeaf<T>) {
    if (out.of_element) return out.Leaf();
  }
  if constexpr (std::is_same_v<T, Tensor>) {
    value.defined() ? out.Leaf() : out.None();
  } else if constexpr (std::is_same_v<T, TensorArray>) {
    value.flow_or_none().defined() ? out.Leaf() : out.None();
  } else if constexpr (kIsOptional<T>) {
    value ? Describe(out, *value) : out.None();
  } else if constexpr (std::is_same_v<T, Variable> || Element<T> ||
                       kIsText<T>) {
    out.Leaf();
  } else if constexpr (kIsVector<T>) {
    out.Begin();
    for (const auto& item : value) Describe(out, item);
    out.EndList();
  } else if constexpr (kIsTuple<T>) {
    out.Begin();
    std::apply([&](const auto&... item) { (Describe(out, item), ...); }, value);
    out.EndTuple();
  } else if constexpr (kIsMap<T>) {
    std::vector<std::string> keys;
    out.Begin();
    for (const auto& [key, item] : value) {
      keys.push_back(key);
      Describe(out, item);
    }
    out.EndMap(keys);
  } else if constexpr (kIsStructure<T>) {
    out.Begin();
    const auto describe = [&]<class Field>(const Field& field) {
      if constexpr (kIsPlainField<T, Field>) {
        out.None();
      } else {
        Describe(out, field);
      }
    };
    std::apply([&](const auto&... field) { (describe(field), ...); },
               FieldsOf(value));
    out.EndStruct(FactsOf<T>());
  } else {
    static_assert(IsElementLeaf<T>,
                  "only tensors, TensorArrays, variables, numbers, texts and "
                  "vectors, arrays, pairs, tuples, optionals, maps from texts "
                  "and structs of them nest");
    ThrowOutsideElements();
  }
}

template <class T>
Structure StructureOf(const T& value) {
  StructureMaker maker;
  Describe(maker, value);
  return maker.Take();
}

template <class T>
void Flatten(Results* out, const T& value);

// The fields of a struct. Plain ones of an extension type are among what the
// tensors are put together with.
template <class T>
void FlattenFields(Results* out, const T& value) {
  const auto flatten = [&]<class Field>(const Field& field) {
    if constexpr (kIsPlainField<T, Field>) {
      out->shape.keys.push_back(PlainText(field));
    } else {
      Flatten(out, field);
    }
  };
  std::apply([&](const auto&... field) { (flatten(field), ...); },
             FieldsOf(value));
}

template <class T>
void Flatten(Results* out, const T& value) {
  std::vector<int64_t>& sizes = out->shape.sizes;
  if constexpr (IsElementLeaf<T>) {
    if (out->leaves != nullptr) return ElementLeaf<T>::Add(*out, value);
  }
  if constexpr (std::is_same_v<T, Tensor>) {
    sizes.push_back(value.defined());
    if (value.defined()) out->tensors.push_back(value);
  } else if constexpr (std::is_same_v<T, Variable>) {
    Flatten(out, value.value());
  } else if constexpr (std::is_same_v<T, TensorArray>) {
    // Eager arrays have no handle where nothing is traced.
    const Tensor flow = value.flow_or_none();
    sizes.push_back(flow.defined());
    if (flow.defined()) out->tensors.push_back(flow);
    out->shape.arrays.push_back(value);
  } else if constexpr (kIsVector<T>) {
    sizes.push_back(static_cast<int64_t>(value.size()));
    for (const auto& item : value) Flatten(out, item);
  } else if constexpr (kIsTuple<T>) {
    std::apply([&](const auto&... item) { (Flatten(out, item), ...); }, value);
  } else if constexpr (kIsMap<T>) {
    sizes.push_back(static_cast<int64_t>(value.size()));
    for (const auto& [key, item] : value) {
      out->shape.keys.push_back(key);
      Flatten(out, item);
    }
  } else if constexpr (kIsOptional<T>) {
    sizes.push_back(value.has_value());
    if (value) Flatten(out, *value);
  } else if constexpr (Element<T>) {
    Flatten(out, Tensor(value));
  } else if constexpr (kIsText<T>) {
    Flatten(out, Tensor(std::string(std::string_view(value))));
  } else if constexpr (kIsStructure<T>) {
    FlattenFields(out, value);
  } else {
    static_assert(IsElementLeaf<T>,
                  "traced functions, branches and loops return nothing, "
                  "tensors, TensorArrays, variables, numbers, texts or "
                  "vectors, arrays, pairs, tuples, optionals, maps from texts "
                  "and structs of them");
    ThrowOutsideElements();
  }
}

struct ResultReader {
  const std::vector<Tensor>& tensors;
  const ResultShape& shape;
  // Of branches and loops: what is learnt inside about the elements of a
  // TensorArray is known outside.
  bool arrays_stay = false;
  // Of an element; in tensors, and not in components?
  const ElementSpec* element = nullptr;
  bool parts = false;
  size_t next_tensor = 0, next_size = 0, next_key = 0, next_array = 0;
  int64_t Size() { return shape.sizes[next_size++]; }
  const std::string& Key() { return shape.keys[next_key++]; }
  Tensor Next() { return Size() ? tensors[next_tensor++] : Tensor(); }
  TensorArray NextArray() {
    const TensorArray& like = shape.arrays[next_array++];
    return like.with_flow(Next(), !arrays_stay);
  }
};

// What a call gives back for a result of type T: tensors for numbers and
// variables.
template <class T>
struct Read {
  static auto From(ResultReader& r) {
    if constexpr (IsElementLeaf<T>) {
      if constexpr (kIsStructure<T>) {
        return r.element ? ElementLeaf<T>::Next(r) : Fields(r);
      } else {
        return ElementLeaf<T>::Next(r);
      }
    } else if constexpr (std::is_same_v<T, TensorArray>) {
      return r.NextArray();
    } else if constexpr (kIsStructure<T> && !std::is_same_v<T, Tensor> &&
                  !std::is_same_v<T, Variable> && !Element<T>) {
      return Fields(r);
    } else {
      return r.Next();
    }
  }
  // Of a struct.
  static T Fields(ResultReader& r) {
    T result{};
    std::apply([&](auto&... field) { (Field(r, field), ...); },
               FieldsOf(result));
    return result;
  }

 private:
  template <class Plain>
    requires kIsPlainField<T, Plain>
  static void Field(ResultReader& r, Plain& field) {
    field = PlainOf<Plain>(r.Key());
  }
  template <class Field_>
  static void Field(ResultReader& r, Field_& field) {
    using Given = decltype(Read<Field_>::From(r));
    static_assert(std::is_same_v<Given, Field_>,
                  "the fields of a struct that a traced function returns are "
                  "tensors, and containers and structs of tensors");
    field = Read<Field_>::From(r);
  }
};
template <class T>
struct Read<std::map<std::string, T>> {
  static auto From(ResultReader& r) {
    std::map<std::string, decltype(Read<T>::From(r))> items;
    const int64_t n = r.Size();
    for (int64_t i = 0; i < n; ++i) {
      const std::string& key = r.Key();
      items.emplace(key, Read<T>::From(r));
    }
    return items;
  }
};
template <class T>
struct Read<std::optional<T>> {
  static auto From(ResultReader& r) {
    std::optional<decltype(Read<T>::From(r))> item;
    if (r.Size()) item.emplace(Read<T>::From(r));
    return item;
  }
};
template <class T>
struct Read<std::vector<T>> {
  static auto From(ResultReader& r) {
    std::vector<decltype(Read<T>::From(r))> items;
    const int64_t n = r.Size();
    items.reserve(n);
    for (int64_t i = 0; i < n; ++i) items.push_back(Read<T>::From(r));
    return items;
  }
};
template <class T, size_t n>
struct Read<std::array<T, n>> {
  static auto From(ResultReader& r) {
    std::array<decltype(Read<T>::From(r)), n> items;
    for (auto& item : items) item = Read<T>::From(r);
    return items;
  }
};
template <class... T>
struct Read<std::tuple<T...>> {
  static auto From(ResultReader& r) {
    return std::tuple<decltype(Read<std::remove_cvref_t<T>>::From(r))...>{
        Read<std::remove_cvref_t<T>>::From(r)...};
  }
};
template <class A, class B>
struct Read<std::pair<A, B>> {
  static auto From(ResultReader& r) {
    auto first = Read<A>::From(r);
    auto second = Read<B>::From(r);
    return std::pair<decltype(first), decltype(second)>(std::move(first),
                                                        std::move(second));
  }
};

}  // namespace detail
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CALL_STRUCTURE_H_
