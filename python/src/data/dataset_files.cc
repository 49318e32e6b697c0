// Datasets of what is in files.
#include "function/dataset_files.h"

#include <optional>

#include "python/src/binding/text_caster.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_step.h"
#include "python/src/data/run_freely.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::object TextSpec() {
  return Owned(WrapTensorSpec(TensorShape(), DataType::kString));
}
Tensor TextIfGiven(const Arguments& a, std::string_view name) {
  return a.has(name) ? Number(a, name, DataType::kString) : Tensor();
}

// The names of files: a dataset of them, or what can be a tensor.
TypedDataset FilesOf(nb::handle filenames, nb::list parts) {
  if (!IsDataset(filenames)) {
    StatusOr<Tensor> names = ToTensor(filenames.ptr(), DataType::kInvalid,
                                      DataType::kString, "filenames");
    if (!names.ok()) Throw(names.status());
    return steps::FileNames(*names);
  }
  parts.append(filenames);
  const nb::object spec = ElementSpecOf(filenames);
  const bool one = IsTensorSpec(spec.ptr());
  const auto shown = [&](const char* part) {
    return TextOf(one ? nb::repr(spec.attr(part)) : nb::repr(spec));
  };
  ElementSignature e = SignatureOfSpec(spec);
  if (!one) e.types.clear();
  steps::CheckFileNames(
      e, [&] { return shown("dtype"); }, [&] { return shown("shape"); });
  return DatasetOf(filenames);
}

nb::object ReadFiles(const Arguments& a) {
  using Kind = steps::FileReading::Kind;
  steps::FileReading how;
  const std::string kind = TextOf(a["kind"]);
  how.kind = kind == "TFRecord"   ? Kind::kTFRecord
             : kind == "TextLine" ? Kind::kTextLine
                                  : Kind::kFixedLength;
  nb::list parts;
  const TypedDataset files = FilesOf(a["filenames"], parts);
  how.compression_type = TextIfGiven(a, "compression_type");
  how.buffer_size = NumberIfGiven(a, "buffer_size");
  how.num_parallel_reads = NumberIfGiven(a, "num_parallel_reads");
  how.record_bytes = NumberIfGiven(a, "record_bytes");
  how.header_bytes = NumberIfGiven(a, "header_bytes");
  how.footer_bytes = NumberIfGiven(a, "footer_bytes");
  return Made(steps::ReadFiles(files, how).variant, TextSpec(), parts);
}

nb::object WriteRecords(const Arguments& a) {
  const TypedDataset d = DatasetOf(a["dataset"]);
  const Tensor filename = Number(a, "filename", DataType::kString),
               compression = TextIfGiven(a, "compression_type");
  RunFreely([&] { steps::WriteRecords(d, filename, compression); });
  return nb::none();
}

nb::object ListFiles(const Arguments& a) {
  const bool shuffle = !a.has("shuffle") || a.flag("shuffle");
  const TypedDataset made = steps::ListFiles(
      Number(a, "file_pattern", DataType::kString), shuffle, SeedOf(a["seed"]));
  return Made(made.variant, TextSpec(), nb::tuple());
}

nb::object SqlRows(const Arguments& a) {
  const nb::object spec = MappedSpec(a["output_types"], [](nb::handle type) {
    return Owned(WrapTensorSpec(TensorShape(), AsDType(type.ptr())));
  });
  const TypedDataset made = steps::SqlRows(
      Number(a, "driver_name", DataType::kString),
      Number(a, "data_source_name", DataType::kString),
      Number(a, "query", DataType::kString), SignatureOfSpec(spec));
  return Made(made.variant, spec, nb::tuple());
}

constexpr ToldFunction kFileSources[] = {
    {R"(list_files(file_pattern, shuffle=None, seed=None, name=None)
The names of the files that patterns describe.

Args:
  file_pattern: a pattern as `tf.io.gfile.glob` takes it, or a vector of them.
  shuffle: whether names are in random order, another one for each iteration;
    True if it is None.
  seed: an int; with the global seed it determines the order.
  name: accepted for compatibility.

Raises:
  tf.errors.InvalidArgumentError: there is no such file.

>>> import os, tempfile
>>> folder = tempfile.mkdtemp()
>>> tf.io.write_file(os.path.join(folder, 'a.txt'), '')
>>> tf.io.write_file(os.path.join(folder, 'b.txt'), '')
>>> d = tf.data.Dataset.list_files(folder + '/*.txt', shuffle=False)
>>> [os.path.basename(x.numpy()) for x in d]
[b'a.txt', b'b.txt'])",
     &ListFiles},
};

constexpr ToldFunction kFileFunctions[] = {
    {R"(files_dataset(kind, filenames, compression_type=None, buffer_size=None,
              num_parallel_reads=None, record_bytes=None, header_bytes=None,
              footer_bytes=None)
The dataset of what is in files: of "TFRecord", "TextLine" or "FixedLength".)",
     &ReadFiles},
    {R"(sql_dataset(driver_name, data_source_name, query, output_types)
The dataset of the rows that a query of a database gives.)",
     &SqlRows},
    {R"(write_record_file(dataset, filename, compression_type=None)
Writes a dataset of strings to a file of framed records.)",
     &WriteRecords},
};

}  // namespace

PyMethodDef* FileSources() { return MethodsOf<kFileSources, METH_STATIC>(); }

void AddDatasetFiles(nb::module_& m) {
  for (PyMethodDef* f = MethodsOf<kFileFunctions>(); f->ml_name != nullptr;
       ++f) {
    m.attr(f->ml_name) =
        Owned(PyCFunction_NewEx(f, nullptr, m.attr("__name__").ptr()));
  }
}

}  // namespace gk::py
