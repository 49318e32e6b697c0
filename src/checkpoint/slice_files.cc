#include "checkpoint/slice_files.h"

#include <utility>

#include "graph/tensor_proto.h"
#include "io/files.h"
#include "proto/sstable.h"

namespace gk {
namespace {

constexpr int kSliceFilesVersion = 1;  // the newest that is understood
constexpr char kMetaKey[] = "";
constexpr size_t kMaxMessage = (size_t{1} << 31) - 1;

StatusOr<proto::SavedTensorSlices> EntryOf(std::string_view file,
                                           std::string_view key) {
  GK_ASSIGN_OR_RETURN(const proto::Table table, proto::Table::Open(file));
  GK_ASSIGN_OR_RETURN(const std::string bytes, table.Find(key));
  proto::SavedTensorSlices entry;
  GK_RETURN_IF_ERROR(entry.Parse(bytes));
  return entry;
}

// Whatever is wrong with a file, it is damaged.
Status DamageOf(const Status& status, const std::string& where) {
  return DataLoss("{}: {}", where, status.message());
}

// Notes a slice of a tensor in what the file says of all.
Status AddMeta(const SliceToWrite& slice,
               std::map<std::string, proto::SavedSliceMeta>* known) {
  const auto [at, is_new] = known->try_emplace(slice.name);
  proto::SavedSliceMeta& meta = at->second;
  const auto dtype = static_cast<proto::DataType>(slice.value.dtype());
  proto::TensorShapeProto shape = ShapeToProto(PartialTensorShape(slice.full));
  if (is_new) {
    meta.name = slice.name;
    meta.type = dtype;
    meta.shape.mut() = std::move(shape);
  } else if (meta.type != dtype ||
             meta.shape->Serialize() != shape.Serialize()) {
    return InvalidArgument(
        "Mismatching types or shapes: a part of tensor \"{}\" is of {}{}, "
        "another is not",
        slice.name, DataTypeName(slice.value.dtype()),
        slice.full.DebugString());
  }
  meta.slice.push_back(slice.slice.ToProto());
  return OkStatus();
}

StatusOr<std::string> EntryWith(const SliceToWrite& slice) {
  proto::SavedTensorSlices entry;
  proto::SavedSlice& data = entry.data.mut();
  data.name = slice.name;
  data.slice.mut() = slice.slice.ToProto();
  if (!WriteValues(slice.value, &data.data.mut())) {
    return Unimplemented(
        "Tensor slice serialization not implemented for dtype {} (tensor "
        "\"{}\"). Write the newer format: write_version=2",
        DataTypeName(slice.value.dtype()), slice.name);
  }
  std::string bytes = entry.Serialize();
  if (bytes.size() > kMaxMessage) {
    return InvalidArgument(
        "Tensor slice is too large to serialize: \"{}\" takes {} bytes, a "
        "message {} at most. Write the newer format: write_version=2",
        slice.name, bytes.size(), kMaxMessage);
  }
  return bytes;
}

}  // namespace

Status WriteSliceFile(const std::string& path,
                      const std::vector<SliceToWrite>& slices) {
  std::map<std::string, proto::SavedSliceMeta> tensors;
  std::map<std::string, const SliceToWrite*> by_key;
  for (const SliceToWrite& slice : slices) {
    if (slice.value.shape() != slice.slice.ShapeIn(slice.full)) {
      return InvalidArgument(
          "Slice \"{}\" of tensor \"{}\" has shape {}, expected {}",
          slice.slice.DebugString(), slice.name,
          slice.value.shape().DebugString(),
          slice.slice.ShapeIn(slice.full).DebugString());
    }
    GK_RETURN_IF_ERROR(AddMeta(slice, &tensors));
    if (!by_key.emplace(slice.slice.Key(slice.name), &slice).second) {
      return InvalidArgument("Slice \"{}\" of tensor \"{}\" is there twice",
                             slice.slice.DebugString(), slice.name);
    }
  }
  proto::SavedTensorSlices head;
  for (auto& [name, meta] : tensors) {
    head.meta.mut().tensor.push_back(std::move(meta));
  }
  head.meta.mut().versions.mut().producer = kSliceFilesVersion;
  proto::TableWriter table;
  GK_RETURN_IF_ERROR(table.Add(kMetaKey, head.Serialize()));
  for (const auto& [key, slice] : by_key) {
    GK_ASSIGN_OR_RETURN(const std::string entry, EntryWith(*slice));
    GK_RETURN_IF_ERROR(table.Add(key, entry));
  }
  return io::WriteFile(path, table.Finish());
}

StatusOr<std::vector<std::string>> SliceFiles::Find(
    const std::string& pattern) {
  GK_ASSIGN_OR_RETURN(const bool there, io::Exists(pattern));
  std::vector<std::string> paths{pattern};
  if (!there) {
    GK_ASSIGN_OR_RETURN(paths, io::Glob(pattern));
  }
  std::erase_if(paths, io::IsDirectory);
  return paths;
}

StatusOr<std::unique_ptr<SliceFiles>> SliceFiles::Open(
    const std::vector<std::string>& paths) {
  auto made = std::make_unique<SliceFiles>();
  for (const std::string& path : paths) {
    GK_ASSIGN_OR_RETURN(std::unique_ptr<io::MappedFile> bytes,
                        io::MapFile(path));
    made->files_.push_back({path, std::move(bytes)});
    const int file = static_cast<int>(made->files_.size()) - 1;
    if (Status s = made->ReadMeta(file); !s.ok()) {
      return DamageOf(s, "Unable to open table file " + path);
    }
  }
  return made;
}

Status SliceFiles::ReadMeta(int file) {
  GK_ASSIGN_OR_RETURN(
      const proto::SavedTensorSlices entry,
      EntryOf(files_[static_cast<size_t>(file)].bytes->bytes(), kMetaKey));
  const int needed = entry.meta->versions->min_consumer;
  if (needed > kSliceFilesVersion) {
    return Unimplemented(
        "a reader of version {} or later is needed, this one is of version {}",
        needed, kSliceFilesVersion);
  }
  for (const proto::SavedSliceMeta& meta : entry.meta->tensor) {
    if (Status s = AddTensor(meta, file); !s.ok()) {
      return s.Prepend(Format("tensor \"{}\": ", meta.name));
    }
  }
  return OkStatus();
}

Status SliceFiles::AddTensor(const proto::SavedSliceMeta& meta, int file) {
  const int dtype = static_cast<int>(meta.type);
  if (!DataTypeIsValid(dtype) || dtype == 0) {
    return DataLoss("no data type has the number {}", dtype);
  }
  GK_ASSIGN_OR_RETURN(const PartialTensorShape partial,
                      ShapeFromProto(*meta.shape));
  GK_ASSIGN_OR_RETURN(TensorShape shape, partial.AsTensorShape());
  const auto [at, is_new] = tensors_.try_emplace(meta.name);
  Tensors& known = at->second;
  if (is_new) {
    known.dtype = static_cast<DataType>(dtype);
    known.shape = std::move(shape);
  } else if (known.dtype != static_cast<DataType>(dtype) ||
             known.shape != shape) {
    return DataLoss("it is {}{} in one file and {}{} in another",
                    DataTypeName(known.dtype), known.shape.DebugString(),
                    DataTypeName(static_cast<DataType>(dtype)),
                    shape.DebugString());
  }
  if (meta.slice.empty()) return DataLoss("it has no slices");
  for (const proto::TensorSliceProto& message : meta.slice) {
    GK_ASSIGN_OR_RETURN(TensorSlice slice, TensorSlice::FromProto(message));
    GK_RETURN_IF_ERROR(slice.CheckWithin(known.shape));
    known.slices.push_back(std::move(slice));
    known.files.push_back(file);
  }
  return OkStatus();
}

StatusOr<Tensor> SliceFiles::Read(const std::string& name,
                                  const TensorSlice& slice, int file,
                                  DataType dtype,
                                  const TensorShape& part) const {
  const File& from = files_.at(static_cast<size_t>(file));
  const auto damaged = [&](const Status& status) {
    return DamageOf(status, Format("{}: slice \"{}\" of tensor \"{}\"",
                                   from.path, slice.DebugString(), name));
  };
  auto entry = EntryOf(from.bytes->bytes(), slice.Key(name));
  if (!entry.ok()) return damaged(entry.status());
  proto::TensorProto& data = entry->data.mut().data.mut();
  // The file tells type and shape elsewhere.
  data.dtype = static_cast<proto::DataType>(dtype);
  data.tensor_shape.mut() = ShapeToProto(PartialTensorShape(part));
  const int64_t given = NumValues(data), needed = part.num_elements();
  if (given != needed) {
    return damaged(DataLoss("it has {} elements, its shape {} needs {}", given,
                            part.DebugString(), needed));
  }
  StatusOr<Tensor> value = TensorFromProto(data);
  if (!value.ok() && value.status().code() != Code::kUnimplemented) {
    return damaged(value.status());
  }
  return value;
}

}  // namespace gk
