#include "shrink.h"

#include <algorithm>
#include <utility>

namespace fuzz {
namespace {

using Blocks = std::vector<std::vector<Statement>*>;

void AddBlocks(std::vector<Statement>* block, Blocks* found) {
  found->push_back(block);
  for (Statement& s : *block) {
    AddBlocks(&s.body, found);
    AddBlocks(&s.other, found);
  }
}

Blocks BlocksOf(Program* program) {
  Blocks found;
  AddBlocks(&program->body, &found);
  for (Function& f : program->functions) AddBlocks(&f.body, &found);
  return found;
}

class Shrinker {
 public:
  Shrinker(Program program, const std::function<bool(const Program&)>& fails)
      : best_(std::move(program)), fails_(fails) {}

  Program Run() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const size_t size : {8, 4, 2, 1}) changed |= Remove(size);
      changed |= Unwrap();
      changed |= Simplify();
    }
    return std::move(best_);
  }

 private:
  // Is this smaller program one that fails, too?
  bool Try(Program candidate) {
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  // Leaves out `size` statements that follow each other.
  bool Remove(size_t size) {
    bool changed = false;
    for (size_t b = 0; b < BlocksOf(&best_).size(); ++b) {
      for (size_t i = BlocksOf(&best_)[b]->size(); i-- > 0;) {
        Program candidate = best_;
        std::vector<Statement>& block = *BlocksOf(&candidate)[b];
        if (i + size > block.size()) continue;
        block.erase(block.begin() + i, block.begin() + i + size);
        changed |= Try(std::move(candidate));
      }
    }
    return changed;
  }

  // Puts what is in a branch or loop in its place.
  bool Unwrap() {
    bool changed = false;
    for (size_t b = 0; b < BlocksOf(&best_).size(); ++b) {
      for (size_t i = 0; i < BlocksOf(&best_)[b]->size(); ++i) {
        for (const bool other : {false, true}) {
          Program candidate = best_;
          std::vector<Statement>& block = *BlocksOf(&candidate)[b];
          if (i >= block.size()) continue;
          const std::vector<Statement> inner =
              other ? block[i].other : block[i].body;
          // Out of its loop, a statement that leaves one means nothing.
          const bool leaves =
              std::any_of(inner.begin(), inner.end(), [](const Statement& s) {
                return s.type == Statement::Type::kLeave;
              });
          if (inner.empty() || leaves) continue;
          block.erase(block.begin() + i);
          block.insert(block.begin() + i, inner.begin(), inner.end());
          if (Try(std::move(candidate))) {
            changed = true;
            break;
          }
        }
      }
    }
    return changed;
  }

  bool Simplify() {
    bool changed = false;
    const auto attempt = [&](auto&& change) {
      Program candidate = best_;
      if (change(&candidate)) changed |= Try(std::move(candidate));
    };
    const auto off = [](auto member) {
      return [member](Program* p) { return std::exchange(p->*member, false); };
    };
    attempt(off(&Program::is_double));
    attempt(off(&Program::unknown_shapes));
    attempt(off(&Program::passes_variable));
    attempt([](Program* p) { return std::exchange(p->width, 3) != 3; });
    attempt([](Program* p) { return std::exchange(p->rows, 2) != 2; });
    for (int i = 0; i < kNumRegisters; ++i) {
      attempt([i](Program* p) {
        return !p->unknown_shapes && std::exchange(p->is_argument[i], false);
      });
      attempt(
          [i](Program* p) { return std::exchange(p->is_result[i], false); });
    }
    for (size_t i = 0; i < best_.functions.size(); ++i) {
      for (const auto member : {&Function::traced, &Function::recursive,
                                &Function::takes_variable}) {
        attempt([&](Program* p) {
          return std::exchange(p->functions[i].*member, false);
        });
      }
    }
    return changed;
  }

  Program best_;
  const std::function<bool(const Program&)>& fails_;
};

}  // namespace

Program Shrink(Program program,
               const std::function<bool(const Program&)>& fails) {
  return Shrinker(std::move(program), fails).Run();
}

}  // namespace fuzz
