#include "function/row_loops.h"

#include <algorithm>
#include <optional>
#include <span>

#include "function/ragged/integer_arithmetic.h"
#include "function/specs/spec_rows.h"
#include "ops/composite.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/type_parts.h"
#include "python/src/control_flow/compared_values.h"
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
  Status Compare(size_t, const StagedValue& a, const StagedValue& b) override {
    return ComparedIterations(a, b);
  }
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

// A value of which rows are taken.
class RowsOfValue {
 public:
  explicit RowsOfValue(nb::handle value) : spec_(SpecOfValue(value)) {
    TakenApart(
        spec_, value, /*rows=*/true,
        [&](const TypeSpec& core, nb::handle leaf, nb::handle part) {
          if (core.kind > TypeSpec::Kind::kSparse || core.host) {
            Throw(TypeError("The rows of {} cannot be taken", TextOf(leaf)));
          }
          sources_.emplace_back(core, PartsOf(core, leaf, part));
        });
  }
  const std::vector<RowSource>& sources() const { return sources_; }
  // Row `i`, of the rows of tensors from `next` on.
  nb::object Row(const Tensor& i, const TensorVector& taken, size_t* next) {
    if (!row_.is_valid()) row_ = PythonSpec(CoreSpec(spec_).Row());
    size_t at = 0;
    return PutTogether(row_, [&](const TypeSpec& core, nb::handle spec) {
      const RowSource& source = sources_.at(at++);
      if (source.is_tensor()) return Wrapped(taken.at((*next)++));
      return ValueOfParts(core, spec, source.Row(i));
    });
  }

 private:
  nb::object spec_, row_;
  std::vector<RowSource> sources_;
};

// Is it a value of the extension type, and has the values that are no tensors,
// which `spec` says? Tensors are checked where they are kept.
bool IsOneOf(nb::handle spec, nb::handle value) {
  const nb::object own = nb::getattr(value, "_type_spec", nb::none());
  if (!spec.type().is(own.type())) return false;
  return FieldsOfSpec(spec).Describes(FieldsOfSpec(own));
}

