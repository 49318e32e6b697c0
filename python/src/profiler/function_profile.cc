#include "python/src/profiler/function_profile.h"

#include <string>
#include <utility>

#include "profiler/function_profile.h"
#include "profiler/memory_report.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"
#include "python/src/function/concrete_function.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

template <class Items>
nb::tuple TupleOf(const Items& items) {
  nb::list list;
  for (const auto& item : items) list.append(nb::cast(item));
  return nb::tuple(list);
}

std::string RowText(const ProfileRow& row) {
  return Format(
      "ProfileRow(name={}, lines={}, calls={}, seconds={:.3g}, share={:.3g})",
      row.name, row.lines, row.calls, row.seconds, row.share);
}
std::string BufferText(const MemoryBuffer& buffer) {
  return Format("MemoryBuffer(name={}, lines={}, type={}, bytes={})",
                buffer.name, buffer.lines, buffer.type, buffer.bytes);
}
std::string PlanText(const PlanMemory& plan) {
  return Format("PlanMemory(function={}, peak_bytes={})", plan.function,
                plan.peak_bytes);
}

}  // namespace

PyObject* ProfileOfCall(nb::handle concrete, PyObject* callable, PyObject* args,
                        PyObject* kwargs) {
  // What the call returns is of no use to anybody.
  const ConcreteFunction& function =
      *ConcreteFunctionOf(concrete.ptr())->function;
  const auto call = [&] {
    const PyRef result = PyRef::Steal(PyObject_Call(callable, args, kwargs));
    if (!result) throw nb::python_error();
    return OkStatus();
  };
  return nb::cast(ValueOrThrow(ProfileCall(function, call))).release().ptr();
}

PyObject* ProfileConcrete(PyObject* concrete, PyObject* args,
                          PyObject* kwargs) {
  return ProfileOfCall(concrete, concrete, args, kwargs);
}

PyObject* MemoryOfConcrete(PyObject* concrete, PyObject*) {
  return nb::cast(ValueOrThrow(ReportMemory(
                      *ConcreteFunctionOf(concrete)->function->function())))
      .release()
      .ptr();
}

