// How gk::function takes arguments apart and puts results together; and how
// branches and loops do.
//
// Arguments: tensors, variables, TensorArrays, specs of both (for tracing
// only), numbers, texts, enums, shapes; vectors, arrays, pairs, tuples,
// optionals, maps from texts and structs (trace_structure.h) of them. Results:
// nothing, tensors, variables (read), TensorArrays, numbers, texts; and the
// same containers.
#ifndef GRAPHKILN_CALL_STRUCTURE_H_
#define GRAPHKILN_CALL_STRUCTURE_H_

#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <graphkiln/containers.h>
#include <graphkiln/shape.h>
#include <graphkiln/structure.h>

namespace gk {
GK_API_NAMESPACE {
namespace detail {

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
  constexpr Container kind = kContainer<T>;
  if constexpr (kind != Container::kNone) {
    if constexpr (kind == Container::kList) {
      words.BeginList(value.size());
    } else if constexpr (kind == Container::kMap) {
      words.BeginMap(value.size());
    } else if constexpr (kind == Container::kStruct) {
      words.BeginStructure(FactsOf<T>());
    } else {
      words.BeginTuple(NumParts(value));
    }
    ForEachPart(
        value, [&](const auto& part) { AddTo(words, part); },
        [&](const std::string& key) {
          words.AddLiteral('s', key.data(), key.size());
        });
  } else if constexpr (kIsHandle<T>) {
    words.Add(value);
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
  } else if constexpr (std::is_same_v<T, Shape>) {
    const std::string text = value.to_string();
    words.AddLiteral('S', text.data(), text.size());
  } else if constexpr (kIsText<T>) {
    const std::string_view text = value;
    words.AddLiteral('s', text.data(), text.size());
  } else {
    static_assert(kNever<T>,
                  "gk::function takes tensors, variables, numbers, enums, "
                  "texts, shapes and vectors, arrays, pairs, tuples, "
                  "optionals, maps from texts and structs of them; "
                  "GK_TRACE_STRUCTURE lists the fields of a class");
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
auto Stand(Placeholders& p, const T& value);
template <class T>
using Stood =
    decltype(Stand(std::declval<Placeholders&>(), std::declval<const T&>()));

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
  } else if constexpr (kContainer<T> == Container::kStruct) {
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
  } else if constexpr (kContainer<T> != Container::kNone) {
    return Rebuilt<Stood>(value,
                          [&](const auto& part) { return Stand(p, part); });
  } else if constexpr (kIsText<T>) {
    return std::string(value);
  } else {
    return value;
  }
}

// How a value nests, and what of it is in no tensor.
struct Form {
  Structure structure;
  // Plain values of extension types, in order.
  std::vector<std::string> plain;
  // Of which the tensors hold the handles.
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
  Form form;
  ElementLeaves* leaves = nullptr;  // of an element
};

// Throws Error (TypeError): it is a value of elements alone.
[[noreturn]] GK_EXPORT void ThrowOutsideElements();

// Fields of an extension type that are part of the type.
template <class T>
inline constexpr bool kIsPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> ||
    std::is_same_v<T, std::string> || std::is_same_v<T, Shape>;
// "true", "3", "1.5", "(2, None)", or a text as it is; and the value again.
template <class T>
std::string PlainText(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, Shape>) {
    return value.to_string();
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<int64_t>(value));
  } else {
    char text[64];
    return std::string(text, std::to_chars(text, text + 64, value).ptr);
  }
}
GK_EXPORT Shape ShapeOfText(const std::string& text);
template <class T>
T PlainOf(const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>) {
    return text;
  } else if constexpr (std::is_same_v<T, Shape>) {
    return ShapeOfText(text);
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

// Can there be nothing in the place of such a value?
template <class T>
inline constexpr bool kMayBeNothing =
    std::is_same_v<T, Tensor> || std::is_same_v<T, TensorArray> ||
    kContainer<T> == Container::kOptional;
template <class T>
bool IsNothing(const T& value) {
  if constexpr (std::is_same_v<T, Tensor>) {
    return !value.defined();
  } else if constexpr (std::is_same_v<T, TensorArray>) {
    // Eager arrays have no handle where nothing is traced.
    return !value.flow_or_none().defined();
  } else {
    return !value.has_value();
  }
}

// Takes a value apart: how it nests and, unless `out` is null, its leaves.
template <class T>
void TakeApart(StructureMaker& nest, Results* out, const T& value);

// The parts of a list, tuple or struct.
template <class T>
void TakePartsApart(StructureMaker& nest, Results* out, const T& value) {
  ForEachPart(value, [&]<class Part>(const Part& part) {
    if constexpr (kIsPlainField<T, Part>) {
      if (out != nullptr) out->form.plain.push_back(PlainText(part));
      nest.None();
    } else {
      TakeApart(nest, out, part);
    }
  });
}

template <class T>
void TakeApart(StructureMaker& nest, Results* out, const T& value) {
  constexpr Container kind = kContainer<T>;
  if constexpr (IsElementLeaf<T>) {
    if (nest.of_element()) {
      if (out != nullptr) ElementLeaf<T>::Add(*out, value);
      return nest.Leaf();
    }
  }
  if constexpr (kind == Container::kOptional) {
    if (!value) return nest.None();
    if constexpr (kMayBeNothing<typename ContainerOf<T>::Item>) {
      if (IsNothing(*value)) {
        const size_t begin = nest.Begin();
        TakeApart(nest, out, *value);
        return nest.EndTuple(begin);
      }
    }
    TakeApart(nest, out, *value);
  } else if constexpr (kind == Container::kMap) {
    std::vector<std::string> keys;
    const size_t begin = nest.Begin();
    ForEachPart(
        value, [&](const auto& part) { TakeApart(nest, out, part); },
        [&](const std::string& key) { keys.push_back(key); });
    nest.EndMap(begin, keys);
  } else if constexpr (kind != Container::kNone) {
    const size_t begin = nest.Begin();
    TakePartsApart(nest, out, value);
    if constexpr (kind == Container::kList) {
      nest.EndList(begin);
    } else if constexpr (kind == Container::kTuple) {
      nest.EndTuple(begin);
    } else {
      nest.EndStruct(begin, FactsOf<T>());
    }
  } else {
    // A leaf. Those that are known to be there are read where asked for only.
    const auto add = [&](const auto& tensor) {
      nest.Leaf();
      if (out != nullptr) out->tensors.push_back(tensor());
    };
    if constexpr (std::is_same_v<T, Tensor>) {
      if (!value.defined()) return nest.None();
      add([&]() -> const Tensor& { return value; });
    } else if constexpr (std::is_same_v<T, TensorArray>) {
      if (out != nullptr) out->form.arrays.push_back(value);
      const Tensor flow = value.flow_or_none();
      if (!flow.defined()) return nest.None();
      add([&] { return flow; });
    } else if constexpr (std::is_same_v<T, Variable>) {
      add([&] { return value.value(); });
    } else if constexpr (Element<T>) {
      add([&] { return Tensor(value); });
    } else if constexpr (kIsText<T>) {
      add([&] { return Tensor(std::string(std::string_view(value))); });
    } else {
      static_assert(IsElementLeaf<T>,
                    "traced functions, branches and loops return nothing, "
                    "tensors, TensorArrays, variables, numbers, texts or "
                    "vectors, arrays, pairs, tuples, optionals, maps from "
                    "texts and structs of them");
      ThrowOutsideElements();
    }
  }
}

template <class T>
void Flatten(Results* out, const T& value) {
  StructureMaker nest(/*of_element=*/out->leaves != nullptr);
  TakeApart(nest, out, value);
  out->form.structure = nest.Take();
}
template <class T>
Structure StructureOf(const T& value) {
  StructureMaker nest;
  TakeApart(nest, nullptr, value);
  return nest.Take();
}

template <class T>
struct StagedType {
  static constexpr bool kStays = IsElementLeaf<T> ||
                                 std::is_same_v<T, TensorArray> ||
                                 kContainer<T> == Container::kStruct;
  using type = std::conditional_t<kStays, T, Tensor>;
};
// What stays of a value of type T that is taken apart and put together again:
// tensors for numbers, texts and variables, and the same containers and
// structs of them.
template <class T>
using Staged = typename StagedType<std::decay_t<T>>::type;
template <class T>
  requires(ContainerOf<T>::kKind != Container::kNone)
struct StagedType<T> {
  using type = typename ContainerOf<T>::template With<Staged>;
};

// Puts values together from left to right.
struct ResultReader {
  ResultReader(const std::vector<Tensor>& tensors,
               const std::vector<std::string>& plain)
      : tensors(tensors), plain(plain) {}
  // `arrays_stay`: as in branches and loops, what is learnt inside about the
  // elements of a TensorArray is known outside.
  ResultReader(const std::vector<Tensor>& tensors, const Form& form,
               bool arrays_stay)
      : tensors(tensors),
        plain(form.plain),
        arrays(&form.arrays),
        arrays_stay(arrays_stay) {}
  // Moves the tensors out of `taken`.
  ResultReader(std::vector<Tensor>* taken, const Form& form)
      : ResultReader(*taken, form, /*arrays_stay=*/false) {
    this->taken = taken;
  }

  Tensor Next(StructureView at) {
    if (at.is_nothing()) return Tensor();
    ++next_leaf;
    if (taken != nullptr) return std::move((*taken)[next_tensor++]);
    return tensors[next_tensor++];
  }
  TensorArray NextArray(StructureView at) {
    const TensorArray& like = (*arrays)[next_array++];
    return like.with_flow(Next(at), !arrays_stay);
  }
  const std::string& NextPlain() { return plain[next_plain++]; }

  const std::vector<Tensor>& tensors;
  const std::vector<std::string>& plain;
  const std::vector<TensorArray>* arrays = nullptr;
  bool arrays_stay = false;
  std::vector<Tensor>* taken = nullptr;
  // Of an element: what is known of its leaves; are they in tensors, and not
  // in components?
  const std::vector<TypeSpec>* leaves = nullptr;
  bool parts = false;
  size_t next_tensor = 0, next_leaf = 0, next_plain = 0, next_array = 0;
};

// How many tensors there are in a value with nothing missing; less than 0 if
// that depends on more than the type.
template <class T>
constexpr int NumTensors() {
  constexpr Container kind = kContainer<T>;
  if constexpr (kind == Container::kNone) {
    return 1;
  } else if constexpr (kind == Container::kTuple ||
                       kind == Container::kStruct) {
    return SumOverParts<T>([]<class Part>(std::type_identity<Part>) {
      return kIsPlainField<T, Part> ? 0 : NumTensors<Part>();
    });
  } else {
    return -1000000;
  }
}
// Is nothing missing in `n` values with so many leaves? Then nobody needs to
// look at how they nest.
template <class T>
bool AllThere(size_t n, size_t leaves) {
  constexpr int own = NumTensors<T>();
  return own >= 0 && leaves == n * static_cast<size_t>(own);
}

template <class T>
void ReadInto(ResultReader& r, StructureView at, T& value);

// What was taken apart at this part of a structure: a Staged value.
template <class T>
T Read(ResultReader& r, StructureView at) {
  static_assert(std::is_same_v<T, Staged<T>>);
  constexpr Container kind = kContainer<T>;
  if constexpr (IsElementLeaf<T> && kind == Container::kNone) {
    return ElementLeaf<T>::Next(r);
  } else if constexpr (std::is_same_v<T, Tensor>) {
    return r.Next(at);
  } else if constexpr (std::is_same_v<T, TensorArray>) {
    return r.NextArray(at);
  } else if constexpr (kind == Container::kStruct) {
    if constexpr (IsElementLeaf<T>) {
      if (r.leaves != nullptr) return ElementLeaf<T>::Next(r);
    }
    T made{};
    ReadInto(r, at, made);
    return made;
  } else if constexpr (kind == Container::kOptional) {
    if (at.is_nothing()) return T();
    using Item = typename ContainerOf<T>::Item;
    if constexpr (kMayBeNothing<Item>) {
      if (at.is_tuple()) at = at.part(0);
    }
    return T(std::in_place, Read<Item>(r, at));
  } else {
    size_t n = 0;
    StructureView parts = at;
    if constexpr (kind != Container::kTuple) {
      const StructureView::Numbers numbers = at.numbers();
      n = numbers.parts;
      using Item = typename ContainerOf<T>::Item;
      if (r.leaves == nullptr && AllThere<Item>(n, numbers.leaves)) {
        parts = StructureView();
      }
    }
    return Assembled<T>(
        n,
        [&]<class Part>(std::type_identity<Part>, size_t i) {
          return Read<Part>(r, parts.part(i));
        },
        [&](size_t i) { return at.key(i); });
  }
}

// The fields of a struct, also where it is one leaf of an element.
template <class T>
void ReadFields(ResultReader& r, StructureView at, T& value) {
  size_t i = 0;
  ForEachPart(value, [&]<class Field>(Field& field) {
    const StructureView part = at.part(i++);
    if constexpr (kIsPlainField<T, Field>) {
      field = PlainOf<Field>(r.NextPlain());
    } else {
      static_assert(std::is_same_v<Staged<Field>, Field>,
                    "the fields of a struct that a traced function returns are "
                    "tensors, and containers and structs of tensors");
      ReadInto(r, part, field);
    }
  });
}

// The same into a value: fields that are not listed keep theirs.
template <class T>
void ReadInto(ResultReader& r, StructureView at, T& value) {
  if constexpr (kContainer<T> == Container::kStruct) {
    if constexpr (IsElementLeaf<T>) {
      if (r.leaves != nullptr) {
        value = ElementLeaf<T>::Next(r);
        return;
      }
    }
    ReadFields(r, at, value);
  } else if constexpr (kIsTuple<T>) {
    size_t i = 0;
    ForEachPart(value, [&](auto& part) { ReadInto(r, at.part(i++), part); });
  } else {
    value = Read<T>(r, at);
  }
}

// Where to read a T that was taken apart.
template <class T>
StructureView ViewOf(const std::vector<Tensor>& tensors, const Form& form) {
  return AllThere<T>(1, tensors.size()) ? StructureView()
                                        : StructureView(form.structure);
}
template <class T>
T Read(const std::vector<Tensor>& tensors, const Form& form) {
  ResultReader reader(tensors, form, /*arrays_stay=*/true);
  return Read<T>(reader, ViewOf<T>(tensors, form));
}
template <class T>
T Taken(std::vector<Tensor> tensors, const Form& form) {
  ResultReader reader(&tensors, form);
  return Read<T>(reader, ViewOf<T>(tensors, form));
}

}  // namespace detail
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CALL_STRUCTURE_H_
