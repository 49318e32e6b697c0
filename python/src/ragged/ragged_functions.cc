// Public functions of ragged and sparse arguments: what dispatch calls.
#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "ops/element_moves.h"
#include "ops/fn/Size.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ops/dispatch.h"
#include "python/src/ragged/ragged.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/ragged/ragged_shape_type.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {

namespace nb = nanobind;

namespace {

// What the function was called with, by name.
class Bound {
 public:
  explicit Bound(const DispatchedCall& call)
      : api_(nb::borrow(call.api())), arguments_(call.Bound()) {
    if (!arguments_.is_valid()) Throw(TypeError("the arguments do not fit"));
  }

  nb::object operator[](const char* name) const {
    PyObject* found = PyDict_GetItemString(arguments_.ptr(), name);
    return found == nullptr ? nb::none() : nb::borrow(found);
  }
  RaggedValue ragged(const char* name) const { return AsRagged((*this)[name]); }
  std::vector<RaggedValue> list(const char* name,
                                DataType hint = DataType::kInvalid) const {
    const nb::object values = (*this)[name];
    if (!PyList_Check(values.ptr()) && !PyTuple_Check(values.ptr())) {
      return {AsRagged(values)};
    }
    return AsRaggedList(values, hint);
  }
  bool flag(const char* name) const {
    return PyObject_IsTrue((*this)[name].ptr()) == 1;
  }
  int64_t axis(const char* name, int64_t otherwise) const {
    const nb::object value = (*this)[name];
    return value.is_none() ? otherwise : AsAxis(value, name);
  }
  std::string text(const char* name, const char* otherwise) const {
    const nb::object value = (*this)[name];
    return value.is_none() ? otherwise : nb::cast<std::string>(value);
  }
  Axes axes() const { return AsAxes((*this)["axis"], "axis"); }
  // The function itself, of something else.
  template <class... Args>
  nb::object Call(const Args&... args) const {
    return api_(args...);
  }

 private:
  nb::object api_, arguments_;
};

nb::object NotImplementedObject() { return nb::borrow(Py_NotImplemented); }

nb::object Gather(const Bound& b) {
  const nb::object axis = b["axis"];
  const RaggedValue params = b.ragged("params");
  return Wrapped(RaggedGather(
      params, b.ragged("indices"),
      axis.is_none() ? std::nullopt : std::optional(AsAxis(axis, "axis")),
      b.axis("batch_dims", 0)));
}

nb::object GatherNd(const Bound& b) {
  if (b.axis("batch_dims", 0) != 0) {
    Throw(
        ValueError("batch_dims != 0 is not supported for ragged gather yet."));
  }
  const RaggedValue indices = b.ragged("indices");
  const PartialTensorShape shape = indices.shape();
  if (!indices.is_ragged() && shape.rank() > 0 &&
      shape.dim(shape.rank() - 1) == 0) {
    return NotImplementedObject();
  }
  return Wrapped(RaggedGatherNd(b.ragged("params"), indices));
}

nb::object DynamicPartition(const Bound& b) {
  return Wrapped(RaggedDynamicPartition(
      b.ragged("data"), b.ragged("partitions"), b.axis("num_partitions", 1)));
}

nb::object Concat(const Bound& b) {
  return Wrapped(RaggedConcat(b.list("values"), b.axis("axis", 0)));
}
nb::object Stack(const Bound& b) {
  return Wrapped(RaggedStack(b.list("values"), b.axis("axis", 0)));
}
nb::object ExpandDims(const Bound& b) {
  return Wrapped(
      RaggedExpandDims(b.ragged("input"), AsAxis(b["axis"], "axis")));
}
nb::object Squeeze(const Bound& b) {
  const Axes axes = b.axes();
  if (!axes.values) {
    Throw(
        ValueError("Ragged.squeeze must have an axis argument: which "
                   "dimensions are of size 1 is not known before."));
  }
  return Wrapped(RaggedSqueeze(b.ragged("input"), *axes.values));
}
nb::object Reverse(const Bound& b) {
  const nb::object given = b["axis"];
  const bool listed = PyList_Check(given.ptr()) || PyTuple_Check(given.ptr());
  if (!listed && !(IsTensor(given.ptr()) && KnownInts(TensorOf(given.ptr())))) {
    Throw(
        TypeError("`axis` must be a list of int or a constant tensor when "
                  "reversing axes in a ragged tensor"));
  }
  return Wrapped(RaggedReverse(b.ragged("tensor"), *b.axes().values));
}
nb::object Tile(const Bound& b) {
  return Wrapped(RaggedTile(b.ragged("input"), AsComponent(b["multiples"])));
}

CompositeValue Native(nb::handle value) {
  if (value.is_none()) return {};
  if (PyLong_Check(value.ptr())) return nb::cast<int64_t>(value);
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    StatusOr<std::vector<int64_t>> ints = ToIntList(value.ptr());
    if (ints.ok()) return *std::move(ints);
    PyErr_Clear();
  }
  return AsComponent(value);
}

