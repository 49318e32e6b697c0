// Messages whose types are described where the program runs: their fields as
// tensors, and back.
#include <algorithm>
#include <mutex>

#include "base/thread_pool.h"
#include "framework/op_registry.h"
#include "ops/example/message_fields.h"
#include "proto/canonical.h"
#include "proto/text_reader.h"

namespace gk {
namespace {

using Names = std::vector<std::string>;
using Fields = std::vector<const proto::FieldType*>;

struct Described {
  std::shared_ptr<const proto::MessageTypes> types;
  Fields fields;  // of the names
};

StatusOr<Described> Describe(KernelContext& c) {
  const auto& message = c.attr<std::string>("message_type");
  Described d;
  GK_ASSIGN_OR_RETURN(d.types,
                      TypesOf(c.attr<std::string>("descriptor_source")));
  const proto::MessageType* const type = d.types->FindMessage(message);
  if (type == nullptr) {
    return InvalidArgument("No descriptor found for message type {}", message);
  }
  for (const std::string& name : c.attr<Names>("field_names")) {
    const auto found = type->find(name);
    if (found == type->end()) {
      return InvalidArgument("Unknown field: {} in message type {}", name,
                             message);
    }
    d.fields.push_back(&found->second);
  }
  return d;
}

// Of an element in memory.
int64_t SizeOf(DataType t) {
  return t == DataType::kString ? static_cast<int64_t>(sizeof(std::string))
                                : DataTypeSize(t);
}

// Calls f(i) for all of them; the error of the first that has one.
template <class F>
Status ForMessages(int64_t n, F f) {
  std::mutex mutex;
  Status first;
  int64_t failed = n;
  constexpr int64_t kCost = 2000;
  ThreadPool::Global().ParallelRange(n, kCost, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      Status status = f(i);
      if (status.ok()) continue;
      const std::lock_guard lock(mutex);
      if (i < failed) {
        failed = i;
        first = std::move(status);
      }
      return;
    }
  });
  return first;
}

Status ComputeDecode(KernelContext& c) {
  const Tensor& messages = c.input(0);
  GK_ASSIGN_OR_RETURN(const Described d, Describe(c));
  const auto& types = c.attr<std::vector<DataType>>("output_types");
  const auto& message_type = c.attr<std::string>("message_type");
  const auto& names = c.attr<Names>("field_names");
  const size_t n = d.fields.size();
  if (types.size() != n) {
    return InvalidArgument(
        "field_names and output_types attributes must have the same length");
  }
  for (size_t k = 0; k < n; ++k) {
    if (FieldFits(d.fields[k]->kind, types[k])) continue;
    return InvalidArgument(
        "Unexpected output type for {}.{}: {} to {}", message_type, names[k],
        FieldKindName(d.fields[k]->kind), DataTypeString(types[k]));
  }
  const auto& format = c.attr<std::string>("message_format");
  if (format != "binary" && format != "text") {
    return InvalidArgument("format must be one of binary or text");
  }
  const int64_t rows = messages.num_elements();
  if (rows == 0) {
    return InvalidArgument("Bufs argument must contain at least one value");
  }
  const std::string* texts = messages.data<std::string>();
  std::vector<std::string> parsed;
  if (format == "text" || c.attr<bool>("sanitize")) {
    parsed.resize(rows);
    GK_RETURN_IF_ERROR(ForMessages(rows, [&](int64_t i) -> Status {
      StatusOr<std::string> wire =
          format == "text" ? proto::WireOfText(texts[i], message_type, *d.types)
                           : texts[i];
      if (wire.ok()) wire = proto::Canonical(*wire, message_type, *d.types);
      if (!wire.ok()) {
        return DataLoss("Unable to parse {} protobuf: {}", format,
                        wire.status().message());
      }
      parsed[i] = *std::move(wire);
      return OkStatus();
    }));
    texts = parsed.data();
  }

  TensorShape shape = messages.shape();
  shape.AddDim(static_cast<int64_t>(n));
  Tensor* sizes;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt32, shape, &sizes));
  // A field that is asked for again gives nothing.
  const auto first = [&](size_t k) {
    return std::find(d.fields.begin(), d.fields.end(), d.fields[k]) ==
           d.fields.begin() + static_cast<std::ptrdiff_t>(k);
  };
  auto* const size_of = sizes->data<int32_t>();
  GK_RETURN_IF_ERROR(ForMessages(rows, [&](int64_t i) -> Status {
    for (size_t k = 0; k < n; ++k) {
      int64_t count = 0;
      if (first(k)) {
        GK_RETURN_IF_ERROR(CountField(texts[i], *d.fields[k], &count));
      }
      size_of[i * static_cast<int64_t>(n) + static_cast<int64_t>(k)] =
          static_cast<int32_t>(count);
    }
    return OkStatus();
  }));
  for (size_t k = 0; k < n; ++k) {
    int64_t most = 1;
    for (int64_t i = 0; i < rows; ++i) {
      most = std::max<int64_t>(
          most, size_of[i * static_cast<int64_t>(n) + static_cast<int64_t>(k)]);
    }
    TensorShape own = messages.shape();
    own.AddDim(most);
    Tensor* values;
    GK_RETURN_IF_ERROR(
        c.Allocate(static_cast<int>(1 + k), types[k], own, &values));
    const int64_t each = most * SizeOf(types[k]);
    GK_RETURN_IF_ERROR(ForMessages(rows, [&](int64_t i) -> Status {
      void* const to = static_cast<char*>(values->raw_data()) + i * each;
      const int64_t count =
          size_of[i * static_cast<int64_t>(n) + static_cast<int64_t>(k)];
      for (int64_t e = count; e < most; ++e) {
        WriteDefault(*d.types, *d.fields[k], types[k], to, e);
      }
      return ReadField(texts[i], *d.fields[k], types[k], to, count);
    }));
  }
  return OkStatus();
}

