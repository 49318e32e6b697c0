#include "python/src/data/dataset_options.h"

#include <vector>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/text_caster.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

using Kind = Option::Kind;
using Value = DatasetOptions::Value;

nb::object Ours(const char* name) {
  return Owned(LateAttribute(name));
}
nb::object KindOf(const Option& option) {
  constexpr const char* kTypes[] = {"bool", "int", "str", "list"};
  switch (option.kind) {
    case Kind::kEnum:
      return Ours(option.values->name);
    case Kind::kGroup:
      return Ours(option.group->name);
    default:
      return nb::module_::import_("builtins")
          .attr(kTypes[static_cast<int>(option.kind)]);
  }
}
nb::str KeyOf(const Option& option) {
  return nb::str(option.key != nullptr ? option.key : option.name);
}
bool IsSomeOptions(nb::handle value) {
  return nb::isinstance(value, Ours("_Options"));
}

constexpr char kValues[] = "_options", kFrozen[] = "_frozen";

nb::dict DictOf(nb::handle options) {
  return nb::cast<nb::dict>(nb::object(options.attr("__dict__")));
}
// What was set or asked for, by name.
nb::dict ValuesOf(nb::handle options) {
  nb::dict own = DictOf(options);
  if (!own.contains(kValues)) own[kValues] = nb::dict();
  return nb::cast<nb::dict>(nb::object(own[kValues]));
}

const Option* FindOption(nb::handle options, PyObject* name) {
  PyObject* found = _PyType_Lookup(Py_TYPE(options.ptr()), name);
  if (found == nullptr || Py_TYPE(found) != &PyGetSetDescr_Type) return nullptr;
  return static_cast<const Option*>(
      reinterpret_cast<PyGetSetDescrObject*>(found)->d_getset->closure);
}

nb::object Otherwise(const Option& option) {
  if (option.otherwise == nullptr) return nb::none();
  return KindOf(option).attr(option.otherwise);
}

nb::object ValueOf(nb::handle options, const Option& option) {
  nb::dict values = ValuesOf(options);
  const nb::str key = KeyOf(option);
  if (!values.contains(key)) {
    values[key] =
        option.kind == Kind::kGroup ? KindOf(option)() : Otherwise(option);
  }
  return values[key];
}

void SetValue(nb::handle options, const Option& option, nb::handle value) {
  const nb::object kind = KindOf(option);
  if (!nb::isinstance(value, kind)) {
    Throw(TypeError("Property \"{}\" must be of type {}, got: {} (type: {})",
                    option.name, nb::str(kind).c_str(), nb::str(value).c_str(),
                    nb::str(value.type()).c_str()));
  }
  ValuesOf(options)[KeyOf(option)] = value;
}

PyObject* GetOption(PyObject* self, void* option) {
  return ValueOf(self, *static_cast<const Option*>(option)).release().ptr();
}
int SetOption(PyObject* self, PyObject* value, void* option) {
  SetValue(self, *static_cast<const Option*>(option),
           value == nullptr ? Py_None : value);
  return 0;
}

nb::object SetAttribute(nb::handle self, nb::handle name, nb::handle value) {
  if (DictOf(self).contains(kFrozen)) {
    Throw(ValueError(
        "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` "
        "has no effect. Use `tf.data.Dataset.with_options(options)` to set or "
        "update dataset options."));
  }
  if (FindOption(self, name.ptr()) == nullptr) {
    Throw(AttributeError("Cannot set the property {} on {}.",
                         nb::str(name).c_str(), Py_TYPE(self.ptr())->tp_name));
  }
  if (PyObject_GenericSetAttr(self.ptr(), name.ptr(), value.ptr()) < 0) {
    throw nb::python_error();
  }
  return nb::none();
}

// --- To and from the core's.

const OptionGroup* GroupOf(nb::handle options) {
  for (const OptionGroup* group : DatasetOptions::Groups()) {
    if (nb::isinstance(options, Ours(group->name))) return group;
  }
  return nullptr;
}

Value CoreValue(const Option& option, nb::handle value) {
  switch (option.kind) {
    case Kind::kBool:
      return nb::cast<bool>(value);
    case Kind::kText:
      return nb::cast<std::string>(value);
    case Kind::kTexts: {
      std::vector<std::string> texts;
      for (nb::handle text : value) {
        if (!PyUnicode_Check(text.ptr())) {
          Throw(TypeError("Property \"{}\" must hold texts, got: {}",
                          option.name, nb::repr(text).c_str()));
        }
        texts.push_back(nb::cast<std::string>(text));
      }
      return texts;
    }
    case Kind::kEnum:
      return nb::cast<int64_t>(nb::object(value.attr("value")));
    default:
      return nb::cast<int64_t>(nb::int_(value));
  }
}

