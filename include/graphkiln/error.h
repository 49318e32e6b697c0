// Error: what every function of graphkiln throws when it fails.
#ifndef GRAPHKILN_ERROR_H_
#define GRAPHKILN_ERROR_H_

#include <stdexcept>
#include <string>

#include <graphkiln/export.h>

namespace gk {
GK_API_NAMESPACE {

// TensorFlow's codes, and those of what Python raises as its own errors.
enum class ErrorCode : int {
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
  // Misuse that is seen before anything runs.
  kTypeError = 101,
  kValueError = 102,
  kLookupError = 103,
  kRuntimeError = 104,
  kAttributeError = 105,
  kIndexError = 106,
};

// What went wrong: what() says it, code() what kind it is of.
class GK_EXPORT Error : public std::runtime_error {
 public:
  // As functions of one's own may throw it.
  Error(ErrorCode code, const std::string& message);
  Error(const Error&) noexcept = default;
  ~Error() override;
  // The kind.
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_ERROR_H_
