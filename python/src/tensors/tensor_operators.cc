// Operators of tensors and variables.
#include <array>
#include <cstring>
#include <optional>

#include "function/func_graph.h"
#include "ops/operators.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/package_parts.h"
#include "python/src/graph/name_scope.h"
#include "python/src/ops/op_function.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/numpy_behavior.h"
#include "python/src/tensors/slicing.h"
#include "python/src/tensors/tensor_leaves.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/tensors/version_one.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

struct BinaryOp {
  Operator which;
  const char* scope;      // node name in graphs; null: the op's
  const char* reflected;  // the method asked for if conversion fails
  const char* symbol;     // of Python's operator
  // Is the right operand only wished to have the left one's dtype? (Then a
  // mismatch is reported by the op.) Most demand it.
  bool hint;
  const OpInfo* info = nullptr;  // of the op for numbers

  const OpInfo* Info() {
    if (info == nullptr) info = OpInfo::Of(OpOf(which, DataType::kFloat));
    return info;
  }
  const OpInfo* InfoOf(const OpRecord& op) {
    return &op == &Info()->record() ? info : OpInfo::Of(op);
  }
  std::string_view Scope() { return scope ? scope : Info()->record().name; }
};

struct Operands {
  Operands(BinaryOp& op, PyObject* a, PyObject* b)
      : a(a), b(b), read(ReadFirst(&this->a, &this->b)), scope(op.Scope()) {}
  // A variable whose operator this is, is read before the operator's scope.
  static PyRef ReadFirst(PyObject** a, PyObject** b) {
    PyObject** self = IsTensorLike(*a) ? a : b;
    if (!IsVariable(*self)) return PyRef();
    if (!VariableOf(*self)->handle) {  // a user's class with its own `value`
      PyRef own = Checked(PyObject_CallMethod(*self, "value", nullptr));
      *self = own.get();
      return own;
    }
    if (!InGraph()) return PyRef();
    StatusOr<Tensor> value = ToTensor(*self);
    PyRef read = PyRef::Steal(value.ok() ? WrapTensor(*std::move(value))
                                         : Raise(value.status()));
    if (read) {
      *self = read.get();
    } else {
      PyErr_Clear();  // comes again where it is reported
    }
    return read;
  }
  PyObject *a, *b;
  PyRef read;
  Tensor x, y;
  OpScope scope;  // of the op and its constants
  const std::string& name() const { return scope.node_name(); }
};

// Does the type of `o`, which cannot be converted, bring the reflected
// method? Then it gets its turn, and the pending exception is dropped.
bool Handles(PyObject* o, const char* method) {
  if (PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) ||
      PyUnicode_Check(o)) {
    return false;
  }
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  const bool handles =
      PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), method);
  PyErr_Restore(type, value, trace);
  if (handles) PyErr_Clear();
  return handles;
}

// Converts both operands, one of which is ours. False: `*result` is what the
// operator returns (null with an error set, or NotImplemented).
bool Convert(BinaryOp& op, PyObject* a, PyObject* b, Operands* out,
             PyObject** result) {
  a = out->a;
  b = out->b;
  if (!out->scope.status().ok()) {
    *result = Raise(out->scope.status());
    return false;
  }
  const bool forward = IsTensorLike(a);
  StatusOr<Tensor> first = ToTensor(forward ? a : b);
  if (!first.ok()) {
    *result = Raise(first.status());
    return false;
  }
  const DataType t = first->dtype();
  PyObject* other = forward ? b : a;
  const char* name = forward ? "y" : "x";
  // A product of bools takes numbers as they are.
  const bool hint =
      op.hint || (t == DataType::kBool && op.which == Operator::kMultiply);
  const DataType none = DataType::kInvalid;
  const bool like = IsTensorLike(other);
  StatusOr<Tensor> second = like ? ToTensor(other)
                            : forward && hint
                                ? ToTensor(other, none, t, name)
                                : ToTensor(other, t, none, name);
  if (!second.ok()) {
    Raise(second.status());
    *result = forward && op.reflected && Handles(other, op.reflected)
                  ? Py_NewRef(Py_NotImplemented)
                  : nullptr;
    return false;
  }
  out->x = forward ? *std::move(first) : *std::move(second);
  out->y = forward ? *std::move(second) : *std::move(first);
  return true;
}