nb::object Split(const Bound& b) {
  return Wrapped(RaggedSplit(b.ragged("value"), Native(b["num_or_size_splits"]),
                             b.axis("axis", 0), Native(b["num"])));
}

nb::object Reshape(const Bound& b) {
  const nb::object shape = b["shape"];
  if (IsRagged(shape)) return NotImplementedObject();
  return b.Call(Wrapped(b.ragged("tensor").flat()), shape);
}

template <const char* kName>
nb::object Reduce(const Bound& b) {
  const Axes axes = b.axes();
  return Wrapped(RaggedReduce({kName, b.flag("keepdims")},
                              b.ragged("input_tensor"), axes.values, axes.one));
}

nb::object ReduceJoin(const Bound& b) {
  const Axes axes = b.axes();
  return Wrapped(RaggedReduce(
      {"strings.reduce_join", b.flag("keepdims"), b.text("separator", "")},
      b.ragged("inputs"), axes.values, axes.one));
}

template <auto kOf>
nb::object Spread(const Bound& b) {
  const Axes axes = b.axes();
  return Wrapped(
      kOf(b.ragged("input_tensor"), axes.values, axes.one, b.flag("keepdims")));
}

template <const char* kName>
nb::object Segments(const Bound& b) {
  return Wrapped(RaggedSegments(kName, b.ragged("data"),
                                b.ragged("segment_ids"),
                                AsComponent(b["num_segments"])));
}

nb::object Cumsum(const Bound& b) {
  return Wrapped(RaggedCumsum(b.ragged("x"), b.axis("axis", 0),
                              b.flag("exclusive"), b.flag("reverse")));
}

nb::object Softmax(const Bound& b) {
  const RaggedValue logits = b.ragged("logits");
  const int64_t axis = b.axis("axis", -1);
  if (CheckedAxis(axis, logits.rank()) == 0) return NotImplementedObject();
  return Wrapped(RaggedSoftmax(logits, axis));
}

nb::object Matmul(const Bound& b) {
  if (b.flag("a_is_sparse") || b.flag("b_is_sparse")) {
    Throw(ValueError("Ragged matrices are not sparse."));
  }
  const RaggedValue x = b.ragged("a");
  return Wrapped(RaggedMatmul(x, b.ragged("b"),
                              {b.flag("transpose_a"), b.flag("transpose_b"),
                               b.flag("adjoint_a"), b.flag("adjoint_b")}));
}

nb::object Where(const Bound& b) {
  const RaggedValue condition = b.ragged("condition");
  if (b["x"].is_none() && b["y"].is_none()) {
    return Wrapped(RaggedWhere(condition));
  }
  const RaggedValue x = b.ragged("x");
  return Wrapped(RaggedSelect(condition, x, b.ragged("y")));
}
nb::object CrossEntropy(const Bound& b) {
  const RaggedValue labels = b.ragged("labels");
  return Wrapped(RaggedCrossEntropy(labels, b.ragged("logits")));
}
nb::object Join(const Bound& b) {
  return Wrapped(
      RaggedJoin(b.list("inputs", DataType::kString), b.text("separator", "")));
}
nb::object AddN(const Bound& b) {
  return Wrapped(RaggedAddN(b.list("inputs")));
}
nb::object Size(const Bound& b) {
  return Wrapped(
      RaggedSize(b.ragged("input"), AsType(b["out_type"], DataType::kInt32)));
}
nb::object Rank(const Bound& b) {
  return Wrapped(RaggedRank(b.ragged("input")));
}

