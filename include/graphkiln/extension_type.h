// Extension types: structs of tensors and plain values that have a spec of
// their own. The plain fields, texts, numbers, enums and shapes, are part of
// the type; the others are tensors, ragged and sparse ones, other extension
// types, and containers of those.
//
//   struct Money {
//     gk::Tensor amount;
//     std::string currency;
//   };
//   GK_EXTENSION_TYPE(Money, amount, currency)  // at global scope
//
//   gk::type_spec_from_value(Money{1.5f, "EUR"}).to_string()
//   // Money.Spec(amount=TensorSpec(shape=(), dtype=float32), currency='EUR')
//
// Traced functions take and return them, branches and loops carry them,
// gk::py_function gives them, and they are elements of datasets, which stack
// their fields; a shape among these gets the dimension of the stack. A
// specialisation of gk::BatchEncoder stacks something else.
#ifndef GRAPHKILN_EXTENSION_TYPE_H_
#define GRAPHKILN_EXTENSION_TYPE_H_

#include <graphkiln/dataset.h>
#include <graphkiln/indexed_slices.h>
#include <graphkiln/ragged_tensor.h>
#include <graphkiln/sparse_tensor.h>
#include <graphkiln/staging.h>
#include <graphkiln/type_spec.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

// A class that can be copied and made without arguments, and its fields.
#define GK_EXTENSION_TYPE(Type, ...)    \
  GK_TRACE_STRUCTURE(Type, __VA_ARGS__) \
  template <>                           \
  inline constexpr bool gk::kIsExtensionType<Type> = true;

