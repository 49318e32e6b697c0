// Which checkpoints tf.train.CheckpointManager keeps.
#include "checkpoint/kept_checkpoints.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/text_caster.h"
#include "python/src/checkpoint/checkpoint.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

std::optional<proto::CheckpointState> StateOf(nb::handle message) {
  if (message.is_none()) return std::nullopt;
  const auto bytes = nb::cast<nb::bytes>(message);
  proto::CheckpointState state;
  ThrowIfError(state.Parse({bytes.c_str(), bytes.size()}));
  return state;
}

}  // namespace

void AddKeptCheckpoints(nb::module_& m) {
  nb::class_<KeptCheckpoints>(m, "_KeptCheckpoints",
                              "Which checkpoints of a folder stay.")
      .def(
          "__init__",
          [](KeptCheckpoints* self, std::string folder,
             std::optional<int64_t> most, double hours,
             std::optional<int64_t> interval, std::optional<int64_t> last_step,
             nb::object state, double now) {
            new (self) KeptCheckpoints(ValueOrThrow(KeptCheckpoints::Open(
                std::move(folder), {most, hours, interval, last_step},
                StateOf(state), now)));
          },
          nb::arg("folder"), nb::arg("most").none(), nb::arg("hours"),
          nb::arg("interval").none(), nb::arg("last_step").none(),
          nb::arg("state").none(), nb::arg("now"))
      .def("is_due", &KeptCheckpoints::IsDue)
      .def("restored_at", &KeptCheckpoints::RestoredAt)
      .def("add", [](KeptCheckpoints& self, const std::string& path,
                     double now) { ThrowIfError(self.Add(path, now)); })
      .def("paths", &KeptCheckpoints::paths)
      .def_prop_ro("latest", &KeptCheckpoints::latest)
      .def_prop_ro("seconds_behind", &KeptCheckpoints::seconds_behind)
      .def_prop_ro("interval", &KeptCheckpoints::interval);
}

}  // namespace gk::py
