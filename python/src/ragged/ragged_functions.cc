// Public functions of ragged and sparse arguments: what dispatch calls. Which
// function does what with them is the core's (composite_calls.h).
#include <type_traits>
#include <utility>
#include <variant>

#include "function/ragged/composite_calls.h"
#include "python/src/binding/text_caster.h"
#include "python/src/nest/nest.h"
#include "python/src/ops/dispatch.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/ragged/ragged_shape_type.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {

namespace nb = nanobind;

namespace {

class GivenToCall final : public CompositeArguments {
 public:
  explicit GivenToCall(const DispatchedCall& call) : call_(call) {}

  bool has(const char* name) const override { return !At(name).is_none(); }
  bool is_ragged(const char* name) const override { return IsRagged(At(name)); }
  RaggedValue ragged(const char* name) const override {
    return AsRagged(At(name));
  }
  std::vector<RaggedValue> list(const char* name,
                                DataType hint) const override {
    const nb::object values = At(name);
    if (!IsListOrTuple(values.ptr())) return {AsRagged(values)};
    return AsRaggedList(values, hint);
  }
  RaggedShape shape(const char* name) const override {
    return AsRaggedShape(At(name));
  }
  Tensor tensor(const char* name, DataType hint) const override {
    return AsComponent(At(name), DataType::kInvalid, hint);
  }
  CompositionValue native(const char* name) const override;
  RaggedAxes axes(const char* name) const override {
    return AsAxes(At(name), name);
  }
  bool lists_axes(const char* name) const override {
    const nb::object axes = At(name);
    return IsListOrTuple(axes.ptr()) ||
           (IsTensor(axes.ptr()) && KnownInts(TensorOf(axes.ptr())));
  }
  bool flag(const char* name) const override {
    return PyObject_IsTrue(At(name).ptr()) == 1;
  }
  int64_t integer(const char* name, int64_t otherwise) const override {
    const nb::object value = At(name);
    return value.is_none() ? otherwise : AsAxis(value, name);
  }
  std::string text(const char* name,
                   std::string_view otherwise) const override {
    const nb::object value = At(name);
    return value.is_none() ? std::string(otherwise)
                           : nb::cast<std::string>(value);
  }
  DataType type(const char* name, DataType otherwise) const override {
    return AsType(At(name), otherwise);
  }

  int num_operands(int count) const override {
    return static_cast<int>(First(count).values.size());
  }
  bool is_ragged(int operand) const override { return IsRagged(At(operand)); }
  bool is_sparse(int operand) const override { return IsSparse(At(operand)); }
  bool is_slices(int operand) const override { return IsSlices(At(operand)); }
  RaggedValue ragged(int operand, DataType hint) const override {
    return AsRagged(At(operand), hint);
  }
  SparseValue sparse(int operand) const override {
    return AsSparse(At(operand));
  }
  SlicesValue slices(int operand) const override {
    return AsSlices(At(operand));
  }
  Tensor Call(const TensorVector& operands) const override {
    std::vector<nb::object> values;
    for (const Tensor& t : operands) values.push_back(Wrapped(t));
    own_ = First(operands.size()).Call(values);
    return IsTensor(own_.ptr()) ? TensorOf(own_.ptr()) : Tensor();
  }

  // What the function gave when it was called last.
  const nb::object& own() const { return own_; }

 private:
  // By the parameters, which are bound when one is asked for first.
  nb::object At(const char* name) const {
    if (!bound_.is_valid()) bound_ = call_.Bound();
    if (!bound_.is_valid()) Throw(TypeError("the arguments do not fit"));
    PyObject* found = PyDict_GetItemString(bound_.ptr(), name);
    return found == nullptr ? nb::none() : nb::borrow(found);
  }
  nb::object At(int operand) const {
    return First(operand + 1).values[operand];
  }
  Operands First(size_t count) const { return call_.First(count); }

  const DispatchedCall& call_;
  mutable nb::object bound_, own_;
};

CompositionValue GivenToCall::native(const char* name) const {
  const nb::object value = At(name);
  if (value.is_none()) return {};
  if (PyLong_Check(value.ptr())) return nb::cast<int64_t>(value);
  if (IsListOrTuple(value.ptr())) {
    StatusOr<std::vector<int64_t>> ints = ToIntList(value.ptr());
    if (ints.ok()) return *std::move(ints);
    PyErr_Clear();
  }
  return AsComponent(value);
}

nb::object NotImplementedObject() { return nb::borrow(Py_NotImplemented); }

nb::object ToPython(const CompositeResult& result, const GivenToCall& given) {
  return std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return NotImplementedObject();
        } else if constexpr (std::is_same_v<T, OwnResult>) {
          return given.own();
        } else {
          return Wrapped(value);
        }
      },
      result);
}

// Each tensor of the first operand by itself.
nb::object OfEach(const Operands& one) {
  constexpr NestRules kRules = NestRules::kExpanded;
  PyObject* const value = one.values[0].ptr();
  nb::list made;
  for (nb::handle part : Owned(FlatList(value, kRules).Release())) {
    made.append(one.Call(nb::borrow(part)));
  }
  return Owned(Packed(value, kRules, made.ptr()));
}

// A value, or a list of some, with ragged tensors for their arrays.
nb::object WithTensors(nb::handle value) {
  if (!IsListOrTuple(value.ptr())) {
    return IsRaggedArrays(value) ? AsComposite(value) : nb::borrow(value);
  }
  nb::list made;
  bool any = false;
  for (nb::handle item : value) {
    any = any || IsRaggedArrays(item);
    made.append(WithTensors(item));
  }
  return any ? nb::object(made) : nb::borrow(value);
}

nb::object CallWithTensors(const DispatchedCall& call) {
  nb::list args;
  nb::dict named;
  for (nb::handle value : call.args()) args.append(WithTensors(value));
  for (const auto& [name, value] : nb::borrow<nb::dict>(call.kwargs())) {
    named[name] = WithTensors(value);
  }
  return Owned(
      PyObject_Call(call.api().ptr(), nb::tuple(args).ptr(), named.ptr()));
}

}  // namespace

nb::object CallOfComposites(const DispatchedCall& call) {
  const nb::handle composite = TheCompositeClasses().composite;
  size_t composites = 0;
  bool ragged = false, sparse = false, slices = false, shapes = false;
  for (nb::handle value : call.Values()) {
    if (IsRaggedArrays(value) && call.key() != nullptr) {
      return CallWithTensors(call);
    }
    if (!nb::isinstance(value, composite)) continue;
    ++composites;
    ragged |= IsRagged(value);
    sparse |= IsSparse(value);
    slices |= IsSlices(value);
    shapes |= IsRaggedShape(value);
  }
  if (composites == 0 || call.key() == nullptr) return NotImplementedObject();
  const RaggedForm form = call.ragged_form();
  if (form == RaggedForm::kEach) return OfEach(call.First(1));
  if (form == RaggedForm::kValues && composites == 1) {
    const Operands one = call.First(1);
    return one.Call(nb::object(one.values[0].attr("values")));
  }
  const CalledFunction function{form, call.maps(), call.compares(),
                                call.keeps_zero(), call.slices()};
  const GivenToCall given(call);
  CompositeResult result;
  if (shapes) result = CallOfRaggedShape(function, given);
  if (result.index() != 0) return ToPython(result, given);
  if (ragged) {
    result = CallOfRagged(function, given);
  } else if (sparse) {
    result = CallOfSparse(function, given);
  } else if (slices) {
    result = CallOfSlices(function, given);
  }
  return ToPython(result, given);
}

}  // namespace gk::py
