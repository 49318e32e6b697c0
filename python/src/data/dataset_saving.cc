// tf.data.Dataset.save and load.
#include "function/dataset_saving.h"

#include <optional>

#include "python/src/binding/package_parts.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_step.h"
#include "python/src/data/run_freely.h"
#include "python/src/files/path_argument.h"
#include "python/src/graph/operation_type.h"
#include "python/src/tensors/convert.h"
#include "saved_model/element_spec_message.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// A path that is known where it is given.
std::string SavedFolder(nb::handle path) {
  if (!IsTensor(path.ptr())) return PathOf(path);
  const Tensor t = AsTensor(path);
  if (t.is_symbolic() || t.dtype() != DataType::kString ||
      t.num_elements() != 1) {
    Throw(ValueError(
        "`path` must be a text that is known when the dataset is made, but is "
        "{}",
        TextOf(path)));
  }
  return t.data<std::string>()[0];
}
std::string SavedWith(const Arguments& a) {
  return a.has("compression") ? TextOf(a["compression"]) : "";
}
Tensor FolderTensor(const std::string& folder) {
  return ValueOrThrow(
      OpBuilder::Current()->Constant(Tensor::Scalar(folder), "path"));
}

nb::object SaveTo(nb::handle dataset, const Arguments& a) {
  const std::string folder = SavedFolder(a["path"]);
  const std::string compression = SavedWith(a);
  steps::CheckSavedCompression(compression);
  const nb::object spec = ElementSpecOf(dataset);
  std::optional<ElementFunction> shard;
  std::optional<UsersFunction> f;
  if (a.has("shard_func")) {
    f.emplace(a["shard_func"], "Dataset.save()", spec);
    WithWords(f->output(), [&](const steps::Described& returned) {
      steps::CheckInteger("shard_func", returned);
    });
    shard = f->core();
  }
  const TypedDataset own = DatasetOf(dataset);
  const ElementSpec elements = CoreElement(spec);
  FuncGraph* const graph = FuncGraph::Current();
  if (graph == nullptr && a.has("checkpoint_args") &&
      PyObject_IsTrue(a["checkpoint_args"].ptr()) == 1) {
    ThrowIfError(WriteElementSpec(folder, elements));
    const TypedDataset saving = steps::Saving(
        own, FolderTensor(folder), compression, shard ? &*shard : nullptr);
    nb::list parts;
    parts.append(dataset);
    if (f) parts.append(f->function());
    package::save_with_checkpoints(Made(saving.variant, spec, nb::tuple(parts)),
                                   a["checkpoint_args"]);
    return nb::none();
  }
  RunFreely([&] {
    ThrowIfError(WriteElementSpec(folder, elements));
    steps::Save(own, FolderTensor(folder), compression,
                shard ? &*shard : nullptr);
  });
  if (graph == nullptr) return nb::none();
  return WrapNode(graph->graph().get(), graph->graph()->nodes().back().get());
}

nb::object SaveOwn(const Arguments& a) { return SaveTo(a.self(), a); }
nb::object SaveGiven(const Arguments& a) {
  if (!IsDataset(a["dataset"])) {
    Throw(TypeError(
        "Invalid `dataset`. Expected a `tf.data.Dataset` object but got {}.",
        TextOf(a["dataset"].type())));
  }
  return SaveTo(a["dataset"], a);
}

nb::object LoadSaved(const Arguments& a) {
  const std::string folder = SavedFolder(a["path"]);
  const nb::object spec =
      a.has("element_spec")
          ? nb::borrow(a["element_spec"])
          : PythonElement(ValueOrThrow(ReadElementSpec(folder)));
  const ElementSignature e = SignatureOfSpec(spec);
  std::optional<ElementFunction> reader;
  nb::list parts;
  if (a.has("reader_func")) {
    const UsersFunction f(a["reader_func"], "load()",
                          DatasetSpecOfElements(DatasetSpecOfElements(spec)));
    steps::CheckRead(e, SignatureOfSpec(f.Elements(&steps::NoDataset)));
    reader = f.core();
    parts.append(f.function());
  }
  const TypedDataset made = steps::Load(FolderTensor(folder), e, SavedWith(a),
                                        reader ? &*reader : nullptr);
  return Made(made.variant, spec, nb::tuple(parts));
}

nb::object Snapshot(const Arguments& a) {
  const nb::handle dataset = a.self();
  const std::string compression =
      a.has("compression") ? TextOf(a["compression"]) : "";
  steps::CheckSavedCompression(compression);
  const nb::object spec = ElementSpecOf(dataset);
  std::optional<ElementFunction> shard, reader;
  nb::list parts;
  parts.append(dataset);
  if (a.has("shard_func")) {
    const UsersFunction f(a["shard_func"], "Dataset.snapshot()", spec);
    WithWords(f.output(), [&](const steps::Described& returned) {
      const DataType type = returned.is_tensor ? returned.components.types[0]
                                               : DataType::kInvalid;
      if ((type == DataType::kInt32 || type == DataType::kInt64) &&
          returned.components.shapes[0].IsCompatibleWith(TensorShape())) {
        return;
      }
      Throw(TypeError(
          "Invalid `shard_func`. `shard_func` must return `tf.int64` scalar "
          "tensor but its return type is {}.",
          returned.text()));
    });
    shard = f.core();
    parts.append(f.function());
  }
  if (a.has("reader_func")) {
    // Without a shard_func, what is saved are numbers and elements.
    const nb::object saved =
        shard ? spec
              : nb::object(nb::make_tuple(
                    Owned(WrapTensorSpec(TensorShape(), DataType::kInt64)),
                    spec));
    const UsersFunction f(a["reader_func"], "Dataset.snapshot()",
                          DatasetSpecOfElements(DatasetSpecOfElements(saved)));
    steps::CheckRead(SignatureOfSpec(saved),
                     SignatureOfSpec(f.Elements(&steps::NoDataset)));
    reader = f.core();
    parts.append(f.function());
  }
  const Tensor path = NumberTensor(a["path"], DataType::kString, "path");
  const TypedDataset made =
      steps::Snapshot(DatasetOf(dataset), path, compression,
                      reader ? &*reader : nullptr, shard ? &*shard : nullptr);
  return Made(made.variant, spec, nb::tuple(parts));
}

