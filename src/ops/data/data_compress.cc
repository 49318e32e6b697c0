// Elements of datasets, compressed to values.
#include <cstring>
#include <string>
#include <string_view>

#include "framework/op_registry.h"
#include "graph/tensor_proto.h"
#include "ops/data/component_message.h"
#include "ops/data/compressed_element.h"
#include "ops/data/dataset_kernel.h"
#include "proto/snappy.h"

namespace gk {
namespace {

// Of components whose elements are not bytes as they lie in memory.
bool IsMessage(DataType t) {
  return t == DataType::kVariant || t == DataType::kResource;
}

Status ComputeCompress(KernelContext& c) {
  proto::CompressedElement element;
  std::string bytes;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Tensor& t = c.input(i);
    proto::CompressedComponentMetadata& metadata =
        element.component_metadata.emplace_back();
    metadata.dtype = static_cast<proto::DataType>(t.dtype());
    metadata.tensor_shape = ShapeToProto(t.shape());
    const auto add = [&](std::string_view part) {
      metadata.uncompressed_bytes.push_back(part.size());
      bytes.append(part);
    };
    if (IsMessage(t.dtype())) {
      GK_ASSIGN_OR_RETURN(proto::TensorProto message, MessageOfComponent(t));
      MoveToContent(&message);
      add(message.Serialize());
    } else if (t.dtype() == DataType::kString) {
      for (const std::string& s : t.flat<std::string>()) add(s);
    } else if (t.num_elements() > 0) {
      add({static_cast<const char*>(t.raw_data()), size_t(t.byte_size())});
    }
  }
  element.data = proto::SnappyCompress(bytes);
  GK_ASSIGN_OR_RETURN(Tensor made,
                      Tensor::Allocate(DataType::kVariant, TensorShape()));
  made.data<Variant>()[0] =
      Variant(MakeRef<CompressedElement>(std::move(element)));
  c.set_output(0, std::move(made));
  return OkStatus();
}

Status Damaged() { return DataLoss("A compressed element is damaged"); }

// The next bytes of what was compressed.
bool Take(uint64_t n, std::string_view* from, std::string_view* taken) {
  if (n > from->size()) return false;
  *taken = from->substr(0, n);
  from->remove_prefix(n);
  return true;
}

StatusOr<Tensor> ReadComponent(
    const proto::CompressedComponentMetadata& metadata,
    std::string_view* bytes) {
  const auto type = static_cast<DataType>(metadata.dtype);
  const auto& sizes = metadata.uncompressed_bytes;
  GK_ASSIGN_OR_RETURN(const PartialTensorShape known,
                      ShapeFromProto(*metadata.tensor_shape));
  GK_ASSIGN_OR_RETURN(const TensorShape shape, known.AsTensorShape());
  std::string_view part;
  if (IsMessage(type)) {
    proto::TensorProto message;
    if (sizes.size() != 1 || !Take(sizes[0], bytes, &part) ||
        !message.Parse(part).ok()) {
      return Damaged();
    }
    return ComponentOfMessage(message);
  }
  if (type == DataType::kString) {
    if (static_cast<int64_t>(sizes.size()) != shape.num_elements()) {
      return Damaged();
    }
    GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(type, shape));
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (!Take(sizes[i], bytes, &part)) return Damaged();
      t.data<std::string>()[i] = part;
    }
    return t;
  }
  // What it has room for follows from bytes that are there.
  if (sizes.size() > 1 || (!sizes.empty() && !Take(sizes[0], bytes, &part)) ||
      DataTypeSize(type) == 0 ||
      shape.num_elements() !=
          static_cast<int64_t>(part.size()) / int64_t{DataTypeSize(type)} ||
      part.size() % DataTypeSize(type) != 0) {
    return Damaged();
  }
  GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(type, shape));
  if (!part.empty()) std::memcpy(t.raw_data(), part.data(), part.size());
  return t;
}

Status ComputeUncompress(KernelContext& c) {
  const Tensor& compressed = c.input(0);
  const CompressedElement* element =
      compressed.num_elements() == 1
          ? compressed.data<Variant>()[0].As<CompressedElement>()
          : nullptr;
  if (element == nullptr) {
    return InvalidArgument(
        "Input does not contain a compressed element. Instead got tensor {}",
        compressed.DebugString(1));
  }
  const proto::CompressedElement& message = element->message();
  if (message.version != 0) {
    return Internal("Unsupported compressed element version: {}",
                    message.version);
  }
  const ElementSignature wanted = SignatureAttrs(c);
  const auto& all = message.component_metadata;
  if (all.size() != wanted.types.size()) {
    return FailedPrecondition("Expected {} outputs from uncompress, but got {}",
                              wanted.types.size(), all.size());
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const auto type = static_cast<DataType>(all[i].dtype);
    if (type == wanted.types[i]) continue;
    return FailedPrecondition(
        "Expected a tensor of type {} but got a tensor of type {}",
        DataTypeString(wanted.types[i]), DataTypeString(type));
  }
  std::string bytes;
  if (!proto::SnappyUncompress(message.data, &bytes)) return Damaged();
  std::string_view left = bytes;
  for (size_t i = 0; i < all.size(); ++i) {
    GK_ASSIGN_OR_RETURN(Tensor t, ReadComponent(all[i], &left));
    if (t.dtype() != wanted.types[i]) return Damaged();
    c.set_output(static_cast<int>(i), std::move(t));
  }
  return left.empty() ? OkStatus() : Damaged();
}

const OpRecord kRecords[] = {
    {.name = "CompressElement",
     .inputs = "components: input_types",
     .outputs = "compressed: variant",
     .attrs = "input_types: list(type) >= 1",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeCompress},
     .doc = "The components of an element, compressed to one value."},

    {.name = "UncompressElement",
     .inputs = "compressed: variant",
     .outputs = "components: output_types",
     .attrs = GK_ELEMENT_ATTRS,
     .traits = kNoGradient,
     .shape = ElementShapes,
     .kernel = {.compute = ComputeUncompress},
     .doc = "The components of an element that CompressElement made a value "
            "of."},
};

}  // namespace

GK_REGISTER_OPS(data_compress)

}  // namespace gk
