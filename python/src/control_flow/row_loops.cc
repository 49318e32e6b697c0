#include "function/row_loops.h"

#include <algorithm>
#include <optional>
#include <span>

#include "function/specs/spec_rows.h"
#include "ops/composition.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/type_parts.h"
#include "python/src/control_flow/control_flow.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/element_spec.h"
#include "python/src/graph/name_scope.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/types/spec_of_value.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

class PyRowHost final : public PythonHost<RowHost> {
 public:
  explicit PyRowHost(nb::handle function) : function_(function) {}
  StagedValue Step(const StagedValue& state, const StagedValue& row) override {
    return ValueOfStructure(function_(PythonValue(state), PythonValue(row)));
  }
  bool lets_dtypes_vary() const override { return true; }
  std::string LeafName(size_t, const Tensor& before) const override {
    return NameOfVariable(before);
  }

 private:
  nb::handle function_;
};

enum FoldKind { kFoldLeft, kFoldRight, kScan };
constexpr const char* kFoldNames[] = {"foldl", "foldr", "scan"};

// `elems` of tensors: a list of none is one itself.
nb::object Elements(nb::handle elems) {
  const std::vector<nb::object> leaves = Leaves(elems, false);
  if (leaves.empty()) {
    Throw(ValueError("elems must hold a tensor, got {}", TextOf(elems)));
  }
  const bool holds_tensors =
      std::any_of(leaves.begin(), leaves.end(),
                  [](nb::handle leaf) { return IsTensorLike(leaf.ptr()); });
  if (!PyList_Check(elems.ptr()) || holds_tensors) return nb::borrow(elems);
  return Wrapped(Converted(elems));
}

template <FoldKind kKind>
PyObject* FoldRows(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *function, *elems, *initial = Py_None, *parallel = Py_None,
                              *infer_shape = Py_True, *reverse = Py_False,
                              *name = Py_None, *ignored;
  const bool parsed =
      kKind == kScan
          ? ParseArguments(
                args, kwargs, "OO|OOOOOOO:scan",
                {"fn", "elems", "initializer", "parallel_iterations",
                 "back_prop", "swap_memory", "infer_shape", "reverse", "name"},
                &function, &elems, &initial, &parallel, &ignored, &ignored,
                &infer_shape, &reverse, &name)
          : ParseArguments(
                args, kwargs,
                kKind == kFoldLeft ? "OO|OOOOO:foldl" : "OO|OOOOO:foldr",
                {"fn", "elems", "initializer", "parallel_iterations",
                 "back_prop", "swap_memory", "name"},
                &function, &elems, &initial, &parallel, &ignored, &ignored,
                &name);
  if (!parsed) return nullptr;
  const WithinScope within(NameOr(name, kFoldNames[kKind]));
  if (PyCallable_Check(function) == 0) {
    Throw(TypeError("fn must be callable, got {}",
                    TextOf(nb::repr(nb::handle(function)))));
  }
  FoldOptions options;
  options.parallel_iterations = ParallelIterations(parallel);
  options.reverse = kKind == kFoldRight || Truth(reverse);
  options.infer_shape = Truth(infer_shape);
  PyRowHost host(function);
  return Told([&] {
    const StagedValue rows = ValueOfStructure(Elements(elems));
    std::optional<StagedValue> first;
    if (initial != Py_None) first = ValueOfStructure(initial);
    return PythonValue(
               (kKind == kScan ? Scan : Fold)(host, rows, first, options))
        .release()
        .ptr();
  });
}

// --- Rows of values of any kind.

// Can its rows be taken as it is?
bool HasRows(nb::handle value) {
  if (IsTensor(value.ptr()) || IsRagged(value) || IsSparse(value)) return true;
  return nb::hasattr(value.type(), "__batch_encoder__");
}

