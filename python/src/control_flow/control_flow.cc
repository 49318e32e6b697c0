#include "python/src/control_flow/control_flow.h"

#include <memory>
#include <optional>
#include <unordered_set>

#include "function/branch_builder.h"
#include "function/dataset_loop.h"
#include "function/list_value.h"
#include "function/loop_builder.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/shape_invariants.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/made_dataset.h"
#include "python/src/graph/source_location.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Kind = StagedValue::Kind;

// --- Branches.

// The branches of a statement: each returns the values of symbols.
class SymbolsOfBranches final : public SymbolHost<BranchHost> {
 public:
  SymbolsOfBranches(const std::string& statement, nb::handle body,
                    nb::handle orelse, Symbols symbols, bool fills,
                    std::vector<std::string> moved)
      : SymbolHost(std::move(symbols)),
        statement_(statement),
        branches_{body, orelse},
        fills_(fills),
        moved_(std::move(moved)) {}

  void Run(size_t b) override {
    raw_[b] = nb::tuple(branches_[b]());
    if (b == 0) results_ = nb::list(raw_[0]);
  }
  size_t size() const override { return symbols().names.size(); }
  StagedValue Value(size_t b, size_t i) override {
    return ValueOfSymbol(raw_[b][i]);
  }
  Choice ChoiceOf(size_t i) const override {
    const nb::object a = raw_[0][i], b = raw_[1][i];
    if (a.is(b) && (a.is_none() || IsVariable(a.ptr()))) {
      return Choice::kPasses;
    }
    if (IsTensor(a.ptr()) || IsTensor(b.ptr())) return Choice::kChosen;
    const nb::object choice = package::choice_of(a, b);
    return static_cast<Choice>(nb::cast<int>(choice));
  }
  void SetResult(size_t i, const StagedValue& value) override {
    results_[i] = PythonValue(value);
  }
  void SetLost(size_t i, const std::string& text) override {
    results_[i] =
        symbols().Lost(i, nb::cast<bool>(results_[i].attr("pending")), text);
  }
  bool IsMoved(size_t i) const override {
    return std::find(moved_.begin(), moved_.end(), Name(i)) != moved_.end();
  }
  bool fills() const override { return fills_; }
  std::string_view statement() const override { return statement_; }
  const nb::list& results() const { return results_; }

 private:
  const std::string& statement_;
  nb::handle branches_[2];
  bool fills_;
  std::vector<std::string> moved_;
  nb::tuple raw_[2];
  nb::list results_;
};

// `statement`: what the condition is of, in errors.
nb::object Choose(nb::handle cond, const std::string& statement,
                  nb::handle body, nb::handle orelse, nb::handle names,
                  bool fill, nb::handle moved, nb::object lines) {
  SymbolsOfBranches branches(statement, body, orelse,
                             {Names(names), std::move(lines)}, fill,
                             Names(moved));
  return Told([&]() -> nb::object {
    BuildBranches(BranchKind::kIf, Converted(cond), 2, "cond", branches);
    return branches.results();
  });
}

// --- Loops.

// The symbols that a loop carries, whatever nodes it becomes.
class PyLoopState {
 public:
  // `invariants`: pairs (number of the symbol, what was given for it).
  PyLoopState(nb::handle names, nb::handle values, nb::handle invariants,
              nb::handle iterates, bool shapes_vary, nb::object lines)
      : host_({Names(names), std::move(lines)}, Names(iterates)) {
    Told([&] {
      std::vector<StagedValue> before;
      for (nb::handle value : values) before.push_back(ValueOfSymbol(value));
      std::vector<std::pair<size_t, std::vector<PartialTensorShape>>> shapes;
      for (nb::handle pair : invariants) {
        const size_t i = nb::cast<size_t>(pair[0]);
        if (!before[i].has_tensors()) continue;
        const nb::object value = PythonValue(before[i]);
        const nb::object given = pair[1];
        shapes.emplace_back(
            i, InvariantShapes(
                   Leaves(value, false),
                   Owned(FlattenUpTo(value.ptr(), given.ptr(), NestRules::kNest,
                                     /*gaps=*/false))));
        before[i] = OfAnyShape(std::move(before[i]));
      }
      state_.emplace(&host_, std::move(before));
      for (const auto& [i, all] : shapes) state_->SetInvariant(i, all);
      if (shapes_vary) state_->LetShapesVary();
    });
  }
  PyLoopState(const PyLoopState&) = delete;

