#include <algorithm>
#include <random>

#include "program.h"
#include "rules.h"

namespace fuzz {
namespace {

using Type = Statement::Type;

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15 + 1) {
    p_.seed = seed;
  }

  Program Make() {
    p_.is_double = Chance(0.5);
    p_.unknown_shapes = Chance(0.2);
    static constexpr int kWidths[] = {3, 3, 3, 4, 5, 7, 16, 33};
    p_.width = kWidths[Below(8)];
    // Enough for clusters with variables, and for tiles.
    if (Chance(0.06)) p_.width = Chance(0.5) ? 600 : 2100;
    p_.rows = 2 + Below(3);
    if (Chance(0.75)) {
      const int n = 1 + Below(3);
      for (int i = 0; i < n; ++i) {
        p_.variables.push_back(static_cast<Kind>(Below(3)));
      }
    }
    const int n = Below(4) - 1;
    for (int i = 0; i < n; ++i) p_.functions.push_back(MakeFunction());
    static constexpr int kSizes[] = {2, 4, 6, 9, 14, 20};
    left_ = kSizes[Below(6)];
    for (int i = 0; i < kNumRegisters; ++i) {
      p_.is_argument[i] = p_.unknown_shapes || Chance(0.6);
      p_.is_result[i] = Chance(0.4);
    }
    p_.is_argument[0] = p_.is_result[0] = true;
    p_.passes_variable = !p_.variables.empty() && Chance(0.3);
    while (left_ > 0) p_.body.push_back(Make(0, false));
    return std::move(p_);
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % n); }
  bool Chance(double p) { return (random_() >> 11) * 0x1p-53 < p; }

  int Register(Kind kind) {
    int found[kNumRegisters], n = 0;
    for (int i = 0; i < kNumRegisters; ++i) {
      if (kRegisters[i] == kind) found[n++] = i;
    }
    return found[Below(n)];
  }
  int FloatRegister() { return Below(8); }

  Function MakeFunction() {
    Function f;
    left_ = 1 + Below(4);
    const int own = static_cast<int>(p_.functions.size());
    functions_ = own;
    f.traced = Chance(0.75);
    f.recursive = Chance(0.1);
    f.takes_variable = !p_.variables.empty() && Chance(0.4);
    f.a = FloatRegister();
    f.b = Below(kNumRegisters);
    f.result = FloatRegister();
    while (left_ > 0) f.body.push_back(Make(0, false));
    functions_ = own + 1;
    return f;
  }

  std::vector<Statement> Block(int depth, bool in_loop) {
    std::vector<Statement> made;
    const int n = 1 + Below(3);
    for (int i = 0; i < n; ++i) made.push_back(Make(depth, in_loop));
    return made;
  }

  Statement Op(int to) {
    Statement s;
    s.to = to;
    const std::vector<int>& rules = RulesFor(kRegisters[to], p_.unknown_shapes);
    s.rule = rules[Below(static_cast<int>(rules.size()))];
    const Rule& rule = Rules()[s.rule];
    int* const operands[] = {&s.a, &s.b, &s.c};
    for (size_t i = 0; i < rule.operands.size(); ++i) {
      *operands[i] = Register(rule.operands[i]);
    }
    s.param = Below(17);
    return s;
  }

  Statement Make(int depth, bool in_loop) {
    --left_;
    Statement s;
    const int kind = left_ < 0 || depth > 4 ? 0 : Below(100);
    if (kind < 42) return Op(Below(kNumRegisters));
    if (kind < 52) {
      s.type = Type::kIf;
      s.a = Register(Kind::kBool);
      s.body = Block(depth + 1, in_loop);
      if (Chance(0.6)) s.other = Block(depth + 1, in_loop);
    } else if (kind < 64) {
      if (loops_ >= 3) return Op(Below(kNumRegisters));
      s.type = Type::kFor;
      s.param = Chance(0.6) ? Below(5) : -1;
      s.a = Register(Kind::kInt);
      ++loops_;
      s.body = Block(depth + 1, true);
      --loops_;
    } else if (kind < 70) {
      if (!in_loop) return Op(Below(kNumRegisters));
      s.type = Type::kLeave;
      s.a = Register(Kind::kBool);
      s.param = Chance(0.3);
    } else if (kind < 80) {
      if (p_.variables.empty()) return Op(Below(kNumRegisters));
      s.which = Below(static_cast<int>(p_.variables.size()));
      const Kind k = p_.variables[s.which];
      s.type = kind < 76 ? Type::kWrite : Type::kRead;
      s.to = s.b = Register(k);
      s.a = Register(Kind::kInt);
      s.param = Below(5);
    } else if (kind < 82) {
      s.type = Type::kPrint;
      s.a = Register(Kind::kInt);
      s.param = Below(100);
    } else if (kind < 88) {
      if (functions_ == 0) return Op(Below(kNumRegisters));
      s.type = Type::kCall;
      s.which = Below(functions_);
      const Function& f = p_.functions[s.which];
      s.a = Register(kRegisters[f.a]);
      s.b = Register(kRegisters[f.b]);
      s.to = Register(kRegisters[f.result]);
      if (!p_.variables.empty()) {
        s.param = Below(static_cast<int>(p_.variables.size()));
      }
    } else if (kind < 93) {
      s.type = Type::kTape;
      s.a = FloatRegister();
      s.b = FloatRegister();
      s.to = Register(kRegisters[s.a]);
      s.param = Below(3);
      s.body = Block(depth + 1, false);
    } else if (kind < 96) {
      s.type = Type::kArray;
      s.param = 1 + Below(4);
      s.a = FloatRegister();
      s.to = Register(kRegisters[s.a]);
      if (loops_ < 3) {
        ++loops_;
        s.body = Block(depth + 1, false);
        --loops_;
      }
    } else if (kind < 98) {
      s.type = Type::kFold;
      s.a = Register(Kind::kMatrix);
      s.to = Register(Kind::kVector);
      s.b = Register(Kind::kVector);
      s.param = Below(2);
    } else {
      s.type = Type::kChoose;
      s.a = Register(Kind::kInt);
      s.body = Block(depth + 1, in_loop);
      s.other = Block(depth + 1, in_loop);
    }
    return s;
  }

  Program p_;
  std::mt19937_64 random_;
  int left_ = 0;
  int loops_ = 0;
  int functions_ = 0;
};

