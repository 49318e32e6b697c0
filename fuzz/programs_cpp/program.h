// A random program as data: registers of fixed kinds, and statements that
// change them. A seed determines it.
#ifndef GK_FUZZ_PROGRAMS_CPP_PROGRAM_H_
#define GK_FUZZ_PROGRAMS_CPP_PROGRAM_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

// What a register holds. Floats are of the program's element type.
enum class Kind { kScalar, kVector, kMatrix, kInt, kInts, kBool };
inline constexpr int kNumKinds = 6;

inline bool IsFloat(Kind k) { return k <= Kind::kMatrix; }

// Every frame, of the program and of each of its functions, has these.
inline constexpr std::array<Kind, 14> kRegisters = {
    Kind::kScalar, Kind::kScalar, Kind::kScalar, Kind::kVector, Kind::kVector,
    Kind::kVector, Kind::kMatrix, Kind::kMatrix, Kind::kInt,    Kind::kInt,
    Kind::kInts,   Kind::kBool,   Kind::kBool,   Kind::kBool};
inline constexpr int kNumRegisters = static_cast<int>(kRegisters.size());

struct Statement {
  enum class Type {
    kOp,      // to = rule(a, b, c)
    kIf,      // if a: body else: other
    kChoose,  // switch a % 3: body, other, nothing
    kFor,     // param turns, or a % 5 if param < 0: body
    kLeave,   // if a: break (param 0) or continue (param 1)
    kWrite,   // variable `which`, in the way of param, from b (row a)
    kRead,    // to = variable `which`
    kPrint,   // a number and the int a
    kCall,    // to = function `which` (a, b), with variable param
    kTape,    // body; to = gradient of b by a
    kArray,   // param turns write a, after body, to an array; to = its sum
    kFold,    // to = a fold of rule over the rows of matrix a
  };
  Type type = Type::kOp;
  int rule = 0;
  int to = 0;
  int a = 0, b = 0, c = 0;
  int which = 0;
  int param = 0;
  std::vector<Statement> body, other;
};

struct Function {
  std::vector<Statement> body;
  int result = 0;      // the register that it returns
  int a = 0, b = 0;    // those that its arguments go to
  bool traced = true;  // else a plain lambda
  bool recursive = false;
  // The kind of the variable it takes; any other if none of that kind is
  // there.
  bool takes_variable = false;
};

struct Program {
  uint64_t seed = 0;
  bool is_double = false;
  bool unknown_shapes = false;
  int width = 3, rows = 2;
  std::vector<Kind> variables;
  std::vector<Function> functions;
  // Registers that are arguments; the others are captured tensors.
  std::array<bool, kRegisters.size()> is_argument{};
  // Registers that the program returns.
  std::array<bool, kRegisters.size()> is_result{};
  // Is the first variable an argument, too?
  bool passes_variable = false;
  std::vector<Statement> body;
};

Program Generate(uint64_t seed);

// The program as text.
std::string Listing(const Program& program);

// How many statements it has, at all depths.
int Size(const Program& program);

// Registers that statements assign, at any depth.
std::vector<int> Assigned(const std::vector<Statement>& statements);

}  // namespace fuzz

#endif  // GK_FUZZ_PROGRAMS_CPP_PROGRAM_H_
