// Rules: what op statements compute.
#ifndef GK_FUZZ_PROGRAMS_CPP_RULES_H_
#define GK_FUZZ_PROGRAMS_CPP_RULES_H_

#include <graphkiln/graphkiln.h>

#include <vector>

#include "program.h"

namespace fuzz {

// What a rule may look at besides its operands.
struct Facts {
  gk::DataType dtype;
  int width, rows;
  int param;
};

struct Rule {
  const char* text;  // C++ with $0, $1, $2 for the operands, # for param
  Kind result;
  std::vector<Kind> operands;
  gk::Tensor (*make)(const gk::Tensor* in, const Facts& facts);
  // Is the shape of the result fixed, whatever the operands' shapes?
  bool fixes_shape = false;
};

const std::vector<Rule>& Rules();
// The numbers of the rules that give `kind`.
const std::vector<int>& RulesFor(Kind kind, bool unknown_shapes);

}  // namespace fuzz

#endif  // GK_FUZZ_PROGRAMS_CPP_RULES_H_
