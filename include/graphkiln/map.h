// map_fn, vectorized_map, foldl, foldr, scan: a function of every row of
// tensors.
//
//   gk::Tensor squares = gk::map_fn([](gk::Tensor x) { return x * x; }, xs);
//   gk::Tensor sum = gk::foldl(
//       [](gk::Tensor sum, gk::Tensor x) { return sum + x; }, xs);
//
// `elems` is a tensor of rank 1 at least, or a container or struct of such
// tensors of one length; the function gets one row of each, in the same
// structure. Eagerly they are loops of the language; while a function is
// traced the function is traced once, into the body of a loop. Throw Error:
// ValueError if `elems` has no tensor, or a scalar, or the lengths differ;
// and what gk::while_loop throws.
//
// map_fn and vectorized_map also take the rows of ragged and sparse tensors,
// and collect results that are such.
#ifndef GRAPHKILN_MAP_H_
#define GRAPHKILN_MAP_H_

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <graphkiln/control_flow.h>
#include <graphkiln/host_function.h>

namespace gk {
GK_API_NAMESPACE {

// Of map_fn and vectorized_map.
struct MapOptions {
  std::string name = "map";
  int64_t parallel_iterations = 10;  // written into the graph
};
// Of foldl and foldr.
struct FoldOptions {
  std::string name = "fold";
  int64_t parallel_iterations = 10;
};
// Of scan.
struct ScanOptions {
  std::string name = "scan";
  int64_t parallel_iterations = 10;
  // Begin with the last row? Results stay at the rows' places.
  bool reverse = false;
  // Must all states have one shape?
  bool infer_shape = true;
};

namespace detail {

template <class S>
inline constexpr bool kIsOptions =
    std::is_same_v<S, MapOptions> || std::is_same_v<S, FoldOptions> ||
    std::is_same_v<S, ScanOptions>;

// Does it hold extension types whose stacks are not those of their tensors?
template <class T>
constexpr bool StacksApart() {
  constexpr Container kind = kContainer<T>;
  if constexpr (HasEncoder<T>) {
    return true;
  } else if constexpr (kind == Container::kTuple ||
                       kind == Container::kStruct) {
    return SumOverParts<T>([]<class Part>(std::type_identity<Part>) {
             return (kIsExtensionType<T> && std::is_same_v<Part, Shape>) ||
                    StacksApart<Part>();
           }) > 0;
  } else if constexpr (kind != Container::kNone) {
    return StacksApart<typename ContainerOf<T>::Item>();
  } else {
    return false;
  }
}
template <class Rows, class Result>
constexpr void CheckRows() {
  static_assert(!StacksApart<Rows>() && !StacksApart<Result>(),
                "maps, folds and scans take and give rows of tensors; values "
                "with a BatchEncoder or a shape among their fields are stacked "
                "by datasets alone");
}

// `initial`: the state before the first row; null: the first row.
template <class State, class F, class E>
State Fold(F& f, const E& elems, const Results* initial, const FoldCall& call,
           Place where) {
  using Row = Staged<E>;
  static_assert(
      std::is_same_v<Staged<std::invoke_result_t<F&, State, Row>>, State>,
      "the function must return the structure of the state");
  CheckRows<Row, State>();
  return Together<State>(FoldRows(
      Apart(elems), initial,
      [&](const Results& state, const Results& row, Results* next) {
        Flatten(next, f(Together<State>(state), Together<Row>(row)));
      },
      call, where));
}
template <class F, class E, class S>
Staged<S> FoldFrom(F& f, const E& elems, const S& initial,
                   const FoldCall& call, Place where) {
  const Results start = Apart(initial);
  return Fold<Staged<S>>(f, elems, &start, call, where);
}

template <class F, class E>
auto Map(F& f, const E& elems, decltype(MapRows)& map_rows,
         const MapOptions& options, Place where) {
  using Row = Staged<E>;
  using Result = Staged<std::invoke_result_t<F&, Row>>;
  CheckRows<Row, Result>();
  WhileOptions loop;
  loop.name = options.name;
  loop.parallel_iterations = options.parallel_iterations;
  return Together<Result>(map_rows(
      Apart(elems),
      [&](const Results& row, Results* out) {
        Flatten(out, f(Together<Row>(row)));
      },
      loop, where));
}

// Does it hold ragged or sparse values, slices, ...?
template <class T>
inline constexpr bool kHoldsLeaf =
    IsElementLeaf<T> && !kIsExtensionType<T>;
template <class T>
inline constexpr bool kHoldsLeaf<std::vector<T>> = kHoldsLeaf<T>;
template <class... T>
inline constexpr bool kHoldsLeaf<std::tuple<T...>> = (kHoldsLeaf<T> || ...);
template <class A, class B>
inline constexpr bool kHoldsLeaf<std::pair<A, B>> =
    kHoldsLeaf<A> || kHoldsLeaf<B>;

struct MappedRows {
  std::vector<Tensor> tensors;
  std::vector<TypeSpec> specs;
};
// Of the rows of what was taken apart into tensors. Throws Error (TypeError) if
// a value has none that can be taken, (ValueError) if it is a scalar.
GK_EXPORT std::vector<TypeSpec> RowSpecs(const Results& elements);
// `f` of the tensors of each row, collected as `signature` says. Null: as what
// `f` gives, which is found by tracing it; values of one row have it in every
// call.
GK_EXPORT MappedRows MapSpecRows(
    const Results& elements, const std::vector<TypeSpec>* signature,
    const std::function<void(const std::vector<Tensor>&, Results*)>& f,
    const WhileOptions& options, Place where);
[[noreturn]] GK_EXPORT void ThrowOtherRowResults(
    const std::vector<TypeSpec>& signature);

// Values with rows, as map_fn of results with specs takes them apart.
template <class E>
struct SpecRows {
  using Row = Staged<E>;

  explicit SpecRows(const E& elems) {
    leaves.parts = true;
    given.leaves = &leaves;
    Flatten(&given, elems);
    row = RowSpecs(given);
  }
  SpecRows(const SpecRows&) = delete;

  template <class T>
  static T Made(const std::vector<Tensor>& tensors, StructureView at,
                const std::vector<TypeSpec>& leaves) {
    const std::vector<std::string> plain;
    ResultReader reader(tensors, plain);
    reader.leaves = &leaves;
    reader.parts = true;
    return Read<T>(reader, at);
  }
  template <class F>
  auto Map(F& f, const std::vector<TypeSpec>* signature,
           const MapOptions& options, Place where) const {
    using Result = std::decay_t<std::invoke_result_t<F&, Row>>;
    static_assert(kIsHostResult<Result> && !kIsExtensionType<Result>,
                  "functions of rows that are collected by specs return "
                  "tensors, ragged and sparse ones, or tuples of those");
    CheckRows<Row, Result>();
    size_t n = 0;
    if (signature != nullptr && (!AreHostResults<Result>(*signature, &n) ||
                                 n != signature->size())) {
      ThrowOtherRowResults(*signature);
    }
    WhileOptions loop;
    loop.name = options.name;
    loop.parallel_iterations = options.parallel_iterations;
    MappedRows mapped = MapSpecRows(
        given, signature,
        [&](const std::vector<Tensor>& tensors, Results* out) {
          Flatten(out,
                  Result(f(Made<Row>(
                      tensors, StructureView(given.form.structure), row))));
        },
        loop, where);
    return Made<Result>(mapped.tensors, StructureView(), mapped.specs);
  }

  ElementLeaves leaves;
  Results given;
  std::vector<TypeSpec> row;
};

}  // namespace detail

// `f(row)` of each row, stacked along a new first axis; in the structure that
// `f` returns, of whatever dtypes. All results must have one shape.
//
//   auto [sums, signs] = gk::map_fn(
//       [](gk::Tensor row) {
//         return std::tuple(gk::reduce_sum(row), gk::sign(row));
//       },
//       matrix);
template <class F, class E>
auto map_fn(F&& f, const E& elems, const MapOptions& options = {},
            Place where = Place::current()) {
  if constexpr (detail::kHoldsLeaf<E>) {
    const detail::SpecRows<E> rows(elems);
    return rows.Map(f, &rows.row, options, where);
  } else {
    return detail::Map(f, elems, detail::MapRows, options, where);
  }
}
// The same of results that specs describe, one each: a tensor, a ragged or
// sparse one, or a tuple of such. Rows of ragged tensors are ragged ones, which
// may have no partitioned dimension; results may have different shapes where
// they are ragged. Without the specs, the rows of ragged and sparse values give
// what the rows are. Throws Error (TypeError) if the results are of other
// kinds.
//
//   gk::RaggedTensor ranges = gk::map_fn(
//       [](gk::Tensor n) { return gk::RaggedTensor(gk::range(n)); }, lengths,
//       {gk::RaggedTensorSpec({gk::kUnknown}, gk::DataType::kInt32)});
template <class F, class E>
auto map_fn(F&& f, const E& elems,
            const std::vector<TypeSpec>& fn_output_signature,
            const MapOptions& options = {},
            Place where = Place::current()) {
  return detail::SpecRows<E>(elems).Map(f, &fn_output_signature, options,
                                        where);
}

// map_fn, where a value of `elems` may also have one row: every call gets it.
// What the function gives of ragged and sparse values may be anything, and of
// any values ragged or sparse; then it is traced once before. Throws Error
// (InvalidArgument) if the lengths of the others differ.
//
//   gk::Tensor products = gk::vectorized_map(
//       [](std::pair<gk::Tensor, gk::Tensor> p) {
//         return gk::matmul(p.first, p.second);
//       },
//       std::pair(matrices, one_matrix));
template <class F, class E>
auto vectorized_map(F&& f, const E& elems, const MapOptions& options = {},
                    Place where = Place::current()) {
  using Result =
      std::decay_t<std::invoke_result_t<F&, detail::Staged<E>>>;
  if constexpr (detail::kHoldsLeaf<E> || detail::kHoldsLeaf<Result>) {
    return detail::SpecRows<E>(elems).Map(f, nullptr, options, where);
  } else {
    return detail::Map(f, elems, detail::MapRowsSharing, options, where);
  }
}

// The last state of state = f(state, row), from the first row on; `initial`
// is the state before it, in the structure and of the dtypes that `f`
// returns.
template <class F, class E, class S>
  requires(!detail::kIsOptions<S>)
auto foldl(F&& f, const E& elems, const S& initial,
           const FoldOptions& options = {},
           Place where = Place::current()) {
  return detail::FoldFrom(f, elems, initial,
                          {options.name, options.parallel_iterations}, where);
}
// The same with the first row as the first state.
template <class F, class E>
auto foldl(F&& f, const E& elems, const FoldOptions& options = {},
           Place where = Place::current()) {
  return detail::Fold<detail::Staged<E>>(
      f, elems, nullptr, {options.name, options.parallel_iterations}, where);
}

// foldl from the last row back.
template <class F, class E, class S>
  requires(!detail::kIsOptions<S>)
auto foldr(F&& f, const E& elems, const S& initial,
           const FoldOptions& options = {},
           Place where = Place::current()) {
  return detail::FoldFrom(
      f, elems, initial,
      {options.name, options.parallel_iterations, /*reverse=*/true}, where);
}
template <class F, class E>
auto foldr(F&& f, const E& elems, const FoldOptions& options = {},
           Place where = Place::current()) {
  return detail::Fold<detail::Staged<E>>(
      f, elems, nullptr,
      {options.name, options.parallel_iterations, /*reverse=*/true}, where);
}

// All states of state = f(state, row), stacked; `initial` is the state before
// the first.
//
//   gk::Tensor sums = gk::scan(
//       [](gk::Tensor sum, gk::Tensor x) { return sum + x; }, xs, 0.0f);
template <class F, class E, class S>
  requires(!detail::kIsOptions<S>)
auto scan(F&& f, const E& elems, const S& initial,
          const ScanOptions& options = {},
          Place where = Place::current()) {
  return detail::FoldFrom(f, elems, initial,
                          {options.name, options.parallel_iterations,
                           options.reverse, /*scans=*/true,
                           options.infer_shape},
                          where);
}
// The same with the first row as the first state and the first result.
template <class F, class E>
auto scan(F&& f, const E& elems, const ScanOptions& options = {},
          Place where = Place::current()) {
  return detail::Fold<detail::Staged<E>>(
      f, elems, nullptr,
      {options.name, options.parallel_iterations, options.reverse,
       /*scans=*/true, options.infer_shape},
      where);
}

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_MAP_H_
