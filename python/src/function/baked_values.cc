#include "python/src/function/baked_values.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/src/binding/errors.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/function/function_layout.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/py_trace.h"
#include "python/src/host/log_functions.h"
#include "python/src/ops/plain_values.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

std::string PlainText(nb::handle text) {
  std::string found(StringView(text.ptr()));
  PyErr_Clear();  // what is no UTF-8 is shown as nothing
  return found;
}

std::string Shown(nb::handle value) { return PlainText(package::shown(value)); }

// Of the Functions that `finders` find, which stay as long.
std::vector<std::shared_ptr<TraceCache>> CachesOf(nb::handle finders) {
  std::vector<std::shared_ptr<TraceCache>> caches;
  for (nb::handle find : finders) {
    const nb::object found = find();
    if (found.is_none()) continue;
    caches.emplace_back(&FunctionOf(found.ptr())->function->cache(),
                        [found](TraceCache*) {});
  }
  return caches;
}

BakedChange ChangeOf(nb::object baked, nb::object now) {
  const nb::object line = baked.attr("line");
  BakedChange change{
      .name = PlainText(baked.attr("name")),
      .before = Shown(baked.attr("value")),
      .now = Shown(now),
      .read = {PlainText(baked.attr("file")), PlainText(baked.attr("function")),
               nb::cast<int>(line)},
      .caches = CachesOf(baked.attr("_functions"))};
  change.accept = [baked, now] { baked.attr("_expected") = Copied(now); };
  change.ignore = [baked] { baked.attr("_guarded") = nb::bool_(false); };
  return change;
}

}  // namespace

StatusOr<std::vector<BakedChange>> PythonBakedValues::ChangesOf(
    const Trace& trace) {
  std::vector<BakedChange> changes;
  try {
    const nb::object all =
        nb::getattr(nb::handle(ConcreteOf(trace)), "_baked", nb::tuple());
    for (nb::handle baked : all) {
      const nb::object guarded = baked.attr("_guarded");
      if (!guarded.is(Py_True)) continue;
      nb::object now = Comparable(nb::object(baked.attr("_look_up")()));
      if (Same(now, nb::object(baked.attr("_expected")))) continue;
      changes.push_back(ChangeOf(nb::borrow(baked), std::move(now)));
    }
  } catch (nb::python_error& error) {
    error.restore();
    return PythonError();
  }
  return changes;
}

Status PythonBakedValues::Warn(const std::string& text) {
  const PyRef message = PyRef::Steal(ToPyString(text));
  const PyRef warn = LogMethod("warning");
  const PyRef done = PyRef::Steal(
      message && warn ? PyObject_CallOneArg(warn.get(), message.get())
                      : nullptr);
  return done ? OkStatus() : PythonError();
}

nb::object ValuesReadBy(const PythonFunction& function,
                        const FunctionType& type) {
  if (function.is_told()) return nb::tuple();
  nb::dict objects;
  for (const FunctionParameter& p : type.parameters()) {
    if (!p.type || p.type->kind() != TraceType::Kind::kObject) continue;
    const nb::object object = Owned(ObjectOf(*p.type));
    if (!object.is_none()) objects[Owned(ToPyString(p.name))] = object;
  }
  return package::values_read(function.function(), function.Instance(),
                              objects);
}

}  // namespace gk::py
