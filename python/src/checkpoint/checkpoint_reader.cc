// tf.train.load_checkpoint's reader.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_reader.h"
#include "checkpoint/checkpoint_state.h"
#include "checkpoint/object_graph.h"
#include "io/files.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/text_caster.h"
#include "python/src/checkpoint/checkpoint.h"
#include "python/src/tensors/converted.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

template <class Of>
nb::dict ByName(const BundleReader& reader, Of of) {
  nb::dict facts;
  for (const auto& [name, info] : reader.tensors()) {
    facts[nb::str(name.c_str(), name.size())] = of(info);
  }
  return facts;
}

nb::dict Shapes(const BundleReader& reader) {
  return ByName(reader, [](const BundleReader::TensorInfo& info) {
    nb::list dims;
    for (const int64_t dim : info.shape.dims()) dims.append(dim);
    return dims;
  });
}

nb::dict DTypes(const BundleReader& reader) {
  return ByName(reader, [](const BundleReader::TensorInfo& info) {
    return nb::borrow(DTypeObject(info.dtype));
  });
}

Tensor ReadTensor(const BundleReader& reader, const std::string& name) {
  const GilRelease release(true);
  return ValueOrThrow(reader.Read(name));
}

}  // namespace

void AddCheckpointReader(nb::module_& m) {
  nb::class_<BundleReader>(
      m, "CheckpointReader",
      "The tensors of a checkpoint by name; tf.train.load_checkpoint makes "
      "one.\n\n"
      "Safe to use from many threads. The checkpoint may be deleted meanwhile.")
      .def(
          "get_tensor",
          [](const BundleReader& self, const std::string& tensor_str) {
            const Tensor value = ReadTensor(self, tensor_str);
            return Wrapped(value).attr("numpy")();
          },
          nb::arg("tensor_str"),
          "The value of a tensor as an array, or bytes of one string.\n\n"
          "Raises:\n"
          "  NotFoundError: the checkpoint has none of that name.\n"
          "  DataLossError: its checksum does not match; the message names "
          "tensor and file.")
      .def("_read",
           [](const BundleReader& self, const std::string& tensor_str) {
             return Wrapped(ReadTensor(self, tensor_str));
           })
      .def("has_tensor", &BundleReader::Contains, nb::arg("tensor_str"),
           "Whether there is a tensor of that name.")
      .def("get_variable_to_shape_map", Shapes,
           "The shapes of all tensors, lists of integers, by name.")
      .def("get_variable_to_dtype_map", DTypes,
           "The tf.DTypes of all tensors by name.")
      .def(
          "debug_string",
          [](const BundleReader& self) {
            std::string text;
            for (const auto& [name, info] : self.tensors()) {
              text += Format("{} ({}) {}\n", name, DataTypeEnumName(info.dtype),
                             info.shape.DebugString());
            }
            return nb::bytes(text.data(), text.size());
          },
          "A line for each tensor: its name, dtype and shape.");
  m.def(
      "_read_checkpoint_state",
      [](const std::string& folder, const std::string& file) -> nb::object {
        const auto state = ValueOrThrow(ReadCheckpointState(folder, file));
        if (!state) return nb::none();
        const std::string message = state->Serialize();
        return nb::bytes(message.data(), message.size());
      },
      nb::arg("folder"), nb::arg("file"));
  m.def(
      "_write_checkpoint_state",
      [](const std::string& folder, const nb::bytes& message,
         const std::string& file) {
        proto::CheckpointState state;
        ThrowIfError(state.Parse({message.c_str(), message.size()}));
        ThrowIfError(WriteCheckpointState(folder, std::move(state), file));
      },
      nb::arg("folder"), nb::arg("message"), nb::arg("file"));
  m.def("_is_folder", io::IsDirectory, nb::arg("path"));
  m.def("_checkpoint_exists", CheckpointExists, nb::arg("prefix"));
  m.def(
      "_names_to_keys",
      [](const std::string& prefix) -> nb::object {
        const auto graph = ValueOrThrow(
            ReadObjectGraph(*ValueOrThrow(BundleReader::Open(prefix))));
        if (!graph) return nb::none();
        nb::dict keys;
        for (const auto& [name, key] : KeysByFullName(*graph)) {
          keys[nb::cast(name)] = nb::cast(key);
        }
        return keys;
      },
      nb::arg("prefix"));
  m.def(
      "_open_checkpoint",
      [](const std::string& prefix) {
        return ValueOrThrow(BundleReader::Open(prefix));
      },
      nb::arg("prefix"));
}

}  // namespace gk::py
