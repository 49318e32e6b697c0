// tf.data.experimental.CsvDataset and make_csv_dataset.
#include "function/csv_files.h"
#include "python/src/binding/imported_once.h"
#include "python/src/binding/text_caster.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_step.h"
#include "python/src/files/path_argument.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

template <class F>
void ForEach(nb::handle items, F&& use) {
  for (nb::handle item : nb::list(nb::borrow(items))) use(item);
}

steps::CsvColumn ColumnOf(nb::handle given) {
  if (IsDType(given.ptr())) return DTypeOf(given.ptr());
  StatusOr<Tensor> t = ToTensor(given.ptr(), DataType::kInvalid,
                                DataType::kInvalid, "record_defaults");
  if (!t.ok()) Throw(t.status());
  return *std::move(t);
}

nb::object SpecOfColumn(const ElementSignature& e, size_t i) {
  return Owned(WrapTensorSpec(e.shapes[i], e.types[i]));
}

nb::object ReadCsv(const Arguments& a) {
  steps::CsvReading how;
  ForEach(a["record_defaults"], [&](nb::handle column) {
    how.record_defaults.push_back(steps::CsvDefault(ColumnOf(column)));
  });
  const auto given = [&](std::string_view name, DataType dtype) {
    return a.has(name) ? Number(a, name, dtype) : Tensor();
  };
  how.compression_type = given("compression_type", DataType::kString);
  how.buffer_size = NumberIfGiven(a, "buffer_size");
  how.header = given("header", DataType::kBool);
  how.field_delim = given("field_delim", DataType::kString);
  how.use_quote_delim = given("use_quote_delim", DataType::kBool);
  how.na_value = given("na_value", DataType::kString);
  how.select_cols = NumberIfGiven(a, "select_cols");
  how.exclude_cols = NumberIfGiven(a, "exclude_cols");
  const TypedDataset made =
      steps::CsvFiles(Number(a, "filenames", DataType::kString), how);
  nb::list spec;
  for (size_t i = 0; i < made.elements.types.size(); ++i) {
    spec.append(SpecOfColumn(made.elements, i));
  }
  return Made(made.variant, nb::tuple(spec), nb::tuple());
}

// Names as files have them, and as programs do.
class Encoding {
 public:
  explicit Encoding(std::string name) : name_(std::move(name)) {}
  std::string Bytes(nb::handle text) const {
    if (PyBytes_Check(text.ptr())) return nb::cast<nb::bytes>(text).c_str();
    const nb::object bytes =
        Owned(PyUnicode_AsEncodedString(text.ptr(), name_.c_str(), nullptr));
    if (!bytes.is_valid()) throw nb::python_error();
    return {PyBytes_AS_STRING(bytes.ptr()),
            static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
  }
  nb::object Text(const std::string& bytes) const {
    const nb::object text = Owned(
        PyUnicode_Decode(bytes.data(), static_cast<Py_ssize_t>(bytes.size()),
                         name_.c_str(), nullptr));
    if (!text.is_valid()) throw nb::python_error();
    return text;
  }

 private:
  std::string name_;
};

std::optional<int64_t> IntegerIfGiven(const Arguments& a,
                                      std::string_view name) {
  if (!a.has(name)) return std::nullopt;
  return nb::cast<int64_t>(nb::int_(a[name]));
}

nb::object MakeCsv(const Arguments& a) {
  const Encoding encoding(a.has("column_names") ? "utf-8"
                                                : TextOf(a["encoding"]));
  steps::CsvBatches how;
  const nb::handle pattern = a["file_pattern"];
  if (PyList_Check(pattern.ptr()) || PyTuple_Check(pattern.ptr())) {
    ForEach(pattern, [&](nb::handle p) { how.files.push_back(PathOf(p)); });
  } else {
    how.files.push_back(PathOf(pattern));
  }
  how.batch_size = Number(a, "batch_size");
  if (a.has("column_names")) {
    how.column_names.emplace();
    ForEach(a["column_names"], [&](nb::handle name) {
      how.column_names->push_back(encoding.Bytes(name));
    });
  }
  if (a.has("column_defaults")) {
    how.column_defaults.emplace();
    ForEach(a["column_defaults"], [&](nb::handle column) {
      how.column_defaults->push_back(ColumnOf(column));
    });
  }
  if (a.has("label_name")) how.label_name = encoding.Bytes(a["label_name"]);
  if (a.has("select_columns")) {
    how.select_columns.emplace();
    ForEach(a["select_columns"], [&](nb::handle column) {
      if (PyLong_Check(column.ptr())) {
        how.select_columns->emplace_back(nb::cast<int64_t>(column));
      } else {
        how.select_columns->emplace_back(encoding.Bytes(column));
      }
    });
  }
  how.field_delim = TextOf(a["field_delim"]);
  how.use_quote_delim = a.flag("use_quote_delim");
  how.na_value = TextOf(a["na_value"]);
  how.header = a.flag("header");
  how.num_epochs = NumberIfGiven(a, "num_epochs");
  how.shuffle = a.flag("shuffle");
  how.shuffle_buffer_size = NumberIfGiven(a, "shuffle_buffer_size");
  how.shuffle_seed = SeedOf(a["shuffle_seed"]);
  how.prefetch_buffer_size = NumberIfGiven(a, "prefetch_buffer_size");
  how.num_parallel_reads = IntegerIfGiven(a, "num_parallel_reads");
  how.sloppy = a.flag("sloppy");
  how.num_rows_for_inference = IntegerIfGiven(a, "num_rows_for_inference");
  if (a.has("compression_type")) {
    how.compression_type = TextOf(a["compression_type"]);
  }
  how.ignore_errors = a.flag("ignore_errors");
  const steps::MadeCsvBatches made = steps::MakeCsvBatches(how);

  static constinit ImportedOnce ordered("collections", "OrderedDict");
  const nb::object features = Owned(Py_XNewRef(ordered.Get()))();
  for (size_t i = 0; i < made.names.size(); ++i) {
    features[encoding.Text(made.names[i])] = SpecOfColumn(made.columns, i);
  }
  nb::object spec = features;
  if (how.label_name) {
    spec =
        nb::make_tuple(features, SpecOfColumn(made.columns, made.names.size()));
  }
  return Made(made.dataset.variant, spec, nb::tuple());
}

constexpr ToldFunction kCsvFunctions[] = {
    {R"(csv_dataset(filenames, record_defaults, compression_type=None,
            buffer_size=None, header=False, field_delim=',',
            use_quote_delim=True, na_value='', select_cols=None,
            exclude_cols=None)
The dataset of the records of files of fields.)",
     &ReadCsv},
    {R"(make_csv_dataset(file_pattern, batch_size, column_names=None,
                 column_defaults=None, label_name=None, select_columns=None,
                 field_delim=',', use_quote_delim=True, na_value='',
                 header=True, num_epochs=None, shuffle=True,
                 shuffle_buffer_size=10000, shuffle_seed=None,
                 prefetch_buffer_size=None, num_parallel_reads=None,
                 sloppy=False, num_rows_for_inference=100,
                 compression_type=None, ignore_errors=False, encoding='utf-8')
