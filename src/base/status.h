// Status and StatusOr: how every layer reports failure without exceptions.
//
// A Status is one pointer: null is OK, so success costs a compare. Codes carry
// TensorFlow's numbers. Copying shares the representation; thread-safe.
#ifndef GK_BASE_STATUS_H_
#define GK_BASE_STATUS_H_

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"

namespace gk {

enum class Code : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
  // Errors that Python raises as built-in classes, not as errors.OpError.
  kTypeError = 101,
  kValueError = 102,
  kLookupError = 103,
  kRuntimeError = 104,
  kAttributeError = 105,
  kIndexError = 106,
  // The Python error indicator already holds the exception.
  kPythonException = 200,
};

std::string_view CodeName(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  Status(const Status& o) : rep_(o.rep_ ? Share(o.rep_) : nullptr) {}
  Status(Status&& o) noexcept : rep_(std::exchange(o.rep_, nullptr)) {}
  Status& operator=(Status o) noexcept {
    std::swap(rep_, o.rep_);
    return *this;
  }
  ~Status() {
    if (rep_) Drop(rep_);
  }

  bool ok() const { return rep_ == nullptr; }
  Code code() const;
  const std::string& message() const;

  // The same code with `text` put before or after the message.
  Status Prepend(std::string_view text) const;
  Status Append(std::string_view text) const;
  std::string ToString() const;

 private:
  struct Rep;
  // Out of line: a few instructions less at each of thousands of returns.
  static Rep* Share(Rep* rep);
  static void Drop(Rep* rep);
  Rep* rep_ = nullptr;
};

inline Status OkStatus() { return Status(); }

#define GK_DEFINE_ERROR(Name)                                             \
  template <class... Args>                                                \
  Status Name(FormatPattern<sizeof...(Args)> text, const Args&... args) { \
    return Status(Code::k##Name, Format(text, args...));                  \
  }
GK_DEFINE_ERROR(Cancelled)
GK_DEFINE_ERROR(InvalidArgument)
GK_DEFINE_ERROR(NotFound)
GK_DEFINE_ERROR(AlreadyExists)
GK_DEFINE_ERROR(ResourceExhausted)
GK_DEFINE_ERROR(FailedPrecondition)
GK_DEFINE_ERROR(OutOfRange)
GK_DEFINE_ERROR(Unimplemented)
GK_DEFINE_ERROR(Internal)
GK_DEFINE_ERROR(DataLoss)
GK_DEFINE_ERROR(TypeError)
GK_DEFINE_ERROR(ValueError)
GK_DEFINE_ERROR(LookupError)
GK_DEFINE_ERROR(RuntimeError)
GK_DEFINE_ERROR(AttributeError)
GK_DEFINE_ERROR(IndexError)
#undef GK_DEFINE_ERROR

// The one exception type: thrown by op functions and by the public C++ API,
// caught where a layer turns it back into a Status.
class Error : public std::exception {
 public:
  explicit Error(Status status) : status_(std::move(status)) {}
  const Status& status() const { return status_; }
  const char* what() const noexcept override {
    return status_.message().c_str();
  }

 private:
  Status status_;
};

template <class T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(Status status) : status_(std::move(status)) {
    if (status_.ok()) status_ = Internal("StatusOr made from OK");
  }
  StatusOr(T value) : value_(std::move(value)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

// Throws Error unless OK; the bridge from Status to throwing code.
inline void ThrowIfError(const Status& status) {
  if (!status.ok()) throw Error(status);
}
template <class T>
T ValueOrThrow(StatusOr<T> value) {
  ThrowIfError(value.status());
  return std::move(value).value();
}

}  // namespace gk

#define GK_RETURN_IF_ERROR(expr)                                               \
  do {                                                                         \
    if (::gk::Status gk_status_ = (expr); !gk_status_.ok()) return gk_status_; \
  } while (false)

#define GK_CONCAT_(a, b) a##b
#define GK_CONCAT(a, b) GK_CONCAT_(a, b)
#define GK_ASSIGN_OR_RETURN(lhs, expr) \
  GK_ASSIGN_OR_RETURN_(GK_CONCAT(gk_or_, __LINE__), lhs, expr)
#define GK_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                         \
  if (!tmp.ok()) return tmp.status();        \
  lhs = std::move(tmp).value()

#endif  // GK_BASE_STATUS_H_
