// The C interface: statuses and tensors.
#include <cstring>
#include <memory>
#include <new>

#include "api/c_handles.h"
#include "base/checks.h"
#include "framework/allocator.h"
#include "graphkiln/runtime.h"
#include "graphkiln/version.h"

namespace gk::api {
namespace {

constinit const char* const kNoMemoryText = "There is no memory left";

gk_status& NoMemory() {
  static gk_status status{GK_RESOURCE_EXHAUSTED, kNoMemoryText};
  return status;
}
// Made while there is memory.
[[maybe_unused]] const gk_status& kNoMemory = NoMemory();

gk_code CodeOf(Code code) {
  switch (static_cast<ErrorCode>(code)) {
    case ErrorCode::kTypeError:
    case ErrorCode::kValueError:
    case ErrorCode::kAttributeError:
      return GK_INVALID_ARGUMENT;
    case ErrorCode::kLookupError:
      return GK_NOT_FOUND;
    case ErrorCode::kRuntimeError:
      return GK_FAILED_PRECONDITION;
    case ErrorCode::kIndexError:
      return GK_OUT_OF_RANGE;
    default:
      return static_cast<gk_code>(code);
  }
}

// The shape of a tensor that is made, and whether `num_bytes` are its elements.
StatusOr<TensorShape> ShapeOf(std::string_view function, gk_dtype dtype,
                              int rank, const int64_t* dims) {
  if (rank < 0) {
    return InvalidArgument("{}: the rank is {}", function, rank);
  }
  if (rank > 0) GK_RETURN_IF_ERROR(CheckGiven(dims, function, "dims"));
  if (!DataTypeIsValid(dtype)) {
    return InvalidArgument("{}: there is no type of elements {}", function,
                           static_cast<int>(dtype));
  }
  return TensorShape::Make({dims, static_cast<size_t>(rank)});
}
StatusOr<TensorShape> ShapeOfBytes(std::string_view function, gk_dtype dtype,
                                   int rank, const int64_t* dims,
                                   const void* data, size_t num_bytes) {
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeOf(function, dtype, rank, dims));
  const auto type = static_cast<InnerType>(dtype);
  if (dtype == GK_STRING || dtype == GK_RESOURCE || dtype == GK_VARIANT) {
    return InvalidArgument(
        "{}: elements of type {} are no bytes{}", function, DataTypeName(type),
        dtype == GK_STRING ? "; use gk_tensor_of_strings" : "");
  }
  const int64_t wanted =
      MultiplyWithoutOverflow(shape.num_elements(), DataTypeSize(type));
  if (wanted < 0 || static_cast<uint64_t>(wanted) != num_bytes) {
    return InvalidArgument(
        "{}: a tensor of {} and shape {} has {} bytes, got {}", function,
        DataTypeName(type), shape.DebugString(), wanted, num_bytes);
  }
  if (num_bytes > 0) GK_RETURN_IF_ERROR(CheckGiven(data, function, "data"));
  return shape;
}

bool HasBytes(const gk_tensor* t) {
  if (t == nullptr) return false;
  const InnerType type = t->tensor.dtype();
  return type != InnerType::kString && type != InnerType::kResource &&
         type != InnerType::kVariant;
}

}  // namespace

gk_status* NewStatus(const Status& status) noexcept {
  if (status.ok()) return nullptr;
  try {
    return new gk_status{CodeOf(status.code()), std::string(status.message())};
  } catch (...) {
    return &NoMemory();
  }
}

Status CheckGiven(const void* argument, std::string_view function,
                  std::string_view name) {
  if (argument != nullptr) return OkStatus();
  return InvalidArgument("{}: the argument '{}' is NULL", function, name);
}

StatusOr<InnerTensor> TensorOf(const gk_tensor* handle,
                               std::string_view function,
                               std::string_view name) {
  GK_RETURN_IF_ERROR(CheckGiven(handle, function, name));
  return handle->tensor;
}

}  // namespace gk::api

using gk::Status;
using gk::api::Checked;
using gk::api::CheckGiven;
using gk::api::InnerTensor;
using gk::api::InnerType;

const char* gk_version(void) { return GRAPHKILN_VERSION; }
int gk_c_api_version(void) { return GK_C_API_VERSION; }

gk_status* gk_set_num_threads(int n) {
  return Checked([&] {
    gk::api::set_num_threads(n);
    return gk::OkStatus();
  });
}

gk_code gk_status_code(const gk_status* status) {
  return status == nullptr ? GK_OK : status->code;
}
const char* gk_status_message(const gk_status* status) {
  return status == nullptr ? "" : status->message.c_str();
}
void gk_status_delete(gk_status* status) {
  if (status != &gk::api::NoMemory()) delete status;
}

gk_status* gk_tensor_over(gk_dtype dtype, int rank, const int64_t* dims,
                          void* data, size_t num_bytes, gk_deleter deleter,
                          void* context, gk_tensor** tensor) {
  return Checked([&]() -> Status {
    GK_RETURN_IF_ERROR(CheckGiven(tensor, "gk_tensor_over", "tensor"));
    GK_ASSIGN_OR_RETURN(const gk::TensorShape shape,
                        gk::api::ShapeOfBytes("gk_tensor_over", dtype, rank,
                                              dims, data, num_bytes));
    // It is not to run if what follows fails.
    auto armed = std::make_shared<bool>(false);
    auto made = std::make_unique<gk_tensor>();
    made->tensor =
        InnerTensor::FromBuffer(static_cast<InnerType>(dtype), shape,
                                gk::NewForeignBuffer(data, num_bytes, [=] {
                                  if (*armed && deleter != nullptr)
                                    deleter(data, context);
                                }));
    *armed = true;
    *tensor = made.release();
    return gk::OkStatus();
  });
}