// The operator of what `a` and `b` were converted to; `name`: of the node.
PyObject* Run(BinaryOp& op, PyObject* a, PyObject* b, Operands* o,
              std::string_view name) {
  OperatorCall call = CallOf(op.which, o->x, o->y);
  CastOperands(call, name, &o->x, &o->y);
  const Tensor inputs[] = {o->x, o->y};
  // The operator of `b` makes a tensor of `a` before it calls the op.
  PyObject* const other = IsTensorLike(a) ? b : nullptr;
  PyRef result = PyRef::Steal(op.InfoOf(*call.op)->Run(
      inputs, std::move(call.attrs), name, {&other, 1}));
  if (!result || call.result == DataType::kInvalid) return result.Release();
  return WrapTensor(CastResult(call, name, TensorOf(result.get())));
}

// Where programs have asked for NumPy's rules of types: operands of one dtype
// in place of `a` and `b`, which `kept` holds, or what the operator returns.
// False: `*result` is that, or null with an error set.
bool Promote(BinaryOp& op, PyObject** a, PyObject** b, PyRef* kept,
             PyObject** result) {
  if (!numpy_behavior.promotes && !numpy_behavior.weak) [[likely]]
    return true;
  if (numpy_behavior.weak) {
    PyRef symbol = PyRef::Steal(PyUnicode_FromString(op.symbol));
    *result =
        !symbol ? nullptr : package::weak_operator.Call({symbol.get(), *a, *b});
    if (*result != Py_NotImplemented) return false;
    Py_DECREF(*result);
    return true;
  }
  if (op.which == Operator::kMatMul) {
    *result = package::numpy_matmul.Call({*a, *b});
    return false;
  }
  *kept = PyRef::Steal(package::numpy_operands.Call({*a, *b}));
  *result = nullptr;
  if (!*kept) return false;
  if (!PyTuple_CheckExact(kept->get()) || PyTuple_GET_SIZE(kept->get()) != 2) {
    return true;  // as they are
  }
  *a = PyTuple_GET_ITEM(kept->get(), 0);
  *b = PyTuple_GET_ITEM(kept->get(), 1);
  return true;
}

PyObject* Converted(BinaryOp& op, PyObject* a, PyObject* b) {
  PyRef kept;
  PyObject* promoted = nullptr;
  if (!Promote(op, &a, &b, &kept, &promoted)) return promoted;
  Operands o(op, a, b);
  PyObject* result = nullptr;
  if (!Convert(op, a, b, &o, &result)) return result;
  return Run(op, a, b, &o, o.name());
}

// The way of two eager tensors of the same shape and dtype.
inline PyObject* TryFast(BinaryOp& op, PyObject* a, PyObject* b) {
  if (!IsEagerTensor(a) || !IsEagerTensor(b)) return nullptr;
  Tensor t = op.Info()->TryTile(ImplOf(a), ImplOf(b));
  return t ? WrapNewTensor(std::move(t)) : nullptr;
}

PyObject* Binary(BinaryOp& op, PyObject* a, PyObject* b) {
  if (PyObject* fast = TryFast(op, a, b)) return fast;
  return PyErr_Occurred() ? nullptr : Converted(op, a, b);
}

BinaryOp add_op{Operator::kAdd, "add", "__radd__", "+", true};
BinaryOp sub_op{Operator::kSubtract, "sub", "__rsub__", "-", false};
BinaryOp mul_op{Operator::kMultiply, "mul", "__rmul__", "*", false};
BinaryOp floordiv_op{Operator::kFloorDivide, "floordiv", "__rfloordiv__", "//",
                     false};
