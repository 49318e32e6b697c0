// What the package says of itself: tf.version, tf.sysconfig.
#include "python/src/host/package_facts.h"

#include <string>

#include "python/src/binding/guarded.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// The version of the interface that is implemented, so that programs that ask
// for "at least 2.x" run.
constexpr const char* kVersion = "2.21.0";
// What GraphDefs carry in `versions`.
constexpr int kGraphDefVersion = 2384;

// Where the extension is, without a slash at the end.
nb::object Folder(nb::handle module) {
  const nb::module_ path = nb::module_::import_("os.path");
  return path.attr("dirname")(path.attr("abspath")(module.attr("__file__")));
}

PyObject* Include(PyObject* module, PyObject*) {
  return nb::str("{}/include").format(Folder(module)).release().ptr();
}
PyObject* Lib(PyObject* module, PyObject*) {
  return Folder(module).release().ptr();
}
PyObject* Flags(PyObject* module, const char* first, const char* second) {
  nb::list flags;
  flags.append(nb::str(first).format(Folder(module)));
  flags.append(second);
  return flags.release().ptr();
}
PyObject* CompileFlags(PyObject* module, PyObject*) {
  return Flags(module, "-I{}/include", "-std=c++20");
}
PyObject* LinkFlags(PyObject* module, PyObject*) {
  return Flags(module, "-L{}", "-lgraphkiln");
}
PyObject* BuildInfo(PyObject*, PyObject*) {
  return Py_BuildValue("{sOsOsOss}", "is_cuda_build", Py_False, "is_rocm_build",
                       Py_False, "is_tensorrt_build", Py_False,
                       "graphkiln_version", GK_VERSION);
}

PyMethodDef kPackageFactsFunctions[] = {
    {"get_include", Guarded<Include>, METH_NOARGS,
     "get_include()\n--\n\n"
     "The folder of the C++ headers.\n\n"
     ">>> tf.sysconfig.get_include().endswith('include')\n"
     "True"},
    {"get_lib", Guarded<Lib>, METH_NOARGS,
     "get_lib()\n--\n\n"
     "The folder of the shared library.\n\n"
     ">>> isinstance(tf.sysconfig.get_lib(), str)\n"
     "True"},
    {"get_compile_flags", Guarded<CompileFlags>, METH_NOARGS,
     "get_compile_flags()\n--\n\n"
     "What a compiler needs to find the headers.\n\n"
     ">>> tf.sysconfig.get_compile_flags()[-1]\n"
     "'-std=c++20'"},
    {"get_link_flags", Guarded<LinkFlags>, METH_NOARGS,
     "get_link_flags()\n--\n\n"
     "What a linker needs to find the library.\n\n"
     ">>> isinstance(tf.sysconfig.get_link_flags(), list)\n"
     "True"},
    {"get_build_info", Guarded<BuildInfo>, METH_NOARGS,
     "get_build_info()\n--\n\n"
     "How this package was built.\n\n"
     ">>> tf.sysconfig.get_build_info()['is_cuda_build']\n"
     "False"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddPackageFacts(nb::module_& m) {
  m.attr("__version__") = GK_VERSION;
  m.attr("VERSION") = kVersion;
  m.attr("GRAPHKILN_VERSION") = GK_VERSION;
  m.attr("GIT_VERSION") = "graphkiln-" GK_VERSION;
  m.attr("COMPILER_VERSION") = "C++20";
  m.attr("CXX11_ABI_FLAG") = _GLIBCXX_USE_CXX11_ABI;
  m.attr("CXX_VERSION") = static_cast<int64_t>(__cplusplus);
  m.attr("MONOLITHIC_BUILD") = 0;
  m.attr("GRAPH_DEF_VERSION") = kGraphDefVersion;
  m.attr("GRAPH_DEF_VERSION_MIN_CONSUMER") = 0;
  m.attr("GRAPH_DEF_VERSION_MIN_PRODUCER") = 0;
  if (PyModule_AddFunctions(m.ptr(), kPackageFactsFunctions) < 0)
    throw nb::python_error();
}

}  // namespace gk::py
