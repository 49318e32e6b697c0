// Sparse tensors under numbers, kept in maps that are found by name until they
// are taken.
#include <map>
#include <mutex>

#include "base/process_mutex.h"
#include "framework/op_registry.h"
#include "ops/data/sparse_variant.h"
#include "ops/named_resource.h"

namespace gk {
namespace {

class SparseTensorsMap final : public Resource {
 public:
  std::string_view kind() const override { return "SparseTensorsMap"; }
  std::string_view type_name() const override {
    return "tensorflow::SparseTensorsMap";
  }

  int64_t Add(Sparse sparse) {
    const std::lock_guard lock(mutex_);
    tensors_.emplace(next_, std::move(sparse));
    return next_++;
  }
  // All or none.
  Status Take(std::span<const int64_t> handles, const std::string& name,
              std::vector<Sparse>* taken) {
    const std::lock_guard lock(mutex_);
    std::map<int64_t, Sparse> rest = tensors_;
    for (const int64_t handle : handles) {
      const auto at = rest.find(handle);
      if (at == rest.end()) {
        return InvalidArgument("Unable to find SparseTensor: {} in map: {}",
                               handle, name);
      }
      taken->push_back(std::move(at->second));
      rest.erase(at);
    }
    tensors_ = std::move(rest);
    return OkStatus();
  }

 private:
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  std::map<int64_t, Sparse> tensors_;
  int64_t next_ = 0;
};

StatusOr<Ref<SparseTensorsMap>> TensorsMapOf(const KernelContext& c) {
  GK_ASSIGN_OR_RETURN(
      const Ref<Resource> found,
      FindOrMakeNamed(c, "sparse_tensors_map",
                      [](const std::string&) -> StatusOr<Ref<Resource>> {
                        return Ref<Resource>(MakeRef<SparseTensorsMap>());
                      }));
  return Ref<SparseTensorsMap>(static_cast<SparseTensorsMap*>(found.get()));
}

Sparse GivenSparse(const KernelContext& c) {
  return {c.input(0), c.input(1), c.input(2)};
}

Status AddWhole(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<SparseTensorsMap> map, TensorsMapOf(c));
  Sparse s = GivenSparse(c);
  GK_RETURN_IF_ERROR(CheckSparse(s));
  c.set_output(0, Tensor::Scalar(map->Add(std::move(s))));
  return OkStatus();
}

Status AddRows(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<SparseTensorsMap> map, TensorsMapOf(c));
  const Sparse s = GivenSparse(c);
  GK_RETURN_IF_ERROR(CheckSparse(s));
  std::vector<Sparse> rows;
  GK_RETURN_IF_ERROR(SparseRows(s, &rows));
  Tensor* handles;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt64,
                 TensorShape({static_cast<int64_t>(rows.size())}), &handles));
  for (size_t i = 0; i < rows.size(); ++i) {
    handles->data<int64_t>()[i] = map->Add(std::move(rows[i]));
  }
  return OkStatus();
}

Status TakeAll(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<SparseTensorsMap> map, TensorsMapOf(c));
  const Tensor& handles = c.input(0);
  if (handles.rank() != 1) {
    return InvalidArgument(
        "sparse_handles should be a vector but received shape {}",
        handles.shape().DebugString());
  }
  if (handles.dim(0) == 0) {
    return InvalidArgument(
        "Must have at least 1 serialized SparseTensor, but input matrix has 0 "
        "rows");
  }
  std::vector<Sparse> parts;
  GK_RETURN_IF_ERROR(map->Take(handles.flat<int64_t>(),
                               c.attr<std::string>("shared_name"), &parts));
  const auto type = c.attr<DataType>("dtype");
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].values.dtype() != type) {
      return InvalidArgument(
          "Requested SparseTensor of type {} but "
          "SparseTensor[{}].values.dtype() == {}",
          DataTypeString(type), i, DataTypeString(parts[i].values.dtype()));
    }
  }
  Sparse joined;
  GK_RETURN_IF_ERROR(JoinSparse(parts, handles.shape(), type, &joined));
  c.set_output(0, std::move(joined.indices));
  c.set_output(1, std::move(joined.values));
  c.set_output(2, std::move(joined.shape));
  return OkStatus();
}

Status SparseHandlesShape(InferenceContext& c) {
  c.set_output(0, {kUnknownDim});
  return OkStatus();
}
Status TakenSparseShape(InferenceContext& c) {
  PartialTensorShape handles;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &handles));
  c.set_output(0, PartialTensorShape::UnknownOfRank(2));
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {kUnknownDim});
  return OkStatus();
}

constexpr uint64_t kUsesSparseMap =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

const OpRecord kRecords[] = {
    {.name = "AddSparseToTensorsMap",
     .inputs = "sparse_indices: int64; sparse_values: T; sparse_shape: int64",
     .outputs = "sparse_handle: int64",
     .attrs = "T: type; container: string = ''; shared_name: string = ''",
     .traits = kUsesSparseMap,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = AddWhole},
     .doc = "Keeps a sparse tensor, and gives the number by which it is "
            "taken."},

    {.name = "AddManySparseToTensorsMap",
     .inputs = "sparse_indices: int64; sparse_values: T; sparse_shape: int64",
     .outputs = "sparse_handles: int64",
     .attrs = "T: type; container: string = ''; shared_name: string = ''",
     .traits = kUsesSparseMap,
     .shape = SparseHandlesShape,
     .kernel = {.compute = AddRows},
     .doc = "Keeps the parts of a sparse tensor along its first dimension, and "
            "gives the numbers by which they are taken."},

    {.name = "TakeManySparseFromTensorsMap",
     .inputs = "sparse_handles: int64",
     .outputs = "sparse_indices: int64; sparse_values: dtype; sparse_shape: "
                "int64",
     .attrs = "dtype: type; container: string = ''; shared_name: string = ''",
     .traits = kUsesSparseMap,
     .shape = TakenSparseShape,
     .kernel = {.compute = TakeAll},
     .doc = "The sparse tensors of these numbers as one, its parts along the "
            "first dimension; they are kept no longer."},
};

}  // namespace

GK_REGISTER_OPS(sparse_handles)

}  // namespace gk
