#include "python/src/data/made_dataset.h"

#include "python/src/data/element_spec.h"

namespace gk::py {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

bool IsDataset(Handle value) {
  static const Object& base = *new Object(
      nb::module_::import_("graphkiln._graphkiln").attr("DatasetBase"));
  return PyObject_TypeCheck(value.ptr(),
                            reinterpret_cast<PyTypeObject*>(base.ptr()));
}

Handle DatasetClass() {
  static constinit MadeOnce cls;
  PyObject* const made = cls.Get([] {
    return ImportAttribute("graphkiln.data._dataset", "Dataset").Release();
  });
  if (made == nullptr) throw nb::python_error();
  return made;
}

TypedDataset DatasetOf(Handle dataset) {
  return {AsTensor(Object(dataset.attr("_as_input")())),
          SignatureOfSpec(Object(dataset.attr("element_spec")))};
}

Object MakeDataset(const std::string& kind, Handle variant, Handle spec,
                   Object parts) {
  static nb::dict& classes = *new nb::dict();
  const nb::str name(kind.c_str());
  if (!classes.contains(name)) {
    const Handle dataset = DatasetClass();
    nb::dict attributes;
    attributes["__module__"] = dataset.attr("__module__");
    classes[name] = dataset.type()(name, nb::make_tuple(dataset), attributes);
  }
  Object made = classes[name](variant);
  made.attr("_element_spec") = spec;
  made.attr("_parts") = parts;
  return made;
}

}  // namespace gk::py