Batches of the records of files of named columns, as dictionaries of vectors.

Args:
  file_pattern: a pattern as `tf.io.gfile.glob` takes it, or a list of them.
  batch_size: how many records a batch has.
  column_names: of all columns; None: what the first record of each file says.
  column_defaults: for each column that is read its dtype, if records must have
    it, or a value for fields of nothing; None: types are those that the first
    records hold, and 0 and "" stand for fields of nothing.
  label_name: of the column that stands beside the others; elements are then
    pairs of a dictionary and a vector.
  select_columns: the numbers or names of the columns to read; None: all.
  field_delim: the character between fields.
  use_quote_delim: whether fields may be in double quotes.
  na_value: a text that is as good as a field of nothing.
  header: whether files have a first record that is none.
  num_epochs: how often all records come; None: without end.
  shuffle: whether files and records are in random order.
  shuffle_buffer_size: how many records one is drawn from.
  shuffle_seed: an int; with the global seed it determines the order.
  prefetch_buffer_size: how many batches are made in advance.
  num_parallel_reads: how many files are read at a time; 1 for None.
  sloppy: whether what is ready goes first.
  num_rows_for_inference: how many records tell the types of columns; None: all.
  compression_type: "ZLIB", "GZIP", or "" or None.
  ignore_errors: whether records that are none are left out.
  encoding: of the names of columns.

Raises:
  ValueError: there are no such files, columns or names, or a record has
    another number of fields than there are columns.

>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), 'a.csv')
>>> tf.io.write_file(path, 'size,name\n1,a\n2,b\n')
>>> d = tf.data.experimental.make_csv_dataset(
...     path, 2, label_name='name', num_epochs=1, shuffle=False)
>>> [(x['size'].numpy().tolist(), y.numpy().tolist()) for x, y in d]
[([1, 2], [b'a', b'b'])])",
     &MakeCsv},
};

}  // namespace

void AddCsvFunctions(nb::module_& m) {
  for (PyMethodDef* f = MethodsOf<kCsvFunctions>(); f->ml_name != nullptr;
       ++f) {
    m.attr((std::string("data_") + f->ml_name).c_str()) =
        Owned(PyCFunction_NewEx(f, nullptr, m.attr("__name__").ptr()));
  }
}

}  // namespace gk::py
