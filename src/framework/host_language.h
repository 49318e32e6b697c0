// What the language of a face supplies to the layers below it. A program has
// one, for its whole life; C++ programs have the plain one, whose answers are
// those of this class.
//
// Its members are called from any thread and are thread-safe.
#ifndef GK_FRAMEWORK_HOST_LANGUAGE_H_
#define GK_FRAMEWORK_HOST_LANGUAGE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/status.h"
#include "framework/tensor.h"

namespace gk {

enum class PrintStream { kStdout, kStderr };

// A function of StableHLO, as bytes of its portable form.
struct StableHloModule {
  std::string_view bytes;
  int platform_index;  // the function's first argument; -1: it has none
  bool shape_assertions;
  bool shardy;
};

// A module made ready to run, for inputs of any shapes that it takes.
class StableHloProgram {
 public:
  virtual ~StableHloProgram() = default;
  // Gives each output a value, of whatever type the module says.
  virtual Status Run(std::span<const Tensor* const> inputs,
                     std::span<Tensor> outputs) = 0;
};

class HostLanguage {
 public:
  static HostLanguage& Get();
  // Once at start; `host` outlives everything that runs. Null: the plain one.
  static void Set(HostLanguage* host);

  // An error if it wants to end what runs on this thread
  // (base/interrupt.h asks it).
  virtual Status CheckInterrupt() { return OkStatus(); }
  // Runs `wait`, which blocks until another thread is done with something it
  // may need the interpreter's lock for.
  virtual void WaitBlocking(FunctionRef<void()> wait) { wait(); }

  // A value as the language prints it, "[1. 2.]", "b'a'".
  virtual std::string ValueText(const Tensor& t);
  // An op's inputs and where it is made: lines of an error's text, or nothing.
  virtual std::string NumericsContext(std::span<const Tensor> inputs);
  // The position of the program that runs now (graph.h): each node made gets
  // it. 0 if unknown.
  virtual uint32_t CurrentSource() { return 0; }
  // A position of the program, outermost line first: '  File "f.py",
  // line 3, in g', a line each. Empty if unknown.
  virtual std::string SourceText(uint32_t source);
  // Writes text of an op (PrintV2) for people, in the order of the language's
  // own lines: to the C streams, flushed.
  virtual Status Print(PrintStream stream, std::string_view text);
  // Shows people who watch how far long work is (long_work.h); false where
  // nobody does. A terminal at the C stream of errors.
  virtual bool ShowProgress(std::string_view text);
  // FailedPrecondition where nothing is there that compiles modules.
  virtual StatusOr<std::shared_ptr<StableHloProgram>> MakeProgram(
      const StableHloModule& module);

 protected:
  ~HostLanguage() = default;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_HOST_LANGUAGE_H_
