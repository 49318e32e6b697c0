// Functions and classes of the package's Python modules that the extension
// calls. A module hands its own over in its last line,
// `_graphkiln.provide(...)`: by then it is whole. Whoever needs one before has
// the module loaded.
#ifndef GK_PYTHON_PACKAGE_PARTS_H_
#define GK_PYTHON_PACKAGE_PARTS_H_

#include <nanobind/nanobind.h>

#include <initializer_list>

#include "python/src/binding/bound_values.h"

namespace gk::py {

// By module: PART(its __name__, who provides it).
#define GK_PACKAGE_PARTS(PART)                                             \
  PART(load, "graphkiln._loading")                                         \
  PART(files_of, "graphkiln._src.files.fsspec_files")                      \
  PART(find_file_system, "graphkiln._src.files.fsspec_files")              \
  PART(function_of_method, "graphkiln._src.function.method_function")      \
  PART(values_read, "graphkiln._src.function.read_walker")                 \
  PART(shown, "graphkiln._src.function.baked_value")                       \
  PART(convert_callee, "graphkiln._src.function.tracing")                  \
  PART(placeholder_value, "graphkiln._src.function.tracing")               \
  PART(shown_argument, "graphkiln._src.function.tracing")                  \
  PART(show_page, "graphkiln._src.graph.shown_page")                       \
  PART(get_logger, "graphkiln._src.host.logging")                          \
  PART(warn_first, "graphkiln._src.host.logging")                          \
  PART(stablehlo_program, "graphkiln._src.host.stablehlo")                 \
  PART(of_others, "graphkiln._src.internal.operators")                     \
  PART(evaluate_in_session, "graphkiln._src.session.default_session")      \
  PART(load_in_session, "graphkiln._src.session.default_session")          \
  PART(add_graph, "graphkiln._src.saved_model.version_one")                \
  PART(as_message, "graphkiln._src.types.spec_messages")                   \
  PART(from_message, "graphkiln._src.types.spec_messages")                 \
  PART(class_of_messages, "graphkiln._src.types.spec_messages")            \
  PART(class_of_spec, "graphkiln._src.types.spec_messages")                \
  PART(numpy_matmul, "graphkiln._src.numpy.operators")                     \
  PART(numpy_operands, "graphkiln._src.numpy.operators")                   \
  PART(numpy_round, "graphkiln._src.numpy.operators")                      \
  PART(numpy_subscript, "graphkiln._src.numpy.operators")                  \
  PART(weak_call, "graphkiln._src.numpy.weak_calls")                       \
  PART(weak_constant, "graphkiln._src.numpy.weak_calls")                   \
  PART(weak_operator, "graphkiln._src.numpy.weak_calls")                   \
  PART(weak_update, "graphkiln._src.numpy.weak_calls")                     \
  PART(SaveSliceInfo, "graphkiln._src.version_one.partitioned_variables")  \
  PART(field_types, "graphkiln._src.types.extension_metaclass")            \
  PART(ImmutableDict, "graphkiln._src.types.immutable_dict")               \
  PART(choice_of, "graphkiln.autograph.branches")                          \
  PART(convert, "graphkiln.autograph.root")                                \
  PART(Undefined, "graphkiln.autograph.symbols")                           \
  PART(UndefinedReturnValue, "graphkiln.autograph.undefined_return_value") \
  PART(Dataset, "graphkiln.data._dataset")                                 \
  PART(dataset_loop, "graphkiln.data._loops")                              \
  PART(iterator_loop, "graphkiln.data._loops")                             \
  PART(save_with_checkpoints, "graphkiln.data._saving")                    \
  PART(call_converted, "graphkiln.data._traced")

class PackagePart {
 public:
  constexpr PackagePart(const char* name, const char* module)
      : name_(name), module_(module) {}

  // Borrowed; null with an exception set.
  PyObject* Get() { return given_ != nullptr ? given_ : Load(); }
  // The same; Python's errors are thrown.
  nanobind::handle Held() {
    if (Get() == nullptr) throw nanobind::python_error();
    return given_;
  }
  // Calls it. New reference; null with an exception set.
  PyObject* Call(std::initializer_list<PyObject*> args) {
    return Get() == nullptr ? nullptr
                            : PyObject_Vectorcall(given_, args.begin(),
                                                  args.size(), nullptr);
  }
  template <class... Args>
  nanobind::object operator()(const Args&... args) {
    return Owned(Call({args.ptr()...}));
  }

  const char* name() const { return name_; }
  // Kept for ever. Of a module that is loaded once more, the new one.
  void Give(PyObject* part) { given_ = Py_NewRef(part); }

 private:
  PyObject* Load();

  const char* const name_;
  const char* const module_;
  PyObject* given_ = nullptr;
};

namespace package {
#define GK_PART(name, module) inline constinit PackagePart name{#name, module};
GK_PACKAGE_PARTS(GK_PART)
#undef GK_PART
}  // namespace package

bool AddPackageParts(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_PACKAGE_PARTS_H_