nb::object ShapeOfRagged(const Bound& b) {
  return Wrapped(RaggedShape::Of(b.ragged("input"),
                                 AsType(b["out_type"], DataType::kInt32)));
}

// --- Of tf.experimental.DynamicRaggedShape.

nb::object ReshapeTo(const Bound& b) {
  return Wrapped(AsRaggedShape(b["shape"]).Reshaped(b.ragged("tensor").flat()));
}
nb::object BroadcastTo(const Bound& b) {
  return Wrapped(AsRaggedShape(b["shape"]).Broadcast(b.ragged("input")));
}
nb::object Fill(const Bound& b) {
  return Wrapped(AsRaggedShape(b["dims"]).Filled(AsComponent(b["value"])));
}
template <const char* kName>
nb::object FilledWith(const Bound& b) {
  const RaggedShape shape = AsRaggedShape(b["shape"]);
  return Wrapped(shape.Rows(CallComposite(
      kName, {shape.inner(), AsType(b["dtype"], DataType::kFloat)})[0]));
}

nb::object FormatText(const Bound& b) {
  return Wrapped(RaggedFormat(b.text("template", ""), b.list("inputs"),
                              b.text("placeholder", "{}"),
                              b.axis("summarize", 3)));
}

constexpr char kSum[] = "reduce_sum", kProd[] = "reduce_prod",
               kMax[] = "reduce_max", kMin[] = "reduce_min",
               kMean[] = "reduce_mean", kAny[] = "reduce_any",
               kAll[] = "reduce_all", kOnes[] = "ones", kZeros[] = "zeros";

struct Entry {
  std::string_view name;  // the last part of the API's
  nb::object (*call)(const Bound& b);
};
constexpr Entry kFunctions[] = {
    {"gather", Gather},
    {"gather_nd", GatherNd},
    {"dynamic_partition", DynamicPartition},
    {"concat", Concat},
    {"stack", Stack},
    {"expand_dims", ExpandDims},
    {"squeeze", Squeeze},
    {"reverse", Reverse},
    {"tile", Tile},
    {"split", Split},
    {"reshape", Reshape},
    {kSum, Reduce<kSum>},
    {kProd, Reduce<kProd>},
    {kMax, Reduce<kMax>},
    {kMin, Reduce<kMin>},
    {kMean, Reduce<kMean>},
    {kAny, Reduce<kAny>},
    {kAll, Reduce<kAll>},
    {"reduce_join", ReduceJoin},
    {"reduce_variance", Spread<RaggedVariance>},
    {"reduce_std", Spread<RaggedDeviation>},
    {"unsorted_segment_sum", Segments<kSum>},
    {"unsorted_segment_prod", Segments<kProd>},
    {"unsorted_segment_max", Segments<kMax>},
    {"unsorted_segment_min", Segments<kMin>},
    {"cumsum", Cumsum},
    {"softmax", Softmax},
    {"matmul", Matmul},
    {"where", Where},
    {"shape", ShapeOfRagged},
    {"size", Size},
    {"rank", Rank},
    {"add_n", AddN},
    {"join", Join},
    {"format_values", FormatText},
    {"sigmoid_cross_entropy_with_logits", CrossEntropy},
};

constexpr Entry kShapeFunctions[] = {
    {"reshape", ReshapeTo},     {"broadcast_to", BroadcastTo}, {"fill", Fill},
    {kOnes, FilledWith<kOnes>}, {kZeros, FilledWith<kZeros>},
};

// What has a function of its own; null: nothing.
nb::object (*Find(std::span<const Entry> entries,
                  std::string_view name))(const Bound&) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.call;
  }
  return nullptr;
}

// Functions of one operand that change its flat values alone.
bool IsFlat(const DispatchedCall& call) {
  constexpr std::string_view kFlat[] = {"one_hot", "dropout", "bitcast"};
  return call.maps() == 1 || std::find(std::begin(kFlat), std::end(kFlat),
                                       call.name()) != std::end(kFlat);
}

