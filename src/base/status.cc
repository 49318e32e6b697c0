#include "base/status.h"

#include <atomic>

namespace gk {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "OK";
    case Code::kCancelled:
      return "CANCELLED";
    case Code::kUnknown:
      return "UNKNOWN";
    case Code::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case Code::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case Code::kNotFound:
      return "NOT_FOUND";
    case Code::kAlreadyExists:
      return "ALREADY_EXISTS";
    case Code::kPermissionDenied:
      return "PERMISSION_DENIED";
    case Code::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case Code::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case Code::kAborted:
      return "ABORTED";
    case Code::kOutOfRange:
      return "OUT_OF_RANGE";
    case Code::kUnimplemented:
      return "UNIMPLEMENTED";
    case Code::kInternal:
      return "INTERNAL";
    case Code::kUnavailable:
      return "UNAVAILABLE";
    case Code::kDataLoss:
      return "DATA_LOSS";
    case Code::kUnauthenticated:
      return "UNAUTHENTICATED";
    case Code::kTypeError:
      return "TypeError";
    case Code::kValueError:
      return "ValueError";
    case Code::kLookupError:
      return "LookupError";
    case Code::kRuntimeError:
      return "RuntimeError";
    case Code::kAttributeError:
      return "AttributeError";
    case Code::kIndexError:
      return "IndexError";
    case Code::kPythonException:
      return "PythonException";
  }
  return "UNKNOWN";
}

struct Status::Rep {
  Code code;
  std::string message;
  std::atomic<int> count{1};
};

Status::Status(Code code, std::string message)
    : rep_(new Rep{code, std::move(message)}) {}

Status::Rep* Status::Share(Rep* rep) {
  rep->count.fetch_add(1, std::memory_order_relaxed);
  return rep;
}

void Status::Drop(Rep* rep) {
  if (rep->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete rep;
}

Code Status::code() const { return rep_ ? rep_->code : Code::kOk; }

const std::string& Status::message() const {
  static const std::string empty;
  return rep_ ? rep_->message : empty;
}

Status Status::Prepend(std::string_view text) const {
  if (ok()) return *this;
  return Status(code(), std::string(text) + message());
}

Status Status::Append(std::string_view text) const {
  if (ok()) return *this;
  return Status(code(), message() + std::string(text));
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  return Format("{}: {}", CodeName(code()), message());
}

}  // namespace gk
