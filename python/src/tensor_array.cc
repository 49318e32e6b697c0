#include "tensor_array.h"

#include "bound_values.h"
#include "convert.h"
#include "dtype_type.h"
#include "function/tensor_array.h"
#include "ops/composite.h"
#include "ops/fn/Cast.h"
#include "staged_values.h"
#include "text_caster.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

Tensor OfType(nb::handle value, DataType dtype, DataType hint,
              std::string_view name) {
  StatusOr<Tensor> t = ToTensor(
      value.ptr(), dtype, hint, name,
      hint != DataType::kInvalid ? Narrowing::kRefuse : Narrowing::kCut);
  if (!t.ok()) Throw(t.status());
  return *std::move(t);
}

// A tensor as it is now; what else converts where it is needed, by preference
// to int32.
ArrayOperand Index(nb::handle index) {
  if (PyLong_CheckExact(index.ptr())) {
    int overflow = 0;
    const int64_t number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0 || number != static_cast<int32_t>(number)) {
      Throw(OutOfRange("{} is no index or size that a TensorArray can have",
                       nb::cast<std::string>(nb::str(index))));
    }
    return ArrayOperand(
        [number](std::string_view name) { return Int32Of(number, name); });
  }
  if (IsTensorLike(index.ptr())) {
    return Converted(index, kConst);
  }
  return ArrayOperand([index](std::string_view name) {
    return OfType(index, DataType::kInvalid, DataType::kInt32, name);
  });
}

// How many elements there are: as an index, eagerly none if negative.
ArrayOperand SizeOperand(nb::handle size) {
  if (IsTensorLike(size.ptr())) return Index(size);
  if (OpBuilder::Current()->builds_graph()) {
    if (PyLong_CheckExact(size.ptr())) return Index(size);
    return ArrayOperand([size](std::string_view name) {
      return OfType(size, DataType::kInt32, DataType::kInvalid, name);
    });
  }
  const nb::object number = Owned(PyNumber_Index(size.ptr()));
  return Index(number < nb::int_(0) ? nb::int_(0) : number);
}

class PyTensorArray {
 public:
  explicit PyTensorArray(TensorArrayImpl::Ptr impl) : impl_(std::move(impl)) {}

  static TensorArrayFacts Facts(nb::handle dtype, bool dynamic_size,
                                bool clear_after_read, bool infer_shape) {
    const DataType type = AsDType(dtype.ptr());
    if (type == DataType::kInvalid) throw nb::python_error();
    return {type, dynamic_size, clear_after_read, infer_shape,
            /*shows_writes=*/true};
  }
  static PyTensorArray Make(nb::handle dtype, nb::handle size,
                            bool dynamic_size, bool clear_after_read,
                            bool infer_shape, nb::handle element_shape,
                            const std::string& name) {
    const TensorArrayFacts facts =
        Facts(dtype, dynamic_size, clear_after_read, infer_shape);
    const PartialTensorShape shape = Shape(element_shape);
    return Made([&] {
      return TensorArrayImpl::Make(facts, SizeOperand(size), shape, name);
    });
  }
  static PyTensorArray OfFlow(nb::handle dtype, nb::handle flow,
                              bool dynamic_size, bool infer_shape,
                              nb::handle element_shape) {
    const TensorArrayFacts facts =
        Facts(dtype, dynamic_size, true, infer_shape);
    return PyTensorArray(
        TensorArrayImpl::OfFlow(facts, AsTensor(flow), Shape(element_shape)));
  }

  nb::object dtype() const {
    PyObject* type = DTypeObject(impl_->dtype());
    if (type == nullptr) throw nb::python_error();
    return nb::borrow(type);
  }
  bool dynamic_size() const { return impl_->facts().dynamic_size; }
  bool infer_shape() const { return impl_->facts().infer_shape; }
  bool is_list() const { return impl_->is_list(); }
  nb::object element_shape() const {
    PyObject* shape = WrapShape(impl_->element_shape());
    if (shape == nullptr) throw nb::python_error();
    return nb::steal(shape);
  }