nb::object OfRagged(const DispatchedCall& call) {
  if (auto* own = Find(kFunctions, call.name())) return own(Bound(call));
  if (IsFlat(call)) {
    const Operands one = call.First(1);
    if (one.values.empty() || !IsRagged(one.values[0])) {
      return NotImplementedObject();
    }
    const RaggedValue x = AsRagged(one.values[0]);
    return one.values[0].attr("with_flat_values")(one.Call(Wrapped(x.flat())));
  }
  if (call.compares() == 0 && call.maps() != 2) return NotImplementedObject();
  const Operands two = call.First(2);
  if (call.compares() != 0) {
    std::vector<RaggedValue> operands;
    for (const nb::object& x : two.values) operands.push_back(AsRagged(x));
    const FlatOperands flat = FlattenOperands(operands);
    std::vector<nb::object> values;
    for (const Tensor& t : flat.flat) values.push_back(Wrapped(t));
    const Checks::Scope scope(flat.checks);
    nb::object made = two.Call(values);
    if (!IsTensor(made.ptr())) return made;
    return Wrapped(flat.known.WithFlat(TensorOf(made.ptr())));
  }
  if (two.values.size() != 2) return NotImplementedObject();
  // The deeper one says what the rows are.
  const auto& [x, y] = std::tie(two.values[0], two.values[1]);
  const RaggedValue known = AsRagged(IsRagged(x) ? x : y);
  return Wrapped(RaggedBinary(
      [&](const Tensor& a, const Tensor& b) {
        return AsTensor(
            two.Call(std::vector<nb::object>{Wrapped(a), Wrapped(b)}));
      },
      AsRagged(x, known.dtype()), AsRagged(y, known.dtype())));
}

nb::object OfSparse(const DispatchedCall& call) {
  const Operands one = call.First(1);
  if (one.values.empty() || !IsSparse(one.values[0])) {
    return NotImplementedObject();
  }
  const SparseValue x = AsSparse(one.values[0]);
  if (call.keeps_zero()) {
    return one.values[0].attr("with_values")(one.Call(Wrapped(x.values)));
  }
  if (call.name() == "rank") return Wrapped(ops::Size(x.dense_shape));
  const bool size = call.name() == "size";
  if (!size && call.name() != "shape") return NotImplementedObject();
  return Wrapped(CastTo(
      size ? CallComposite("reduce_prod", {x.dense_shape})[0] : x.dense_shape,
      AsType(Bound(call)["out_type"], DataType::kInt32)));
}

}  // namespace

nb::object CallOfComposites(const DispatchedCall& call) {
  const nb::handle composite = TheCompositeClasses().composite;
  size_t composites = 0;
  bool ragged = false, sparse = false, shapes = false;
  for (nb::handle value : call.Values()) {
    if (!nb::isinstance(value, composite)) continue;
    ++composites;
    ragged |= IsRagged(value);
    sparse |= IsSparse(value);
    shapes |= IsRaggedShape(value);
  }
  if (composites == 0 || call.key() == nullptr) return NotImplementedObject();
  if (composites == 1 && call.name() == "assert_type") {
    const Operands one = call.First(1);
    return one.Call(nb::object(one.values[0].attr("values")));
  }
  if (call.name() == "identity") {
    const Operands one = call.First(1);
    return nb::module_::import_("graphkiln.nest")
        .attr("map_structure")(nb::cpp_function([&](nb::object part) {
                                 return one.Call(std::move(part));
                               }),
                               one.values[0],
                               nb::arg("expand_composites") = true);
  }
  if (shapes) {
    if (auto* own = Find(kShapeFunctions, call.name())) return own(Bound(call));
  }
  if (ragged) return OfRagged(call);
  return sparse ? OfSparse(call) : NotImplementedObject();
}

void AddRagged(nb::module_& module) {
  nb::module_ m = module.def_submodule("_ragged");
  m.def("text", [](nb::handle ragged, int64_t summarize) {
    const CallScope scope(nb::none(), "RaggedToString");
    return Wrapped(RaggedText(AsRagged(ragged), summarize));
  });
}

}  // namespace gk::py
