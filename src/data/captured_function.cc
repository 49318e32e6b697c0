#include "data/captured_function.h"

namespace gk {

Status CapturedFunction::Check(size_t num_arguments) const {
  if (!function_.definition || FunctionRunner::Get() == nullptr) {
    return NotFound("Function {} is not defined.", function_.name);
  }
  const size_t takes = function_.definition->input_types().size();
  const size_t gets = num_arguments + captured_.size();
  if (takes != gets) {
    return InvalidArgument("Function {} of {} takes {} arguments but gets {}",
                           function_.name, user_, takes, gets);
  }
  return OkStatus();
}

Status CapturedFunction::RunOn(TensorVector* arguments,
                               const CancellationToken* cancellation,
                               TensorVector* results) const {
  const size_t own = arguments->size();
  arguments->insert(arguments->end(), captured_.begin(), captured_.end());
  Status status = FunctionRunner::Get()->Run(*function_.definition, *arguments,
                                             results, cancellation);
  arguments->resize(own);
  if (status.ok() || status.code() == Code::kPythonException ||
      status.code() == Code::kOutOfRange || !transforms_ ||
      status.message().starts_with("Error in user-defined function")) {
    return status;
  }
  return status.Prepend(Format(
      "Error in user-defined function passed to {} transformation: ", user_));
}

}  // namespace gk