BinaryOp mod_op{Operator::kModulo, "mod", "__rmod__", "%", false};
BinaryOp pow_op{Operator::kPower, "pow", "__rpow__", "**", false};
BinaryOp div_op{Operator::kDivide, "truediv", "__rtruediv__", "/", true};
BinaryOp matmul_op{Operator::kMatMul, "matmul", "__rmatmul__", "@", true};
BinaryOp and_op{Operator::kAnd, "and", "__rand__", "&", false};
BinaryOp or_op{Operator::kOr, "or", "__ror__", "|", false};
BinaryOp xor_op{Operator::kXor, "xor", "__rxor__", "^", false};
BinaryOp less_op{Operator::kLess, nullptr, nullptr, "<", false};
BinaryOp less_equal_op{Operator::kLessEqual, nullptr, nullptr, "<=", false};
BinaryOp greater_op{Operator::kGreater, nullptr, nullptr, ">", false};
BinaryOp greater_equal_op{Operator::kGreaterEqual, nullptr, nullptr,
                          ">=", false};
BinaryOp equal_op{Operator::kEqual, nullptr, nullptr, "==", false};
BinaryOp not_equal_op{Operator::kNotEqual, nullptr, nullptr, "!=", false};

PyObject* Add(PyObject* a, PyObject* b) { return Binary(add_op, a, b); }
PyObject* Sub(PyObject* a, PyObject* b) { return Binary(sub_op, a, b); }
PyObject* Mul(PyObject* a, PyObject* b) {
  // Only what a sparse tensor has is multiplied.
  if (!IsTensor(b) && !PyFloat_Check(b) && !PyLong_Check(b) &&
      IsTensorLike(a) && IsSparse(b)) {
    return PyObject_CallMethod(b, "__mul__", "O", a);
  }
  return Binary(mul_op, a, b);
}
PyObject* FloorDiv(PyObject* a, PyObject* b) {
  return Binary(floordiv_op, a, b);
}
PyObject* Mod(PyObject* a, PyObject* b) { return Binary(mod_op, a, b); }
PyObject* Pow(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return Binary(pow_op, a, b);
}
PyObject* TrueDiv(PyObject* a, PyObject* b) {
  // The registry may give integers a RealDiv kernel; ours must not be used.
  const bool plain = IsEagerTensor(a) && IsFloating(ImplOf(a)->dtype());
  return plain ? Binary(div_op, a, b) : Converted(div_op, a, b);
}
PyObject* MatMul(PyObject* a, PyObject* b) {
  return Converted(matmul_op, a, b);
}

DataType DTypeOfOperand(PyObject* a) {
  if (IsTensor(a)) return ImplOf(a)->dtype();
  return IsVariable(a) ? VariableOf(a)->dtype : DataType::kInvalid;
}

// `&`, `|`, `^`: those of integers are in a scope of their own.
PyObject* Logic(BinaryOp& op, PyObject* a, PyObject* b) {
  PyRef kept;
  PyObject* result = nullptr;
  if (!Promote(op, &a, &b, &kept, &result)) return result;
  Operands o(op, a, b);
  std::optional<OpScope> inner;  // "or/BitwiseOr/y"
  const DataType t = DTypeOfOperand(IsTensorLike(o.a) ? o.a : o.b);
  if (InGraph() && t != DataType::kBool) {
    inner.emplace(OpOf(op.which, t).name, true);
  }
  if (!Convert(op, a, b, &o, &result)) return result;
  return Run(op, a, b, &o, inner ? inner->node_name() : o.name());
}
PyObject* And(PyObject* a, PyObject* b) { return Logic(and_op, a, b); }
PyObject* Or(PyObject* a, PyObject* b) { return Logic(or_op, a, b); }
PyObject* Xor(PyObject* a, PyObject* b) { return Logic(xor_op, a, b); }

PyObject* Unary(Operator which, PyObject* a) {
  const OpInfo* info = OpInfo::Of(OpOf(which, DTypeOfOperand(a)));
  if (IsEagerTensor(a)) {
    Tensor t = info->TryTile(ImplOf(a), nullptr);
    if (t) return WrapNewTensor(std::move(t));
  }
  StatusOr<Tensor> x = ToTensor(a);
  if (!x.ok()) return Raise(x.status());
  OperatorCall call = CallOf(which, *x);
  return info->Run(std::span<const Tensor>(&*x, 1), std::move(call.attrs),
                   InGraph() ? OpOf(which, RealType(x->dtype())).name : "");
}

PyObject* Negative(PyObject* a) { return Unary(Operator::kNegative, a); }
PyObject* Absolute(PyObject* a) { return Unary(Operator::kAbsolute, a); }
PyObject* Invert(PyObject* a) { return Unary(Operator::kInvert, a); }

