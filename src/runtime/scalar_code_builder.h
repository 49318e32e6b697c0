// ScalarCodeBuilder: byte code for control flow over scalars.
//
// Takes elementwise ops, views, If, Case and While with all that they call, as
// long as every value is one element of a number type or bool and nothing has
// a side effect. What a loop computes anew each time from values that it does
// not change is computed before it, unless it could fail.
#ifndef GK_RUNTIME_SCALAR_CODE_BUILDER_H_
#define GK_RUNTIME_SCALAR_CODE_BUILDER_H_

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "grappler/rewrite_graph.h"
#include "runtime/scalar_registers.h"

namespace gk {

// One element of this type fits into a register.
bool FitsRegister(DataType dtype);

class ScalarCodeBuilder {
 public:
  // `function` is what the nodes given to AddNode() belong to.
  ScalarCodeBuilder(const std::string& function, Ref<Graph> graph);

  // Computes `node`, the producers of its inputs first; values that no added
  // node makes become inputs. False if it does not fit; the builder is then
  // of no more use.
  bool AddNode(const Node& node);
  // Computes a whole function; its arguments are the inputs, in order.
  bool AddFunction(const RewriteGraph& function);

  // The values of the inputs, in order; of AddNode() only.
  const std::vector<Output>& inputs() const { return input_values_; }
  // The code whose outputs are these values, or those that AddFunction()'s
  // function returns. Nobody wants those whose node is null. Null if one is
  // not computed.
  std::unique_ptr<ScalarCode> Finish(std::span<const Output> outputs);

 private:
  using Registers = std::vector<int32_t>;
  using Values = std::map<std::pair<const Node*, int>, int32_t>;
  struct Scope {  // a function while its nodes are added
    int32_t function = 0;
    Values values;
  };
  using Block = std::vector<ScalarOp>;

  int32_t NewRegister(DataType dtype, int depth);
  int32_t Constant(const Tensor& value);
  bool IsConstant(int32_t r) const {
    return static_cast<bool>(draft_.registers[r].constant);
  }
  int depth() const { return static_cast<int>(blocks_.size()) - 1; }
  Block& block() { return *blocks_.back(); }
  void Emit(ScalarOp::Kind kind, int32_t in, int32_t target);
  void EmitMove(int32_t to, int32_t from);
  int32_t EmitCall(const TileKernel& tile, std::span<const int32_t> in,
                   const Node& node, int32_t function);
  int32_t NewLabel() { return num_labels_++; }

  bool Add(const Node& node, Scope* scope);
  std::optional<int32_t> ValueOf(const Output& o, Scope* scope);
  // The register of a condition as a bool.
  std::optional<int32_t> TruthOf(int32_t r, const Node& node,
                                 const Scope& scope);
  bool IsInProgress(const GraphFunction* function) const;
  bool Call(const FunctionAttr* callee, std::span<const int32_t> arguments,
            Registers* results);
  bool CallGraph(const RewriteGraph& f, std::span<const int32_t> arguments,
                 Registers* results);
  bool AddBranches(const Node& node, Scope* scope);
  bool AddWhile(const Node& node, Scope* scope);
  void AddMoves(std::span<const int32_t> to, const Registers& from);

  static constexpr size_t kMaxOps = 8192;
  static constexpr size_t kMaxDepth = 32;

  ScalarDraft draft_;
  std::vector<ScalarCode::Function> functions_;
  Scope outer_;
  std::vector<Output> input_values_;
  Registers results_;
  bool takes_inputs_ = false;  // unknown values of outer_ become inputs
  Block body_;
  std::vector<Block*> blocks_;  // of the loops that are being added
  std::vector<int> depth_of_;   // by register
  std::vector<const GraphFunction*> calls_;  // in progress
  size_t num_ops_ = 0;
  int32_t num_labels_ = 0;
};

}  // namespace gk

#endif  // GK_RUNTIME_SCALAR_CODE_BUILDER_H_
