// tf.map_fn and tf.vectorized_map: a function of every row of values of any
// kind, which nest.
#include <optional>
#include <span>

#include "function/specs/spec_rows.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/type_parts.h"
#include "python/src/control_flow/control_flow.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/element_spec.h"
#include "python/src/function/literal_key.h"
#include "python/src/graph/name_scope.h"
#include "python/src/nest/nest.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/types/spec_of_value.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

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

// What has rows as it is; all else as a tensor.
nb::object WithRows(nb::handle value) {
  return HasRows(value) ? nb::borrow(value) : Wrapped(Converted(value));
}
// The same of all leaves.
nb::object AllWithRows(nb::handle nest) {
  return MappedNest(nest, [](nb::handle leaf) { return WithRows(leaf); });
}
nb::object InForm(nb::handle like, nb::handle leaves) {
  return Owned(Packed(like.ptr(), NestRules::kNest, nb::list(leaves).ptr()));
}

class PyPartHost final : public PythonHost<SpecRowHost> {
 public:
  // `elems`: values that have rows.
  PyPartHost(nb::object function, nb::object elems, bool infer_shape)
      : function_(std::move(function)),
        elems_(std::move(elems)),
        infer_shape_(infer_shape) {
    for (const nb::object& value : Leaves(elems_, false)) {
      const size_t before = sources_.size();
      values_.emplace_back(value, &sources_);
      sizes_.push_back(sources_.size() - before);
    }
  }
  // What the function gives: dtypes and specs that nest so. Without, it is as
  // the first call tells, and values may have one row for all calls.
  void SetSignature(nb::object signature, bool implied) {
    signature_ = std::move(signature);
    has_signature_ = true;
    implied_ = implied;
    for (const nb::object& leaf : Leaves(signature_, false)) Collect(leaf);
  }
  // All that it gives, stacked.
  nb::object Mapped(const FoldOptions& options) {
    const std::vector<TensorVector> parts =
        has_signature_ ? Map(sources_, collectors_, options)
                       : MapSharing(sources_, sizes_, options);
    nb::list made;
    size_t next = 0;
    for (const ResultRows& r : results_) {
      made.append(r.Together(parts, &next, known_count()));
    }
    return InForm(signature_, made);
  }

  std::vector<TensorVector> Call(
      const std::vector<TensorVector>& rows) override {
    size_t at = 0;
    std::vector<TensorVector> parts;
    for (const nb::object& value : ResultsFor(rows)) {
      results_.at(at++).AddParts(value, &parts);
    }
    return parts;
  }
  std::span<const RowCollector> CollectorsOf(
      const std::vector<TensorVector>& rows) override {
    for (const nb::object& value : ResultsFor(rows)) Collect(ResultSpec(value));
    return collectors_;
  }
  std::string LeafName(size_t, const Tensor& before) const override {
    return NameOfVariable(before);
  }

 private:
  void Collect(nb::handle leaf) {
    results_.emplace_back(leaf, infer_shape_, &collectors_);
  }
  std::vector<nb::object> ResultsFor(const std::vector<TensorVector>& rows) {
    nb::list arguments;
    size_t next = 0;
    for (RowsOfValue& v : values_) arguments.append(v.Row(rows, &next));
    nb::object result = function_(InForm(elems_, arguments));
    if (!has_signature_) {
      result = AllWithRows(result);
      if (!signature_) signature_ = result;
    }
    Check(result);
    return Leaves(result, false);
  }
  void Check(const nb::object& result) const {
    const auto structure = [](nb::handle value) {
      StructureRef found = StructureOf(value.ptr(), NestRules::kNest, nullptr);
      if (!found) throw nb::python_error();
      return found;
    };
    const StructureRef a = structure(signature_), b = structure(result);
    ForgetComparisonError();
    const Status status = CheckRowResult(
        *a, *b, implied_,
        *WordsOfValues(PyRef::Share(signature_.ptr()),
                       PyRef::Share(result.ptr()), NestRules::kNest, *a, *b));
    if (RaiseComparisonError()) throw nb::python_error();
    ThrowIfError(status);
  }

  nb::object function_, elems_, signature_;
  const bool infer_shape_;
  bool has_signature_ = false, implied_ = false;
  std::vector<RowSource> sources_;
  std::vector<RowsOfValue> values_;
  std::vector<size_t> sizes_;  // how many sources each has
  std::vector<ResultRows> results_;
  std::vector<RowCollector> collectors_;
};

void CheckFunction(nb::handle function, std::string_view before) {
  if (PyCallable_Check(function.ptr())) return;
  Throw(TypeError("{}fn must be callable, got {}", before, ReprOf(function)));
}

// What a row of `value`, a tensor or another one, is.
nb::object RowType(nb::handle value) {
  if (IsTensor(value.ptr())) return value.attr("dtype");
  return PythonSpec(CoreSpec(SpecOfValue(value)).Row());
}

