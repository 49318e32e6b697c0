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
#ifndef GRAPHKILN_MAP_H_
#define GRAPHKILN_MAP_H_

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <graphkiln/control_flow.h>

namespace gk {
GK_API_NAMESPACE {

struct MapOptions {
  std::string name = "map";
  int64_t parallel_iterations = 10;  // written into the graph
};
struct FoldOptions {
  std::string name = "fold";
  int64_t parallel_iterations = 10;
};
struct ScanOptions {
  std::string name = "scan";
  int64_t parallel_iterations = 10;
  // Begin with the last row? Results stay at the rows' places.
  bool reverse = false;
};

namespace detail {

template <class S>
inline constexpr bool kIsOptions =
    std::is_same_v<S, MapOptions> || std::is_same_v<S, FoldOptions> ||
    std::is_same_v<S, ScanOptions>;

// What a fold passes over: rows `used`, ... of all, from either end.
class Order {
 public:
  Order(const Rows& rows, bool reverse, bool first_is_state)
      : rows_(rows), reverse_(reverse), begin_(first_is_state ? 1 : 0) {}
  Tensor begin() const { return Tensor(begin_); }
  Tensor place(const Tensor& i) const {
    return reverse_ ? rows_.count() - 1 - i : i;
  }
  template <class Row>
  Row row(const Tensor& i) const {
    return Together<Row>(rows_.row(place(i)));
  }
  const Tensor& end() const { return rows_.count(); }

 private:
  const Rows& rows_;
  bool reverse_;
  int32_t begin_;
};

template <class F, class Row, class State>
auto Fold(F& f, const Order& order, const State& start, std::string name,
          int64_t parallel_iterations, Place where) {
  static_assert(
      std::is_same_v<Staged<std::invoke_result_t<F&, State, Row>>, State>,
      "the function must return the structure of the state");
  WhileOptions options;
  options.name = std::move(name);
  options.parallel_iterations = parallel_iterations;
  options.maximum_iterations = order.end();
  return std::get<1>(while_loop(
      [&](const Tensor& i, const State&) { return i < order.end(); },
      [&](const Tensor& i, const State& state) {
        State next = Normal(f(state, order.row<Row>(i)));
        return std::tuple<Tensor, State>(i + 1, std::move(next));
      },
      std::tuple<Tensor, State>(order.begin(), start), options, where));
}

template <class F, class Row, class State>
State Scan(F& f, const Order& order, const State& start, bool start_is_result,
           const ScanOptions& given, Place where) {
  static_assert(
      std::is_same_v<Staged<std::invoke_result_t<F&, State, Row>>, State>,
      "the function must return the structure of the state");
  const Results parts = Apart(start);
  std::vector<TensorArray> arrays;
  for (const Tensor& t : parts.tensors) {
    TensorArrayOptions options;
    options.element_shape = t.shape();
    TensorArray array(t.dtype(), order.end(), options);
    if (start_is_result) array = array.write(order.place(Tensor(0)), t);
    arrays.push_back(std::move(array));
  }
  WhileOptions options;
  options.name = given.name;
  options.parallel_iterations = given.parallel_iterations;
  options.maximum_iterations = order.end();
  using Arrays = std::vector<TensorArray>;
  const auto end = while_loop(
      [&](const Tensor& i, const State&, const Arrays&) {
        return i < order.end();
      },
      [&](const Tensor& i, const State& state, const Arrays& before) {
        State next = Normal(f(state, order.row<Row>(i)));
        const Results flat = Apart(next);
        Arrays after;
        for (size_t k = 0; k < before.size() && k < flat.tensors.size(); ++k) {
          after.push_back(
              before[k].write(order.place(i), flat.tensors[k]));
        }
        return std::tuple<Tensor, State, Arrays>(i + 1, std::move(next),
                                                 std::move(after));
      },
      std::tuple<Tensor, State, Arrays>(order.begin(), start, arrays), options,
      where);
  Results stacked{{}, parts.shape};
  for (const TensorArray& array : std::get<2>(end)) {
    stacked.tensors.push_back(array.stack());
  }
  return Together<State>(stacked);
}

template <class F, class E>
auto Map(F& f, const E& elems, decltype(MapRows)& map_rows,
         const MapOptions& options, Place where) {
  using Row = Staged<E>;
  using Result = Staged<std::invoke_result_t<F&, Row>>;
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
  return detail::Map(f, elems, detail::MapRows, options, where);
}

// map_fn, where a tensor of `elems` may also have one row: every call gets it.
// Throws Error (InvalidArgument) if the lengths of the others differ.
//
//   gk::Tensor products = gk::vectorized_map(
//       [](std::pair<gk::Tensor, gk::Tensor> p) {
//         return gk::matmul(p.first, p.second);
//       },
//       std::pair(matrices, one_matrix));
template <class F, class E>
auto vectorized_map(F&& f, const E& elems, const MapOptions& options = {},
                    Place where = Place::current()) {
  return detail::Map(f, elems, detail::MapRowsSharing, options, where);
}

// The last state of state = f(state, row), from the first row on; `initial`
// is the state before it, in the structure and of the dtypes that `f`
// returns.
template <class F, class E, class S>
  requires(!detail::kIsOptions<S>)
auto foldl(F&& f, const E& elems, const S& initial,
           const FoldOptions& options = {},
           Place where = Place::current()) {
  const detail::Rows rows(detail::Apart(elems));
  return detail::Fold<F, detail::Staged<E>, detail::Staged<S>>(
      f, detail::Order(rows, false, false), detail::Normal(initial),
      options.name, options.parallel_iterations, where);
}
// The same with the first row as the first state.
template <class F, class E>
auto foldl(F&& f, const E& elems, const FoldOptions& options = {},
           Place where = Place::current()) {
  using Row = detail::Staged<E>;
  const detail::Rows rows(detail::Apart(elems));
  const detail::Order order(rows, false, true);
  return detail::Fold<F, Row, Row>(f, order,
                                   order.template row<Row>(Tensor(0)),
                                   options.name, options.parallel_iterations,
                                   where);
}

// foldl from the last row back.
template <class F, class E, class S>
  requires(!detail::kIsOptions<S>)
auto foldr(F&& f, const E& elems, const S& initial,
           const FoldOptions& options = {},
           Place where = Place::current()) {
  const detail::Rows rows(detail::Apart(elems));
  return detail::Fold<F, detail::Staged<E>, detail::Staged<S>>(
      f, detail::Order(rows, true, false), detail::Normal(initial),
      options.name, options.parallel_iterations, where);
}
template <class F, class E>
auto foldr(F&& f, const E& elems, const FoldOptions& options = {},
           Place where = Place::current()) {
  using Row = detail::Staged<E>;
  const detail::Rows rows(detail::Apart(elems));
  const detail::Order order(rows, true, true);
  return detail::Fold<F, Row, Row>(f, order,
                                   order.template row<Row>(Tensor(0)),
                                   options.name, options.parallel_iterations,
                                   where);
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
  const detail::Rows rows(detail::Apart(elems));
  return detail::Scan<F, detail::Staged<E>, detail::Staged<S>>(
      f, detail::Order(rows, options.reverse, false), detail::Normal(initial),
      false, options, where);
}
// The same with the first row as the first state and the first result.
template <class F, class E>
auto scan(F&& f, const E& elems, const ScanOptions& options = {},
          Place where = Place::current()) {
  using Row = detail::Staged<E>;
  const detail::Rows rows(detail::Apart(elems));
  const detail::Order order(rows, options.reverse, true);
  return detail::Scan<F, Row, Row>(f, order,
                                   order.template row<Row>(Tensor(0)), true,
                                   options, where);
}

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_MAP_H_
