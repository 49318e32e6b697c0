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

constexpr char kData[] = "graphkiln.data";
constexpr char kExperimental[] = "graphkiln.data.experimental";

struct Enumeration {
  const char* name;
  const char* base;  // of the module enum
  std::vector<std::pair<const char*, int>> values;
  const char* doc;
};

const Enumeration kEnumerations[] = {
    {"AutoShardPolicy",
     "IntEnum",
     {{"OFF", -1}, {"AUTO", 0}, {"FILE", 1}, {"DATA", 2}, {"HINT", 3}},
     "How a dataset is divided among workers.\n\n"
     ">>> tf.data.experimental.AutoShardPolicy.DATA.value\n2\n"},
    {"AutotuneAlgorithm",
     "Enum",
     {{"DEFAULT", 0},
      {"HILL_CLIMB", 1},
      {"GRADIENT_DESCENT", 2},
      {"MAX_PARALLELISM", 3},
      {"STAGE_BASED", 4}},
     "How parallelism and buffers are chosen.\n\n"
     ">>> tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB.value\n1\n"},
    {"ExternalStatePolicy",
     "Enum",
     {{"WARN", 0}, {"IGNORE", 1}, {"FAIL", 2}},
     "What happens to state outside of a dataset that is saved.\n\n"
     ">>> tf.data.experimental.ExternalStatePolicy.FAIL.value\n2\n"},
};

// A value of a type; until it is set None, `otherwise`, or options of its own.
struct Option {
  const char* name;
  const char* kind;  // a type of Python's, or of those here
  const char* doc;
  const char* otherwise = nullptr;  // of an enumeration
  const char* key = nullptr;        // the newer name, under which it is kept

  nb::str Key() const { return nb::str(key != nullptr ? key : name); }
};

struct OptionsClass {
  const char* home;
  const char* name;
  const char* doc;
  std::vector<Option> options;
};

const OptionsClass kClasses[] = {
    {kExperimental,
     "AutotuneOptions",
     R"(How parallelism and buffers are tuned; kept, but without effect here.

>>> options = tf.data.Options()
>>> options.autotune.enabled = True
>>> options.autotune.cpu_budget is None
True
)",
     {{"enabled", "bool", "Whether they are."},
      {"cpu_budget", "int", "CPUs that may be used."},
      {"ram_budget", "int", "Bytes that may be used."},
      {"autotune_algorithm", "AutotuneAlgorithm", "By which algorithm."},
      {"initial_parallelism", "int", "What it begins with."},
      {"min_parallelism", "int", "The least there is."}}},
    {kExperimental,
     "DistributeOptions",
     R"(How a dataset is divided among workers.

>>> tf.data.Options().experimental_distribute.auto_shard_policy.name
'AUTO'
)",
     {{"auto_shard_policy", "AutoShardPolicy", "By files or by elements.",
       "AUTO"},
      {"num_devices", "int", "Of each worker."}}},
    {kExperimental,
     "OptimizationOptions",
     R"(Which rewritings of a dataset are wished for. Elements are the same with
and without.

>>> options = tf.data.Options()
>>> options.experimental_optimization.map_fusion = True
>>> options.experimental_optimization.map_fusion
True
)",
     {{"apply_default_optimizations", "bool", "Those that need no wish."},
      {"filter_fusion", "bool", "Filters become one."},
      {"filter_parallelization", "bool", "Filters work in parallel."},
      {"inject_prefetch", "bool", "The last step is made in advance."},
      {"map_and_batch_fusion", "bool", "A map and a batch become one."},
      {"map_and_filter_fusion", "bool", "A map and a filter become one."},
      {"map_fusion", "bool", "Maps become one."},
      {"map_parallelization", "bool", "Maps work in parallel."},
      {"noop_elimination", "bool", "What changes nothing is left out."},
      {"parallel_batch", "bool", "Batches are put together in parallel."},
      {"seq_interleave_prefetch", "bool",
       "What is interleaved is made in advance."},
      {"shuffle_and_repeat_fusion", "bool",
       "A shuffle and a repeat become one."}}},
    {kExperimental,
     "ServiceOptions",
     R"(For a service that makes elements elsewhere; there is none here.

>>> tf.data.Options().experimental_service.pinned is None
True
)",
     {{"pinned", "bool", "Whether memory is pinned."}}},
    {kData,
     "ThreadingOptions",
     R"(How many threads there are.

>>> options = tf.data.Options()
>>> options.threading.private_threadpool_size = 4
>>> options.threading.private_threadpool_size
4
)",
     {{"max_intra_op_parallelism", "int", "Inside of an op."},
      {"private_threadpool_size", "int", "For the dataset alone."}}},
    {kData,
     "Options",
     R"(What a dataset is told about how it should be run. None of it changes what
the elements are.

>>> options = tf.data.Options()
>>> options.deterministic = False
>>> dataset = tf.data.Dataset.range(3).with_options(options)
>>> dataset.options().deterministic
False
)",
     {{"autotune", "AutotuneOptions", "How it is tuned."},
      {"dataset_name", "str", "A name for it."},
      {"framework_type", "list", "Who uses it."},
      {"deterministic", "bool", "Whether elements must keep their order."},
      {"experimental_deterministic", "bool",
       "The older name of `deterministic`.", nullptr, "deterministic"},
      {"experimental_distribute", "DistributeOptions",
       "How it is divided among workers."},
      {"experimental_external_state_policy", "ExternalStatePolicy",
       "What happens to state outside when it is saved."},
      {"experimental_optimization", "OptimizationOptions",
       "Which rewritings are wished for."},
      {"experimental_service", "ServiceOptions", "For a service."},
      {"experimental_slack", "bool", "Whether the last prefetch waits a bit."},
      {"experimental_symbolic_checkpoint", "bool", "How places are saved."},
      {"experimental_warm_start", "bool", "Whether work begins at once."},
      {"threading", "ThreadingOptions", "How many threads there are."},
      {"experimental_threading", "ThreadingOptions",
       "The older name of `threading`.", nullptr, "threading"}}},
};