void AddFunctionProfile(nb::module_& m) {
  nb::class_<ProfileRow>(
      m, "ProfileRow",
      "What one op or fused group of a function did in a call.\n\n"
      "Attributes:\n"
      "  name: \"MatMul\", \"Mul+AddV2+Relu\" of a fused group.\n"
      "  node: of the graph, \"dense/MatMul\".\n"
      "  kind: how it runs: \"kernel\", \"tile\", \"cluster\", \"read\",\n"
      "    \"code\", \"branch\", \"loop\"; \"op\" outside of functions.\n"
      "  lines: of the user's program that made it, \"model.py:12\".\n"
      "  function: whose graph it is part of.\n"
      "  shapes: of its operands and results in the first run.\n"
      "  calls: how often it ran in a call.\n"
      "  seconds: of these runs, without what ran inside of it.\n"
      "  share: of the call's seconds, from 0 to 1.\n"
      "  flops: additions and multiplications of these runs.\n"
      "  bytes: that they read and wrote.\n"
      "  memory: bytes of the results of one run.\n"
      "  attained: part of what this machine does at most, by operations or\n"
      "    by bytes, whichever is nearer; 0 where no operations are known.")
      .def_ro("name", &ProfileRow::name)
      .def_ro("node", &ProfileRow::node)
      .def_ro("kind", &ProfileRow::kind)
      .def_ro("lines", &ProfileRow::lines)
      .def_ro("function", &ProfileRow::function)
      .def_ro("shapes", &ProfileRow::shapes)
      .def_ro("calls", &ProfileRow::calls)
      .def_ro("seconds", &ProfileRow::seconds)
      .def_ro("share", &ProfileRow::share)
      .def_ro("flops", &ProfileRow::flops)
      .def_ro("bytes", &ProfileRow::bytes)
      .def_ro("memory", &ProfileRow::memory)
      .def_ro("attained", &ProfileRow::attained)
      .def("__repr__", RowText);

  const auto profile_text = [](const FunctionProfile& p) {
    return ProfileText(p);
  };
  nb::class_<FunctionProfile>(
      m, "FunctionProfile",
      "What `Function.profile` returns: where the time of a call went. Prints "
      "as\na table and, in notebooks, as one with bars.\n\n"
      "Attributes:\n"
      "  name: of the function's trace.\n"
      "  runs: calls, of which all else is the mean.\n"
      "  seconds: of a call, without tracing and planning.\n"
      "  other_seconds: of that, what no row has.\n"
      "  tracing_seconds, planning_seconds: what came before.\n"
      "  memory: bytes at the peak, without the arguments.\n"
      "  peak_flops, peak_bandwidth: float32 operations and bytes a second "
      "that\n    this machine does at most, as measured.\n"
      "  rows: `ProfileRow`s, the longest first.")
      .def_ro("name", &FunctionProfile::name)
      .def_ro("runs", &FunctionProfile::runs)
      .def_ro("seconds", &FunctionProfile::seconds)
      .def_ro("other_seconds", &FunctionProfile::other_seconds)
      .def_ro("tracing_seconds", &FunctionProfile::tracing_seconds)
      .def_ro("planning_seconds", &FunctionProfile::planning_seconds)
      .def_ro("memory", &FunctionProfile::memory)
      .def_prop_ro("peak_flops",
                   [](const FunctionProfile& p) { return p.peak.flops; })
      .def_prop_ro("peak_bandwidth",
                   [](const FunctionProfile& p) { return p.peak.bandwidth; })
      .def_prop_ro("rows",
                   [](const FunctionProfile& p) { return TupleOf(p.rows); })
      .def("__str__", profile_text)
      .def("__repr__", profile_text)
      .def("_repr_html_",
           [](const FunctionProfile& p) { return ProfileHtml(p); });

  nb::class_<MemoryBuffer>(
      m, "MemoryBuffer",
      "A value that the plan of a function makes room for.\n\n"
      "Attributes:\n"
      "  name, node: of what makes it, \"MatMul\" and \"dense/MatMul\".\n"
      "  lines: of the user's program that made that, \"model.py:12\".\n"
      "  type: \"float32[64,10]\".\n"
      "  place: \"arena\", within the block of the plan, or \"own\".\n"
      "  bytes: 0 if its shape is not known ahead.\n"
      "  first, last: instructions from which and until which it lives.\n"
      "  at_peak: does it live when most memory is in use?")
      .def_ro("name", &MemoryBuffer::name)
      .def_ro("node", &MemoryBuffer::node)
      .def_ro("lines", &MemoryBuffer::lines)
      .def_ro("type", &MemoryBuffer::type)
      .def_ro("place", &MemoryBuffer::place)
      .def_ro("bytes", &MemoryBuffer::bytes)
      .def_ro("first", &MemoryBuffer::first)
      .def_ro("last", &MemoryBuffer::last)
      .def_ro("at_peak", &MemoryBuffer::at_peak)
      .def("__repr__", BufferText);

  nb::class_<PlanMemory>(
      m, "PlanMemory",
      "What memory the plan of a function needs, or of one that it calls.\n\n"
      "Attributes:\n"
      "  function: its name.\n"
      "  num_instructions: of the plan.\n"
      "  peak_bytes: of a call, without arguments and constants.\n"
      "  arena_bytes: of that, the block in which values take turns.\n"
      "  sum_bytes: of the values in it, if each had its own.\n"
      "  constant_bytes, argument_bytes: where the sizes are known.\n"
      "  peak_instruction, peak_name, peak_lines: when most is in use.\n"
      "  unknown: values whose size is not known ahead.\n"
      "  buffers: `MemoryBuffer`s, the largest first.")
      .def_ro("function", &PlanMemory::function)
      .def_ro("num_instructions", &PlanMemory::num_instructions)
      .def_ro("peak_bytes", &PlanMemory::peak_bytes)
      .def_ro("arena_bytes", &PlanMemory::arena_bytes)
      .def_ro("sum_bytes", &PlanMemory::sum_bytes)
      .def_ro("constant_bytes", &PlanMemory::constant_bytes)
      .def_ro("argument_bytes", &PlanMemory::argument_bytes)
      .def_ro("peak_instruction", &PlanMemory::peak_instruction)
      .def_ro("peak_name", &PlanMemory::peak_name)
      .def_ro("peak_lines", &PlanMemory::peak_lines)
      .def_ro("unknown", &PlanMemory::unknown)
      .def_prop_ro("buffers",
                   [](const PlanMemory& p) { return TupleOf(p.buffers); })
      .def("__repr__", PlanText);

  const auto memory_text = [](const MemoryReport& r) { return MemoryText(r); };
  nb::class_<MemoryReport>(
      m, "MemoryReport",
      "What `Function.memory_report` returns: what memory a function needs. "
      "Prints\nas a table and, in notebooks, as one with bars.\n\n"
      "Attributes:\n"
      "  name: of the function's trace.\n"
      "  peak_bytes: of all plans together.\n"
      "  plans: `PlanMemory`s, the function's own first.")
      .def_ro("name", &MemoryReport::name)
      .def_prop_ro("peak_bytes", &MemoryReport::PeakBytes)
      .def_prop_ro("plans",
                   [](const MemoryReport& r) { return TupleOf(r.plans); })
      .def("__str__", memory_text)
      .def("__repr__", memory_text)
      .def("_repr_html_", [](const MemoryReport& r) { return MemoryHtml(r); });
}

}  // namespace gk::py
