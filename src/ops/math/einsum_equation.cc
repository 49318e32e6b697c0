#include "ops/math/einsum_equation.h"

#include <algorithm>

namespace gk {
namespace {

StatusOr<std::string> ParseTerm(std::string_view text,
                                std::string_view equation) {
  std::string term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.') {
      term += text[i];
      continue;
    }
    if (text.substr(i, 3) != "..." || HasLabel(term, kEllipsis)) {
      return InvalidArgument("Subscripts have incorrect format: {}", equation);
    }
    term += kEllipsis;
    i += 2;
  }
  return term;
}

void Append(std::string_view term, int broadcast, DimLabels* labels) {
  for (char label : term) {
    if (label != kEllipsis) {
      labels->push_back(static_cast<unsigned char>(label));
      continue;
    }
    for (int n = broadcast - 1; n >= 0; --n) {
      labels->push_back(kFirstEllipsisLabel + n);
    }
  }
}

}  // namespace

std::string TermText(std::string_view term) {
  std::string text;
  for (char label : term) {
    if (label == kEllipsis) text += "..";
    text += label;
  }
  return text;
}

std::string EinsumEquation::Text() const {
  std::string text;
  for (const std::string& term : inputs) {
    if (&term != inputs.data()) text += ',';
    text += TermText(term);
  }
  return text + "->" + TermText(output);
}

std::string UniqueLabels(std::string_view term) {
  std::string unique;
  for (char label : term) {
    if (!HasLabel(unique, label)) unique += label;
  }
  return unique;
}

StatusOr<EinsumEquation> ParseEinsum(std::string_view equation) {
  const size_t arrow = equation.find("->");
  if (arrow == equation.npos ||
      equation.find("->", arrow + 2) != equation.npos) {
    return InvalidArgument("Expecting exactly one '->' in einsum equation: {}",
                           equation);
  }
  EinsumEquation parsed;
  std::string_view rest = equation.substr(0, arrow);
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    GK_ASSIGN_OR_RETURN(std::string term,
                        ParseTerm(rest.substr(0, comma), equation));
    parsed.inputs.push_back(std::move(term));
    more = comma != rest.npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  GK_ASSIGN_OR_RETURN(parsed.output,
                      ParseTerm(equation.substr(arrow + 2), equation));
  return parsed;
}

StatusOr<DimLabels> LabelsOfOperand(const EinsumEquation& equation, int i,
                                    int rank) {
  const std::string& term = equation.inputs[i];
  const bool open = HasLabel(term, kEllipsis);
  const int named = static_cast<int>(term.size()) - (open ? 1 : 0);
  if (open ? rank < named : rank != named) {
    return InvalidArgument("Expected input {} to have rank {}{} but got: {}",
                           i, open ? "at least " : "", named, rank);
  }
  DimLabels labels;
  Append(term, rank - named, &labels);
  return labels;
}

StatusOr<DimLabels> LabelsOfOutput(const EinsumEquation& equation,
                                   int broadcast) {
  const bool open = HasLabel(equation.output, kEllipsis);
  if (broadcast > 0 && !open) {
    return InvalidArgument(
        "Output contains {} broadcasting dimension(s) but no ellipsis (...) "
        "was found in the output subscripts.",
        broadcast);
  }
  for (char label : equation.output) {
    const bool known =
        label == kEllipsis ||
        std::any_of(equation.inputs.begin(), equation.inputs.end(),
                    [&](const std::string& t) { return HasLabel(t, label); });
    if (!known) {
      return InvalidArgument(
          "Output subscripts contain the label {} not present in the input "
          "subscripts.",
          label);
    }
  }
  DimLabels labels;
  Append(equation.output, broadcast, &labels);
  return labels;
}

}  // namespace gk