// A value of which rows are taken: what has them, from `sources` on.
class RowsOfValue {
 public:
  RowsOfValue(nb::handle value, std::vector<RowSource>* sources)
      : spec_(SpecOfValue(value)) {
    TakenApart(
        spec_, value, /*rows=*/true,
        [&](const TypeSpec& core, nb::handle leaf, nb::handle part) {
          if (core.kind > TypeSpec::Kind::kSparse || core.host) {
            Throw(TypeError("The rows of {} cannot be taken", TextOf(leaf)));
          }
          sources->emplace_back(core, PartsOf(core, leaf, part));
        });
  }
  // The row with these parts, from `next` on.
  nb::object Row(const std::vector<TensorVector>& rows, size_t* next) {
    if (!row_.is_valid()) row_ = PythonSpec(CoreSpec(spec_).Row());
    return PutTogether(row_, [&](const TypeSpec& core, nb::handle spec) {
      const TensorVector& parts = rows.at((*next)++);
      return core.kind == TypeSpec::Kind::kTensor
                 ? Wrapped(parts[0])
                 : ValueOfParts(core, spec, parts);
    });
  }

 private:
  nb::object spec_, row_;
};

// That of what a function gave.
nb::object ResultSpec(nb::handle value) {
  if (!IsTensor(value.ptr())) return SpecOfValue(value);
  const Tensor t = AsTensor(value);
  return Owned(WrapTensorSpec(t.partial_shape(), t.dtype()));
}

// Is it a value of the extension type, and has the values that are no tensors,
// which `spec` says? Tensors are checked where they are kept.
bool IsOneOf(nb::handle spec, nb::handle value) {
  const nb::object own = nb::getattr(value, "_type_spec", nb::none());
  if (!spec.type().is(own.type())) return false;
  return FieldsOfSpec(spec).Describes(FieldsOfSpec(own));
}

// Results that a spec, or a dtype, describes.
class ResultRows {
 public:
  ResultRows(nb::handle signature, bool infer_shape,
             std::vector<RowCollector>* collectors) {
    if (PyObject_TypeCheck(signature.ptr(), TypeSpecType)) {
      core_ = CoreSpec(signature);
    }
    if (core_ &&
        (core_->has_encoder() || core_->kind <= TypeSpec::Kind::kSparse)) {
      spec_ = nb::borrow(signature);
    } else {
      const DataType dtype = AsDType(signature.ptr());
      if (dtype == DataType::kInvalid) throw nb::python_error();
      spec_ = Owned(WrapTensorSpec(PartialTensorShape(), dtype));
      core_ = CoreSpec(spec_);
    }
    for (TypeSpec& leaf : LeavesInside({Structure::Leaf(), {*core_}})) {
      collectors->emplace_back(std::move(leaf), infer_shape);
    }
  }
  void AddParts(nb::handle value, std::vector<TensorVector>* parts) const {
    if (core_->has_encoder() && !IsOneOf(spec_, value)) {
      Throw(ValueError(
          "Error in map_fn:\n  Expected `fn` to return a:\n    {}\n  But it "
          "returned a:\n    {}\n    (value={})\n  To fix, update the "
          "`fn_output_signature` (or `dtype`) argument to `map_fn`.",
          TextOf(spec_), TextOf(nb::getattr(value, "_type_spec", value.type())),
          TextOf(value)));
    }
    TakenApart(
        spec_, value, /*rows=*/false,
        [&](const TypeSpec& core, nb::handle spec, nb::handle part) {
          using Kind = TypeSpec::Kind;
          const bool converts = core.kind == Kind::kTensor ||
                                (core.kind == Kind::kRagged && !IsRagged(part));
          parts->push_back(converts
                               ? TensorVector{ConvertedTo(part, core.dtype)}
                               : PartsOf(core, spec, part));
        });
  }
  // Of `n` rows, -1 if that is not known, with parts from `next` on.
  nb::object Together(const std::vector<TensorVector>& all, size_t* next,
                      int64_t n) const {
    return PutTogether(
        PythonSpec(core_->Batched(n)),
        [&](const TypeSpec& core, nb::handle) -> nb::object {
          const TensorVector& parts = all.at((*next)++);
          switch (core.kind) {
            case TypeSpec::Kind::kRagged: {
              std::vector<RowPartition> rows;
              for (size_t k = 1; k < parts.size(); ++k) {
                rows.push_back({parts[k], {}});
              }
              return Wrapped(RaggedValue(parts[0], std::move(rows)));
            }
            case TypeSpec::Kind::kSparse:
              return Wrapped(SparseValue::Make(parts[0], parts[1], parts[2]));
            default:
              return Wrapped(parts[0]);
          }
        });
  }

