#include "python/src/data/made_dataset.h"

#include "python/src/binding/package_parts.h"
#include "python/src/data/element_spec.h"

namespace gk::py {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

Handle DatasetClass() { return package::Dataset.Held(); }

TypedDataset DatasetOf(Handle dataset) {
  return {AsTensor(Object(dataset.attr("_as_input")())),
          SignatureOfSpec(Object(dataset.attr("element_spec")))};
}

Object MakeDataset(const std::string& kind, Handle variant, Handle spec,
                   Object parts) {
  static constinit MadeOnce made_classes;
  const auto classes =
      nb::borrow<nb::dict>(Owned(Py_XNewRef(made_classes.Get(&PyDict_New))));
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
