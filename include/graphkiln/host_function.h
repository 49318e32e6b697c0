// C++ called from graphs: code that is no op runs whenever the graph does, with
// the values that there are then.
//
//   auto f = gk::function([](const gk::Tensor& x) {
//     return gk::py_function(
//         [](const std::vector<gk::Tensor>& x) {
//           return std::vector<gk::Tensor>{Look(x[0]) * 2.0f};
//         },
//         {x}, {gk::DataType::kFloat})[0];
//   });
#ifndef GRAPHKILN_HOST_FUNCTION_H_
#define GRAPHKILN_HOST_FUNCTION_H_

#include <graphkiln/custom_gradient.h>
#include <graphkiln/staging.h>
#include <graphkiln/tensor.h>
#include <graphkiln/type_spec.h>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  // The results of `f`, which have the dtypes `Tout`. In a function that is
  // traced they are those of a node, named `name`; `f` runs eagerly at each run
  // and lives as long as the node. What it does with `inp` is differentiable,
  // twice, if its ops are. An exception that it throws is thrown by the call of
  // the function, as Error.
  GK_EXPORT std::vector<Tensor> py_function(
      TensorFunction f, const std::vector<Tensor>& inp,
      const std::vector<DataType>& Tout, const std::string& name = "");
  // The same without a gradient. `stateful`: it may have side effects; else it
  // may be called less often than the graph runs.
  GK_EXPORT std::vector<Tensor> numpy_function(
      TensorFunction f, const std::vector<Tensor>& inp,
      const std::vector<DataType>& Tout, bool stateful = true,
      const std::string& name = "");

  namespace detail {

  // Calls `f` on the tensors, which gives those of results of these specs.
  GK_EXPORT std::vector<Tensor> CallOnHost(TensorFunction f,
                                           const std::vector<Tensor>& inp,
                                           const std::vector<TypeSpec>& Tout,
                                           const std::string& name);
  // Its tensors. Throws Error (ValueError) unless it is of these specs.
  GK_EXPORT std::vector<Tensor> HostParts(const Results& result,
                                          const std::vector<TypeSpec>& Tout);
  [[noreturn]] GK_EXPORT void ThrowOtherHostResults(
      const std::vector<TypeSpec>& Tout);

  template <class T>
  inline constexpr bool kIsHostResult =
      std::is_same_v<T, Tensor> || IsElementLeaf<T>;
  template <class... T>
  inline constexpr bool kIsHostResult<std::tuple<T...>> =
      (kIsHostResult<T> && ...);
  template <class A, class B>
  inline constexpr bool kIsHostResult<std::pair<A, B>> =
      kIsHostResult<A>&& kIsHostResult<B>;

  // Can such values be read where these specs begin?
  template <class T>
  bool AreHostResults(const std::vector<TypeSpec>& specs, size_t* next) {
    if constexpr (kIsTuple<T>) {
      return [&]<size_t... i>(std::index_sequence<i...>) {
        return (AreHostResults<std::tuple_element_t<i, T>>(specs, next) && ...);
      }(std::make_index_sequence<std::tuple_size_v<T>>());
    } else {
      if (*next == specs.size()) return false;
      const TypeSpec& spec = specs[(*next)++];
      if constexpr (std::is_same_v<T, Tensor>) {
        return spec.kind == TypeSpec::Kind::kTensor;
      } else {
        return ElementLeaf<T>::Fits(spec);
      }
    }
  }

  }  // namespace detail

  // The result of `f`, called with the values of `inp` as py_function does with
  // tensors: a tensor, a ragged or sparse one, slices or an extension type, or
  // a tuple of such, which the specs `Tout` describe, one each. Plain fields
  // of an extension type are those of its spec. Arguments are what functions
  // take.
  //
  //   gk::RaggedTensor y = gk::py_function(
  //       [](const gk::RaggedTensor& x) { return x + x; }, std::tuple(x),
  //       {gk::RaggedTensorSpec({gk::kUnknown, gk::kUnknown})});
  template <class F, class... A>
  auto py_function(F f, const std::tuple<A...>& inp,
                   const std::vector<TypeSpec>& Tout,
                   const std::string& name = "") {
    using Arguments = detail::Staged<std::tuple<A...>>;
    using Result =
        std::decay_t<decltype(std::apply(f, std::declval<Arguments>()))>;
    static_assert(detail::kIsHostResult<Result>,
                  "functions called by gk::py_function return tensors, ragged "
                  "and sparse ones, slices, extension types, or tuples of "
                  "those");
    size_t n = 0;
    if (!detail::AreHostResults<Result>(Tout, &n) || n != Tout.size()) {
      detail::ThrowOtherHostResults(Tout);
    }
    const detail::Results given = detail::Apart(inp);
    const std::vector<Tensor> tensors = detail::CallOnHost(
        [f = std::move(f), form = given.form,
         Tout](const std::vector<Tensor>& values) mutable {
          detail::Results result;
          detail::ElementLeaves leaves;
          leaves.parts = true;
          result.leaves = &leaves;
          detail::Flatten(
              &result, Result(std::apply(
                           f, detail::Together<Arguments>({values, form}))));
          return detail::HostParts(result, Tout);
        },
        given.tensors, Tout, name);
    const std::vector<std::string> plain;
    detail::ResultReader reader(tensors, plain);
    reader.leaves = &Tout;
    reader.parts = true;
    return detail::Read<Result>(reader, detail::StructureView());
  }

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_HOST_FUNCTION_H_
