// Plan: a function graph compiled to a linear list of instructions.
//
// Everything that can be decided ahead is decided here: the order, the kernel
// of this CPU, where every value lives, when it dies, and which elementwise
// ops run as one cluster. A Plan is immutable and shared by all threads; what
// changes while it runs is in a Frame.
#ifndef GK_RUNTIME_PLAN_H_
#define GK_RUNTIME_PLAN_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/event_log.h"
#include "base/ref.h"
#include "base/status.h"
#include "framework/kernel_context.h"
#include "grappler/rewrite_graph.h"
#include "runtime/cluster.h"
#include "runtime/frame_pool.h"
#include "runtime/scalar_code.h"
#include "runtime/variable_update.h"

namespace gk {

class PlanProfile;

using SlotId = int32_t;

// Whether plans made from now on contain the functions that If, Case and
// While call: as byte code where all is scalar, else as nested plans. They
// do, unless the environment variable GK_LOWER_CONTROL_FLOW is 0: then the
// ops' kernels call them. Tests run programs both ways.
bool LowersControlFlow();
void SetControlFlowLowering(bool on);

// How a plan runs: called, or as the body of a loop. Then what
// Instruction::once marks runs in the first turn alone, and the memory of a
// state that nobody else has takes the next but one.
enum class Turn : uint8_t { kCall, kFirst, kLater };

// Where a value lives.
enum class Home : uint8_t {
  kArgument,  // the caller's tensor
  kConstant,  // the plan's tensor
  kArena,     // a fixed place in the frame's arena
  kOwn,       // a buffer of its own, made by each run: it may escape
};

struct SlotInfo {
  DataType dtype = DataType::kInvalid;
  Home home = Home::kOwn;
  bool is_static = false;  // `shape` is known ahead
  TensorShape shape;
  int64_t offset = -1;  // in the arena
  SlotId view_of = -1;  // in the arena: whose place this is, if another's
  int64_t num_bytes() const {
    return shape.num_elements() * DataTypeSize(dtype);
  }
};

struct Instruction {
  enum class Kind : uint8_t {
    kTile,     // one tile call over operands of one shape
    kKernel,   // a kernel that sees a KernelContext
    kRead,     // the same, unless the frame has kept what it gives
    kCluster,  // a fused group of elementwise ops
    kCode,     // control flow over scalars
    kBranch,   // one of several nested plans
    kLoop,     // two nested plans, again and again
  };
  Kind kind = Kind::kKernel;
  bool needs_output = false;  // tile, cluster or code with kOwn outputs
  bool once = false;          // of a loop's body: for the first turn alone
  int32_t num_inputs = 0;
  int32_t first_input = 0;  // in Plan::inputs
  int32_t num_outputs = 0;
  SlotId first_output = 0;    // a node's outputs have neighbouring slots
  int32_t first_release = 0;  // in Plan::releases: kOwn slots dead after this
  int32_t num_releases = 0;
  int32_t cluster = -1;                       // in Plan::clusters
  int32_t code = -1;                          // in Plan::codes
  int32_t first_update = 0, num_updates = 0;  // in Plan::updates
  TileFn tile = nullptr;
  TileParams tile_params;
  ComputeFn compute = nullptr;  // of a tile: what to do where it fails
  int64_t num_elements = 0;
  uint64_t may_forward = 0;  // inputs whose memory dies here
  // Tile or cluster: the memory of the first takes the second if nobody else
  // has it.
  SlotId take_from = -1, take_to = -1;
  int32_t kept = -1;  // read: in Plan::kept_reads
  // Kernel: the cluster behind it takes parts of the result as they are done.
  bool feeds_next = false;
  const Node* node = nullptr;
};

// "tile", "kernel".
const char* InstructionKindName(Instruction::Kind kind);

// A read of a captured variable that nothing in the plan writes: a frame may
// keep its value (kept_reads.h).
struct KeptRead {
  int32_t argument = -1;  // of the function: which is the handle
  SlotId handle = -1;
  SlotId value = -1;  // let go after the run, not by an instruction
};

// Of a loop's body: a result that is the next turn's state.
struct NextState {
  SlotId from = -1, to = -1;
  bool moves = false;   // nothing else needs `from` after the turn
  bool spares = false;  // the state's old memory may take the result of the
                        // next turn
};

class Plan : public RefCounted {
 public:
  ~Plan() override;

  // Compiles `function`, which is kept alive; node shapes that are known are
  // relied upon (and checked where a value enters). `merge_updates`: see
  // variable_update.h.
  static StatusOr<Ref<Plan>> Make(RewriteGraph function,
                                  bool merge_updates = true);
  // The same for the body of a loop, run in one frame all the time: what
  // follows from states that no turn changes is computed in the first one.
  static StatusOr<Ref<Plan>> MakeLoopBody(RewriteGraph function);

  // A plan of the same function without merged updates, made on first use.
  StatusOr<Ref<Plan>> WithoutMergedUpdates() const;

  // The slot at whose place `s` lies.
  SlotId RootOf(SlotId s) const {
    return slots[s].view_of < 0 ? s : slots[s].view_of;
  }

  // Of the graph as planned: "0 tile AddV2 add: %0 %1 -> %2 @64", one line an
  // instruction. For tests and tools.
  std::string DebugString() const;

  RewriteGraph function;
  std::vector<SlotInfo> slots;
  std::vector<Tensor> constants;  // by slot; null where not kConstant
  std::vector<Instruction> instructions;
  std::vector<SlotId> inputs;
  std::vector<SlotId> releases;
  std::vector<Cluster> clusters;
  std::vector<std::unique_ptr<ScalarCode>> codes;
  std::vector<VariableUpdate> updates;
  std::vector<KeptRead> kept_reads;
  // Of random ops, by instruction: where they stand in their streams. Null
  // for all others, empty if there are none.
  std::vector<std::shared_ptr<SharedKernelState>> shared_states;
  std::vector<SlotId> arguments;  // -1: unused by the plan
  std::vector<SlotId> results;
  // Of a loop's body that gives back the types and shapes that it takes: the
  // states that a turn changes.
  bool is_closed = false;
  std::vector<NextState> next_states;
  int64_t arena_bytes = 0;
  // Runs are checked; the clusters step by step, to compare with.
  bool checked = false;
  mutable std::atomic<bool> proven{false};  // by PlanVerifier, in a first run
  std::vector<Cluster> plain_clusters;      // empty unless checked
  std::shared_ptr<PlanProfile> profile;     // null: none is kept
  bool watched = false;                     // checked or with a profile
  mutable FramePool frames;
  // Its PlanEvents, once a run was recorded; a reference of the plan's.
  mutable std::atomic<const EventTypes*> events{nullptr};

  // Goes on where the random ops of another plan of the function stand.
  void TakeSharedStatesOf(const Plan& other);

 private:
  void MakeSharedStates();

  mutable Ref<Plan> without_merged_updates_;  // under ProcessMutex::Of(this)
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_H_