PyObject* Equality(BinaryOp& op, PyObject* a, PyObject* b) {
  if (b == Py_None) return PyBool_FromLong(&op == &not_equal_op);
  if (IsVariable(a)) {
    // In graphs of the first version a variable is equal to itself alone.
    const FuncGraph* graph = FuncGraph::Current();
    if (graph != nullptr && !graph->is_function()) {
      return PyBool_FromLong((a == b) == (&op == &equal_op));
    }
  }
  if (version_one.compares_identity) {
    const bool same =
        a == b || (!IsVariable(a) && IsTensor(b) && ImplOf(a) == ImplOf(b));
    return PyBool_FromLong(same == (&op == &equal_op));
  }
  if (PyObject* fast = TryFast(op, a, b)) return fast;
  if (PyErr_Occurred()) return nullptr;
  if (IsOfPlainGraph(a)) {
    const bool same = IsSymbolicTensor(b) && ImplOf(a) == ImplOf(b);
    return PyBool_FromLong(same == (&op == &equal_op));
  }
  return Converted(op, a, b);
}

PyObject* RichCompare(PyObject* a, PyObject* b, int op) {
  switch (op) {
    case Py_LT:
      return Binary(less_op, a, b);
    case Py_LE:
      return Binary(less_equal_op, a, b);
    case Py_GT:
      return Binary(greater_op, a, b);
    case Py_GE:
      return Binary(greater_equal_op, a, b);
    case Py_EQ:
      return Equality(equal_op, a, b);
    default:
      return Equality(not_equal_op, a, b);
  }
}

PyObject* NotAllowed(const char* what) {
  static const char kAdvice[] =
      " is not allowed. You can attempt the following resolutions to the "
      "problem: If you are running in Graph mode, use Eager execution mode or "
      "decorate this function with @tf.function. If you are using AutoGraph, "
      "you can try decorating this function with @tf.function. If that does "
      "not work, then you may be using an unsupported feature or your source "
      "code may not be visible to AutoGraph. See "
      "https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/"
      "autograph/g3doc/reference/limitations.md#access-to-source-code for "
      "more information.";
  return PyErr_Format(OperatorNotAllowedInGraphError(), "%s%s", what, kAdvice);
}

template <class T>
bool NonZero(const Tensor& t) {
  return t.scalar<T>() != T();
}

int EagerBool(const Tensor& t) {
  if (t.num_elements() > 1) {
    return RaiseInt(
        ValueError("The truth value of an array with more than one element is "
                   "ambiguous. Use a.any() or a.all()"));
  }
  if (t.num_elements() == 0) return 0;
  if (t.dtype() == DataType::kString) return !t.scalar<std::string>().empty();
  bool truth = false;
  const bool known =
      VisitType<bool, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t,
                uint16_t, uint32_t, uint64_t, complex64, complex128>(
          t.dtype(), [&](auto v) { truth = NonZero<decltype(v)>(t); });
  if (known) return truth;
  if (VisitType<half, bfloat16, float8_e5m2, float8_e4m3fn>(
          t.dtype(), [&](auto v) {
            truth = static_cast<bool>(t.scalar<decltype(v)>());
          })) {
    return truth;
  }
  return RaiseInt(TypeError("A tensor of dtype {} has no truth value",
                            DataTypeName(t.dtype())));
}

int Bool(PyObject* o) {
  if (IsEagerTensor(o)) return EagerBool(TensorOf(o));
  if (IsVariable(o)) {
    StatusOr<Tensor> t = ReadVariable(o);
    if (!t.ok()) return RaiseInt(t.status());
    if (!t->is_symbolic()) return EagerBool(*t);
  } else if (!IsSymbolicTensor(o)) {
    return 1;
  }
  NotAllowed("Using a symbolic `tf.Tensor` as a Python `bool`");
  return -1;
}