  // None if there is no list.
  nb::object Flow(bool make) const {
    return Guarded([&]() -> nb::object {
      const TensorArrayImpl::Ptr now = make ? impl_ : Now();
      if (!make && !now->is_list()) return nb::none();
      return Wrapped(now->Flow());
    });
  }
  PyTensorArray WithFlow(nb::handle flow) const {
    const Tensor t = AsTensor(flow);
    return Made([&] { return impl_->WithFlow(t, /*alone=*/false); });
  }
  PyTensorArray Identity() const {
    return Made([&] { return Now()->Identity(); });
  }
  void Close() const { impl_->Close(); }
  void NoteDropped(const std::string& write) const {
    impl_->NoteDropped(write);
  }

  nb::object Read(nb::handle index, const std::string& name) const {
    return Wrapped(Guarded([&] { return Now()->Read(Index(index), name); }));
  }
  nb::object Stack(const std::string& name) const {
    return Wrapped(Guarded([&] { return Now()->Stack(name); }));
  }
  nb::object Gather(nb::handle indices, const std::string& name) const {
    return Wrapped(
        Guarded([&] { return Now()->Gather(Index(indices), name); }));
  }
  nb::object Concat(const std::string& name) const {
    return Wrapped(Guarded([&] { return Now()->Concat(name); }));
  }
  nb::object Size(const std::string& name) const {
    return Wrapped(Guarded([&] { return Now()->Size(name); }));
  }
  PyTensorArray Write(nb::handle index, nb::handle value,
                      const std::string& name) const {
    return Made([&] {
      return Now()->Write(Index(index), Value(value), {name, {}});
    });
  }
  PyTensorArray Unstack(nb::handle value, const std::string& name) const {
    return Made([&] { return Now()->Unstack(Value(value), {name, {}}); });
  }
  PyTensorArray Scatter(nb::handle indices, nb::handle value,
                        const std::string& name) const {
    return Made([&] {
      return Now()->Scatter(Index(indices), Value(value), {name, {}});
    });
  }
  PyTensorArray Split(nb::handle value, nb::handle lengths,
                      const std::string& name) const {
    return Made([&] {
      const ArrayOperand sizes([lengths](std::string_view) {
        const Tensor t = Converted(lengths, "Cast/x");
        return t.dtype() == DataType::kInt64 ? t
                                             : ops::Cast(t, DataType::kInt64);
      });
      return Now()->Split(Value(value), sizes, {name, {}});
    });
  }

 private:
  template <class F>
  static PyTensorArray Made(F&& f) {
    return PyTensorArray(Guarded(std::forward<F>(f)));
  }

  // What becomes an element: of the elements' dtype, or of its own, which is
  // then refused.
  ArrayOperand Value(nb::handle value) const {
    if (IsTensor(value.ptr())) return TensorOf(value.ptr());
    return ArrayOperand([this, value](std::string_view name) {
      return ConvertedTo(value, impl_->dtype(), name);
    });
  }

  // As what is built now can use it.
  TensorArrayImpl::Ptr Now() const { return TensorArrayImpl::Here(impl_); }

  TensorArrayImpl::Ptr impl_;
};

}  // namespace

void AddTensorArray(nb::module_& m) {
  using A = PyTensorArray;
  nb::class_<A>(m, "_TensorArray",
                "The elements of a TensorArray: shared, or a tensor list. "
                "Operands are tensors and what converts to some.")
      .def_static("make", &A::Make)
      .def_static("of_flow", &A::OfFlow)
      .def_prop_ro("dtype", &A::dtype)
      .def_prop_ro("dynamic_size", &A::dynamic_size)
      .def_prop_ro("infer_shape", &A::infer_shape)
      .def_prop_ro("element_shape", &A::element_shape)
      .def_prop_ro("is_list", &A::is_list)
      .def("flow", &A::Flow,
           "flow(make): the list; unless `make`, None where there is none.")
      .def("with_flow", &A::WithFlow)
      .def("identity", &A::Identity)
      .def("close", &A::Close)
      .def("note_dropped", &A::NoteDropped,
           "note_dropped('write at FILE:LINE'): nobody used its result.")
      .def("read", &A::Read)
      .def("stack", &A::Stack)
      .def("gather", &A::Gather)
      .def("concat", &A::Concat)
      .def("size", &A::Size)
      .def("write", &A::Write)
      .def("unstack", &A::Unstack)
      .def("scatter", &A::Scatter)
      .def("split", &A::Split);
  m.def(
      "_lost_write", [](const std::string& write) { return LostWrite(write); },
      "The text of the error about a write whose result nobody used.");
}

}  // namespace gk::py