PyObject* MapFn(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *function, *elems, *dtype = Py_None, *parallel = Py_None,
                              *infer_shape = Py_True, *name = Py_None,
                              *signature = Py_None, *ignored;
  if (!ParseArguments(
          args, kwargs, "OO|OOOOOOO:map_fn",
          {"fn", "elems", "dtype", "parallel_iterations", "back_prop",
           "swap_memory", "infer_shape", "name", "fn_output_signature"},
          &function, &elems, &dtype, &parallel, &ignored, &ignored,
          &infer_shape, &name, &signature)) {
    return nullptr;
  }
  if (signature == Py_None) signature = dtype;
  if (PyCallable_Check(function) == 0) {
    CheckFunction(function, Format("The provided function {} is not callable.",
                                   TextOf(nb::handle(function))));
  }
  const nb::object converted = package::convert_callee(nb::handle(function));
  FoldOptions options;
  if (Truth(parallel)) {
    options.parallel_iterations = ParallelIterations(parallel);
  }
  return Told([&] {
    const WithinScope within(NameOr(name, "map"));
    const nb::object values = AllWithRows(elems);
    if (Leaves(values, false).empty()) {
      Throw(ValueError(
          "elems must be a Tensor or (possibly nested) sequence of Tensors. "
          "Got {}, which does not contain any Tensors.",
          TextOf(nb::handle(elems))));
    }
    PyPartHost host(converted, values, Truth(infer_shape));
    if (signature == Py_None) {
      host.SetSignature(
          MappedNest(values, [](nb::handle leaf) { return RowType(leaf); }),
          /*implied=*/true);
    } else {
      host.SetSignature(nb::borrow(signature), /*implied=*/false);
    }
    return host.Mapped(options).release().ptr();
  });
}

PyObject* VectorizedMap(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *function, *elems, *ignored;
  if (!ParseArguments(args, kwargs, "OO|OO:vectorized_map",
                      {"fn", "elems", "fallback_to_while_loop", "warn"},
                      &function, &elems, &ignored, &ignored)) {
    return nullptr;
  }
  CheckFunction(function, "");
  return Told([&] {
    const nb::object values = AllWithRows(elems);
    if (Leaves(values, false).empty()) {
      Throw(ValueError("elems must hold a tensor, got {}",
                       TextOf(nb::handle(values))));
    }
    const WithinScope within("map");
    PyPartHost host(nb::borrow(function), values, /*infer_shape=*/true);
    return host.Mapped({}).release().ptr();
  });
}

PyMethodDef map_functions[] = {
    {"map_fn", AsCFunction(Guarded<MapFn>), kByName,
     "map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, "
     "swap_memory=False, infer_shape=True, name=None, "
     "fn_output_signature=None)\n"
     "--\n"
     "\n"
     "Calls `fn` with the parts of `elems` along the first axis, and stacks\n"
     "the results.\n"
     "\n"
     "Args:\n"
     "  fn: takes an element, in the structure of `elems`.\n"
     "  elems: a structure of tensors, ragged or sparse tensors of one "
     "length.\n"
     "  dtype: deprecated; means `fn_output_signature`.\n"
     "  parallel_iterations: a positive int, written into the graph.\n"
     "  back_prop: deprecated; tf.stop_gradient does what False did.\n"
     "  swap_memory: accepted for compatibility.\n"
     "  infer_shape: whether all results must have the same shape.\n"
     "  name: of the scope of the ops.\n"
     "  fn_output_signature: dtypes or specs of the results in their "
     "structure;\n"
     "    those of `elems` if not given.\n"
     "\n"
     "Returns:\n"
     "  What `fn` returned, stacked.\n"
     "\n"
     "Raises:\n"
     "  TypeError: `fn` is not callable, or does not return the structure of\n"
     "    `fn_output_signature`.\n"
     "  ValueError: `elems` has no tensor, or a scalar; the lengths differ; "
     "`fn`\n"
     "    does not return the structure of `elems`, which no signature\n"
     "    replaces.\n"
     "\n"
     ">>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy().tolist()\n"
     "[1, 4, 9]"},
    {"vectorized_map", AsCFunction(Guarded<VectorizedMap>), kByName,
     "vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True)\n"
     "--\n"
     "\n"
     "Calls `fn` with the parts of `elems` along the first axis, and stacks\n"
     "the results, whatever their dtypes are.\n"
     "\n"
     "Args:\n"
     "  fn: takes an element, in the structure of `elems`.\n"
     "  elems: a structure of tensors of one length; those of length 1 are "
     "used\n"
     "    for every call.\n"
     "  fallback_to_while_loop: accepted for compatibility.\n"
     "  warn: accepted for compatibility.\n"
     "\n"
     "Returns:\n"
     "  What `fn` returned, stacked.\n"
     "\n"
     "Raises:\n"
     "  tf.errors.InvalidArgumentError: the lengths differ.\n"
     "\n"
     ">>> rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])\n"
     ">>> tf.vectorized_map(tf.reduce_sum, rows).numpy().tolist()\n"
     "[3.0, 7.0]"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddMapFunctions(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), map_functions) < 0) {
    throw nb::python_error();
  }
}

}  // namespace gk::py