namespace gk {
GK_API_NAMESPACE {

// What is known of a value: of a tensor, a ragged or sparse one, slices, a
// dataset, an optional, an iterator, or an extension type.
template <class T>
TypeSpec type_spec_from_value(const T& value);

// Of values of an extension type, from what is known of its fields: a spec
// for each that is made of tensors, the value of each plain one, and tuples,
// vectors and maps of those.
//
//   gk::type_spec<Money>(gk::TensorSpec{{gk::kUnknown}, gk::kFloat}, "EUR")
template <class T, class... Fields>
  requires kIsExtensionType<T>
TypeSpec type_spec(const Fields&... fields);

// How values of an extension type are stacked for datasets, if it is not
// field by field. Specialise it:
//
//   template <>
//   struct gk::BatchEncoder<Graph> {
//     static std::tuple<gk::Tensor, gk::Tensor> encode(const Graph& g);
//     static Graph decode(const std::tuple<gk::Tensor, gk::Tensor>& stacked);
//   };
//
// What `encode` makes of a value, anything that elements of datasets are made
// of, is what is stacked and taken apart; `decode` makes the value of a stack
// or a row of it. Specs of stacks and rows are those of what `decode` makes
// of them when it is traced.
template <class T>
struct BatchEncoder;

namespace detail {

// Makes the spec of an extension type field by field.
class GK_EXPORT SpecMaker {
 public:
  SpecMaker();
  ~SpecMaker();
  SpecMaker(const SpecMaker&) = delete;

  template <class T>
  void Add(const T& value) {
    constexpr Container kind = kContainer<T>;
    if constexpr (std::is_same_v<T, Shape>) {
      Plain(value);
    } else if constexpr (kIsPlain<T>) {
      Plain(PlainText(value), kIsText<T>);
    } else if constexpr (kind == Container::kNone ||
                         kind == Container::kStruct) {
      Spec(type_spec_from_value(value));
    } else if constexpr (kind == Container::kOptional) {
      value ? Add(*value) : structure_.None();
    } else {
      Nest<kind>([&](const auto& take_key) {
        ForEachPart(value, [&](const auto& part) { Add(part); }, take_key);
      });
    }
  }
  // What is known of a field of type T.
  template <class T, class Known>
  void AddKnown(const Known& known) {
    constexpr Container kind = kContainer<T>;
    if constexpr (kIsPlain<T>) {
      Add(T(known));
    } else if constexpr (kind == Container::kNone ||
                         kind == Container::kStruct) {
      static_assert(std::is_convertible_v<const Known&, TypeSpec>,
                    "a field that is made of tensors is known by its spec");
      Spec(known);
    } else if constexpr (kind == Container::kOptional) {
      if constexpr (std::is_same_v<Known, std::nullopt_t>) {
        structure_.None();
      } else {
        AddKnown<typename ContainerOf<T>::Item>(known);
      }
    } else {
      static_assert(kContainer<Known> == kind,
                    "a container is known by one of what its parts are known "
                    "by");
      Nest<kind>([&](const auto& take_key) {
        if constexpr (kind == Container::kTuple) {
          static_assert(std::tuple_size_v<T> == std::tuple_size_v<Known>);
          [&]<size_t... i>(std::index_sequence<i...>) {
            (AddKnown<std::tuple_element_t<i, T>>(std::get<i>(known)), ...);
          }(std::make_index_sequence<std::tuple_size_v<T>>());
        } else {
          using Item = typename ContainerOf<T>::Item;
          ForEachPart(
              known, [&](const auto& part) { AddKnown<Item>(part); }, take_key);
        }
      });
    }
  }
  template <class T>
  TypeSpec Of(const T& value) {
    const size_t begin = structure_.Begin();
    ForEachPart(value, [&](const auto& field) { Add(field); });
    structure_.EndStruct(begin, FactsOf<T>());
    return Take(FactsOf<T>());
  }
  template <class T, class... Known>
  TypeSpec OfKnown(const Known&... known) {
    static_assert(sizeof...(Known) == kNumFields<T>,
                  "something must be said of each field, in their order");
    const size_t begin = structure_.Begin();
    [&]<class... Field>(std::type_identity<std::tuple<Field&...>>) {
      (AddKnown<Field>(known), ...);
    }(std::type_identity<decltype(FieldsOf(std::declval<T&>()))>());
    structure_.EndStruct(begin, FactsOf<T>());
    return Take(FactsOf<T>());
  }

 private:
  void Spec(const TypeSpec& spec);
  void Plain(const std::string& text, bool quoted);
  void Plain(const Shape& shape);
  // A container, whose parts `add` adds; it gets what takes their keys.
  template <Container kKind, class F>
  void Nest(const F& add) {
    std::vector<std::string> keys;
    const size_t begin = structure_.Begin();
    add([&](const std::string& key) { keys.push_back(key); });
    if constexpr (kKind == Container::kList) {
      structure_.EndList(begin);
    } else if constexpr (kKind == Container::kTuple) {
      structure_.EndTuple(begin);
    } else {
      structure_.EndMap(begin, keys);
    }
  }
  TypeSpec Take(const StructureFacts& facts);

  struct Rep;
  StructureMaker structure_;
  std::unique_ptr<Rep> rep_;
};

// The spec of a value, with what it is stacked as: `encoded`, of which
// `decode` finds the spec of such a value.
using DecodedSpec = std::function<TypeSpec(const ElementValue& encoded)>;
GK_EXPORT TypeSpec WithEncoding(const TypeSpec& spec,
                                const ElementResult& encoded,
                                const DecodedSpec& decode);
// The same for a spec that no value was seen of: `encode` gives that of one.
GK_EXPORT TypeSpec WithEncoding(const TypeSpec& spec,
                                const DecodedSpec& encode);

// The tensors of the next leaf, an extension type, and what they are.
GK_EXPORT ElementValue NextExtension(ResultReader& reader);

template <class T>
struct Encoding {
  using Value = Staged<std::decay_t<decltype(BatchEncoder<T>::encode(
      std::declval<const T&>()))>>;

  static ElementResult Of(const T& value, bool rows = false) {
    return ResultOf(BatchEncoder<T>::encode(value), rows);
  }
  static T Decoded(const ElementValue& stacked) {
    return BatchEncoder<T>::decode(PartReader(stacked).template Whole<Value>());
  }
  static TypeSpec Spec(const TypeSpec& spec, const ElementResult& encoded) {
    return WithEncoding(spec, encoded, [](const ElementValue& stacked) {
      return SpecMaker().Of<T>(Decoded(stacked));
    });
  }
  // Of a value that is known by its spec alone.
  static TypeSpec Spec(const TypeSpec& spec) {
    return WithEncoding(spec, [](const ElementValue& fields) {
      const T value = PartReader(fields).template Fields<T>();
      return Spec(SpecMaker().Of(value), Of(value));
    });
  }
};

template <class T>
  requires kIsExtensionType<T>
struct ElementLeaf<T> {
  static constexpr const char* kName = TraceStructure<T>::kName;
  static void Add(Results& out, const T& value) {
    const ElementLeaves& leaves = *out.leaves;
    if constexpr (HasEncoder<T>) {
      if (!leaves.parts) {
        const ElementResult own = Encoding<T>::Of(value, leaves.rows);
        return AddTo(out, own, Encoding<T>::Spec(SpecMaker().Of(value), own));
      }
    }
    ElementResult own;
    own.leaves.rows = leaves.rows;
    own.leaves.parts = leaves.parts;
    own.leaves.uniform = true;  // as the spec has it
    own.parts.leaves = &own.leaves;
    StructureMaker nest(/*of_element=*/true);  // which the spec has, too
    TakePartsApart(nest, &own.parts, value);
    AddTo(out, own, SpecMaker().Of(value));
  }
  static T Next(ResultReader& reader) {
    const ElementValue value = NextExtension(reader);
    if constexpr (HasEncoder<T>) {
      if (!reader.parts) return Encoding<T>::Decoded(value);
    }
    return PartReader(value, reader.parts).template Fields<T>();
  }
  static bool Fits(const TypeSpec& spec) { return IsOf(spec, FactsOf<T>()); }

 private:
  static void AddTo(Results& out, const ElementResult& own,
                    const TypeSpec& spec) {
    const std::vector<Tensor>& tensors = own.parts.tensors;
    out.leaves->entries.push_back(
        {out.tensors.size(), tensors.size(), std::make_shared<TypeSpec>(spec)});
    out.tensors.insert(out.tensors.end(), tensors.begin(), tensors.end());
  }
};

GK_EXPORT Tensor AreEqual(const TypeSpec& x, const TypeSpec& y,
                          const std::vector<Tensor>& x_tensors,
                          const std::vector<Tensor>& y_tensors);

}  // namespace detail

// What is known of a value that is made of tensors.
template <class T>
TypeSpec type_spec_from_value(const T& value) {
  if constexpr (kIsExtensionType<T>) {
    const TypeSpec spec = detail::SpecMaker().Of(value);
    if constexpr (detail::HasEncoder<T>) {
      using Encoding = detail::Encoding<T>;
      return Encoding::Spec(spec, Encoding::Of(value));
    } else {
      return spec;
    }
  } else if constexpr (std::is_same_v<T, RaggedTensor>) {
    return RaggedTensorSpec::from_value(value);
  } else if constexpr (std::is_same_v<T, SparseTensor>) {
    return SparseTensorSpec::from_value(value);
  } else if constexpr (std::is_same_v<T, IndexedSlices>) {
    return IndexedSlicesSpec::from_value(value);
  } else if constexpr (std::is_same_v<T, Dataset>) {
    return DatasetSpec::from_value(value);
  } else if constexpr (std::is_same_v<T, Optional>) {
    return OptionalSpec::from_value(value);
  } else if constexpr (std::is_same_v<T, Iterator>) {
    return IteratorSpec::from_value(value);
  } else {
    const Tensor tensor(value);
    return TensorSpec{tensor.shape(), tensor.dtype()};
  }
}

// As declared above.
template <class T, class... Fields>
  requires kIsExtensionType<T>
TypeSpec type_spec(const Fields&... fields) {
  const TypeSpec spec = detail::SpecMaker().OfKnown<T>(fields...);
  if constexpr (detail::HasEncoder<T>) {
    return detail::Encoding<T>::Spec(spec);
  } else {
    return spec;
  }
}

// Are two values of one extension type equal in all fields? A bool scalar;
// false if their types or shapes differ.
template <class T>
  requires kIsExtensionType<T>
Tensor equal(const T& x, const T& y) {
  return detail::AreEqual(type_spec_from_value(x), type_spec_from_value(y),
                          detail::Apart(x).tensors, detail::Apart(y).tensors);
}

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_EXTENSION_TYPE_H_
