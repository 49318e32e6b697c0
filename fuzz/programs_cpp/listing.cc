#include <functional>
#include <string>

#include "program.h"
#include "rules.h"

namespace fuzz {
namespace {

using Type = Statement::Type;

std::string NameOf(int i) {
  static constexpr const char* kNames[] = {"s", "v", "m", "i", "n", "b"};
  int number = 0;
  for (int k = 0; k < i; ++k) number += kRegisters[k] == kRegisters[i];
  return kNames[static_cast<int>(kRegisters[i])] + std::to_string(number);
}

class Lister {
 public:
  explicit Lister(const Program& p) : p_(p) {}

  std::string Make() {
    text_ = "seed " + std::to_string(p_.seed) + ": " +
            (p_.is_double ? "float64" : "float32") + ", vectors of " +
            std::to_string(p_.width) + ", matrices of " +
            std::to_string(p_.rows) + " rows" +
            (p_.unknown_shapes ? ", unknown while traced" : "") + "\n";
    for (size_t i = 0; i < p_.variables.size(); ++i) {
      static constexpr const char* kWords[] = {"scalar", "vector", "matrix"};
      Line("variable w" + std::to_string(i) + ": a " +
           kWords[static_cast<int>(p_.variables[i])]);
    }
    for (size_t i = 0; i < p_.functions.size(); ++i) {
      const Function& f = p_.functions[i];
      Line(std::string(f.traced ? "" : "plain ") + "function f" +
           std::to_string(i) + "(" + NameOf(f.a) + ", " + NameOf(f.b) +
           (f.takes_variable ? ", variable" : "") +
           (f.recursive ? ", depth" : "") + "):");
      Block(f.body);
      ++depth_;
      Line("return " + NameOf(f.result));
      --depth_;
    }
    Line("program(" + Those(p_.is_argument) +
         (p_.passes_variable ? ", w0" : "") + "):");
    Block(p_.body);
    ++depth_;
    Line("return " + Those(p_.is_result));
    return text_;
  }

 private:
  static std::string Those(const std::array<bool, kRegisters.size()>& which) {
    std::string names;
    for (int i = 0; i < kNumRegisters; ++i) {
      if (which[i]) names += (names.empty() ? "" : ", ") + NameOf(i);
    }
    return names;
  }
  void Line(const std::string& line) {
    text_ += std::string(2 * depth_, ' ') + line + "\n";
  }
  void Block(const std::vector<Statement>& statements) {
    ++depth_;
    for (const Statement& s : statements) Show(s);
    if (statements.empty()) Line("nothing");
    --depth_;
  }
  static std::string Expression(const Statement& s) {
    const int operands[] = {s.a, s.b, s.c};
    std::string text;
    for (const char* c = Rules()[s.rule].text; *c; ++c) {
      if (*c == '$') {
        text += NameOf(operands[*++c - '0']);
      } else if (*c == '#') {
        text += std::to_string(s.param);
      } else {
        text += *c;
      }
    }
    return text;
  }
  void Show(const Statement& s) {
    const std::string to = NameOf(s.to), a = NameOf(s.a), b = NameOf(s.b);
    const std::string which = std::to_string(s.which);
    const std::string param = std::to_string(s.param);
    switch (s.type) {
      case Type::kOp:
        return Line(to + " = " + Expression(s));
      case Type::kIf:
        Line("if " + a + ":");
        Block(s.body);
        if (s.other.empty()) return;
        Line("else:");
        return Block(s.other);
      case Type::kChoose:
        Line("case " + a + " % 3 == 0:");
        Block(s.body);
        Line("case 1:");
        return Block(s.other);
      case Type::kFor:
        Line("repeat " + (s.param >= 0 ? param : a + " % 5") + " times:");
        return Block(s.body);
      case Type::kLeave:
        return Line("if " + a + ": " + (s.param ? "continue" : "break"));
      case Type::kWrite: {
        static constexpr const char* kWays[] = {
            "assign", "assign", "assign_add", "assign_sub", "scatter_add"};
        return Line("w" + which + "." + kWays[s.param] + "(tanh " + b +
                    (s.param == 4 ? ") at " + a : ")"));
      }
      case Type::kRead:
        return Line(to + " = w" + which + ".value()");
      case Type::kPrint:
        return Line("print " + a + " + 1000 * " + param);
      case Type::kCall:
        return Line(to + " = f" + which + "(" + a + ", " + b + "), param " +
                    param);
      case Type::kTape:
        Line(to + " = gradient of sin " + b + " + |" + a + "|^2 / 10 by " + a +
             (s.param < 2 ? " after:" : ", twice, after:"));
        return Block(s.body);
      case Type::kArray:
        Line(to + " = TensorArray of " + param + " times " + a + " after:");
        return Block(s.body);
      case Type::kFold:
        return Line(to + (s.param ? " = map_fn of rows of " : " = foldl of ") +
                    a + " with " + b);
    }
  }

  const Program& p_;
  std::string text_;
  int depth_ = 0;
};

}  // namespace

std::string Listing(const Program& program) { return Lister(program).Make(); }

}  // namespace fuzz
