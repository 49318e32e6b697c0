#include "function/while_builder.h"

#include "base/format.h"
#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Less.h"
#include "ops/fn/LogicalAnd.h"

namespace gk {

WhileBuilder::WhileBuilder(std::string_view name,
                           const Tensor& maximum_iterations)
    : outer_(FuncGraph::Current()),
      limited_(static_cast<bool>(maximum_iterations)) {
  if (!outer_) throw Error(Internal("loops are built in functions only"));
  scope_ =
      std::make_unique<NameScope>(outer_.get(), name.empty() ? "while" : name);
  const Tensor limit =
      limited_ ? maximum_iterations : Int32Of(-1, "maximum_iterations");
  state_ = {Int32Of(0, "loop_counter"), limit};
  shapes_ = {TensorShape(), limit.partial_shape()};
}

void WhileBuilder::Carry(TensorVector initial,
                         std::vector<PartialTensorShape> shapes) {
  if (initial.size() != shapes.size() || graphs_[kBody] ||
      graphs_[kCondition]) {
    throw Error(Internal("{}: {} loop variables, {} shapes", scope(),
                         initial.size(), shapes.size()));
  }
  state_.insert(state_.end(), initial.begin(), initial.end());
  shapes_.insert(shapes_.end(), shapes.begin(), shapes.end());
}

std::span<const Tensor> WhileBuilder::Arguments(Part part) const {
  if (!graphs_[part]) throw Error(Internal("a part has not begun"));
  return arguments_[part];
}

Tensor WhileBuilder::AddArgument(Part part, std::string_view name,
                                 const Tensor& like,
                                 const PartialTensorShape& shape) {
  return ValueOrThrow(graphs_[part]->inputs().AddArgument(
      name, like.dtype(), shape, {}, HandleDataOf(like)));
}

FuncGraph* WhileBuilder::Begin(Part part) {
  if (graphs_[part]) throw Error(Internal("{}: begun twice", scope()));
  graphs_[part] =
      PartScope::NewPart(*outer_, scope(), part == kBody ? "body" : "cond");
  PartScope inside(graphs_[part].get(), scope());
  for (size_t i = 0; i < state_.size(); ++i) {
    const std::string_view name = i == 0   ? "while_loop_counter"
                                  : i == 1 ? "while_maximum_iterations"
                                           : "";
    arguments_[part].push_back(AddArgument(part, name, state_[i], shapes_[i]));
  }
  return graphs_[part].get();
}

Tensor WhileBuilder::AddLate(DataType dtype, const PartialTensorShape& shape,
                             HandleData handle_data) {
  if (!graphs_[kBody]) {
    throw Error(Internal("{}: a late loop variable without a body", scope()));
  }
  for (Part part : {kCondition, kBody}) {
    if (!graphs_[part]) continue;
    PartScope inside(graphs_[part].get(), scope());
    arguments_[part].push_back(ValueOrThrow(graphs_[part]->inputs().AddArgument(
        {}, dtype, shape, {}, handle_data)));
  }
  shapes_.push_back(shape);
  return arguments_[kBody].back();
}

void WhileBuilder::StartLate(std::span<const Tensor> initial) {
  state_.insert(state_.end(), initial.begin(), initial.end());
  bool fits = state_.size() == arguments_[kBody].size();
  for (size_t i = 0; fits && i < state_.size(); ++i) {
    fits = state_[i].dtype() == arguments_[kBody][i].dtype();
  }
  if (!fits) {
    throw Error(Internal("{}: late loop variables have no start", scope()));
  }
}

void WhileBuilder::EndCondition(const Tensor& truth) {
  const std::span<const Tensor> in = Arguments(kCondition);
  PartScope inside(graphs_[kCondition].get(), scope());
  Tensor goes_on = truth;
  if (limited_) {
    goes_on = ops::LogicalAnd(ops::Less(in[0], in[1]), truth);
  }
  results_[kCondition] = inside.Returned({&goes_on, 1});
}

void WhileBuilder::EndBody(std::span<const Tensor> after) {
  const std::span<const Tensor> in = Arguments(kBody);
  if (after.size() + kCounters != in.size()) {
    throw Error(Internal("{}: {} loop variables, {} after an iteration",
                         scope(), in.size() - kCounters, after.size()));
  }
  PartScope inside(graphs_[kBody].get(), scope());
  TensorVector results;
  {
    NameScope add(graphs_[kBody].get(), "add");
    results = {ops::AddV2(OpName(add.name()), in[0], Int32Of(1, "y")), in[1]};
  }
  results.insert(results.end(), after.begin(), after.end());
  results_[kBody] = inside.Returned(results);
}

TensorVector WhileBuilder::Finish(int64_t parallel_iterations) {
  if (results_[kCondition].size() != 1 ||
      results_[kBody].size() != state_.size()) {
    throw Error(Internal("{}: a part of the loop is missing", scope()));
  }
  WhileOptions options;
  options.parallel_iterations = parallel_iterations;
  options.shapes = shapes_;
  TensorVector outputs = ValueOrThrow(
      MakeWhile({graphs_[kCondition], results_[kCondition]},
                {graphs_[kBody], results_[kBody]}, state_, options, scope()));
  scope_ = nullptr;
  outputs.erase(outputs.begin() + 1);
  return outputs;
}

}  // namespace gk