Status DecodeShapes(InferenceContext& c) {
  PartialTensorShape sizes = c.input(0), values = c.input(0);
  if (!sizes.unknown_rank()) {
    sizes.AddDim(static_cast<int64_t>(
        c.attr<std::vector<DataType>>("output_types").size()));
    values.AddDim(-1);
  }
  c.set_output(0, sizes);
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, values);
  return OkStatus();
}

Status ComputeEncode(KernelContext& c) {
  const Tensor& sizes = c.input(0);
  GK_ASSIGN_OR_RETURN(const Described d, Describe(c));
  const auto& names = c.attr<Names>("field_names");
  const size_t n = d.fields.size();
  if (static_cast<int>(n) != c.num_inputs() - 1) {
    return InvalidArgument("Length of inputs list must match field_names");
  }
  TensorShape batch;
  for (size_t k = 0; k < n; ++k) {
    const Tensor& values = c.input(static_cast<int>(1 + k));
    if (!FieldFits(d.fields[k]->kind, values.dtype())) {
      return InvalidArgument(
          "Incompatible type for field {}.  Saw dtype: {} but field type is: "
          "{}",
          names[k], DataTypeName(values.dtype()),
          FieldKindName(d.fields[k]->kind));
    }
    if (values.rank() < 2) {
      return InvalidArgument(
          "Invalid shape for field {}.  Saw shape {} but it should be at least "
          "a matrix.",
          names[k], values.shape().DebugString());
    }
    TensorShape own = values.shape();
    own.RemoveDim(own.rank() - 1);
    if (k > 0 && own != batch) {
      return InvalidArgument("Values must match up to the last dimension");
    }
    batch = own;
  }
  TensorShape wanted = batch;
  wanted.AddDim(static_cast<int64_t>(n));
  if (sizes.shape() != wanted) {
    return InvalidArgument(
        "sizes should be batch_size + [len(field_names)].  Saw: {} but "
        "expected: {}",
        sizes.shape().DebugString(), wanted.DebugString());
  }
  std::vector<size_t> order(n);
  for (size_t k = 0; k < n; ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return d.fields[a]->number < d.fields[b]->number;
  });
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, batch, &out));
  return ForMessages(batch.num_elements(), [&](int64_t i) -> Status {
    std::string message;
    for (const size_t k : order) {
      const Tensor& values = c.input(static_cast<int>(1 + k));
      const int64_t width = values.dim(values.rank() - 1);
      const int64_t size = sizes.data<int32_t>()[i * static_cast<int64_t>(n) +
                                                 static_cast<int64_t>(k)];
      if (size > width) {
        return InvalidArgument(
            "Size to write must not be larger than value tensor; but saw: {} > "
            "{} at message {} field {}",
            size, width, i, k);
      }
      WriteField(*d.fields[k], values.dtype(),
                 static_cast<const char*>(values.raw_data()) +
                     i * width * SizeOf(values.dtype()),
                 std::max<int64_t>(size, 0), &message);
    }
    out->data<std::string>()[i] = std::move(message);
    return OkStatus();
  });
}