gk_status* gk_tensor_copy(gk_dtype dtype, int rank, const int64_t* dims,
                          const void* data, size_t num_bytes,
                          gk_tensor** tensor) {
  return Checked([&]() -> Status {
    GK_RETURN_IF_ERROR(CheckGiven(tensor, "gk_tensor_copy", "tensor"));
    GK_ASSIGN_OR_RETURN(const gk::TensorShape shape,
                        gk::api::ShapeOfBytes("gk_tensor_copy", dtype, rank,
                                              dims, data, num_bytes));
    GK_ASSIGN_OR_RETURN(
        InnerTensor made,
        InnerTensor::Allocate(static_cast<InnerType>(dtype), shape));
    if (num_bytes > 0) std::memcpy(made.raw_data(), data, num_bytes);
    *tensor = new gk_tensor{std::move(made)};
    return gk::OkStatus();
  });
}

gk_status* gk_tensor_of_strings(int rank, const int64_t* dims,
                                const char* const* texts, const size_t* lengths,
                                gk_tensor** tensor) {
  return Checked([&]() -> Status {
    constexpr std::string_view kName = "gk_tensor_of_strings";
    GK_RETURN_IF_ERROR(CheckGiven(tensor, kName, "tensor"));
    GK_ASSIGN_OR_RETURN(const gk::TensorShape shape,
                        gk::api::ShapeOf(kName, GK_STRING, rank, dims));
    const int64_t n = shape.num_elements();
    if (n > 0) GK_RETURN_IF_ERROR(CheckGiven(texts, kName, "texts"));
    GK_ASSIGN_OR_RETURN(InnerTensor made,
                        InnerTensor::Allocate(InnerType::kString, shape));
    for (int64_t i = 0; i < n; ++i) {
      GK_RETURN_IF_ERROR(
          CheckGiven(texts[i], kName, gk::Format("texts[{}]", i)));
      made.data<std::string>()[i].assign(
          texts[i], lengths == nullptr ? std::strlen(texts[i]) : lengths[i]);
    }
    *tensor = new gk_tensor{std::move(made)};
    return gk::OkStatus();
  });
}

gk_status* gk_tensor_share(const gk_tensor* tensor, gk_tensor** shared) {
  return Checked([&]() -> Status {
    GK_RETURN_IF_ERROR(CheckGiven(tensor, "gk_tensor_share", "tensor"));
    GK_RETURN_IF_ERROR(CheckGiven(shared, "gk_tensor_share", "shared"));
    *shared = new gk_tensor{tensor->tensor};
    return gk::OkStatus();
  });
}
void gk_tensor_delete(gk_tensor* tensor) { delete tensor; }

gk_dtype gk_tensor_dtype(const gk_tensor* tensor) {
  return tensor == nullptr ? static_cast<gk_dtype>(0)
                           : static_cast<gk_dtype>(tensor->tensor.dtype());
}
int gk_tensor_rank(const gk_tensor* tensor) {
  return tensor == nullptr ? -1 : tensor->tensor.shape().rank();
}
int64_t gk_tensor_dim(const gk_tensor* tensor, int i) {
  return i < 0 || i >= gk_tensor_rank(tensor) ? -1
                                              : tensor->tensor.shape().dim(i);
}
int64_t gk_tensor_num_elements(const gk_tensor* tensor) {
  return tensor == nullptr ? -1 : tensor->tensor.num_elements();
}
const void* gk_tensor_data(const gk_tensor* tensor) {
  return gk::api::HasBytes(tensor) ? tensor->tensor.raw_data() : nullptr;
}
size_t gk_tensor_num_bytes(const gk_tensor* tensor) {
  return gk::api::HasBytes(tensor) ? tensor->tensor.byte_size() : 0;
}
gk_status* gk_tensor_string(const gk_tensor* tensor, int64_t i,
                            const char** text, size_t* length) {
  return Checked([&]() -> Status {
    constexpr std::string_view kName = "gk_tensor_string";
    GK_RETURN_IF_ERROR(CheckGiven(tensor, kName, "tensor"));
    GK_RETURN_IF_ERROR(CheckGiven(text, kName, "text"));
    const InnerTensor& t = tensor->tensor;
    if (t.dtype() != InnerType::kString) {
      return gk::InvalidArgument("{}: the elements are no texts but {}", kName,
                                 gk::DataTypeName(t.dtype()));
    }
    if (i < 0 || i >= t.num_elements()) {
      return gk::OutOfRange("{}: there is no text {} of {}", kName, i,
                            t.num_elements());
    }
    const std::string& found = std::as_const(t).data<std::string>()[i];
    *text = found.c_str();
    if (length != nullptr) *length = found.size();
    return gk::OkStatus();
  });
}
