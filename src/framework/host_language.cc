#include "framework/host_language.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/interrupt.h"
#include "framework/tensor_text.h"

namespace gk {
namespace {

class PlainLanguage final : public HostLanguage {};

constinit PlainLanguage plain;
constinit std::atomic<HostLanguage*> current{&plain};

}  // namespace

HostLanguage& HostLanguage::Get() {
  return *current.load(std::memory_order_acquire);
}

void HostLanguage::Set(HostLanguage* host) {
  current.store(host != nullptr ? host : &plain, std::memory_order_release);
  SetInterruptCheck(host == nullptr ? nullptr : InterruptCheck([] {
    return Get().CheckInterrupt();
  }));
}

std::string HostLanguage::ValueText(const Tensor& t) {
  return BothEndsText(t, 3);
}

std::string HostLanguage::NumericsContext(std::span<const Tensor>) {
  return {};
}

std::string HostLanguage::SourceText(uint32_t) { return {}; }

Status HostLanguage::Print(PrintStream stream, std::string_view text) {
  std::FILE* file = stream == PrintStream::kStdout ? stdout : stderr;
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
      std::fflush(file) != 0) {
    return Internal("Could not print: {}", std::strerror(errno));
  }
  return OkStatus();
}

bool HostLanguage::ShowProgress(std::string_view text) {
  return isatty(STDERR_FILENO) == 1 && Print(PrintStream::kStderr, text).ok();
}

StatusOr<std::shared_ptr<StableHloProgram>> HostLanguage::MakeProgram(
    const StableHloModule&) {
  return FailedPrecondition(
      "A module of StableHLO, which a function of JAX becomes, is compiled and "
      "run by jaxlib, and that needs Python: run this in a Python program "
      "where the package jax is installed (pip install jax).");
}

}  // namespace gk
