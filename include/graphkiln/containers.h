// Which types of C++ nest, and how: the kinds of containers, said once, and the
// walks over their parts that everything else about nested values is made of.
// Not called by programs.
#ifndef GRAPHKILN_CONTAINERS_H_
#define GRAPHKILN_CONTAINERS_H_

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <graphkiln/tensor_array.h>
#include <graphkiln/tensor_spec.h>
#include <graphkiln/trace_structure.h>
#include <graphkiln/variable.h>

namespace gk {
GK_API_NAMESPACE {
namespace detail {

enum class Container { kNone, kList, kTuple, kMap, kOptional, kStruct };

// The containers of the language: of which kind each is, what all its parts
// are if they are of one type, and the same one With<Part>, of a Part<P> in
// place of each part P.
template <class T>
struct ContainerOf {
  static constexpr Container kKind = Container::kNone;
};
template <class T>
struct ContainerOf<std::vector<T>> {
  static constexpr Container kKind = Container::kList;
  using Item = T;
  template <template <class> class Part>
  using With = std::vector<Part<T>>;
};
template <class T, size_t n>
struct ContainerOf<std::array<T, n>> {
  static constexpr Container kKind = Container::kTuple;
  template <template <class> class Part>
  using With = std::array<Part<T>, n>;
};
template <class... T>
struct ContainerOf<std::tuple<T...>> {
  static constexpr Container kKind = Container::kTuple;
  template <template <class> class Part>
  using With = std::tuple<Part<T>...>;
};
template <class A, class B>
struct ContainerOf<std::pair<A, B>> {
  static constexpr Container kKind = Container::kTuple;
  template <template <class> class Part>
  using With = std::pair<Part<A>, Part<B>>;
};
template <class T>
struct ContainerOf<std::map<std::string, T>> {
  static constexpr Container kKind = Container::kMap;
  using Item = T;
  template <template <class> class Part>
  using With = std::map<std::string, Part<T>>;
};
template <class T>
struct ContainerOf<std::optional<T>> {
  static constexpr Container kKind = Container::kOptional;
  using Item = T;
  template <template <class> class Part>
  using With = std::optional<Part<T>>;
};

template <class T>
inline constexpr bool kIsText = std::is_convertible_v<T, std::string_view>;
// A tensor, or what stands for some.
template <class T>
inline constexpr bool kIsHandle =
    std::is_same_v<T, Tensor> || std::is_same_v<T, Variable> ||
    std::is_same_v<T, TensorArray> || std::is_same_v<T, TensorSpec> ||
    std::is_same_v<T, TensorArraySpec>;
// These are leaves, whatever they look like.
template <class T>
inline constexpr bool kIsLeaf = kIsHandle<T> || Element<T> || kIsText<T>;

// The kind of any type; kNone of leaves and of what does not nest.
template <class T>
constexpr Container KindOf() {
  if constexpr (ContainerOf<T>::kKind != Container::kNone) {
    return ContainerOf<T>::kKind;
  } else if constexpr (!kIsLeaf<T> && kIsStructure<T>) {
    return Container::kStruct;
  } else {
    return Container::kNone;
  }
}
template <class T>
inline constexpr Container kContainer = KindOf<std::remove_cv_t<T>>();
template <class T>
inline constexpr bool kIsTuple = kContainer<T> == Container::kTuple;
template <class T>
inline constexpr bool kNever = false;

// How many parts a container has.
template <class T>
size_t NumParts(const T& value) {
  constexpr Container kind = kContainer<T>;
  if constexpr (kind == Container::kTuple) {
    return std::tuple_size_v<T>;
  } else if constexpr (kind == Container::kStruct) {
    return kNumFields<const T>;
  } else if constexpr (kind == Container::kOptional) {
    return value.has_value() ? 1 : 0;
  } else {
    return value.size();
  }
}

struct IgnoreKey {
  void operator()(const std::string&) const {}
};

// Calls `f` with each part of a container, in the order of leaves; of a map
// `key` before it.
template <class T, class F, class K = IgnoreKey>
void ForEachPart(T& value, const F& f, const K& key = {}) {
  constexpr Container kind = kContainer<T>;
  if constexpr (kind == Container::kList) {
    for (auto&& part : value) f(part);
  } else if constexpr (kind == Container::kMap) {
    for (auto& [name, part] : value) {
      key(name);
      f(part);
    }
  } else if constexpr (kind == Container::kOptional) {
    if (value) f(*value);
  } else if constexpr (kind == Container::kTuple) {
    std::apply([&](auto&... part) { (f(part), ...); }, value);
  } else {
    static_assert(kind == Container::kStruct);
    std::apply([&](auto&... part) { (f(part), ...); }, FieldsOf(value));
  }
}

// The same container of what `f` makes of each part, which is a Part<P>. Not
// of structs, which have their own types.
template <template <class> class Part, class T, class F>
auto Rebuilt(const T& value, const F& f) {
  using Made = typename ContainerOf<T>::template With<Part>;
  constexpr Container kind = kContainer<T>;
  if constexpr (kind == Container::kTuple) {
    // Braces: the parts are made in order.
    return std::apply([&](const auto&... part) { return Made{f(part)...}; },
                      value);
  } else {
    Made made;
    if constexpr (kind == Container::kList) {
      made.reserve(value.size());
      for (const auto& part : value) made.push_back(f(part));
    } else if constexpr (kind == Container::kMap) {
      for (const auto& [key, part] : value) {
        made.emplace_hint(made.end(), key, f(part));
      }
    } else {
      static_assert(kind == Container::kOptional);
      if (value) made.emplace(f(*value));
    }
    return made;
  }
}

// A list, tuple or map of parts that `part` makes, each of its type and
// number; of `n`, where the type does not say; with keys that `key` gives.
template <class T, class P, class K>
T Assembled(size_t n, const P& part, const K& key) {
  constexpr Container kind = kContainer<T>;
  if constexpr (kind == Container::kTuple) {
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return T{part(std::type_identity<std::tuple_element_t<i, T>>(), i)...};
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    using Item = typename ContainerOf<T>::Item;
    T made;
    if constexpr (kind == Container::kList) {
      made.reserve(n);
      for (size_t i = 0; i < n; ++i) {
        made.push_back(part(std::type_identity<Item>(), i));
      }
    } else {
      static_assert(kind == Container::kMap);
      for (size_t i = 0; i < n; ++i) {
        made.emplace_hint(made.end(), key(i),
                          part(std::type_identity<Item>(), i));
      }
    }
    return made;
  }
}

// Adds up `f` of the types of the parts of a tuple or struct.
template <class T, class F>
constexpr int SumOverParts(const F& f) {
  if constexpr (kIsTuple<T>) {
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return (0 + ... +
              f(std::type_identity<
                  std::remove_cvref_t<std::tuple_element_t<i, T>>>()));
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    return [&]<class... P>(std::type_identity<std::tuple<P&...>>) {
      return (0 + ... + f(std::type_identity<std::remove_cv_t<P>>()));
    }(std::type_identity<decltype(FieldsOf(std::declval<T&>()))>());
  }
}

}  // namespace detail
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CONTAINERS_H_