constexpr ToldFunction kSavingMethods[] = {
    {R"(snapshot(self, path, compression='AUTO', reader_func=None, shard_func=None,
         name=None)
The elements, written by the first complete pass to the files of a folder and
read from there by later ones.

What was written is read again by datasets that are made in the same way, which
`Dataset.fingerprint` tells; one that is made differently has files of its own
below the same folder.

Args:
  path: of the folder, which is made.
  compression: "SNAPPY", which "AUTO" is, "GZIP", "ZLIB", or None for none.
  reader_func: takes a dataset of datasets, one for each shard; returns the
    dataset of elements, which without a `shard_func` come in pairs with their
    numbers. None: shards take turns.
  shard_func: takes an element; returns the number of its shard, an integer
    scalar. None: there are as many as CPUs, which take turns.
  name: accepted for compatibility.

Raises:
  TypeError: `shard_func` returns something else.
  ValueError: `reader_func` returns something else.
  tf.errors.InvalidArgumentError: there is no such compression.

>>> import tempfile
>>> d = tf.data.Dataset.range(3).snapshot(tempfile.mkdtemp())
>>> [int(x) for x in d], [int(x) for x in d]
([0, 1, 2], [0, 1, 2]))",
     &Snapshot},
    {R"(save(self, path, compression=None, shard_func=None,
     checkpoint_args=None)
Writes the elements to the files of a folder, which `Dataset.load` reads, and
TensorFlow too.

The folder shows the elements that it had before until all of them are there.

Args:
  path: of the folder, which is made.
  compression: "SNAPPY", "GZIP", "ZLIB", or None for none.
  shard_func: takes an element; returns the number of its shard, an int64
    scalar. None: all are in one.
  checkpoint_args: arguments of `tf.train.CheckpointManager`, but the
    checkpoint, as a dict. Behind each element a checkpoint is saved if it is
    due (a `step_counter` is counted up before); where there are checkpoints
    already, what was saved before an interruption is not made again. Ignored
    where a function is traced.

Raises:
  ValueError: `shard_func` returns something else.
  tf.errors.InvalidArgumentError: there is no such compression.
  tf.errors.UnimplementedError: elements hold what has no lasting form.

>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> tf.data.Dataset.range(3).save(folder)
>>> [int(x) for x in tf.data.Dataset.load(folder)]
[0, 1, 2])",
     &SaveOwn},
};

constexpr ToldFunction kSavedSources[] = {
    {R"(load(path, element_spec=None, compression=None, reader_func=None,
     wait=False)
The elements that `Dataset.save` wrote to the files of a folder, here or in
TensorFlow.

Args:
  path: of the folder.
  element_spec: what the elements are; None: what the folder says.
  compression: what they were saved with.
  reader_func: takes a dataset of datasets, one for each shard; returns the
    dataset of elements. None: shards take turns.
  wait: accepted for compatibility.

Raises:
  tf.errors.NotFoundError: nothing is saved there.
  tf.errors.FailedPreconditionError: who saves there is not done, or failed.
  tf.errors.DataLossError: files are damaged; some are seen when iterating.

>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> tf.data.Dataset.range(4).save(folder, shard_func=lambda x: x % 2)
>>> [int(x) for x in tf.data.Dataset.load(
...     folder, reader_func=lambda shards: shards.flat_map(lambda x: x))]
[0, 2, 1, 3])",
     &LoadSaved},
};

constexpr ToldFunction kSavingFunctions[] = {
    {R"(save(dataset, path, compression=None, shard_func=None,
     checkpoint_args=None)
`Dataset.save`.

>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> tf.data.experimental.save(tf.data.Dataset.range(2), folder)
>>> len(tf.data.experimental.load(folder))
2)",
     &SaveGiven},
    {R"(load(path, element_spec=None, compression=None, reader_func=None)
`Dataset.load`.

>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> tf.data.Dataset.range(2).save(folder)
>>> len(tf.data.experimental.load(folder))
2)",
     &LoadSaved},
};

}  // namespace

PyMethodDef* SavingMethods() { return MethodsOf<kSavingMethods>(); }
PyMethodDef* SavedSources() { return MethodsOf<kSavedSources, METH_STATIC>(); }

void AddSavingFunctions(nb::module_& m) {
  for (PyMethodDef* f = MethodsOf<kSavingFunctions>(); f->ml_name != nullptr;
       ++f) {
    m.attr((std::string("data_") + f->ml_name).c_str()) =
        Owned(PyCFunction_NewEx(f, nullptr, m.attr("__name__").ptr()));
  }
}

}  // namespace gk::py