Status EncodeShapes(InferenceContext& c) {
  PartialTensorShape batch;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const PartialTensorShape own = c.input(i);
    if (own.unknown_rank()) continue;
    if (own.rank() < 2) {
      return InvalidArgument("Shape must be at least rank 2 but is rank {}",
                             own.rank());
    }
    std::vector<int64_t> dims(own.dims().begin(), own.dims().end() - 1);
    if (batch.unknown_rank()) batch = PartialTensorShape(dims);
  }
  c.set_output(0, batch);
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "DecodeProtoV2",
     .inputs = "bytes: string",
     .outputs = "sizes: int32; values: output_types",
     .attrs = "message_type: string; field_names: list(string); output_types: "
              "list(type) >= 0; descriptor_source: string = 'local://'; "
              "message_format: string = 'binary'; sanitize: bool = False",
     .traits = kNoGradient,
     .shape = DecodeShapes,
     .kernel = {.compute = ComputeDecode},
     .python = {.names = "io.decode_proto"},
     .doc = "Fields of serialized messages of `message_type`, each as a tensor "
            "of as many values as the longest has, and `sizes`, how many each "
            "message has. `descriptor_source` is \"local://\" for messages of "
            "TensorFlow's, a file that holds a FileDescriptorSet, or its bytes "
            "behind \"bytes://\"; `message_format` \"binary\" or \"text\"; "
            "`sanitize`: fields are those that are left once protobuf reads "
            "and writes a message again.",
     .example = ">>> e = tf.train.BytesList(value=[b'a', b'b'])\n"
                ">>> sizes, (values,) = tf.io.decode_proto(\n"
                "...     [e.SerializeToString()], 'tensorflow.BytesList', "
                "['value'],\n...     [tf.string])\n"
                ">>> sizes.numpy(), values.numpy()\n"
                "(array([[2]], dtype=int32), array([[b'a', b'b']], "
                "dtype=object))"},

    {.name = "EncodeProto",
     .inputs = "sizes: int32; values: Tinput_types",
     .outputs = "bytes: string",
     .attrs = "field_names: list(string); message_type: string; "
              "descriptor_source: string = 'local://'; Tinput_types: "
              "list(type) >= 1",
     .traits = kNoGradient,
     .shape = EncodeShapes,
     .kernel = {.compute = ComputeEncode},
     .python = {.names = "io.encode_proto"},
     .doc = "Serialized messages of `message_type` of the values of their "
            "fields: of field k the first sizes[..., k] of values[k]. The rest "
            "is as in tf.io.decode_proto.",
     .example = ">>> tf.io.encode_proto([[2]], [tf.constant([['a', 'b']])], "
                "['value'],\n...     'tensorflow.BytesList').numpy()\n"
                "array([b'\\n\\x01a\\n\\x01b'], dtype=object)"},
};

}  // namespace

GK_REGISTER_OPS(example_proto)

}  // namespace gk
