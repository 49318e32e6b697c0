// DLPack: tensors to and from other array libraries without copying.
#include <memory>

#include "framework/small_numbers.h"
#include "python/src/binding/gil.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_leaves.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

// The layout of the DLPack 0.x interface.
struct DlDevice {
  int32_t type;
  int32_t id;
};
struct DlDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  int32_t ndim;
  DlDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DlManagedTensor {
  DlTensor tensor;
  void* manager;
  void (*deleter)(DlManagedTensor*);
};
enum : uint8_t {
  kInt = 0,
  kUint = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBoolean = 6
};
constexpr int32_t kCpu = 1;

struct Exported {
  DlManagedTensor managed;
  Tensor tensor;
  std::vector<int64_t> shape, strides;
};

bool DlTypeOf(DataType t, DlDataType* out) {
  const uint8_t bits = DataTypeSize(t) * 8;
  uint8_t code;
  if (t == DataType::kBool) {
    code = kBoolean;
  } else if (t == DataType::kBfloat16) {
    code = kBfloat;
  } else if (t == DataType::kHalf || t == DataType::kFloat ||
             t == DataType::kDouble) {
    code = kFloat;
  } else if (IsComplex(t)) {
    code = kComplex;
  } else if (IsInteger(t) && !IsSmallNumber(t)) {
    code = IsUnsigned(t) ? kUint : kInt;
  } else {
    return false;
  }
  *out = {code, bits, 1};
  return true;
}

DataType FromDlType(DlDataType d) {
  if (d.lanes != 1) return DataType::kInvalid;
  for (int n = 1; n < kNumDataTypes; ++n) {
    DlDataType mine;
    if (!DataTypeIsValid(n) || !DlTypeOf(DataType(n), &mine)) continue;
    if (mine.code == d.code && mine.bits == d.bits) return DataType(n);
  }
  return DataType::kInvalid;
}

void DropCapsule(PyObject* capsule) {
  // Renamed "used_dltensor" once somebody took it.
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* m =
      static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  m->deleter(m);
}

bool IsRowMajor(const DlTensor& t) {
  if (t.strides == nullptr) return true;
  int64_t expected = 1;
  for (int i = t.ndim - 1; i >= 0; --i) {
    if (t.shape[i] != 1 && t.strides[i] != expected) return false;
    expected *= t.shape[i];
  }
  return true;
}

}  // namespace

PyObject* TensorDlpackDevice(PyObject*, PyObject*) {
  return Py_BuildValue("(ii)", kCpu, 0);
}

PyObject* TensorDlpack(PyObject* self, PyObject*, PyObject*) {
  auto exported = std::make_unique<Exported>();
  exported->tensor = TensorOf(self);
  const Tensor& t = exported->tensor;
  DlDataType dtype;
  if (!DlTypeOf(t.dtype(), &dtype)) {
    return Raise(InvalidArgument("{} is not supported by dlpack",
                                 DataTypeString(t.dtype())));
  }
  exported->shape.assign(t.shape().dims().begin(), t.shape().dims().end());
  exported->strides.resize(t.rank());
  int64_t stride = 1;
  for (int i = t.rank() - 1; i >= 0; --i) {
    exported->strides[i] = stride;
    stride *= t.dim(i);
  }
  exported->managed.tensor = {t.raw_data(),
                              {kCpu, 0},
                              t.rank(),
                              dtype,
                              exported->shape.data(),
                              exported->strides.data(),
                              0};
  exported->managed.manager = exported.get();
  exported->managed.deleter = [](DlManagedTensor* m) {
    delete static_cast<Exported*>(m->manager);
  };
  PyObject* capsule =
      PyCapsule_New(&exported->managed, "dltensor", DropCapsule);
  if (capsule != nullptr) exported.release();
  return capsule;
}

StatusOr<Tensor> TensorFromDlpack(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) {
    return InvalidArgument("DLPack tensor is invalid or was consumed before");
  }
  auto* m =
      static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  const DlTensor& d = m->tensor;
  const DataType dtype = FromDlType(d.dtype);
  if (dtype == DataType::kInvalid) {
    return InvalidArgument(
        "Unsupported DLPack type: code {}, {} bits, {} lanes", d.dtype.code,
        d.dtype.bits, d.dtype.lanes);
  }
  if (d.device.type != kCpu) {
    return InvalidArgument("DLPack tensor is on device type {}, expected CPU",
                           d.device.type);
  }
  if (d.ndim < 0 || d.ndim > kMaxRank) {
    return InvalidArgument("DLPack tensor has rank {}", d.ndim);
  }
  GK_ASSIGN_OR_RETURN(
      TensorShape shape,
      TensorShape::Make(std::span<const int64_t>(d.shape, d.ndim)));
  const int64_t bytes =
      MultiplyWithoutOverflow(shape.num_elements(), DataTypeSize(dtype));
  if (bytes < 0) return InvalidArgument("DLPack tensor is too large");
  if (!IsRowMajor(d)) {
    return InvalidArgument("Only row-major DLPack tensors are supported");
  }
  PyCapsule_SetName(capsule, "used_dltensor");
  void* data = static_cast<char*>(d.data) + d.byte_offset;
  Ref<Buffer> buffer = NewForeignBuffer(data, bytes, [m] {
    // The other library's deleter may need the GIL.
    const ScopedGil gil;
    if (m->deleter) m->deleter(m);
  });
  return Tensor::FromBuffer(dtype, shape, std::move(buffer));
}

}  // namespace gk::py
