// tf.einsum: equations of any number of operands as products of two.
#include <algorithm>
#include <cctype>
#include <utility>

#include "ops/composition.h"
#include "ops/fn/Einsum.h"
#include "ops/math/contraction_order.h"
#include "ops/math/einsum_equation.h"

namespace gk {
namespace {

// Without blanks and with an output: the labels that occur once, in order.
EinsumEquation Resolved(const std::string& given) {
  std::string text;
  for (char c : given) {
    if (c != ' ') text += c;
  }
  const auto malformed = [&] {
    return Error(ValueError("Subscripts have incorrect format: {}", text));
  };
  for (char c : text) {
    if (!std::isalpha(static_cast<unsigned char>(c)) && c != '.' && c != ',' &&
        c != '-' && c != '>') {
      throw malformed();
    }
  }
  const bool has_output = text.find("->") != text.npos;
  StatusOr<EinsumEquation> parsed =
      ParseEinsum(has_output ? text : text + "->");
  if (!parsed.ok()) throw malformed();
  EinsumEquation equation = *std::move(parsed);
  std::string all;
  for (const std::string& term : equation.inputs) all += term;
  if (!has_output) {
    if (HasLabel(all, kEllipsis)) equation.output += kEllipsis;
    for (char c = 'A'; c <= 'z'; ++c) {
      if (std::count(all.begin(), all.end(), c) == 1) equation.output += c;
    }
  }
  const std::string& output = equation.output;
  if (UniqueLabels(output) != output) {
    throw Error(ValueError(
        "Output subscripts contain a label appearing more than once: {}",
        text));
  }
  for (char label : output + all) {
    if (label == '-' || label == '>') throw malformed();
  }
  for (char label : output) {
    if (!HasLabel(all, label) && label != kEllipsis) {
      throw Error(
          ValueError("Output subscripts contain the label {} not "
                     "present in the input subscripts.",
                     label));
    }
  }
  return equation;
}

Tensor MakeEinsum(const CompositionCall& c, const EinsumEquation& equation,
                  const TensorVector& inputs, int number) {
  const std::string node = number == 0 ? "Einsum" : Format("Einsum_{}", number);
  return ops::Einsum(OpName(c.name(node)), inputs, equation.Text());
}

TensorVector Einsum(CompositionCall& c) {
  EinsumEquation equation = Resolved(c.text(0));
  TensorVector operands = c.tensors(1);
  if (equation.inputs.size() != operands.size()) {
    throw Error(ValueError("Got {} inputs for equation \"{}\", expecting {}",
                           operands.size(), equation.Text(),
                           equation.inputs.size()));
  }
  if (operands.size() <= 2) return {MakeEinsum(c, equation, operands, 0)};
  std::vector<PartialTensorShape> shapes;
  for (const Tensor& t : operands) shapes.push_back(t.partial_shape());
  ContractionOrder order =
      ValueOrThrow(OrderContractions(equation, shapes, c.text(2)));
  int number = 0;
  for (const Contraction& step : order.steps) {
    // The later of the two comes first, as TensorFlow has it.
    const TensorVector pair = {operands[step.second], operands[step.first]};
    const Tensor made = MakeEinsum(c, step.equation, pair, number++);
    operands.erase(operands.begin() + step.second);
    operands.erase(operands.begin() + step.first);
    operands.push_back(made);
  }
  return {operands[0]};
}

const CompositionRecord kRecords[] = {
    {.names = "einsum|linalg.einsum",
     .args = "equation: string; *inputs: tensors(T); optimize: string = "
             "'greedy'",
     .scope = "einsum",
     .build = Einsum,
     .doc = "Sums products of elements as an equation of subscripts says.\n\n"
            "Args:\n  equation: like \"ij,jk->ik\"; \"...\" stands for "
            "dimensions that broadcast. Without\n    \"->\" the result has "
            "the labels that occur once, in alphabetical order.\n  inputs: "
            "the operands, in the order of the equation.\n  name: of the "
            "scope.\n  optimize: how the order in which three or more "
            "operands are\n    multiplied is chosen: \"greedy\", \"optimal\", "
            "\"branch-2\", \"branch-all\" or\n    \"auto\".\n\nRaises "
            "ValueError if the equation is malformed or has another number of "
            "operands,\nInvalidArgumentError if shapes do not fit it.",
     .example = ">>> tf.einsum(\"ij,j->i\", [[1, 2], [3, 4]], [1, 1]).numpy()"
                ".tolist()\n[3, 7]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_einsum)

}  // namespace gk