  LoopState& state() { return *state_; }
  const Symbols& symbols() const { return host_.symbols(); }

  static nb::tuple Tuple(const std::vector<StagedValue>& values) {
    nb::list all;
    for (const StagedValue& v : values) all.append(PythonValue(v));
    return nb::tuple(all);
  }
  static std::vector<StagedValue> Staged(nb::handle values) {
    std::vector<StagedValue> all;
    for (nb::handle value : values) all.push_back(ValueOfSymbol(value));
    return all;
  }
  void Run(nb::handle body, nb::args arguments) {
    Told([&] { RunBody([&] { body(*arguments); }); });
  }
  // Errors of the body tell of the loop if a symbol without a value may be
  // their cause.
  template <class F>
  void RunBody(F&& body) {
    try {
      body();
    } catch (nb::python_error& e) {
      bool may_be = false;
      for (PyObject* type :
           {PyExc_AttributeError, PyExc_KeyError, PyExc_TypeError,
            PyExc_UnboundLocalError, PyExc_ValueError}) {
        may_be = may_be || e.matches(type);
      }
      if (!may_be) throw;
      const nb::handle value = e.value();
      const nb::object symbol =
          nb::getattr(value, "undefined_symbol", nb::str(""));
      const auto status =
          state_->ErrorOfBody(TextOf(symbol), e.matches(PyExc_AttributeError),
                              TextOf(e.type().attr("__name__")), TextOf(value));
      if (!status) throw;
      throw Error(*status);
    }
  }
  nb::tuple Check(nb::handle values) {
    return Told([&] {
      nb::list checked(values);
      const std::vector<StagedValue> after = Staged(values);
      for (size_t i = 0; i < after.size(); ++i) {
        if (!state_->before()[i].has_tensors()) continue;
        state_->CheckAfter(i, after[i]);
        if (after[i].has_tensors()) checked[i] = PythonValue(after[i]);
      }
      return nb::tuple(checked);
    });
  }

 private:
  class Host final : public SymbolHost<LoopHost> {
   public:
    Host(Symbols symbols, const std::vector<std::string>& iterates)
        : SymbolHost(std::move(symbols)),
          iterates_(iterates.begin(), iterates.end()) {}
    bool Iterates(size_t i) const override {
      return iterates_.count(Name(i)) > 0;
    }

   private:
    std::unordered_set<std::string> iterates_;
  };

  Host host_;
  std::optional<LoopState> state_;
};

// Thrown where it turns out that a condition is Python's.
struct IsPythons {};

// A while or for statement.
class SymbolsOfLoop final : public SymbolHost<StagedLoop> {
 public:
  SymbolsOfLoop(PyLoopState* state, nb::handle test, nb::handle body,
                nb::handle get, nb::handle set, bool asks_first)
      : SymbolHost(state->symbols()),
        asks_first_(asks_first),
        state_(state),
        test_(test),
        body_(body),
        get_(get),
        set_(set) {}

  LoopState& Start() override { return state_->state(); }
  void Set(std::vector<StagedValue> values, StagedLoop::Place place,
           const ListsFn& lists) override {
    const LoopState& state = state_->state();
    nb::list all;
    for (size_t i = 0; i < values.size(); ++i) {
      const StagedValue& v = values[i];
      nb::object value = PythonValue(v);
      if (place == StagedLoop::Place::kBody && v.kind == Kind::kOpenList) {
        value = value.attr("copy")();
        nb::cast<ListValue&>(value).set_begin(BeginOf(i));
        lists_ = std::make_shared<ListsFn>(lists);
        *live_ = lists_.get();
      }
      if (place == StagedLoop::Place::kBehind && v.kind == Kind::kUndefined &&
          !v.is_result) {
        value = symbols().Lost(i, v.pending, state.LostText(i));
      }
      all.append(value);
    }
    set_(nb::tuple(all));
  }
  bool asks_first() const override { return asks_first_; }
  std::string_view statement() const override { return "while loop"; }
  Tensor Condition(const Tensor& count) override {
    nb::object truth;
    try {
      truth = test_(Wrapped(count));
    } catch (const nb::python_error& e) {
      // Seen again, and told, where it is asked outside of a loop.
      if (asks_first_ && e.matches(PyExc_Exception)) throw IsPythons();
      throw;
    }
    if (asks_first_ && !IsTensor(truth.ptr()) && !IsVariable(truth.ptr())) {
      throw IsPythons();
    }
    return Converted(truth);
  }
  void Body(const Tensor& count) override {
    state_->RunBody([&] { body_(Wrapped(count)); });
  }
  std::vector<StagedValue> Get() override {
    *live_ = nullptr;
    return PyLoopState::Staged(get_());
  }

