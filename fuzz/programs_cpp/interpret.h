// Executes a program's statements with the public C++ interface: eagerly, or
// into the graph that is being traced.
#ifndef GK_FUZZ_PROGRAMS_CPP_INTERPRET_H_
#define GK_FUZZ_PROGRAMS_CPP_INTERPRET_H_

#include <graphkiln/graphkiln.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "program.h"
#include "rules.h"

namespace fuzz {

// One life of a program: its variables, functions and captured tensors.
class Instance {
 public:
  // `traced`: are its functions traced? `noise`: if not 0, a seed by which
  // what it starts with and the gradients of its tapes differ in their last
  // digits (eager programs).
  Instance(const Program& program, bool traced, std::string path,
           uint64_t noise = 0);
  Instance(const Instance&) = delete;

  // The tensors to call it with, for the first, second, ... call.
  std::vector<gk::Tensor> Arguments(int call) const;
  // Runs the program on arguments; the results.
  std::vector<gk::Tensor> Run(const std::vector<gk::Tensor>& arguments,
                              const std::vector<gk::Variable>& given) const;
  const std::vector<gk::Variable>& variables() const { return variables_; }
  // What stands for the arguments where shapes are unknown.
  std::vector<gk::TensorSpec> Signature() const;

 private:
  using Registers = std::vector<gk::Tensor>;
  using Call = std::function<gk::Tensor(const gk::Tensor&, const gk::Tensor&,
                                        const gk::Variable*, int depth)>;
  struct Frame {
    Registers registers;
    // The variable that stands for each of the program's.
    std::vector<gk::Variable> variables;
    int depth = 0;
    // Has a loop been left? Only in the body of one.
    gk::Tensor left;
  };

  void Execute(const std::vector<Statement>& statements, Frame* frame) const;
  void ExecuteFrom(const std::vector<Statement>& statements, size_t at,
                   Frame* frame) const;
  void Execute(const Statement& s, Frame* frame) const;
  void If(const Statement& s, Frame* frame) const;
  void Choose(const Statement& s, Frame* frame) const;
  void For(const Statement& s, Frame* frame) const;
  void Write(const Statement& s, Frame* frame) const;
  void CallFunction(const Statement& s, Frame* frame) const;
  void Tape(const Statement& s, Frame* frame) const;
  void Array(const Statement& s, Frame* frame) const;
  void Fold(const Statement& s, Frame* frame) const;
  gk::Tensor Body(int function, const gk::Tensor& a, const gk::Tensor& b,
                  const gk::Variable* variable, int depth) const;
  gk::Tensor Made(Kind kind, int salt) const;
  gk::Tensor Shaken(const gk::Tensor& t) const;
  gk::WhileOptions Options(const std::vector<int>& carried, int others) const;
  gk::Shape ShapeOf(Kind kind, bool unknown) const;

  const Program& program_;
  const bool traced_;
  const std::string path_;
  Facts facts_;
  const bool shakes_;
  mutable std::mt19937_64 noise_;
  std::vector<gk::Variable> variables_;
  Registers captured_;
  std::vector<Call> calls_;
};

}  // namespace fuzz

#endif  // GK_FUZZ_PROGRAMS_CPP_INTERPRET_H_
