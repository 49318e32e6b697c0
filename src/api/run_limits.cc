#include "api/run_limits.h"

namespace gk::api {

struct CancellationToken::Rep {
  ::gk::CancellationToken token;
};

CancellationToken::CancellationToken() : rep_(std::make_shared<Rep>()) {}
void CancellationToken::Cancel() const { rep_->token.Cancel(); }
bool CancellationToken::is_cancelled() const {
  return rep_->token.IsCancelled();
}

Status CallWithLimits(const ::gk::CancellationToken* token,
                      RunLimit::Clock::time_point deadline,
                      std::string_view name, LimitedCall call) {
  const RunLimit limit(token, deadline);
  Status status;
  try {
    status = call(limit.token());
  } catch (const ::gk::Error& error) {  // while a plan was made
    status = error.status();
  }
  if (status.code() != Code::kCancelled) return status;
  if (limit.token()->IsCancelled()) {
    return Cancelled("The call of {} was cancelled", name);
  }
  if (!limit.IsLate()) return status;
  return Status(Code::kDeadlineExceeded,
                Format("The call of {} was not done at its deadline. Allow it "
                       "more time, or call it with less.",
                       name));
}

Status CallWithLimits(const RunOptions& options, std::string_view name,
                      LimitedCall call) {
  if (!options.cancellation && !options.deadline) return call(nullptr);
  return CallWithLimits(
      options.cancellation ? &options.cancellation->rep().token : nullptr,
      options.deadline.value_or(RunLimit::kNever), name, call);
}

}  // namespace gk::api
