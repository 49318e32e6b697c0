#include "python/src/ops/composite_arguments.h"

#include <algorithm>

#include "ops/composition.h"
#include "python/src/ragged/composite_classes.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

// So many items of a list are looked at.
constexpr Py_ssize_t kItems = 16;

bool IsRaggedOrSparse(PyObject* o) {
  const CompositeClasses& classes = TheCompositeClasses();
  return PyObject_TypeCheck(o,
                            reinterpret_cast<PyTypeObject*>(classes.ragged)) ||
         PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(classes.sparse));
}

}  // namespace

bool AnySlices(PyObject* const* args, size_t nargs, PyObject* keywords) {
  auto* const slices =
      reinterpret_cast<PyTypeObject*>(TheCompositeClasses().slices);
  const size_t n = nargs + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
  return std::any_of(args, args + n, [&](PyObject* o) {
    return PyObject_TypeCheck(o, slices);
  });
}

bool AnyRaggedOrSparse(PyObject* const* args, size_t nargs,
                       PyObject* keywords) {
  const size_t n = nargs + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
  return std::any_of(args, args + n, [](PyObject* o) {
    if (IsTensor(o)) return false;
    if (!PyList_CheckExact(o) && !PyTuple_CheckExact(o)) {
      return IsRaggedOrSparse(o);
    }
    for (Py_ssize_t i = 0; i < std::min(kItems, PySequence_Fast_GET_SIZE(o));
         ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(o, i);
      if (!IsTensor(item) && IsRaggedOrSparse(item)) return true;
    }
    return false;
  });
}

bool TakesRows(std::string_view finder, std::string_view identity) {
  if (finder != "composition_function") return false;
  const Composition* c = CompositionRegistry::Get().Find(identity);
  return c != nullptr && std::ranges::any_of(c->args, [](const auto& arg) {
           return arg.kind == ArgKind::kRows || arg.kind == ArgKind::kManyRows;
         });
}

}  // namespace gk::py