// What collects results that a spec, or a dtype, describes.
class ResultRows {
 public:
  ResultRows(nb::handle signature, bool infer_shape) {
    if (PyObject_TypeCheck(signature.ptr(), TypeSpecType)) {
      core_ = CoreSpec(signature);
    }
    if (core_ && (core_->has_encoder() ||
                  core_->kind <= TypeSpec::Kind::kSparse)) {
      spec_ = nb::borrow(signature);
    } else {
      const DataType dtype = AsDType(signature.ptr());
      if (dtype == DataType::kInvalid) throw nb::python_error();
      spec_ = Owned(WrapTensorSpec(PartialTensorShape(), dtype));
      core_ = CoreSpec(spec_);
    }
    for (TypeSpec& leaf : LeavesInside({Structure::Leaf(), {*core_}})) {
      collectors_.emplace_back(std::move(leaf), infer_shape);
    }
  }
  void AddParts(std::vector<RowPart>* parts) const {
    for (const RowCollector& c : collectors_) {
      parts->insert(parts->end(), c.kept().begin(), c.kept().end());
    }
  }
  void Keep(const Tensor& i, nb::handle value, TensorVector* kept) const {
    if (core_->has_encoder() && !IsOneOf(spec_, value)) {
      Throw(ValueError(
          "Error in map_fn:\n  Expected `fn` to return a:\n    {}\n  But it "
          "returned a:\n    {}\n    (value={})\n  To fix, update the "
          "`fn_output_signature` (or `dtype`) argument to `map_fn`.",
          TextOf(spec_), TextOf(nb::getattr(value, "_type_spec", value.type())),
          TextOf(value)));
    }
    size_t at = 0;
    TakenApart(spec_, value, /*rows=*/false,
               [&](const TypeSpec& core, nb::handle spec, nb::handle part) {
                 const RowCollector& collector = collectors_.at(at++);
                 const DataType dtype = core.dtype;
                 if (core.kind == TypeSpec::Kind::kTensor) {
                   return collector.Keep(i, {ConvertedTo(part, dtype)}, kept);
                 }
                 nb::object given = nb::borrow(part);
                 if (core.kind == TypeSpec::Kind::kRagged && !IsRagged(part)) {
                   given = Wrapped(ConvertedTo(part, dtype));
                 }
                 const TensorVector parts = PartsOf(core, spec, given);
                 if (core.kind == TypeSpec::Kind::kRagged &&
                     parts.size() != 1u + core.ragged_rank) {
                   Throw(ValueError(
                       "The result {} does not have ragged rank {}, as "
                       "its signature says",
                       TextOf(part), core.ragged_rank));
                 }
                 collector.Keep(i, parts, kept);
               });
  }
  // Of `n` rows, `count`: -1 if that is not known.
  nb::object Together(const TensorVector& kept, size_t* next, int64_t n,
                      const Tensor& count) const {
    size_t at = 0;
    return PutTogether(
        PythonSpec(core_->Batched(n)),
        [&](const TypeSpec&, nb::handle) -> nb::object {
          const RowCollector& collector = collectors_.at(at++);
          const std::span<const Tensor> own =
              std::span(kept).subspan(*next, collector.kept().size());
          *next += own.size();
          TensorVector parts = collector.Together(own, count);
          switch (collector.spec().kind) {
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
  std::vector<RowCollector> collectors_;
};

class PyPartHost final : public PythonHost<PartHost> {
 public:
  PyPartHost(nb::handle function, std::vector<RowsOfValue>& values,
             const std::vector<ResultRows>& results)
      : function_(function), values_(values), results_(results) {}
  TensorVector Parts(const Tensor& place, const TensorVector& row) override {
    nb::list rows;
    size_t next = 0, at = 0;
    for (RowsOfValue& v : values_) rows.append(v.Row(place, row, &next));
    TensorVector kept;
    for (nb::handle value : nb::list(function_(rows))) {
      results_.at(at++).Keep(place, value, &kept);
    }
    return kept;
  }
  std::string LeafName(size_t, const Tensor& before) const override {
    return NameOfVariable(before);
  }

 private:
  nb::handle function_;
  std::vector<RowsOfValue>& values_;
  const std::vector<ResultRows>& results_;
};

nb::list MapRowsOf(nb::handle function, nb::handle values, nb::handle signature,
                   bool infer_shape, int64_t parallel_iterations) {
  return Told([&] {
    std::vector<RowsOfValue> sources;
    std::vector<PartialTensorShape> shapes;
    TensorVector tensors;
    for (nb::handle value : values) {
      for (const RowSource& s : sources.emplace_back(value).sources()) {
        shapes.push_back(s.shape());
        if (s.is_tensor()) tensors.push_back(s.tensor());
      }
    }
    const int64_t n = CommonLength(shapes, "Elements in elems");
    const Tensor count =
        n < 0 ? sources[0].sources().at(0).Count() : Int32Of(n);
    std::vector<ResultRows> results;
    std::vector<RowPart> parts;
    for (nb::handle s : signature) {
      results.emplace_back(s, infer_shape).AddParts(&parts);
    }
    PyPartHost host(function, sources, results);
    FoldOptions options;
    options.parallel_iterations = parallel_iterations;
    const TensorVector kept = MapRows(
        host, Rows(tensors, n, n < 0 ? count : Tensor()), parts, options);
    nb::list made;
    size_t next = 0;
    for (const ResultRows& r : results) {
      made.append(r.Together(kept, &next, n, count));
    }
    return made;
  });
}

nb::list ShapesOfRows(nb::handle value) {
  return Told([&] {
    nb::list shapes;
    const RowsOfValue rows(value);
    for (const RowSource& s : rows.sources()) {
      shapes.append(Owned(WrapShape(s.shape())));
    }
    return shapes;
  });
}
nb::object FirstRow(nb::handle value) {
  return Told([&] {
    RowsOfValue rows(value);
    TensorVector taken;
    for (const RowSource& s : rows.sources()) {
      if (s.is_tensor())
        taken.push_back(integers::Take(s.tensor(), Int32Of(0)));
    }
    size_t next = 0;
    return rows.Row(Int32Of(0), taken, &next);
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
  m.def("_map_rows", &MapRowsOf,
        "_map_rows(function, values, signature, infer_shape, "
        "parallel_iterations): what `function(rows)` gives of the rows of "
        "values, stacked: lists, as the signature, of dtypes and specs.");
  m.def("_has_rows", &HasRows);
  m.def("_first_row", &FirstRow);
  m.def("_shapes_of_rows", &ShapesOfRows,
        "_shapes_of_rows(value): of the tensors, ragged and sparse ones that "
        "hold its rows.");
}

}  // namespace gk::py
