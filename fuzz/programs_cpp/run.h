// Runs programs in all ways and compares what they come to.
#ifndef GK_FUZZ_PROGRAMS_CPP_RUN_H_
#define GK_FUZZ_PROGRAMS_CPP_RUN_H_

#include <string>
#include <vector>

#include "program.h"

namespace fuzz {

// One way to run a program.
struct Mode {
  const char* name;
  bool traced = true;
  bool passes = true;
  bool lowered = true;
  enum class Tape { kNone, kOutside, kInside } tape = Tape::kNone;
};

// What a program came to: everything as bytes that can be compared, with
// words for each part.
struct Outcome {
  struct Part {
    std::string what;  // "call 0, result 2"
    std::vector<double> numbers;
    std::vector<int64_t> shape;
  };
  std::vector<Part> parts;
  std::string printed;
  std::string error;  // its code and text
};

// The modes, the first two being those that the others are compared with:
// values and gradients, both eager.
const std::vector<Mode>& Modes();

class Runner {
 public:
  // Prints of programs go to the file `path`.
  explicit Runner(std::string path) : path_(std::move(path)) {}
  // `noise`: see Instance.
  Outcome Run(const Program& program, const Mode& mode, uint64_t noise = 0);

 private:
  std::string path_;
};

// The first difference of all modes; empty if there is none. `mode` gets the
// number of the one that differs. `only`: that mode alone, or -1.
std::string Check(Runner* runner, const Program& program, int only, int* mode);

// What is seen as a difference of the same sort.
std::string SortOf(const std::string& difference);

// Switches of the library, for what is made from now on.
void SetPasses(bool on);
void SetLowering(bool on);

}  // namespace fuzz

#endif  // GK_FUZZ_PROGRAMS_CPP_RUN_H_
