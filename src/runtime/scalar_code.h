// ScalarCode: control flow over scalars as byte code.
//
// Where everything that a loop or a branch computes is a scalar, it runs as a
// list of small operations on registers: one call of the elementwise loop that
// the op's record states, over one element, or a move or a jump. So the bits
// are those of the kernels, and there is no arithmetic here.
//
// A ScalarCode is immutable and shared by all threads; the registers and the
// operations bound to them are in a ScalarRegisters, used by one thread at a
// time. See docs/internals/loops.md.
#ifndef GK_RUNTIME_SCALAR_CODE_H_
#define GK_RUNTIME_SCALAR_CODE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/kernel_context.h"
#include "framework/op_record.h"
#include "framework/graph.h"

namespace gk {

class LoopPoll;

// One operation. Registers are numbers; `target` is the operation to go on
// with after a jump.
struct ScalarOp {
  enum class Kind : uint8_t {  // in the order of kPlaces in Run()
    kCall,                     // out = fn(in...)
    kMove,                     // out = in[0]
    kJump,                     // to `target`
    kJumpIfNot,                // to `target` unless in[0] holds
    kLoopIf,                   // back to `target` if it does
    kLoop,                     // kJump, backwards
    kCase,   // to targets[in[0]], the last one if that is out of range
    kLabel,  // while building: `target` names this place
    kEnd,
    // A call and the jump that looks at its result.
    kCallJump,
    kCallJumpIfNot,
    kCallLoopIf,
  };
  Kind kind = Kind::kCall;
  bool can_fail = false;
  uint8_t size = 0;  // bytes that a kMove moves
  uint8_t num_inputs = 0;
  int32_t out = -1;
  int32_t in[3] = {-1, -1, -1};
  int32_t target = -1;
  TileFn fn = nullptr;
  TileParams params;
  const Node* node = nullptr;  // of calls
  int32_t function = 0;        // in ScalarCode::functions()
  std::vector<int32_t> targets;
};

class ScalarRegisters;

class ScalarCode {
 public:
  struct Register {
    DataType dtype = DataType::kInvalid;
    Tensor constant;
  };
  // A function whose nodes the operations name; `graph` keeps them alive.
  struct Function {
    std::string name;
    Ref<Graph> graph;
  };

  // in[i]: the element of input i, read where inputs()[i] is not -1. out[i]:
  // takes output i, where outputs()[i] is not -1. Errors name the node that
  // failed, like those of plans.
  Status Run(ScalarRegisters& registers, const void* const* in,
             void* const* out, LoopPoll& poll) const;

  // By input and by output: the register, -1 for those that nobody reads.
  const std::vector<int32_t>& inputs() const { return inputs_; }
  const std::vector<int32_t>& outputs() const { return outputs_; }
  const std::vector<Register>& registers() const { return registers_; }
  const std::vector<ScalarOp>& ops() const { return ops_; }
  const std::vector<Function>& functions() const { return functions_; }

  // "0: r3 = Less r1 r2; jump to 7 unless r3", one line an operation.
  std::string DebugString() const;

 private:
  friend class ScalarCodeBuilder;
  ScalarCode() = default;

  std::vector<ScalarOp> ops_;
  std::vector<Register> registers_;
  std::vector<int32_t> inputs_, outputs_;
  std::vector<Function> functions_;
};

// The registers of one frame, with the operations bound to them.
class ScalarRegisters final : public KernelState {
 public:
  explicit ScalarRegisters(const ScalarCode& code);

 private:
  friend class ScalarCode;
  struct alignas(16) Cell {
    unsigned char bytes[16] = {};
  };
  struct Bound {
    TileFn fn;
    void* out;
    const void* in[3];
    TileParams params;
    ScalarOp::Kind kind;
    uint8_t size;
    int32_t target;
  };

  std::vector<Cell> cells_;
  std::vector<Bound> ops_;
};

}  // namespace gk

#endif  // GK_RUNTIME_SCALAR_CODE_H_
