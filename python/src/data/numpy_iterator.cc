// tf.data.NumpyIterator: the elements of a dataset as NumPy arrays.
#include "python/src/binding/class_members.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/data/element_spec.h"
#include "python/src/tensors/converted.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

Handle numpy_iterator;  // the class, for ever

Object Same(Handle self) { return nb::borrow(self); }
Object InitNumpyIterator(Handle self, Handle dataset) {
  self.attr("_iterator") = nb::iter(dataset);
  return nb::none();
}
Object AsArray(Handle leaf) {
  if (leaf.is_none()) return nb::none();
  if (IsTensor(leaf.ptr())) {
    Object array = leaf.attr("numpy")();
    if (nb::hasattr(array, "setflags")) {
      array.attr("setflags")(nb::arg("write") = false);
    }
    return array;
  }
  if (nb::hasattr(leaf, "dense_shape")) {  // a sparse tensor
    return Owned(LateAttribute("SparseTensorValue"))(
        leaf.attr("indices").attr("numpy")(),
        leaf.attr("values").attr("numpy")(),
        leaf.attr("dense_shape").attr("numpy")());
  }
  return leaf.attr("numpy")();
}
Object NextArrays(Handle self) {
  const Object element = Owned(PyObject_CallMethod(
      Object(self.attr("_iterator")).ptr(), "__next__", nullptr));
  nb::list arrays;
  for (Handle leaf : ElementLeaves(element)) arrays.append(AsArray(leaf));
  return PackedElement(element, arrays);
}
Object SaveArrays(Handle self) {
  return self.attr("_iterator").attr("_save")();
}
Object RestoreArrays(Handle self, Handle state) {
  return self.attr("_iterator").attr("_restore")(state);
}
Object NumpyIteratorText(Handle self) {
  return Owned(PyUnicode_FromFormat("NumpyIterator(iterator=%R)",
                                    Object(self.attr("_iterator")).ptr()));
}
PyMethodDef numpy_iterator_methods[] = {
    GK_METHOD("__init__", "dataset", InitNumpyIterator, ""),
    GK_METHOD("__iter__", "", Same, ""),
    GK_METHOD("__next__", "", NextArrays, ""),
    GK_METHOD(
        "next", "", NextArrays,
        "The same as `next(iterator)`.\n\n"
        ">>> int(tf.data.Dataset.range(4, 5).as_numpy_iterator().next())\n"
        "4\n"),
    GK_METHOD("save", "", SaveArrays,
              "Where the iterator is: a string tensor for `restore`.\n\n"
              "Raises:\n"
              "  tf.errors.FailedPreconditionError: the dataset has functions\n"
              "    that may not be run again, as those of random numbers.\n\n"
              ">>> it = tf.data.Dataset.range(3).as_numpy_iterator()\n"
              ">>> state = (next(it), it.save())[1]\n"
              ">>> int(next(it)), int(next(it))\n"
              "(1, 2)\n"
              ">>> it.restore(state)\n"
              ">>> int(next(it))\n"
              "1\n"),
    GK_METHOD("restore", "state", RestoreArrays,
              "Goes on where an iterator over the same dataset was.\n\n"
              "Args:\n"
              "  state: what `save` returned.\n\n"
              "Raises:\n"
              "  TypeError: `state` is no tensor.\n"
              "  tf.errors.InvalidArgumentError: it is another tensor.\n"
              "  tf.errors.DataLossError: it is of another dataset.\n\n"
              ">>> it = tf.data.Dataset.range(3).as_numpy_iterator()\n"
              ">>> start = it.save()\n"
              ">>> int(next(it))\n"
              "0\n"
              ">>> it.restore(start)\n"
              ">>> int(next(it))\n"
              "0\n"),
    GK_METHOD("__repr__", "", NumpyIteratorText, ""),
    {}};

}  // namespace

Object NewNumpyIterator(Handle dataset) { return numpy_iterator(dataset); }

void AddNumpyIterator(nb::module_& m) {
  numpy_iterator = AddClass(
      m, "NumpyIterator", {}, std::nullopt,
      "The elements of a dataset as NumPy arrays; see\n"
      "tf.data.Dataset.as_numpy_iterator.\n\n"
      ">>> it = tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator()\n"
      ">>> next(it).tolist()\n"
      "[1, 2]\n",
      numpy_iterator_methods, nullptr, "graphkiln.data");
}

}  // namespace gk::py
