// Branches and loops on tensors: cond, if_, case_, switch_case, while_loop.
//
//   gk::Tensor y = gk::cond(
//       x > 0, [&] { return gk::sqrt(x); }, [&] { return x * 0; });
//   gk::Tensor z = gk::if_(x > 0).then([&] { return x; }).else_([&] {
//     return -x;
//   });
//   auto [i, sum] = gk::while_loop(
//       [](gk::Tensor i, gk::Tensor) { return i < 4; },
//       [](gk::Tensor i, gk::Tensor sum) {
//         return std::tuple(i + 1, sum + i);
//       },
//       std::tuple(0, 0));
//
// Eagerly they are the language's own if and while. While a function is
// traced each part is traced once, into a graph of its own, and one node
// chooses or repeats when the function runs. Parts may use tensors and
// variables from outside and contain other parts. Gradient tapes see through
// both.
//
// Parts return what functions made by gk::function return: nothing, tensors,
// TensorArrays, numbers, and containers and structs of them. Numbers and
// variables come back as tensors. See also carry.h.
#ifndef GRAPHKILN_CONTROL_FLOW_H_
#define GRAPHKILN_CONTROL_FLOW_H_

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <graphkiln/staging.h>

namespace gk {
GK_API_NAMESPACE {

// Of cond.
struct CondOptions {
  std::string name = "cond";
};

namespace detail {

template <class F>
using BranchResult = std::invoke_result_t<F&>;
template <class F>
inline constexpr bool kReturnsNothing = std::is_void_v<BranchResult<F>>;

template <class F>
struct StagedResultOf {
  using type = Staged<BranchResult<F>>;
};
template <class F>
  requires kReturnsNothing<F>
struct StagedResultOf<F> {
  using type = void;
};
template <class F>
using StagedResult = typename StagedResultOf<F>::type;

template <class F>
StagedResult<F> RunNow(F& f) {
  if constexpr (kReturnsNothing<F>) {
    f();
  } else {
    return Normal(f());
  }
}
template <class F>
BranchPart PartOf(F& f, std::string label, Place where) {
  return {[&f](Results* out) {
            if constexpr (kReturnsNothing<F>) {
              f();
              Flatten(out, std::tuple<>());
            } else {
              Flatten(out, f());
            }
          },
          std::move(label), where};
}
template <class R>
R Result(const Results& parts) {
  if constexpr (!std::is_void_v<R>) return Together<R>(parts);
}

template <class T, class E>
StagedResult<T> Choose(const Tensor& pred, T& yes, E& no,
                       const std::string& name, Place where_yes,
                       Place where_no) {
  static_assert(std::is_same_v<StagedResult<T>, StagedResult<E>>,
                "both branches must return the same structure: the same "
                "containers and structs of tensors, or both nothing");
  if (!IsStaged()) {
    return Truth(pred, "pred") ? RunNow(yes) : RunNow(no);
  }
  return Result<StagedResult<T>>(
      StagedIf(pred, PartOf(yes, "true_fn", where_yes),
               PartOf(no, "false_fn", where_no), name));
}

// A condition: a bool scalar, or what makes one where it is asked for.
template <class P>
Tensor ConditionOf(P& pred) {
  if constexpr (std::is_invocable_v<P&>) {
    return Tensor(pred());
  } else {
    return pred;
  }
}
template <class P>
using Condition =
    std::conditional_t<std::is_invocable_v<std::decay_t<P>&>,
                       std::decay_t<P>, Tensor>;

template <class P, class F>
struct When {
  P pred;
  F f;
  Place where;
};
template <class F>
struct Otherwise {
  F f;
  Place where;
};
template <class T>
inline constexpr bool kIsWhen = false;
template <class P, class F>
inline constexpr bool kIsWhen<When<P, F>> = true;

// The branch of the first condition that holds.
template <class C>
auto RunFirst(const std::string&, C& otherwise) {
  return RunNow(otherwise.f);
}
template <class C, class... Rest>
  requires(sizeof...(Rest) > 0)
auto RunFirst(const std::string& name, C& first, Rest&... rest) {
  auto otherwise = [&] { return RunFirst(name, rest...); };
  const Place others[] = {rest.where...};
  return Choose(ConditionOf(first.pred), first.f, otherwise, name, first.where,
                others[0]);
}

}  // namespace detail

// Returns what `true_fn()` returns if `pred`, a bool scalar, holds, else what
// `false_fn()` does. Both return the same structure and dtypes; shapes may
// differ, the result has what they have in common. Throws Error if they do
// not or `pred` is no bool (TypeError), or no scalar (ValueError); the error
// names this call, where that of if_ and case_ names each branch's line.
//
//   gk::Tensor y = gk::cond(x > 1, [&] { return x * 10; }, [&] { return x; });
template <class T, class E>
  requires std::is_invocable_v<E&>
auto cond(const Tensor& pred, T&& true_fn, E&& false_fn,
          const CondOptions& options = {},
          Place where = Place::current()) {
  return detail::Choose(pred, true_fn, false_fn, options.name, where, where);
}
// Runs `true_fn`, for its effects, if `pred` holds.
//
//   gk::cond(loss > limit, [&] { rate.assign(rate * 0.5); });
template <class T>
void cond(const Tensor& pred, T&& true_fn, const CondOptions& options = {},
          Place where = Place::current()) {
  static_assert(detail::kReturnsNothing<T>,
                "a branch without an alternative returns nothing");
  auto nothing = [] {};
  detail::Choose(pred, true_fn, nothing, options.name, where, where);
}

// Conditions with their branches: if_(a).then(f).else_if(b, g).else_(h).
// Errors name the lines of the branches that disagree.
template <class... Whens>
class [[nodiscard("end it with else_ or end_if")]] IfChain {
 public:
  explicit IfChain(std::tuple<Whens...> whens) : whens_(std::move(whens)) {}

  // `pred` is a bool scalar, or a callable that returns one, which is called
  // only if no earlier condition holds.
  template <class P, class F>
  auto else_if(P&& pred, F&& f,
               Place where = Place::current()) && {
    using Next = detail::When<detail::Condition<P>, std::decay_t<F>>;
    return IfChain<Whens..., Next>(std::tuple_cat(
        std::move(whens_), std::tuple<Next>(Next{std::forward<P>(pred),
                                                 std::forward<F>(f), where})));
  }
  // Runs it: what the branch of the first condition that holds returns, or
  // what `f` does. Throws as gk::cond does.
  template <class F>
  auto else_(F&& f, Place where = Place::current()) && {
    detail::Otherwise<std::decay_t<F>> otherwise{std::forward<F>(f), where};
    return std::apply(
        [&](auto&... when) {
          return detail::RunFirst("cond", when..., otherwise);
        },
        whens_);
  }
  // Runs it, for the effects of its branches.
  void end_if(Place where = Place::current()) && {
    std::move(*this).else_([] {}, where);
  }

 private:
  std::tuple<Whens...> whens_;
};

// What if_ begins; goes on with then().
class [[nodiscard("continue with then")]] If {
 public:
  explicit If(Tensor pred) : pred_(std::move(pred)) {}
  template <class F>
  auto then(F&& f, Place where = Place::current()) const {
    using First = detail::When<Tensor, std::decay_t<F>>;
    return IfChain<First>(
        std::tuple<First>(First{pred_, std::forward<F>(f), where}));
  }

 private:
  Tensor pred_;
};

// Begins a chain of conditions.
//
//   gk::Tensor sign = gk::if_(x > 0).then([] { return 1; })
//                         .else_if(x < 0, [] { return -1; })
//                         .else_([] { return 0; });
inline If if_(const Tensor& pred) { return If(pred); }

// Of case_.
struct CaseOptions {
  // Is it an error if more than one condition holds?
  bool exclusive = false;
  std::string name = "cond";
};

// A case of case_: `f` if `pred`, a bool scalar, holds.
template <class F>
auto when(const Tensor& pred, F&& f,
          Place where = Place::current()) {
  return detail::When<Tensor, std::decay_t<F>>{pred, std::forward<F>(f),
                                               where};
}
// The last case of case_.
template <class F>
auto otherwise(F&& f, Place where = Place::current()) {
  return detail::Otherwise<std::decay_t<F>>{std::forward<F>(f), where};
}

// Returns what the branch of the first condition that holds returns; what
// `otherwise` does if there is one and none holds. Throws as gk::cond does;
// and, when it runs, Error (InvalidArgument) if none holds and there is no
// `otherwise`, or more than one and options.exclusive.
//
//   gk::Tensor y = gk::case_(gk::when(x < 2, [] { return 1; }),
//                            gk::when(x < 5, [] { return 2; }),
//                            gk::otherwise([] { return 3; }));
template <class... Cases>
auto case_(const CaseOptions& options, Cases... cases) {
  static_assert(sizeof...(Cases) > 0, "case_ needs a case");
  std::vector<Tensor> preds;
  auto note = [&](auto& c) {
    if constexpr (detail::kIsWhen<std::decay_t<decltype(c)>>) {
      preds.push_back(c.pred);
    }
  };
  (note(cases), ...);
  const bool open = preds.size() < sizeof...(Cases);
  const std::shared_ptr<void> checked =
      detail::AssertCases(preds, !open, options.exclusive);
  return detail::RunFirst(options.name, cases...);
}
template <class P, class F, class... Cases>
auto case_(detail::When<P, F> first, Cases... cases) {
  return case_(CaseOptions(), std::move(first), std::move(cases)...);
}

// Returns what the branch with the number `index`, an integer scalar, does:
// `first`, `others`... are 0, 1, ...; the last is also that of every other
// number. All return the same structure and dtypes. Throws as gk::cond does.
//
//   gk::Tensor y = gk::switch_case(n, [] { return 10; }, [] { return 20; });
template <class F, class... Fs>
  requires(std::is_invocable_v<F&> && (std::is_invocable_v<Fs&> && ...))
auto switch_case(const Tensor& index, F&& first, Fs&&... others) {
  static_assert((std::is_same_v<detail::StagedResult<F>,
                                detail::StagedResult<Fs>> &&
                 ...),
                "all branches must return the same structure: the same "
                "containers and structs of tensors, or all nothing");
  using R = detail::StagedResult<F>;
  std::vector<std::function<R()>> now{
      [&] { return detail::RunNow(first); },
      [&] { return detail::RunNow(others); }...};
  return switch_case(index, now);
}
// The same of branches in a vector. Throws Error (ValueError) if it is empty.
template <class F>
auto switch_case(const Tensor& index, const std::vector<F>& branches,
                 Place where = Place::current()) {
  using R = detail::StagedResult<const F>;
  if (!detail::IsStaged()) {
    const size_t i = detail::CaseOf(index, branches.size());
    return detail::RunNow(branches[i]);
  }
  std::vector<detail::BranchPart> parts;
  for (const F& f : branches) {
    parts.push_back(detail::PartOf(
        f, "branch " + std::to_string(parts.size()), where));
  }
  return detail::Result<R>(
      detail::StagedCase(index, parts, "switch_case"));
}

// Repeats `body` while `condition` holds.
//
// `loop_vars` is a tensor, a TensorArray or a container or struct of them;
// the items of a tuple (pair, array) are passed one by one. `condition`
// returns a bool scalar; `body` the next loop_vars, in the same structure and
// of the same dtypes. While tracing, shapes may not change either, except as
// options.shape_invariants allows. Returns the loop_vars at the end.
//
// Throws Error: TypeError if a dtype changes or the condition is no bool,
// ValueError if a shape or the structure changes.
//
//   gk::Tensor n = gk::while_loop([](gk::Tensor n) { return n < 100; },
//                                 [](gk::Tensor n) { return n * 2; }, 1);
template <class C, class B, class S>
auto while_loop(C&& condition, B&& body, const S& loop_vars,
                const WhileOptions& options = {},
                Place where = Place::current()) {
  using State = detail::Staged<S>;
  const detail::Results start = detail::Apart(loop_vars);
  auto holds = [&](const State& state) -> Tensor {
    return detail::Spread(condition, state);
  };
  auto step = [&](const State& state, detail::Results* after) {
    using Next = detail::Staged<decltype(detail::Spread(body, state))>;
    if constexpr (std::is_same_v<std::tuple<Next>, State>) {
      detail::Flatten(after, std::tuple(detail::Spread(body, state)));
    } else {
      static_assert(std::is_same_v<Next, State>,
                    "the body must return the structure of the loop "
                    "variables");
      detail::Flatten(after, detail::Spread(body, state));
    }
  };
  if (!detail::IsStaged()) {
    detail::EagerLoop loop(start, options, where, where);
    State state = detail::Together<State>(start);
    while (loop.MayGoOn() &&
           detail::Truth(holds(state), "The condition of a loop")) {
      detail::Results after;
      step(state, &after);
      loop.Check(after);
      state = detail::Together<State>(after);
    }
    return state;
  }
  return detail::Together<State>(detail::StagedWhile(
      start,
      {[&](const detail::Results& in) {
         return holds(detail::Together<State>(in));
       },
       [&](const detail::Results& in, detail::Results* out) {
         step(detail::Together<State>(in), out);
       },
       where, where},
      options));
}

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CONTROL_FLOW_H_