void AddSaid(nb::handle options, const OptionGroup& group,
             DatasetOptions* said) {
  for (auto [name, value] : ValuesOf(options)) {
    const Option* option = group.Find(nb::cast<std::string>(name));
    if (option == nullptr || value.is_none()) continue;
    if (option->kind == Kind::kGroup) {
      AddSaid(value, *option->group, said);
    } else {
      said->Set(*option, CoreValue(*option, value));
    }
  }
}

nb::object PythonValue(const Option& option, const Value& value) {
  switch (option.kind) {
    case Kind::kBool:
      return nb::bool_(std::get<bool>(value));
    case Kind::kText:
      return nb::cast(std::get<std::string>(value));
    case Kind::kTexts: {
      nb::list texts;
      for (const std::string& text : std::get<std::vector<std::string>>(value))
        texts.append(nb::cast(text));
      return texts;
    }
    case Kind::kEnum:
      return KindOf(option)(std::get<int64_t>(value));
    default:
      return nb::int_(std::get<int64_t>(value));
  }
}

nb::object ToldGroup(const OptionGroup& group, const DatasetOptions& said) {
  nb::object made = Ours(group.name)();
  nb::dict values = ValuesOf(made);
  for (const Option& option : group.options) {
    if (option.key != nullptr) continue;
    if (option.kind == Kind::kGroup) {
      values[option.name] = ToldGroup(*option.group, said);
    } else if (const Value* value = said.Find(option)) {
      values[option.name] = PythonValue(option, *value);
    }
  }
  return made;
}

DatasetOptions Said(nb::handle options) {
  DatasetOptions said;
  AddSaid(options, *GroupOf(options), &said);
  return said;
}

nb::object Equal(nb::handle self, nb::handle other) {
  return nb::bool_(self.type().is(other.type()) && Said(self) == Said(other));
}

nb::object Merge(nb::handle self, nb::handle options) {
  DatasetOptions both = CoreOptions(self);
  both.Merge(CoreOptions(options));
  return ToldGroup(DatasetOptions::Whole(), both);
}

void Freeze(nb::handle options) {
  for (auto [name, value] : ValuesOf(options)) {
    if (IsSomeOptions(value)) Freeze(value);
  }
  DictOf(options)[kFrozen] = true;
}

}  // namespace

DatasetOptions CoreOptions(nb::handle options) {
  if (!nb::isinstance(options, Ours("Options"))) {
    Throw(TypeError("Expected tf.data.Options, got {} of type {}",
                    nb::repr(options).c_str(),
                    nb::str(options.type()).c_str()));
  }
  DatasetOptions said = Said(options);
  // As TensorFlow writes them.
  for (const Option& option : DatasetOptions::Whole().options) {
    if (option.kind == Kind::kGroup && option.key == nullptr) {
      said.Set(option, {});
    }
  }
  return said;
}

nb::object FrozenOptions(const DatasetOptions& said) {
  nb::object made = ToldGroup(DatasetOptions::Whole(), said);
  Freeze(made);
  return made;
}

void AddDatasetOptions(nb::module_& m) {
  for (const OptionEnum* e : DatasetOptions::Enumerations()) {
    AddLate(e->name, [e] {
      return MakeEnum(e->are_integers ? "IntEnum" : "Enum",
                      "graphkiln.data.experimental", e->name, e->doc,
                      {e->values.begin(), e->values.end()});
    });
  }
  static PyMethodDef common_methods[] = {
      GK_METHOD("__setattr__", "name, value", SetAttribute, ""),
      GK_METHOD("__eq__", "other", Equal, ""),
      {}};
  static PyMethodDef merge_methods[] = {
      GK_METHOD("merge", "options", Merge,
                "New options: these, with what `options` says.\n\n"
                ">>> a, b = tf.data.Options(), tf.data.Options()\n"
                ">>> b.deterministic = True\n"
                ">>> a.merge(b).deterministic\n"
                "True\n"),
      {}};
  const nb::handle base =
      AddClass(m, "_Options", {}, std::nullopt,
               "Properties that can be set, compared, merged.", common_methods,
               nullptr, "graphkiln.data");
  base.attr("__hash__") = nb::none();
  for (const OptionGroup* group : DatasetOptions::Groups()) {
    const bool whole = group == &DatasetOptions::Whole();
    const nb::handle cls =
        AddClass(m, group->name, base, std::nullopt, group->doc,
                 whole ? merge_methods : nullptr, nullptr,
                 Format("graphkiln.{}", group->home).c_str());
    for (const Option& o : group->options) {
      auto* attribute =
          new PyGetSetDef{o.name, Guarded<GetOption>, Guarded<SetOption>, o.doc,
                          const_cast<Option*>(&o)};
      cls.attr(o.name) = Owned(PyDescr_NewGetSet(
          reinterpret_cast<PyTypeObject*>(cls.ptr()), attribute));
    }
  }
}

}  // namespace gk::py
