#include "framework/function_runner.h"

namespace gk {
namespace {
std::atomic<FunctionRunner*> runner{nullptr};
}

FunctionRunner* FunctionRunner::Get() { return runner.load(); }
void FunctionRunner::Set(FunctionRunner* r) { runner.store(r); }

}  // namespace gk
