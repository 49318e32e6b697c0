#include "python/src/function/retraces.h"

#include <string>
#include <utility>

#include "python/src/binding/text_caster.h"
#include "python/src/binding/words.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// Records print, compare and hash by what they tell.
template <class Record>
void AddRecordProtocol(nb::class_<Record>& cls, const char* name,
                       std::initializer_list<const char*> fields) {
  const auto told = [name, fields = std::vector<const char*>(fields)](
                        nb::handle self) {
    std::string text;
    for (const char* field : fields) {
      text += (text.empty() ? "" : ", ") + std::string(field) + "=" +
              ReprOf(self.attr(field));
    }
    return std::string(name) + "(" + text + ")";
  };
  cls.def("__repr__", told)
      .def("__eq__",
           [told](nb::handle self, nb::handle other) {
             return nb::isinstance<Record>(other) && told(self) == told(other);
           },
           nb::arg("other").none())
      .def("__hash__", [told](nb::handle self) {
        return static_cast<Py_ssize_t>(std::hash<std::string>()(told(self)));
      });
}

template <class Items>
nb::tuple AsTuple(const Items& items) {
  nb::list list;
  for (const auto& item : items) list.append(nb::cast(item));
  return nb::tuple(list);
}

void AddReason(nb::module_& m) {
  using Reason = RetraceReason;
  nb::class_<Reason> cls(
      m, "RetraceReason",
      "One part of a call that no earlier trace accepted.\n\n"
      "Attributes:\n"
      "  argument: which part, as `x[0]['a']`; empty for the call as a "
      "whole.\n"
      "  cause: \"dtype\", \"shape\", \"rank\", \"number\", \"value\", "
      "\"object\",\n"
      "    \"temporary object\", \"kind\", \"length\", \"keys\", "
      "\"variable\",\n"
      "    \"parameters\", \"details\", \"evicted\" or \"frozen value\".\n"
      "  old_type, new_type: of the earlier trace and of this call.\n"
      "  advice: what would avoid the trace.");
  cls.def_ro("argument", &Reason::argument)
      .def_ro("cause", &Reason::cause)
      .def_ro("old_type", &Reason::old_type)
      .def_ro("new_type", &Reason::new_type)
      .def_ro("advice", &Reason::advice)
      .def("__str__", RetraceReasonText);
  AddRecordProtocol(cls, "RetraceReason",
                    {"argument", "cause", "old_type", "new_type", "advice"});
}

void AddRetrace(nb::module_& m) {
  nb::class_<Retrace> cls(
      m, "Retrace",
      "One trace beyond the first.\n\n"
      "Attributes:\n"
      "  number: of the trace, from 1 in the order traced.\n"
      "  compared_to: the number of the earlier trace that is most like it.\n"
      "  file, line, function: where the user's code made the call.\n"
      "  signature: the types of the call.\n"
      "  traced_signature: the types traced, more general if asked for.\n"
      "  seconds: how long tracing took.\n"
      "  evicted: has the trace been dropped from the cache?\n"
      "  reasons: what no earlier trace accepted.");
  cls.def_ro("number", &Retrace::number)
      .def_ro("compared_to", &Retrace::compared_to)
      .def_prop_ro("file", [](const Retrace& r) { return r.site.file; })
      .def_prop_ro("line", [](const Retrace& r) { return r.site.line; })
      .def_prop_ro("function", [](const Retrace& r) { return r.site.function; })
      .def_ro("signature", &Retrace::type)
      .def_ro("traced_signature", &Retrace::traced)
      .def_ro("seconds", &Retrace::seconds)
      .def_ro("evicted", &Retrace::evicted)
      .def_prop_ro("reasons",
                   [](const Retrace& r) { return AsTuple(r.reasons); })
      .def("__str__",
           [](const Retrace& r) { return RetraceText(r, kPythonWords); });
  AddRecordProtocol(
      cls, "Retrace",
      {"number", "compared_to", "file", "line", "function", "signature",
       "traced_signature", "seconds", "evicted", "reasons"});
}

}  // namespace

PyObject* ExplanationObject(RetraceExplanation explanation) {
  return nb::cast(std::move(explanation)).release().ptr();
}

void AddRetraces(nb::module_& m) {
  AddReason(m);
  AddRetrace(m);
  using Explanation = RetraceExplanation;
  const auto text = [](const Explanation& e) {
    return ExplanationText(e, kPythonWords);
  };
  const auto retraces = [](const Explanation& e) {
    return AsTuple(e.retraces);
  };
  nb::class_<Explanation> cls(
      m, "RetraceExplanation",
      "What `Function.explain_retraces` returns: a list of `Retrace`s, and "
      "notes on\nthe function as a whole. Prints as text and, in notebooks, "
      "as a table.");
  cls.def_ro("name", &Explanation::name)
      .def_ro("num_traces", &Explanation::num_traces)
      .def_prop_ro("notes",
                   [](const Explanation& e) { return AsTuple(e.notes); })
      .def_prop_ro("retraces", retraces)
      .def("__len__", [](const Explanation& e) { return e.retraces.size(); })
      .def("__getitem__",
           [retraces](const Explanation& e, nb::object index) {
             return nb::object(nb::object(retraces(e))[index]);
           })
      .def("__iter__",
           [retraces](const Explanation& e) { return nb::iter(retraces(e)); })
      .def("index",
           [retraces](const Explanation& e, const nb::args& args) {
             return retraces(e).attr("index")(*args);
           })
      .def("count",
           [retraces](const Explanation& e, nb::handle retrace) {
             return retraces(e).attr("count")(retrace);
           },
           nb::arg("retrace").none())
      .def("__str__", text)
      .def("__repr__", text)
      .def("_repr_html_", ExplanationHtml);
  // Loaded at the start of Python; `collections` is not.
  nb::module_::import_("_collections_abc")
      .attr("Sequence")
      .attr("register")(cls);
}

}  // namespace gk::py
