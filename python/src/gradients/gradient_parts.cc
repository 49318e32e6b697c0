#include "python/src/gradients/gradient_parts.h"

#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/nest/nest.h"
#include "python/src/ragged/composite_classes.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {

bool ActsAsVariable(PyObject* o) {
  return !IsTensor(o) && !IsVariable(o) &&
         PyObject_HasAttrString(o, "_should_act_as_resource_variable");
}

Tensor Differentiable(PyObject* o) {
  if (IsTensor(o)) return TensorOf(o);
  // A class of the user's may hold its value in a way of its own.
  if (IsVariable(o) && VariableOf(o)->handle) return VariableOf(o)->handle;
  if (IsVariable(o) || ActsAsVariable(o)) {
    // In a stateless scope of Keras' its value is a tensor, which has none.
    PyRef handle = PyRef::Steal(PyObject_GetAttrString(o, "handle"));
    if (!handle) {
      if (!IsVariable(o) && !PyErr_ExceptionMatches(PyExc_AttributeError))
        throw nb::python_error();
      PyErr_Clear();
    } else if (IsTensor(handle.get())) {
      return TensorOf(handle.get());
    }
  }
  StatusOr<Tensor> t = ToTensor(o);
  if (!t.ok()) Throw(t.status());
  return *std::move(t);
}

TensorVector Differentiables(const nb::list& list) {
  TensorVector out;
  for (nb::handle h : list) out.push_back(Differentiable(h.ptr()));
  return out;
}

nb::object Wrap(const Tensor& t) {
  PyObject* o = WrapTensor(t);
  if (o == nullptr) throw nb::python_error();
  return nb::steal(o);
}

nb::object WrapGradient(const Gradient& g) {
  if (g.is_none()) return nb::none();
  nb::object values = Wrap(g.dense);
  if (!g.is_slices()) return values;
  nb::object shape = g.dense_shape ? Wrap(g.dense_shape) : nb::none();
  return nb::handle(TheCompositeClasses().slices)(values, Wrap(g.indices),
                                                  shape);
}

Gradient ToGradient(nb::handle h, DataType hint) {
  Gradient g;
  if (h.is_none()) return g;
  if (IsRagged(h)) {
    g.dense = AsRagged(h).flat();
    return g;
  }
  if (!IsTensorLike(h.ptr())) {
    g.dense = Tried([&] {
      return ValueOrThrow(ToTensor(h.ptr(), DataType::kInvalid, hint));
    });
    return g;
  }
  if (!nb::hasattr(h, "indices")) {
    g.dense = Differentiable(h.ptr());
    return g;
  }
  g.dense = Differentiable(h.attr("values").ptr());
  g.indices = Differentiable(h.attr("indices").ptr());
  nb::object shape = h.attr("dense_shape");
  if (!shape.is_none()) g.dense_shape = Differentiable(shape.ptr());
  return g;
}

bool IsComposite(nb::handle leaf) {
  return nb::hasattr(leaf.type(), "_type_spec");
}

bool IsFloatingLeaf(nb::handle leaf) {
  const DataType type = AsDType(nb::object(leaf.attr("dtype")).ptr());
  if (type == DataType::kInvalid) throw nb::python_error();
  return IsFloating(type) || IsComplex(type);
}

Tensor DifferentiablePart(nb::handle leaf) {
  if (IsRagged(leaf)) return AsRagged(leaf).flat();
  const bool slices = nb::hasattr(leaf, "indices") && IsTensorLike(leaf.ptr());
  if (IsComposite(leaf) && !slices) {
    Throw(ValueError(
        "Type {} is not supported as a gradient source or gradient target.",
        nb::str(leaf.type().attr("__name__")).c_str()));
  }
  (void)leaf.attr("dtype");
  return Differentiable(leaf.ptr());
}

namespace {

// What classes of programs say of the tensors that gradients are of.
constexpr char kOwnGradient[] = "__composite_gradient__";

bool IsMadeOfParts(nb::handle leaf) {
  return nb::hasattr(leaf.type(), kOwnGradient);
}

nb::object OwnParts(nb::handle leaf) {
  return leaf.attr(kOwnGradient).attr("get_gradient_components")(leaf);
}

void AddParts(nb::handle leaf, nb::list& all) {
  if (!IsMadeOfParts(leaf)) return all.append(leaf);
  for (nb::handle part : FlatLeaves(OwnParts(leaf).ptr())) {
    AddParts(part, all);
  }
}

nb::object PlainGradientLike(nb::handle leaf, const Gradient& gradient) {
  if (gradient.is_none() || !IsRagged(leaf)) return WrapGradient(gradient);
  const Tensor flat = Tried([&] {
    return gradient.is_slices() ? Densify(gradient) : gradient.dense;
  });
  return Wrapped(AsRagged(leaf).WithFlat(flat));
}

}  // namespace

nb::list FlatLeaves(PyObject* value) {
  return nb::list(Owned(FlatList(value, NestRules::kNest).Release()));
}
PyObject* PackedAs(PyObject* like, const nb::list& leaves) {
  return Packed(like, NestRules::kNest, leaves.ptr());
}

nb::list GradientParts(const nb::list& leaves) {
  nb::list all;
  for (nb::handle leaf : leaves) AddParts(leaf, all);
  return all;
}

nb::object GradientLike(nb::handle leaf, const std::vector<Gradient>& found,
                        size_t* at) {
  if (!IsMadeOfParts(leaf)) return PlainGradientLike(leaf, found[(*at)++]);
  const nb::object parts = OwnParts(leaf);
  nb::list gradients;
  bool is_any = false;
  for (nb::handle part : FlatLeaves(parts.ptr())) {
    nb::object gradient = GradientLike(part, found, at);
    is_any = is_any || !gradient.is_none();
    gradients.append(std::move(gradient));
  }
  if (!is_any) return nb::none();
  return leaf.attr(kOwnGradient)
      .attr("replace_gradient_components")(
          leaf, Owned(PackedAs(parts.ptr(), gradients)));
}

UnconnectedGradients Unconnected(PyObject* given, bool by_name) {
  if (given == nullptr) return UnconnectedGradients::kNone;
  const nb::object value =
      nb::getattr(nb::handle(given), "value", nb::borrow(given));
  if (nb::isinstance<nb::str>(value)) {
    const auto parsed = ParseUnconnectedGradients(StringView(value.ptr()));
    if (parsed.ok()) return *parsed;
  }
  const nb::object shown = nb::repr(nb::handle(given));
  const std::string text(StringView(shown.ptr()));
  Throw(by_name
            ? ValueError("Unknown value for unconnected_gradients: {}", text)
            : ValueError("{} is not a valid UnconnectedGradients", text));
}

void WarnOfDType(const char* what, nb::handle leaf) {
  package::warn_first.Held()(
      Format("The dtype of the watched {} must be floating (e.g. tf.float32), "
             "got %r",
             what),
      leaf.attr("dtype"));
}

}  // namespace gk::py
