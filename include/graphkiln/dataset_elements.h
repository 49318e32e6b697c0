// Elements of datasets as C++ values: how functions of elements get and give
// them. Not called by programs.
#ifndef GRAPHKILN_DATASET_ELEMENTS_H_
#define GRAPHKILN_DATASET_ELEMENTS_H_

#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <graphkiln/staging.h>
#include <graphkiln/type_spec.h>

namespace gk {
GK_API_NAMESPACE {
namespace detail {

// An element: its tensors.
struct ElementValue {
  std::vector<Tensor> tensors;
  std::shared_ptr<const ElementSpec> spec;
};
// What a function returns.
struct ElementResult {
  Results parts = {};
  ElementLeaves leaves = {};
};
using ElementBody = std::function<std::vector<ElementResult>(
    const std::vector<ElementValue>&)>;

// Throws Error (TypeError): elements are no `wanted`.
[[noreturn]] GK_EXPORT void ThrowOtherElements(const ElementSpec& spec,
                                               const char* wanted);

// Can what nests so be read as a T? `leaf`: its first leaf; becomes the one
// after it.
template <class T>
bool Fits(const Structure& s, const TypeSpec*& leaf) {
  using Kind = Structure::Kind;
  const bool sequence = s.kind() == Kind::kTuple || s.kind() == Kind::kStruct;
  auto all = [&]<class... P>(std::type_identity<std::tuple<P...>>) {
    size_t i = 0;
    return sequence && s.size() == sizeof...(P) &&
           (Fits<P>(s.child(i++), leaf) && ...);
  };
  if constexpr (IsElementLeaf<T>) {
    return s.kind() == Kind::kLeaf && ElementLeaf<T>::Fits(*leaf++);
  } else if constexpr (std::is_same_v<T, Tensor>) {
    return s.kind() == Kind::kNone ||
           (s.kind() == Kind::kLeaf && leaf++->kind == TypeSpec::Kind::kTensor);
  } else if constexpr (kIsTuple<T>) {
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return all(
          std::type_identity<std::tuple<std::tuple_element_t<i, T>...>>());
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (kContainer<T> == Container::kList ||
                       kContainer<T> == Container::kMap) {
    constexpr bool list = kContainer<T> == Container::kList;
    bool fits = s.kind() == (list ? Kind::kList : Kind::kMap);
    for (size_t i = 0; fits && i < s.size(); ++i) {
      if constexpr (list) {
        fits = Fits<typename T::value_type>(s.child(i), leaf);
      } else {
        fits = Fits<typename T::mapped_type>(s.child(i), leaf);
      }
    }
    return fits;
  } else if constexpr (kContainer<T> == Container::kStruct) {
    return [&]<class... P>(std::type_identity<std::tuple<P&...>>) {
      return all(std::type_identity<std::tuple<P...>>());
    }(std::type_identity<decltype(FieldsOf(std::declval<T&>()))>());
  } else {
    static_assert(kNever<T>,
                  "functions of elements take tensors, ragged and sparse ones, "
                  "datasets, optionals, and vectors, arrays, pairs, tuples, "
                  "maps from texts and structs of them");
  }
}
template <class T>
bool Fits(const ElementSpec& spec) {
  const TypeSpec* leaf = spec.leaves.data();
  return Fits<T>(spec.structure, leaf);
}

template <class T>
const char* NameOf() {
  if constexpr (IsElementLeaf<T>) {
    return ElementLeaf<T>::kName;
  } else {
    return "the type that was asked for";
  }
}

// The types of the parameters of a lambda.
template <class F>
struct ParametersOf : ParametersOf<decltype(&F::operator())> {};
template <class R, class... P>
struct ParametersOf<R (*)(P...)> {
  using Types = std::tuple<std::decay_t<P>...>;
};
template <class C, class R, class... P>
struct ParametersOf<R (C::*)(P...)> : ParametersOf<R (*)(P...)> {};
template <class C, class R, class... P>
struct ParametersOf<R (C::*)(P...) const> : ParametersOf<R (*)(P...)> {};
template <class F>
using Parameters = typename ParametersOf<std::decay_t<F>>::Types;

// Reads an element, or the parts of one that is a tuple or struct, in order.
class PartReader {
 public:
  // `parts`: of tensors, and not of components?
  explicit PartReader(const ElementValue& element, bool parts = false)
      : reader_(element.tensors, element.spec->plain),
        element_(element.spec->structure) {
    reader_.leaves = &element.spec->leaves;
    reader_.parts = parts;
  }
  template <class T>
  T Whole() {
    return Next<T>(element_);
  }
  template <class T>
  T Part() {
    return Next<T>(element_.part(next_++));
  }
  // A struct whose fields the parts are.
  template <class T>
  T Fields() {
    T made{};
    ReadFields(reader_, element_, made);
    return made;
  }

 private:
  template <class T>
  T Next(StructureView at) {
    static_assert(std::is_same_v<T, Staged<T>>,
                  "elements consist of tensors, also where numbers were given");
    return Read<T>(reader_, at);
  }

  ResultReader reader_;
  StructureView element_;
  size_t next_ = 0;
};

// Calls `f` with the values of `first`, and with an element, whole or in parts.
template <class F, class... First, class... P>
decltype(auto) CallWithElement(F& f, const ElementValue& element,
                               std::tuple<First...> first,
                               std::type_identity<std::tuple<P...>>) {
  const ElementSpec& spec = *element.spec;
  auto call = [&](std::tuple<P...> parts) -> decltype(auto) {
    return std::apply(f, std::tuple_cat(std::move(first), std::move(parts)));
  };
  PartReader reader(element);
  const bool whole = [&] {
    if constexpr (sizeof...(P) == 1) return (Fits<P>(spec) && ...);
    return false;
  }();
  if (!whole && !Fits<std::tuple<P...>>(spec)) {
    ThrowOtherElements(spec, "what the function's parameters are");
  }
  // Braces: parts are read in order.
  return call(std::tuple<P...>{whole ? reader.template Whole<P>()
                                     : reader.template Part<P>()...});
}

template <class Tuple>
struct TailOf;
template <class A, class... B>
struct TailOf<std::tuple<A, B...>> {
  using Head = A;
  using Tail = std::type_identity<std::tuple<B...>>;
};

template <class F>
decltype(auto) CallWithElement(F& f, const ElementValue& element) {
  return CallWithElement(f, element, std::tuple<>(),
                         std::type_identity<Parameters<F>>());
}
// f(state, element).
template <class F>
decltype(auto) CallWithState(F& f, const std::vector<ElementValue>& values) {
  using P = TailOf<Parameters<F>>;
  using State = typename P::Head;
  if (!Fits<State>(*values[0].spec)) {
    ThrowOtherElements(*values[0].spec, "the function's first parameter");
  }
  return CallWithElement(
      f, values[1],
      std::tuple<State>{PartReader(values[0]).template Whole<State>()},
      typename P::Tail());
}

// If `rows`, components of which the rows are those of rows.
template <class T>
ElementResult ResultOf(const T& value, bool rows = false) {
  ElementResult made;
  made.leaves.rows = rows;
  made.parts.leaves = &made.leaves;
  Flatten(&made.parts, value);
  made.parts.leaves = nullptr;
  return made;
}

template <class F>
ElementBody BodyOf(F&& f) {
  return [&f](const std::vector<ElementValue>& values) {
    std::vector<ElementResult> results;
    results.push_back(ResultOf(CallWithElement(f, values[0])));
    return results;
  };
}

}  // namespace detail
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_DATASET_ELEMENTS_H_
