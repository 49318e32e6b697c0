// Extension types: structs of tensors and plain values that have a spec of
// their own. The plain fields, texts, numbers and enums, are part of the type;
// the others are tensors, ragged and sparse ones, other extension types, and
// containers of those.
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
// Traced functions take and return them, branches and loops carry them, and
// they are elements of datasets, which stack their fields.
#ifndef GRAPHKILN_EXTENSION_TYPE_H_
#define GRAPHKILN_EXTENSION_TYPE_H_

#include <graphkiln/indexed_slices.h>
#include <graphkiln/ragged_tensor.h>
#include <graphkiln/sparse_tensor.h>
#include <graphkiln/staging.h>
#include <graphkiln/type_spec.h>

#include <memory>
#include <string>

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
    if constexpr (kIsPlain<T>) {
      Plain(PlainText(value), kIsText<T>);
    } else if constexpr (kind == Container::kNone ||
                         kind == Container::kStruct) {
      Spec(type_spec_from_value(value));
    } else if constexpr (kind == Container::kOptional) {
      value ? Add(*value) : structure_.None();
    } else {
      std::vector<std::string> keys;
      const size_t begin = structure_.Begin();
      ForEachPart(
          value, [&](const auto& part) { Add(part); },
          [&](const std::string& key) { keys.push_back(key); });
      if constexpr (kind == Container::kList) {
        structure_.EndList(begin);
      } else if constexpr (kind == Container::kTuple) {
        structure_.EndTuple(begin);
      } else {
        structure_.EndMap(begin, keys);
      }
    }
  }
  template <class T>
  TypeSpec Of(const T& value) {
    const size_t begin = structure_.Begin();
    ForEachPart(value, [&](const auto& field) { Add(field); });
    structure_.EndStruct(begin, FactsOf<T>());
    return Take(FactsOf<T>());
  }

 private:
  void Spec(const TypeSpec& spec);
  void Plain(const std::string& text, bool quoted);
  TypeSpec Take(const StructureFacts& facts);

  struct Rep;
  StructureMaker structure_;
  std::vector<TypeSpec> specs_;
  std::unique_ptr<Rep> rep_;
};

template <class T>
  requires kIsExtensionType<T>
struct ElementLeaf<T> {
  static constexpr const char* kName = TraceStructure<T>::kName;
  static void Add(Results& out, const T& value) {
    ElementLeaves* const leaves = out.leaves;
    ElementLeaves own;
    own.rows = leaves->rows;
    const size_t first = out.tensors.size();
    out.leaves = &own;
    StructureMaker nest(/*of_element=*/true);  // which the spec has, too
    TakePartsApart(nest, &out, value);
    out.leaves = leaves;
    leaves->entries.push_back(
        {first, out.tensors.size() - first,
         std::make_shared<TypeSpec>(type_spec_from_value(value))});
  }
  static T Next(ResultReader& reader) {
    const TypeSpec& spec = NextLeaf(reader);
    const std::vector<TypeSpec>* const leaves = reader.leaves;
    const size_t next = reader.next_leaf;
    const StructureView fields = OpenFields(spec, &reader.leaves);
    reader.next_leaf = 0;
    T made{};
    ReadFields(reader, fields, made);
    reader.leaves = leaves;
    reader.next_leaf = next;
    return made;
  }
  static bool Fits(const TypeSpec& spec) { return IsOf(spec, FactsOf<T>()); }
};

GK_EXPORT Tensor AreEqual(const TypeSpec& x, const TypeSpec& y,
                          const std::vector<Tensor>& x_tensors,
                          const std::vector<Tensor>& y_tensors);

}  // namespace detail

// What is known of a value that is made of tensors.
template <class T>
TypeSpec type_spec_from_value(const T& value) {
  if constexpr (kIsExtensionType<T>) {
    return detail::SpecMaker().Of(value);
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