Py_ssize_t Length(PyObject* o) {
  if (IsSymbolicTensor(o)) {
    PyRef name = PyRef::Steal(PyObject_GetAttrString(o, "name"));
    if (!name) return -1;
    PyErr_Format(PyExc_TypeError,
                 "len is not well defined for a symbolic Tensor (%U). Please "
                 "call `x.shape` rather than `len(x)` for shape information.",
                 name.get());
    return -1;
  }
  if (!IsEagerTensor(o)) {
    PyErr_Format(PyExc_TypeError, "object of type '%s' has no len()",
                 Py_TYPE(o)->tp_name);
    return -1;
  }
  const Tensor t = TensorOf(o);
  if (t.rank() == 0) {
    return RaiseInt(TypeError("Scalar tensor has no `len()`"));
  }
  return t.dim(0);
}

// An iterator over the first dimension.
PyObject* Iterate(PyObject* o) {
  PyRef self = PyRef::Share(o);
  if (IsVariable(o)) {
    StatusOr<Tensor> t = ReadVariable(o);
    if (!t.ok()) return Raise(t.status());
    self = PyRef::Steal(WrapTensor(*std::move(t)));
    if (!self) return nullptr;
  }
  if (IsSymbolicTensor(self.get())) {
    return NotAllowed("Iterating over a symbolic `tf.Tensor`");
  }
  if (!IsEagerTensor(self.get())) {
    PyErr_Format(PyExc_TypeError, "'%s' object is not iterable",
                 Py_TYPE(o)->tp_name);
    return nullptr;
  }
  const Tensor t = TensorOf(self.get());
  if (t.rank() == 0) {
    return Raise(TypeError("Cannot iterate over a scalar tensor."));
  }
  return NewRowIterator(self.get(), t.dim(0));
}

PyObject* Positive(PyObject* o) {
  PyErr_Format(PyExc_TypeError, "bad operand type for unary +: '%s'",
               Py_TYPE(o)->tp_name);
  return nullptr;
}

}  // namespace

PyType_Slot tensor_operator_slots[] = {{Py_nb_add, Slot<Add>()},
                                       {Py_nb_subtract, Slot<Sub>()},
                                       {Py_nb_multiply, Slot<Mul>()},
                                       {Py_nb_true_divide, Slot<TrueDiv>()},
                                       {Py_nb_floor_divide, Slot<FloorDiv>()},
                                       {Py_nb_remainder, Slot<Mod>()},
                                       {Py_nb_power, Slot<Pow>()},
                                       {Py_nb_matrix_multiply, Slot<MatMul>()},
                                       {Py_nb_and, Slot<And>()},
                                       {Py_nb_or, Slot<Or>()},
                                       {Py_nb_xor, Slot<Xor>()},
                                       {Py_nb_negative, Slot<Negative>()},
                                       {Py_nb_positive, Slot<Positive>()},
                                       {Py_nb_absolute, Slot<Absolute>()},
                                       {Py_nb_invert, Slot<Invert>()},
                                       {Py_nb_bool, Slot<Bool>()},
                                       {Py_tp_richcompare, Slot<RichCompare>()},
                                       {Py_tp_iter, Slot<Iterate>()},
                                       {Py_mp_length, Slot<Length>()},
                                       {Py_mp_subscript, Slot<Subscript>()},
                                       {0, nullptr}};
PyType_Slot variable_operator_slots[] = {
    {Py_nb_add, Slot<Add>()},
    {Py_nb_subtract, Slot<Sub>()},
    {Py_nb_multiply, Slot<Mul>()},
    {Py_nb_true_divide, Slot<TrueDiv>()},
    {Py_nb_floor_divide, Slot<FloorDiv>()},
    {Py_nb_remainder, Slot<Mod>()},
    {Py_nb_power, Slot<Pow>()},
    {Py_nb_matrix_multiply, Slot<MatMul>()},
    {Py_nb_and, Slot<And>()},
    {Py_nb_or, Slot<Or>()},
    {Py_nb_xor, Slot<Xor>()},
    {Py_nb_negative, Slot<Negative>()},
    {Py_nb_absolute, Slot<Absolute>()},
    {Py_nb_invert, Slot<Invert>()},
    {Py_nb_bool, Slot<Bool>()},
    {Py_tp_richcompare, Slot<RichCompare>()},
    {Py_tp_iter, Slot<Iterate>()},
    {Py_mp_subscript, Slot<Subscript>()},
    {0, nullptr}};

}  // namespace gk::py
