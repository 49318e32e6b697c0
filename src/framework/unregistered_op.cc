#include "framework/unregistered_op.h"

#include "framework/missing_op.h"

namespace gk {
namespace {

Status Refuse(KernelContext& c) {
  return UnregisteredOp::Of(c.record()).facts().error;
}

// What the file says of shapes stands in an attribute.
Status ShapesOfFile(InferenceContext& c) {
  const auto* shapes =
      c.attrs().Get<std::vector<PartialTensorShape>>("_output_shapes");
  for (int i = 0; i < c.num_outputs(); ++i) {
    const bool known =
        shapes != nullptr && i < static_cast<int>(shapes->size());
    c.set_output(i, known ? (*shapes)[i] : PartialTensorShape());
  }
  return OkStatus();
}

}  // namespace

UnregisteredOp::UnregisteredOp(Facts facts) : facts_(std::move(facts)) {
  def_.name = facts_.type;
  def_.is_stateful = facts_.is_stateful;
  for (size_t i = 0; i < facts_.inputs.size(); ++i) {
    ArgDef& arg = def_.inputs.emplace_back();
    arg.name = Format("input_{}", i);
    arg.type = facts_.inputs[i];
  }
  for (size_t i = 0; i < facts_.results.size(); ++i) {
    ArgDef& arg = def_.outputs.emplace_back();
    arg.name = Format("output_{}", i);
    arg.type = facts_.results[i].dtype;
  }
  name = facts_.type;
  traits = kUnregistered | (facts_.is_stateful ? kStateful : kNoTraits);
  shape = ShapesOfFile;
  kernel.compute = Refuse;
  def = &def_;
}

UnregisteredOp::~UnregisteredOp() = default;

proto::NodeDef RestOf(const OpRecord& op) {
  if (!op.Has(kUnregistered)) return {};
  return UnregisteredOp::Of(op).facts().rest;
}

Status OpNotRegistered(std::string_view type, std::string_view node) {
  if (const std::string cure = MissingOpCure(type); !cure.empty()) {
    return NotFound(
        "Op type not registered '{}' in binary running on graphkiln, at node "
        "'{}'{}",
        type, node, cure);
  }
  return NotFound(
      "Op type not registered '{0}' in binary running on graphkiln, at node "
      "'{1}'. Make sure the Op and Kernel are registered in "
      "the binary running in this process: the file was written by a program "
      "that has this op, of a library of its own or a later version. Remove "
      "the node, or give a graph without it.",
      type, node);
}

}  // namespace gk
