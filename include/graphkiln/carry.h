// carry: branches and loops as C++ writes them, on variables of the language.
//
//   gk::Tensor n = 27, steps = 0;
//   gk::carry(n, steps).while_([&] { return n > 1; }, [&] {
//     n = gk::cond(gk::equal(n % 2, 0),
//                  [&] { return gk::math::floordiv(n, 2); },
//                  [&] { return n * 3 + 1; });
//     steps = steps + 1;
//   });
//
// The lambdas use and assign the variables that are listed; afterwards those
// hold the last values. Eagerly that is what C++ does anyway. In a traced
// function they are the loop variables of a node: what a part assigns but
// carry does not list belongs to the part's own graph, and is an error to use
// after it.
//
// A loop's body may return a bool scalar: false ends the loop, like break.
#ifndef GRAPHKILN_CARRY_H_
#define GRAPHKILN_CARRY_H_

#include <tuple>
#include <type_traits>
#include <utility>

#include <graphkiln/control_flow.h>
#include <graphkiln/map.h>

namespace gk {
GK_API_NAMESPACE {
// The variables that a branch or a loop may assign.
//
//   gk::Tensor sum = 0.0f;
//   gk::carry(sum).for_each(xs, [&](gk::Tensor x) { sum = sum + x; });
template <class... Ts>
class [[nodiscard("say what is to be done")]] carry {
  static_assert((!std::is_const_v<Ts> && ...),
                "gk::carry takes variables that can be assigned");
  static_assert(
      (std::is_same_v<detail::Staged<Ts>, std::remove_const_t<Ts>> && ...),
      "gk::carry takes variables of type Tensor, TensorArray, and "
      "containers and structs of them");

 public:
  explicit carry(Ts&... variables,
                 Place where = Place::current())
      : variables_(variables...), where_(where) {}
  // The same for a wrapper, which was given `where`.
  carry at(Place where) const {
    carry copy(*this);
    copy.where_ = where;
    return copy;
  }

  // Runs `then`, or `else_` if there is one, as gk::cond does. Both see the
  // variables as they are before.
  template <class T, class E>
    requires std::is_invocable_v<E&>
  void if_(const Tensor& pred, T&& then, E&& else_,
           Place where = Place::current()) const {
    static_assert(detail::kReturnsNothing<T> && detail::kReturnsNothing<E>,
                  "what a branch does, it does to the carried variables");
    if (!detail::IsStaged()) {
      if (detail::Truth(pred, "pred")) {
        then();
      } else {
        else_();
      }
      return;
    }
    const detail::Results before = Values();
    Undo undo(*this, before);
    auto part = [&](auto& f, const char* label) {
      return detail::BranchPart{[&](detail::Results* out) {
                                  Set(before);
                                  f();
                                  *out = Values();
                                },
                                label, where};
    };
    Set(detail::StagedIf(pred, part(then, "true_fn"), part(else_, "false_fn"),
                         "cond"));
    undo.Keep();
  }
  template <class T>
  void if_(const Tensor& pred, T&& then,
           Place where = Place::current()) const {
    if_(pred, std::forward<T>(then), [] {}, where);
  }

  // Repeats `body()` while `condition()`, a bool scalar, holds. Throws as
  // gk::while_loop does.
  template <class C, class B>
  void while_(C&& condition, B&& body, const WhileOptions& options = {},
              Place where = Place::current()) const {
    Loop<false>(
        [&](const Tensor&, const Tensor& go_on) -> Tensor {
          // Once the body has ended the loop nobody asks the condition.
          if (!go_on.defined()) return Tensor(condition());
          return cond(
              go_on, [&] { return Tensor(condition()); }, [] { return false; });
        },
        [&](const Tensor&) { return GoOn(body); },
        !detail::kReturnsNothing<B>, options, where);
  }

  // Calls `body(i)`, or `body()` if it takes nothing, for i = begin, begin +
  // step, ... as long as it is below `end` (above, for a negative step):
  // integer scalars of one dtype. Throws Error (ValueError) if `step` is 0.
  template <class B>
    requires(std::is_invocable_v<B&, const Tensor&> || std::is_invocable_v<B&>)
  void for_range(const Argument& begin, const Argument& end, int64_t step,
                 B&& body, const WhileOptions& options = {},
                 Place where = Place::current()) const {
    const detail::Range range(begin, end, step);
    Loop<true>(
        [&](const Tensor& k, const Tensor& go_on) {
          return detail::And(k < range.count(), go_on);
        },
        [&](const Tensor& k) {
          return Call(body, [&] { return range.At(k); });
        },
        Ends<B>(), options, where);
  }
  template <class B>
    requires(std::is_invocable_v<B&, const Tensor&> || std::is_invocable_v<B&>)
  void for_range(const Argument& begin, const Argument& end, B&& body,
                 const WhileOptions& options = {},
                 Place where = Place::current()) const {
    for_range(begin, end, 1, std::forward<B>(body), options, where);
  }
  template <class B>
    requires(std::is_invocable_v<B&, const Tensor&> || std::is_invocable_v<B&>)
  void for_range(const Argument& end, B&& body,
                 const WhileOptions& options = {},
                 Place where = Place::current()) const {
    for_range(0, end, 1, std::forward<B>(body), options, where);
  }

  // Calls `body(row)`, or `body(row, i)` if it takes the row's number, an
  // int32 scalar, for each row of `elements`: a tensor of rank 1 at least or a
  // container or struct of such tensors of one length. Throws as gk::foldl
  // does.
  template <class E, class B>
  void for_each(const E& elements, B&& body, const WhileOptions& options = {},
                Place where = Place::current()) const {
    using Row = detail::Staged<E>;
    const detail::Rows rows(detail::Apart(elements));
    const Tensor count = rows.wide_count();
    Loop<true>(
        [&](const Tensor& k, const Tensor& go_on) {
          return detail::And(k < count, go_on);
        },
        [&](const Tensor& k) {
          const Row row = detail::Together<Row>(rows.row(k));
          return Call(body, [&] { return detail::Narrow(k); }, row);
        },
        Ends<B, Row>(), options, where);
  }

 private:
  // Does this body, of a number or not, say whether to go on?
  template <class B, class... Args>
  static constexpr bool Ends() {
    if constexpr (std::is_invocable_v<B&, const Args&..., const Tensor&>) {
      return !std::is_void_v<
          std::invoke_result_t<B&, const Args&..., const Tensor&>>;
    } else {
      return !std::is_void_v<std::invoke_result_t<B&, const Args&...>>;
    }
  }
  // Calls it, with the number if it takes one; what it says.
  template <class B, class I, class... Args>
  static Tensor Call(B& body, const I& number, const Args&... args) {
    if constexpr (std::is_invocable_v<B&, const Args&..., const Tensor&>) {
      const Tensor i = number();
      auto call = [&] { return body(args..., i); };
      return GoOn(call);
    } else {
      auto call = [&] { return body(args...); };
      return GoOn(call);
    }
  }
  template <class F>
  static Tensor GoOn(F& f) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
      f();
      return Tensor();
    } else {
      return Tensor(f());
    }
  }