 private:
  // Gives an open list its own handles when its first element tells what the
  // elements are.
  ListValue::BeginFn BeginOf(size_t i) {
    return [live = live_, i](const ElementSpec& elements) {
      if (*live == nullptr) {
        throw Error(
            RuntimeError("a list is used outside of the loop that grows it"));
      }
      std::vector<HandleData> like;
      for (const TypeSpec& leaf : elements.leaves) {
        like.push_back({{leaf.dtype, leaf.shape}});
      }
      return (**live)(i, like);
    };
  }

  bool asks_first_;
  PyLoopState* state_;
  nb::handle test_, body_, get_, set_;
  std::shared_ptr<const ListsFn> lists_;
  std::shared_ptr<const ListsFn*> live_ =
      std::make_shared<const ListsFn*>(nullptr);
};

// False: no loop was made, for `asks_first` and the condition is Python's.
bool Repeat(PyLoopState& state, nb::handle test, nb::handle body,
            nb::handle get, nb::handle set, nb::handle limit,
            int64_t parallel_iterations, bool asks_first) {
  SymbolsOfLoop loop(&state, test, body, get, set, asks_first);
  return Told([&] {
    try {
      BuildLoop(loop, LoopOptionsOf(limit, parallel_iterations, "while"));
      return true;
    } catch (const IsPythons&) {
      return false;
    }
  });
}

// A for statement over a dataset.
class SymbolsOfDatasetLoop final : public SymbolHost<DatasetLoop> {
 public:
  SymbolsOfDatasetLoop(PyLoopState* state, nb::handle step, nb::handle get,
                       nb::handle set)
      : SymbolHost(state->symbols()),
        state_(state),
        step_(step),
        get_(get),
        set_(set) {}

  void Begin(FuncGraph* part) override { BeginBody(part); }
  LoopState& Start() override { return state_->state(); }
  void Set(std::vector<StagedValue> values) override {
    set_(PyLoopState::Tuple(values));
  }
  Tensor Body(std::span<const Tensor> element) override {
    const TracedHere here;
    return AsTensor(step_(Wrapped(element)));
  }
  std::vector<StagedValue> Get() override {
    return PyLoopState::Staged(get_());
  }

 private:
  PyLoopState* state_;
  nb::handle step_, get_, set_;
};

void OverDataset(PyLoopState& state, nb::handle dataset, nb::handle step,
                 nb::handle get, nb::handle set, bool may_end) {
  SymbolsOfDatasetLoop loop(&state, step, get, set);
  Told([&] { BuildDatasetLoop(loop, DatasetOf(dataset), may_end); });
}

}  // namespace

LoopOptions LoopOptionsOf(nb::handle limit, int64_t parallel_iterations,
                          std::string name) {
  LoopOptions options;
  options.name = std::move(name);
  options.parallel_iterations = parallel_iterations;
  if (!limit.is_none()) {
    options.maximum_iterations = Converted(limit, "maximum_iterations");
  }
  return options;
}

void AddControlFlow(nb::module_& m) {
  m.def("_choose", &Choose,
        "_choose(condition, statement, body, orelse, names, fill, moved, "
        "lines): the values that one of two branches gives symbols.");
  nb::class_<PyLoopState>(
      m, "_LoopState",
      "_LoopState(names, values, invariants, iterates, shapes_vary, lines): "
      "the symbols that a loop carries.")
      .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, bool,
                    nb::object>())
      .def("run", &PyLoopState::Run,
           "run(body, *arguments): runs it; its errors tell of the loop.")
      .def("check", &PyLoopState::Check,
           "check(values): these, which must be what they were, as tensors.")
      .def("repeat", &Repeat, nb::arg("test"), nb::arg("body"), nb::arg("get"),
           nb::arg("set"), nb::arg("limit").none(),
           nb::arg("parallel_iterations"), nb::arg("asks_first"),
           "Makes a While, and sets the values behind it. With `asks_first` "
           "the condition is traced first; false if it is no tensor.")
      .def("over_dataset", &OverDataset, nb::arg("dataset"), nb::arg("step"),
           nb::arg("get"), nb::arg("set"), nb::arg("may_end"),
           "Runs `step`, which takes components and says whether it counts, "
           "for each element; sets the values behind the loop.");
}

}  // namespace gk::py
