// gk::function: makes a function out of a lambda that is traced into a graph
// once for each kind of argument and run as a graph from then on.
//
//   auto f = gk::function([](gk::Tensor x, int n) { ... return y; });
//   gk::Tensor y = f(x, 3);
//
// Tensors count by element type and shape, numbers and texts by value: the
// lambda runs anew for each new kind. What it does besides tensor operations
// happens while tracing only. A Function is a handle; copying shares the
// traces. Calls are safe from any number of threads.
#ifndef GRAPHKILN_FUNCTION_H_
#define GRAPHKILN_FUNCTION_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <graphkiln/call_structure.h>
#include <graphkiln/concrete_function.h>
#include <graphkiln/place.h>
#include <graphkiln/profiler.h>
#include <graphkiln/retraces.h>

namespace gk {
GK_API_NAMESPACE {

// What the arguments of all calls have to be: there is one trace then, whatever
// the shapes.
class GK_EXPORT InputSignature {
 public:
  // The types of all tensors among the arguments, also those in containers and
  // structs, in order. What else there is among them is up to the call.
  InputSignature(std::vector<TensorSpec> tensors)  // NOLINT: it is one
      : tensors_(std::move(tensors)) {}
  InputSignature(std::initializer_list<TensorSpec> tensors)
      : tensors_(tensors) {}

  // --- For the library itself; see gk::input_signature.
  explicit InputSignature(detail::CallWords arguments)
      : arguments_(std::move(arguments)) {}
  const std::vector<TensorSpec>& tensors() const { return tensors_; }
  const std::optional<detail::CallWords>& arguments() const {
    return arguments_;
  }

 private:
  std::vector<TensorSpec> tensors_;
  std::optional<detail::CallWords> arguments_;
};

// The same by the arguments, as get_concrete_function takes them: specs in
// place of tensors, containers of them; numbers and texts are what they are.
//
//   gk::input_signature(gk::TensorSpec{}, std::vector{spec, spec}, 3)
template <class... Args>
InputSignature input_signature(const Args&... arguments) {
  detail::CallWords words(nullptr);
  words.BeginTuple(sizeof...(Args));
  (detail::AddTo(words, arguments), ...);
  return InputSignature(std::move(words));
}

// Of function.
struct FunctionOptions {
  std::string name = "function";
  // Names of the arguments, for the graph; "args_0", ... where missing.
  std::vector<std::string> argument_names = {};
  // After a second shape, trace once for all shapes that look alike.
  bool reduce_retracing = false;
  // The shapes of tensors make no other trace.
  std::optional<InputSignature> input_signature = {};
  // Keep at most so many traces: the one used longest ago is dropped first.
  // 0: no limit.
  size_t max_traces = 0;
  // The name of a known function that this one stands for, kept as an
  // attribute of its graph: which may then depend on its arguments alone.
  std::string experimental_implements = {};
  // Attributes of the function in graphs; ValueError for other names than
  // TensorFlow's. "_disable_acd": effects are in no order.
  std::map<std::string, std::variant<bool, int64_t, double, std::string>>
      experimental_attributes = {};
};

namespace detail {

// The traces of a function; what does not depend on the lambda's type.
class GK_EXPORT FunctionState {
 public:
  // Gives the result of the lambda, taken apart. Not kept beyond a call.
  class Body {
   public:
    template <class F>
    explicit Body(const F& call)
        : call_(&call), run_([](const void* f, Placeholders& p, Results* out) {
            (*static_cast<const F*>(f))(p, out);
          }) {}
    void operator()(Placeholders& p, Results* out) const {
      run_(call_, p, out);
    }

   private:
    const void* call_;
    void (*run_)(const void*, Placeholders&, Results*);
  };

  FunctionState(FunctionOptions options, const Place& made);
  ~FunctionState();
  FunctionState(const FunctionState&) = delete;

  // The tensors of the result, and how to put them together.
  std::vector<Tensor> Call(const CallWords& call, const Body& body,
                           const Place& where,
                           std::shared_ptr<const Form>* form);
  ConcreteFunction Concrete(const CallWords& call, const Body& body,
                            const Place& where);
  ConcreteFunction Initialization(const CallWords& call, const Body& body,
                                  const Place& where);
  int tracing_count() const;
  std::vector<ConcreteFunction> ConcreteFunctions() const;
  // The last of them; throws Error (ValueError) if there is none.
  ConcreteFunction Latest() const;
  CacheInfo cache_info() const;
  RetraceExplanation explain_retraces() const;
  void clear_traces();

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace detail

// A lambda that is traced for each kind of arguments: see function().
template <class F>
class Function {
 public:
  // `made`: where; functions made anew at one place are counted together when
  // there is too much tracing.
  Function(F f, FunctionOptions options, Place made = Place::current())
      : shared_(
            std::make_shared<Shared>(std::move(f), std::move(options), made)) {}

  // A call. What is traced for it is explained with the place of the call,
  // up to six arguments: a default may not follow any number of them.
  auto operator()(Place where = Place::current()) const {
    return CallFrom(where);
  }
  template <class A>
  auto operator()(const A& a, Place where = Place::current()) const {
    return CallFrom(where, a);
  }
  template <class A, class B>
  auto operator()(const A& a, const B& b,
                  Place where = Place::current()) const {
    return CallFrom(where, a, b);
  }
  template <class A, class B, class C>
  auto operator()(const A& a, const B& b, const C& c,
                  Place where = Place::current()) const {
    return CallFrom(where, a, b, c);
  }
  template <class A, class B, class C, class D>
  auto operator()(const A& a, const B& b, const C& c, const D& d,
                  Place where = Place::current()) const {
    return CallFrom(where, a, b, c, d);
  }
  template <class A, class B, class C, class D, class E>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e,
                  Place where = Place::current()) const {
    return CallFrom(where, a, b, c, d, e);
  }
  template <class A, class B, class C, class D, class E, class G>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e,
                  const G& g, Place where = Place::current()) const {
    return CallFrom(where, a, b, c, d, e, g);
  }
  template <class... Args>
    requires(sizeof...(Args) > 6)
  auto operator()(const Args&... args) const {
    return CallFrom(Place(), args...);
  }

  // The trace for these arguments, made if there is none; a TensorSpec may
  // stand for a tensor.
  ConcreteFunction get_concrete_function(
      Place where = Place::current()) const {
    return ConcreteFrom(where);
  }
  template <class A>
  ConcreteFunction get_concrete_function(
      const A& a, Place where = Place::current()) const {
    return ConcreteFrom(where, a);
  }
  template <class A, class B>
  ConcreteFunction get_concrete_function(
      const A& a, const B& b, Place where = Place::current()) const {
    return ConcreteFrom(where, a, b);
  }
  template <class A, class B, class C>
  ConcreteFunction get_concrete_function(
      const A& a, const B& b, const C& c,
      Place where = Place::current()) const {
    return ConcreteFrom(where, a, b, c);
  }
  template <class A, class B, class C, class D>
  ConcreteFunction get_concrete_function(
      const A& a, const B& b, const C& c, const D& d,
      Place where = Place::current()) const {
    return ConcreteFrom(where, a, b, c, d);
  }
  template <class... Args>
    requires(sizeof...(Args) > 4)
  ConcreteFunction get_concrete_function(const Args&... args) const {
    return ConcreteFrom(Place(), args...);
  }

  // What initialises the variables that a call with these arguments makes:
  // until it is called they have no values. Throws Error (RuntimeError) if the
  // lambda was traced before.
  template <class... Args>
  ConcreteFunction get_initialization_function(const Args&... args) const {
    if constexpr (CheckArguments<Args...>()) {
      const auto trace = Traced(args...);
      return shared_->state.Initialization(
          Words(args...), detail::FunctionState::Body(trace), Place());
    } else {
      return ConcreteFunction(nullptr);
    }
  }

  // Calls it and tells where the time went; tracing, if there has to be some,
  // comes before. One that has no effects and draws no random numbers is called
  // for some milliseconds, others once. Throws Error: AlreadyExists while a
  // profile is made.
  template <class... Args>
  profiler::FunctionProfile profile(const Args&... args) const {
    return detail::ProfileOfCall(get_concrete_function(args...),
                                 [&] { (*this)(args...); });
  }
  // What memory the plan of the trace made last needs. Throws Error (Value) if
  // there is none.
  profiler::MemoryReport memory_report() const {
    return shared_->state.Latest().memory_report();
  }

  // How often the lambda has been traced.
  int tracing_count() const { return shared_->state.tracing_count(); }
  // The traces that there are, in the order in which they were made.
  std::vector<ConcreteFunction> concrete_functions() const {
    return shared_->state.ConcreteFunctions();
  }
  // Hits, misses and traces of the cache, since it was cleared last.
  CacheInfo cache_info() const { return shared_->state.cache_info(); }
  // Why there is more than one trace; prints as text.
  RetraceExplanation explain_retraces() const {
    return shared_->state.explain_retraces();
  }
  // Forgets all traces, with their graphs and what they captured. Calls that
  // run meanwhile finish.
  void clear_traces() const { shared_->state.clear_traces(); }

 private:
  struct Shared {
    Shared(F f, FunctionOptions options, const Place& made)
        : function(std::move(f)), state(std::move(options), made) {}
    F function;
    detail::FunctionState state;
  };

  template <class... Args>
  auto CallFrom(const Place& where, const Args&... args) const {
    if constexpr (CheckArguments<Args...>()) {
      using Result = std::decay_t<decltype(Trace(args...))>;
      const detail::CallWords call = Words(args...);
      std::shared_ptr<const detail::Form> form;
      const auto trace = Traced(args...);
      std::vector<Tensor> tensors = shared_->state.Call(
          call, detail::FunctionState::Body(trace), where, &form);
      if constexpr (!std::is_void_v<Result>) {
        return detail::Taken<detail::Staged<Result>>(std::move(tensors), *form);
      }
    }
  }
  template <class... Args>
  ConcreteFunction ConcreteFrom(const Place& where,
                                const Args&... args) const {
    if constexpr (CheckArguments<Args...>()) {
      const auto trace = Traced(args...);
      return shared_->state.Concrete(Words(args...),
                                     detail::FunctionState::Body(trace), where);
    } else {
      return ConcreteFunction(nullptr);
    }
  }

  // Says in one error, instead of a page of them, that the lambda does not
  // take what the call gives.
  template <class... Args>
  static constexpr bool CheckArguments() {
    constexpr bool kTakesThem =
        requires(const Function& f, const Args&... args) { f.Trace(args...); };
    static_assert(kTakesThem,
                  "the lambda of this gk::function cannot be called with these "
                  "arguments: see its parameters and the types above");
    return kTakesThem;
  }

  template <class... Args>
  static detail::CallWords Words(const Args&... args) {
    detail::CallWords call(
        &detail::kSignature<decltype(detail::Stand(
            std::declval<detail::Placeholders&>(), Decayed(args)))...>);
    call.BeginTuple(sizeof...(Args));
    (detail::AddTo(call, Decayed(args)), ...);
    return call;
  }
  // Arrays of characters as texts.
  template <class T>
  static decltype(auto) Decayed(const T& value) {
    if constexpr (std::is_array_v<T>) {
      return std::string_view(value);
    } else {
      return (value);
    }
  }
  // What the lambda returns for such arguments.
  template <class... Args>
  auto Trace(const Args&... args) const
      -> decltype(std::declval<F&>()(detail::Stand(
          std::declval<detail::Placeholders&>(), Decayed(args))...));

  // Calls the lambda on what stands for such arguments.
  template <class... Args>
  auto Traced(const Args&... args) const {
    return [this, &args...](detail::Placeholders& p, detail::Results* results) {
      // Braces: the arguments are made in order.
      std::tuple<decltype(detail::Stand(p, Decayed(args)))...> stand{
          detail::Stand(p, Decayed(args))...};
      if constexpr (std::is_void_v<decltype(Trace(args...))>) {
        (void)results;
        std::apply(shared_->function, std::move(stand));
      } else {
        const auto& result = std::apply(shared_->function, std::move(stand));
        detail::Flatten(results, result);
      }
    };
  }

  std::shared_ptr<Shared> shared_;
};

// A function that is traced for each kind of arguments, and runs as a graph.
// What `f` reads besides its arguments is captured.
template <class F>
Function<std::decay_t<F>> function(
    F&& f, FunctionOptions options = {},
    Place made = Place::current()) {
  return Function<std::decay_t<F>>(std::forward<F>(f), std::move(options),
                                   made);
}

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_FUNCTION_H_