  // Gives the variables back what they held if something throws.
  class Undo {
   public:
    Undo(const carry& carried, const detail::Results& before)
        : carried_(carried), before_(before) {}
    ~Undo() {
      if (!kept_) carried_.Set(before_);
    }
    void Keep() { kept_ = true; }

   private:
    const carry& carried_;
    const detail::Results& before_;
    bool kept_ = false;
  };

  detail::Results Values() const { return detail::Apart(variables_); }
  void Set(const detail::Results& values) const { Set(values, variables_); }
  // Into a tuple of variables.
  template <class V>
  static void Set(const detail::Results& values, const V& variables) {
    detail::ResultReader reader(values.tensors, values.form,
                                /*arrays_stay=*/true);
    detail::ReadInto(reader, detail::ViewOf<V>(values.tensors, values.form),
                     variables);
  }

  // Repeats body(k), k = 0, 1, ..., while condition(k, go_on) holds; k only if
  // kCounts. go_on is what the body returned, if `ends`. While tracing they
  // come after the variables.
  template <bool kCounts, class C, class B>
  void Loop(C condition, B body, bool ends, const WhileOptions& options,
            Place where) const {
    if (!detail::IsStaged()) {
      detail::EagerLoop loop(Values(), options, where_, where);
      for (int64_t k = 0; loop.MayGoOn(); ++k) {
        const Tensor count = kCounts ? Tensor(k) : Tensor();
        if (!detail::Truth(condition(count, Tensor()),
                           "The condition of a loop")) {
          break;
        }
        const Tensor go_on = body(count);
        loop.Check(Values());
        if (ends && !detail::Truth(go_on, "What the body of a loop returns")) {
          break;
        }
      }
      return;
    }
    const detail::Results before = Values();
    Undo undo(*this, before);
    auto enter = [&](const detail::Results& in, Tensor* k, Tensor* go_on) {
      Set(in, std::tuple_cat(variables_, std::tie(*k, *go_on)));
    };
    auto leave = [&](const Tensor& k, const Tensor& go_on) {
      return detail::Apart(std::tuple_cat(variables_, std::tie(k, go_on)));
    };
    const detail::Results end = detail::StagedWhile(
        leave(kCounts ? Tensor(int64_t{0}) : Tensor(),
              ends ? Tensor(true) : Tensor()),
        {[&](const detail::Results& in) {
           Tensor k, go_on;
           enter(in, &k, &go_on);
           return condition(k, go_on);
         },
         [&](const detail::Results& in, detail::Results* out) {
           Tensor k, go_on;
           enter(in, &k, &go_on);
           go_on = body(k);
           *out = leave(kCounts ? k + 1 : Tensor(), go_on);
         },
         where_, where},
        detail::WithScalars(options, kCounts + ends));
    Tensor k, go_on;
    enter(end, &k, &go_on);
    undo.Keep();
  }

  std::tuple<Ts&...> variables_;
  Place where_;
};
template <class... Ts>
carry(Ts&...) -> carry<Ts...>;

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CARRY_H_