 private:
  nb::object spec_;
  std::optional<TypeSpec> core_;  // the same
};

class PyPartHost final : public PythonHost<SpecRowHost> {
 public:
  PyPartHost(nb::handle function, nb::handle values, bool infer_shape)
      : function_(function), infer_shape_(infer_shape) {
    for (nb::handle value : values) {
      const size_t before = sources_.size();
      values_.emplace_back(value, &sources_);
      sizes_.push_back(sources_.size() - before);
    }
  }
  // Results of the function that the spec, or dtype, describes.
  void Collect(nb::handle signature) {
    results_.emplace_back(signature, infer_shape_, &collectors_);
  }
  // What it gives for all rows; `shares`: as MapSharing() does.
  nb::list Mapped(bool shares, const FoldOptions& options) {
    const std::vector<TensorVector> parts =
        shares ? MapSharing(sources_, sizes_, options)
               : Map(sources_, collectors_, options);
    nb::list made;
    size_t next = 0;
    for (const ResultRows& r : results_) {
      made.append(r.Together(parts, &next, known_count()));
    }
    return made;
  }

  std::vector<TensorVector> Call(
      const std::vector<TensorVector>& rows) override {
    size_t at = 0;
    std::vector<TensorVector> parts;
    for (nb::handle value : ResultsFor(rows)) {
      results_.at(at++).AddParts(value, &parts);
    }
    return parts;
  }
  std::span<const RowCollector> CollectorsOf(
      const std::vector<TensorVector>& rows) override {
    for (nb::handle value : ResultsFor(rows)) Collect(ResultSpec(value));
    return collectors_;
  }
  std::string LeafName(size_t, const Tensor& before) const override {
    return NameOfVariable(before);
  }

 private:
  nb::list ResultsFor(const std::vector<TensorVector>& rows) {
    nb::list arguments;
    size_t next = 0;
    for (RowsOfValue& v : values_) arguments.append(v.Row(rows, &next));
    return nb::list(function_(arguments));
  }

  nb::handle function_;
  const bool infer_shape_;
  std::vector<RowSource> sources_;
  std::vector<RowsOfValue> values_;
  std::vector<size_t> sizes_;  // how many sources each has
  std::vector<ResultRows> results_;
  std::vector<RowCollector> collectors_;
};

nb::list MapRowsOf(nb::handle function, nb::handle values, nb::handle signature,
                   bool infer_shape, int64_t parallel_iterations) {
  return Told([&] {
    PyPartHost host(function, values, infer_shape);
    if (!signature.is_none()) {
      for (nb::handle s : signature) host.Collect(s);
    }
    FoldOptions options;
    options.parallel_iterations = parallel_iterations;
    return host.Mapped(/*shares=*/signature.is_none(), options);
  });
}