void AddAssigned(const std::vector<Statement>& statements,
                 std::array<bool, kRegisters.size()>* found) {
  for (const Statement& s : statements) {
    switch (s.type) {
      case Type::kOp:
      case Type::kRead:
      case Type::kCall:
      case Type::kTape:
      case Type::kArray:
      case Type::kFold:
        (*found)[s.to] = true;
        break;
      case Type::kIf:
      case Type::kChoose:
      case Type::kFor:
      case Type::kLeave:
      case Type::kWrite:
      case Type::kPrint:
        break;
    }
    AddAssigned(s.body, found);
    AddAssigned(s.other, found);
  }
}

int SizeOf(const std::vector<Statement>& statements) {
  int n = 0;
  for (const Statement& s : statements) {
    n += 1 + SizeOf(s.body) + SizeOf(s.other);
  }
  return n;
}

}  // namespace

Program Generate(uint64_t seed) { return Generator(seed).Make(); }

std::vector<int> Assigned(const std::vector<Statement>& statements) {
  std::array<bool, kRegisters.size()> found{};
  AddAssigned(statements, &found);
  std::vector<int> numbers;
  for (int i = 0; i < kNumRegisters; ++i) {
    if (found[i]) numbers.push_back(i);
  }
  return numbers;
}

int Size(const Program& program) {
  int n = SizeOf(program.body);
  for (const Function& f : program.functions) n += SizeOf(f.body);
  return n;
}

}  // namespace fuzz
