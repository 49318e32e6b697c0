// Passes over byte code that is being built, before its labels are resolved.
#ifndef GK_RUNTIME_SCALAR_REGISTERS_H_
#define GK_RUNTIME_SCALAR_REGISTERS_H_

#include <vector>

#include "runtime/scalar_code.h"

namespace gk {

struct ScalarDraft {
  std::vector<ScalarOp> ops;  // the last one is kEnd
  std::vector<ScalarCode::Register> registers;
  std::vector<int32_t> inputs;   // registers that hold a value at the start
  std::vector<int32_t> outputs;  // and those that are read at the end
};

// Drops what only itself or nobody reads: the counter that nothing asks for.
// Calls that may fail stay.
void RemoveDeadOps(ScalarDraft* draft);

// A move between two registers that are never needed at the same time makes
// them one register, and goes away.
void JoinRegisters(ScalarDraft* draft);

// A call and the jump that follows become one operation.
void JoinJumps(ScalarDraft* draft);

// Labels give way to the operations that follow them.
void ResolveLabels(ScalarDraft* draft);

}  // namespace gk

#endif  // GK_RUNTIME_SCALAR_REGISTERS_H_