PyMethodDef functions[] = {
    {"foldl", AsCFunction(Guarded<FoldRows<kFoldLeft>>), kByName,
     "foldl(fn, elems, initializer=None, parallel_iterations=10, "
     "back_prop=True, swap_memory=False, name=None)\n"
     "--\n\n"
     "Applies `fn(state, row)` to the rows of `elems` from the first on.\n\n"
     "Args:\n"
     "  fn: takes the state and a row; returns the next state.\n"
     "  elems: a structure of tensors of one length.\n"
     "  initializer: the first state; the first row if not given.\n"
     "  parallel_iterations: a positive int, written into the graph.\n"
     "  back_prop: deprecated; tf.stop_gradient does what False did.\n"
     "  swap_memory: accepted for compatibility.\n"
     "  name: of the scope of the ops.\n\n"
     "Returns:\n"
     "  The last state.\n\n"
     "Raises:\n"
     "  TypeError: `fn` is not callable.\n"
     "  ValueError: `elems` has no tensor, or a scalar, or the lengths "
     "differ.\n\n"
     ">>> int(tf.foldl(lambda a, x: a - x, tf.constant([10, 3, 2])))\n"
     "5"},
    {"foldr", AsCFunction(Guarded<FoldRows<kFoldRight>>), kByName,
     "foldr(fn, elems, initializer=None, parallel_iterations=10, "
     "back_prop=True, swap_memory=False, name=None)\n"
     "--\n\n"
     "Applies `fn(state, row)` to the rows of `elems` from the last back.\n\n"
     "Args:\n"
     "  fn: takes the state and a row; returns the next state.\n"
     "  elems: a structure of tensors of one length.\n"
     "  initializer: the first state; the last row if not given.\n"
     "  parallel_iterations: a positive int, written into the graph.\n"
     "  back_prop: deprecated; tf.stop_gradient does what False did.\n"
     "  swap_memory: accepted for compatibility.\n"
     "  name: of the scope of the ops.\n\n"
     "Returns:\n"
     "  The last state.\n\n"
     "Raises:\n"
     "  TypeError: `fn` is not callable.\n"
     "  ValueError: `elems` has no tensor, or a scalar, or the lengths "
     "differ.\n\n"
     ">>> int(tf.foldr(lambda a, x: a - x, tf.constant([10, 3, 2])))\n"
     "-11"},
    {"scan", AsCFunction(Guarded<FoldRows<kScan>>), kByName,
     "scan(fn, elems, initializer=None, parallel_iterations=10, "
     "back_prop=True, swap_memory=False, infer_shape=True, reverse=False, "
     "name=None)\n"
     "--\n\n"
     "All states of `fn(state, row)` over the rows of `elems`, stacked.\n\n"
     "Args:\n"
     "  fn: takes the state and a row; returns the next state.\n"
     "  elems: a structure of tensors of one length.\n"
     "  initializer: the state before the first call; if not given, the "
     "first\n"
     "    row, which is then the first result.\n"
     "  parallel_iterations: a positive int, written into the graph.\n"
     "  back_prop: deprecated; tf.stop_gradient does what False did.\n"
     "  swap_memory: accepted for compatibility.\n"
     "  infer_shape: whether all states must have the same shape.\n"
     "  reverse: begin with the last row; results stay at the rows' places.\n"
     "  name: of the scope of the ops.\n\n"
     "Returns:\n"
     "  The states in their structure, as long as `elems`.\n\n"
     "Raises:\n"
     "  TypeError: `fn` is not callable.\n"
     "  ValueError: `elems` has no tensor, or a scalar, the lengths differ, "
     "or\n"
     "    `fn` returns another structure.\n\n"
     ">>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, "
     "3])).numpy().tolist()\n"
     "[1, 3, 6]"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddRowLoops(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), functions) < 0) throw nb::python_error();
  m.def("_map_rows", &MapRowsOf, nb::arg("function"), nb::arg("values"),
        nb::arg("signature").none(), nb::arg("infer_shape"),
        nb::arg("parallel_iterations"),
        "_map_rows(function, values, signature, infer_shape, "
        "parallel_iterations): what `function(rows)` gives of the rows of "
        "values, stacked: lists, as the signature, of dtypes and specs. None: "
        "values may have one row for all calls, and results are as traced.");
  m.def("_has_rows", &HasRows);
}

}  // namespace gk::py