nb::object Ours(const char* name) {
  return nb::module_::import_("graphkiln._graphkiln").attr(name);
}
nb::object KindOf(const Option& option) {
  const nb::object builtins = nb::module_::import_("builtins");
  return nb::hasattr(builtins, option.kind)
             ? nb::object(builtins.attr(option.kind))
             : Ours(option.kind);
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
  const nb::str key = option.Key();
  if (!values.contains(key)) {
    const nb::object kind = KindOf(option);
    const int own = PyObject_IsSubclass(kind.ptr(), Ours("_Options").ptr());
    if (own < 0) throw nb::python_error();
    values[key] = own == 1 ? kind() : Otherwise(option);
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
  ValuesOf(options)[option.Key()] = value;
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

// What is not as it was.
nb::dict Told(nb::handle options) {
  nb::dict told;
  for (auto [name, given] : ValuesOf(options)) {
    nb::object value = nb::borrow(given);
    if (IsSomeOptions(value)) {
      value = Told(value);
      if (nb::len(value) == 0) continue;
    } else if (const Option* option = FindOption(options, name.ptr());
               option != nullptr && value.equal(Otherwise(*option))) {
      continue;
    }
    told[name] = value;
  }
  return told;
}

nb::object Equal(nb::handle self, nb::handle other) {
  return nb::bool_(self.type().is(other.type()) &&
                   Told(self).equal(Told(other)));
}

void Update(nb::handle options, nb::handle others) {
  nb::dict mine = ValuesOf(options);
  for (auto [name, value] : ValuesOf(others)) {
    if (!IsSomeOptions(value)) {
      if (!value.is_none()) mine[name] = value;
    } else if (mine.contains(name) && IsSomeOptions(nb::object(mine[name]))) {
      Update(nb::object(mine[name]), value);
    } else {
      mine[name] = CopyOfOptions(value);
    }
  }
}

nb::object Merge(nb::handle self, nb::handle options) {
  return MergedOptions(self, options);
}

}  // namespace

nb::object NewOptions() { return Ours("Options")(); }

nb::object CopyOfOptions(nb::handle options) {
  nb::object made = options.type()();
  nb::dict values = ValuesOf(made);
  for (auto [name, value] : ValuesOf(options)) {
    values[name] = IsSomeOptions(value) ? CopyOfOptions(value)
                                        : nb::object(nb::borrow(value));
  }
  return made;
}

void CheckOptions(nb::handle options) {
  if (nb::isinstance(options, Ours("Options"))) return;
  Throw(TypeError("Expected tf.data.Options, got {} of type {}",
                  nb::repr(options).c_str(), nb::str(options.type()).c_str()));
}

nb::object MergedOptions(nb::handle options, nb::handle others) {
  CheckOptions(others);
  nb::object made = CopyOfOptions(options);
  Update(made, others);
  return made;
}

void FreezeOptions(nb::handle options) {
  for (auto [name, value] : ValuesOf(options)) {
    if (IsSomeOptions(value)) FreezeOptions(value);
  }
  DictOf(options)[kFrozen] = true;
}

void AddDatasetOptions(nb::module_& m) {
  for (const Enumeration& e : kEnumerations) {
    AddLate(e.name, [&e] {
      return MakeEnum(e.base, kExperimental, e.name, e.doc, e.values);
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
               nullptr, kData);
  base.attr("__hash__") = nb::none();
  for (const OptionsClass& c : kClasses) {
    const bool whole = std::string_view(c.name) == "Options";
    const nb::handle cls =
        AddClass(m, c.name, base, std::nullopt, c.doc,
                 whole ? merge_methods : nullptr, nullptr, c.home);
    for (const Option& o : c.options) {
      auto* attribute =
          new PyGetSetDef{o.name, Guarded<GetOption>, Guarded<SetOption>, o.doc,
                          const_cast<Option*>(&o)};
      cls.attr(o.name) = Owned(PyDescr_NewGetSet(
          reinterpret_cast<PyTypeObject*>(cls.ptr()), attribute));
    }
  }
}

}  // namespace gk::py
