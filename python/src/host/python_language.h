// What Python supplies to the layers below. Each member stands beside what it
// needs: interrupt.cc, process_settings.cc, progress.cc,
// stablehlo_program.cc, graph/source_location.cc, ops/assertions.cc.
#ifndef GK_PYTHON_PYTHON_LANGUAGE_H_
#define GK_PYTHON_PYTHON_LANGUAGE_H_

#include <memory>
#include <string>

#include "framework/host_language.h"

namespace gk::py {

class PythonLanguage final : public HostLanguage {
 public:
  // Python's signal handlers run; what they raise.
  Status CheckInterrupt() override;
  // Without the GIL.
  void WaitBlocking(FunctionRef<void()> wait) override;
  // As str() of NumPy shows it.
  std::string ValueText(const Tensor& t) override;
  std::string NumericsContext(std::span<const Tensor> inputs) override;
  uint32_t CurrentSource() override;
  std::string SourceText(uint32_t source) override;
  // On sys.stderr, where that is a terminal or a notebook's.
  bool ShowProgress(std::string_view text) override;
  // Of the package jax.
  StatusOr<std::shared_ptr<StableHloProgram>> MakeProgram(
      const StableHloModule& module) override;
};

}  // namespace gk::py

#endif  // GK_PYTHON_PYTHON_LANGUAGE_H_
