#include "function/dataset_files.h"

#include "function/run_order.h"
#include "ops/composition.h"
#include "ops/composition/assertion.h"
#include "ops/fn/Assert.h"
#include "ops/fn/DatasetToTFRecord.h"
#include "ops/fn/FixedLengthRecordDatasetV2.h"
#include "ops/fn/Greater.h"
#include "ops/fn/Identity.h"
#include "ops/fn/MatchingFiles.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/ReduceJoin.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Size.h"
#include "ops/fn/SqlDataset.h"
#include "ops/fn/StringJoin.h"
#include "ops/fn/TFRecordDataset.h"
#include "ops/fn/TensorSliceDataset.h"
#include "ops/fn/TextLineDataset.h"

namespace gk::steps {
namespace {

constexpr int64_t kBestBuffer = int64_t{1} << 18;

ElementSignature Texts() { return {{DataType::kString}, {TensorShape()}}; }

// A value is a constant of the graph around, and nothing that it captures.
Tensor Here(const Tensor& t, std::string_view name) {
  if (t.is_symbolic()) return t;
  return ValueOrThrow(OpBuilder::Current()->Constant(t, name));
}
Tensor Number(const Tensor& given, int64_t otherwise, std::string_view name) {
  return given ? Here(given, name)
               : IntegerOf(otherwise, DataType::kInt64, name);
}

// The dataset of the file of this name.
Tensor ReadFile(const Tensor& name, const FileReading& how) {
  using Kind = FileReading::Kind;
  const Tensor compression =
      Here(how.compression_type ? how.compression_type
                                : Tensor::Scalar(std::string()),
           "compression_type");
  const bool records = how.kind == Kind::kTFRecord;
  const Tensor buffer =
      Number(how.buffer_size, records ? -1 : kBestBuffer, "buffer_size");
  switch (how.kind) {
    case Kind::kTFRecord:
      return ops::TFRecordDataset(name, compression, buffer);
    case Kind::kTextLine:
      return ops::TextLineDataset(name, compression, buffer);
    case Kind::kFixedLength:
      return ops::FixedLengthRecordDatasetV2(
          name, Number(how.header_bytes, 0, "header_bytes"),
          Number(how.record_bytes, 0, "record_bytes"),
          Number(how.footer_bytes, 0, "footer_bytes"), buffer, compression);
  }
  throw Error(Internal("A file is read in no way"));
}

bool IsAutotuned(const Tensor& number) {
  return !number.is_symbolic() && number.num_elements() == 1 &&
         number.scalar<int64_t>() == -1;
}

}  // namespace

TypedDataset FileNames(const Tensor& names) {
  if (names.dtype() != DataType::kString) {
    throw Error(TypeError(
        "The `filenames` argument must contain `tf.string` elements. Got "
        "`tf.{}` elements.",
        DataTypeName(names.dtype())));
  }
  const ElementSignature e = Texts();
  const Tensor flat = ops::Reshape(
      OpName("flat_filenames"), names,
      IntsTensor(std::vector<int64_t>{-1}, DataType::kInt32, "shape"));
  return {ops::TensorSliceDataset({&flat, 1}, e.shapes, /*is_files=*/true), e};
}

void CheckFileNames(const ElementSignature& e, Text type, Text shape) {
  if (e.types.size() != 1 || e.types[0] != DataType::kString) {
    throw Error(
        TypeError("The `filenames` argument must contain `tf.string` elements. "
                  "Got a dataset of `{}` elements.",
                  type()));
  }
  if (!e.shapes[0].IsCompatibleWith(TensorShape())) {
    throw Error(
        TypeError("The `filenames` argument must contain `tf.string` elements "
                  "of shape [] (i.e. scalars). Got a dataset of element shape "
                  "{}.",
                  shape()));
  }
}

TypedDataset ReadFiles(const TypedDataset& files, const FileReading& how) {
  const ElementSignature e = Texts();
  const Tensor& reads = how.num_parallel_reads;
  const ElementFunction f = TraceElementFunction(
      reads ? "Dataset_interleave_read_one_file"
            : "Dataset_flat_map_read_one_file",
      files.elements,
      [&](auto name) { return TensorVector{ReadFile(name[0], how)}; });
  if (!reads) return FlatMap(files, f, e);
  Turns turns;
  turns.parallel.calls = reads;
  if (!IsAutotuned(reads)) {
    turns.cycle_length = reads;
    turns.parallel.deterministic = true;
  }
  return Interleave(files, f, e, turns);
}

TypedDataset SqlRows(const Tensor& driver_name, const Tensor& data_source_name,
                     const Tensor& query, const ElementSignature& e) {
  return {
      ops::SqlDataset(driver_name, data_source_name, query, e.types, e.shapes),
      e};
}

TypedDataset ListFiles(const Tensor& patterns, bool shuffle,
                       std::optional<int64_t> seed) {
  Tensor files = ops::MatchingFiles(patterns);
  const auto number = [&] { return ops::Size(files, DataType::kInt64); };
  const Tensor found =
      ops::Greater(number(), IntegerOf(0, DataType::kInt64, "zero"));
  const Tensor all = ops::ReduceJoin(
      ops::Reshape(patterns, IntsTensor(std::vector<int64_t>{-1},
                                        DataType::kInt32, "shape")),
      Int32Of(0), /*keep_dims=*/false, ", ");
  const TensorVector parts{
      Here(Tensor::Scalar(std::string("No files matched pattern: ")),
           "message"),
      all};
  const TensorVector told{ops::StringJoin(parts)};
  if (RunsNow()) {
    if (!found.scalar<bool>()) {
      throw Error(FailedAssert(TensorText(found), told, 1));
    }
  } else {
    ops::Assert(OpName("assert_not_empty"), found, told, /*summarize=*/1);
    const RunsAfter order(FuncGraph::Current(),
                          {Graph::GraphOf(found)->nodes().back().get()});
    files = ops::Identity(files);
  }
  const ElementSignature e = Texts();
  const TypedDataset names{
      ops::TensorSliceDataset({&files, 1}, e.shapes, /*is_files=*/true), e};
  if (!shuffle) return names;
  const Tensor size =
      ops::Maximum(number(), IntegerOf(1, DataType::kInt64, "one"));
  return Shuffle(names, size, seed, /*reshuffle_each_iteration=*/true);
}

void WriteRecords(const TypedDataset& d, const Tensor& filename,
                  const Tensor& compression_type) {
  if (d.elements.types.size() != 1 ||
      d.elements.types[0] != DataType::kString ||
      !d.elements.shapes[0].IsCompatibleWith(TensorShape())) {
    throw Error(TypeError(
        "Invalid `dataset`. Expected a `dataset` that produces scalar "
        "`tf.string` elements, but got a dataset which produces elements with "
        "{} components, the first of shape {} and type {}.",
        d.elements.types.size(), d.elements.shapes[0].DebugString(),
        DataTypeString(d.elements.types[0])));
  }
  ops::DatasetToTFRecord(d.variant, filename,
                         compression_type ? compression_type
                                          : Here(Tensor::Scalar(std::string()),
                                                 "compression_type"));
}

}  // namespace gk::steps
