#include "python/src/control_flow/list_value.h"

#include <optional>
#include <string>
#include <vector>

#include "function/list_value.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/element_spec.h"
#include "python/src/function/literal_key.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/slicing.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Element = ListValue::Element;

Element ElementOf(nb::handle value) {
  Element element;
  std::vector<PyRef> leaves;
  element.structure = StructureOf(value.ptr(), NestRules::kNest, &leaves);
  if (!element.structure) throw nb::python_error();
  for (const PyRef& leaf : leaves) {
    element.tensors.push_back(Converted(leaf.get()));
  }
  return element;
}
nb::object ValueOf(const Element& element) {
  std::vector<PyRef> leaves;
  for (const Tensor& t : element.tensors) {
    leaves.push_back(PyRef::Steal(Wrapped(t).release().ptr()));
  }
  return Owned(PackValue(*element.structure, leaves));
}

ListValue::Place PlaceOf(nb::handle index) {
  if (IsTensor(index.ptr()) || IsVariable(index.ptr())) {
    ListValue::Place place;
    place.tensor = Converted(index);
    return place;
  }
  if (!PyIndex_Check(index.ptr())) {
    Throw(TypeError("list indices must be integers or slices, not {}",
                    TextOf(index.type().attr("__name__"))));
  }
  return nb::cast<int64_t>(Owned(PyNumber_Index(index.ptr())));
}
SubscriptEntry SliceOf(nb::handle slice) {
  return ValueOrThrow(ParseEntries(slice.ptr())).at(0);
}
bool IsSlice(nb::handle index) { return PySlice_Check(index.ptr()) != 0; }

// What is done with an element: code of the user's may have compared how it
// nests.
template <class F>
void WithElement(nb::handle value, F&& f) {
  ForgetComparisonError();
  f(ElementOf(value));
  if (RaiseComparisonError()) throw nb::python_error();
}

// What nest asks of a composite value.
struct ListSpec {
  ElementSpecRef elements;
  size_t handles;

  bool Equals(const ListSpec& other) const {
    if (!elements || !other.elements) return elements == other.elements;
    return elements->structure->Equals(*other.elements->structure) &&
           elements->leaves == other.elements->leaves;
  }
  nb::list ComponentSpecs() const {
    nb::list specs;
    for (size_t k = 0; k < handles; ++k) specs.append(nb::none());
    return specs;
  }
};

nb::object LengthOf(const ListValue& list) {
  return list.is_open() ? nb::int_(0) : Wrapped(list.Length());
}
void SetItem(ListValue& list, nb::handle index, nb::handle value) {
  if (IsSlice(index)) {
    Throw(
        TypeError("a list in a graph takes one element at a time, not those "
                  "of a slice"));
  }
  WithElement(value, [&](const Element& e) { list.Set(PlaceOf(index), e); });
}
void Delete(ListValue& list, nb::handle index) {
  if (IsSlice(index)) return list.Erase(SliceOf(index));
  list.Pop(PlaceOf(index));
}
nb::object Pop(ListValue& list, nb::handle index) {
  const bool last = PyLong_Check(index.ptr()) && nb::int_(-1).equal(index);
  return ValueOf(last ? list.Pop() : list.Pop(PlaceOf(index)));
}
nb::object Concat(const ListValue& list, nb::handle axis,
                  const std::string& name) {
  std::optional<int64_t> at;
  if (PyLong_Check(axis.ptr())) at = nb::cast<int64_t>(axis);
  return Wrapped(list.Concat(at, name));
}

}  // namespace

void AddListValue(nb::module_& m) {
  nb::class_<ListSpec> spec(m, "ListSpec", "The type of a list of a graph.");
  spec.def_prop_ro("_component_specs", &ListSpec::ComponentSpecs)
      .def("_to_components",
           [](const ListSpec&, const ListValue& list) {
             return Wrapped(list.handles());
           })
      .def("__eq__", &ListSpec::Equals, nb::is_operator());
  spec.attr("__hash__") = nb::none();

  nb::class_<ListValue>(
      m, "ListValue",
      "ListValue(other=None): a list whose length only the graph knows, with "
      "the elements of the other; open: it does not know yet what they are.")
      .def(
          "__init__",
          [](ListValue* self, const ListValue* other) {
            new (self) ListValue(other ? *other : ListValue());
          },
          nb::arg("other") = nb::none())
      .def_static(
          "of_spec",
          [](nb::handle spec) {
            return ListValue({Structure::Leaf(), {CoreSpec(spec)}});
          },
          "Of tensors that a tf.TensorSpec describes; without any.")
      .def_static(
          "of_rows",
          [](nb::handle rows) { return ListValue::OfRows(ElementOf(rows)); },
          "Of the rows of tensors.")
      .def("with_handles",
           [](const ListValue& self, nb::handle handles) {
             return self.WithHandles(Tensors(handles));
           })
      .def_prop_rw(
          "handles",
          [](const ListValue& self) { return Wrapped(self.handles()); },
          [](ListValue& self, nb::handle handles) {
            self = self.WithHandles(Tensors(handles));
          },
          "The tensor lists, one for each tensor of an element.")
      .def_prop_ro("_type_spec",
                   [](const ListValue& self) {
                     return ListSpec{self.elements(), self.handles().size()};
                   })
      .def_prop_ro("is_open", &ListValue::is_open,
                   "Is the type of the elements not known yet?")
      .def(
          "close",
          [](ListValue& self, nb::handle like) {
            self.Close(SpecOf(ElementOf(like)));
          },
          "close(like): an open list is one of such elements from here on.")
      .def("is_same_as", &ListValue::IsSameAs,
           "Was nothing done to one of the two alone?")
      .def("__repr__", &ListValue::Text)
      .def("length", &LengthOf, "An int32 tensor; 0 if it is open.")
      .def(
          "element",
          [](const ListValue& self, nb::handle number) {
            return ValueOf(self.Numbered(PlaceOf(number)));
          },
          "element(number): the one with this number from the beginning.")
      .def(
          "__getitem__",
          [](const ListValue& self, nb::handle index) -> nb::object {
            if (IsSlice(index)) return nb::cast(self.Part(SliceOf(index)));
            return ValueOf(self.At(PlaceOf(index)));
          },
          nb::arg("index").none())
      .def("__setitem__", &SetItem, nb::arg("index").none(),
           nb::arg("value").none())
      .def("__delitem__", &Delete, nb::arg("index").none())
      .def(
          "stacked", [](const ListValue& self) { return ValueOf(self.Rows()); },
          "All elements, stacked; in their structure if they have one.")
      .def(
          "stack",
          [](const ListValue& self, int64_t axis, const std::string& name) {
            return Wrapped(self.Stack(axis, name));
          },
          nb::arg("axis") = 0, nb::arg("name") = "stack",
          "The elements, tensors or lists and tuples of those, as one tensor.")
      .def("concat", &Concat, nb::arg("axis").none(),
           nb::arg("name") = "concat", "The same, one after the other.")
      .def(
          "append",
          [](ListValue& self, nb::handle value) {
            WithElement(value, [&](const Element& e) { self.Append(e); });
          },
          nb::arg("value").none())
      .def(
          "insert",
          [](ListValue& self, nb::handle index, nb::handle value) {
            WithElement(value, [&](const Element& e) {
              self.Insert(PlaceOf(index), e);
            });
          },
          nb::arg("index").none(), nb::arg("value").none())
      .def("pop", &Pop, nb::arg("index").none() = -1)
      .def("clear", &ListValue::Clear);
}

}  // namespace gk::py
