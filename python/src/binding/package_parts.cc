#include "python/src/binding/package_parts.h"

#include "python/src/binding/guarded.h"

namespace gk::py {
namespace {

PackagePart* const parts[] = {
#define GK_PART(name, module) &package::name,
    GK_PACKAGE_PARTS(GK_PART)
#undef GK_PART
};

PyObject* Provide(PyObject*, PyObject* args) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* const given = PyTuple_GET_ITEM(args, i);
    PyRef name = PyRef::Steal(PyObject_GetAttrString(given, "__name__"));
    if (!name) return nullptr;
    PackagePart* known = nullptr;
    for (PackagePart* part : parts) {
      if (StringView(name.get()) == part->name()) known = part;
    }
    if (known == nullptr) {
      return Raise(Internal("nobody asks for {}", StringView(name.get())));
    }
    known->Give(given);
  }
  Py_RETURN_NONE;
}

PyMethodDef kPackagePartsFunctions[] = {
    {"provide", Guarded<Provide>, METH_VARARGS,
     "provide(*parts)\n--\n\n"
     "Hands over what the extension calls: functions and classes of the\n"
     "module that is loaded now, in its last line."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* PackagePart::Load() {
  PyRef name = PyRef::Steal(PyUnicode_FromString(module_));
  PyObject* const load = package::load.given_;
  PyRef module = PyRef::Steal(!name  ? nullptr
                              : load ? PyObject_CallOneArg(load, name.get())
                                     : PyImport_Import(name.get()));
  if (module && given_ == nullptr) {
    PyErr_Format(PyExc_ImportError, "%s is needed before %s is loaded", name_,
                 module_);
  }
  return module ? given_ : nullptr;
}

bool AddPackageParts(PyObject* module) {
  return PyModule_AddFunctions(module, kPackagePartsFunctions) == 0;
}

}  // namespace gk::py
