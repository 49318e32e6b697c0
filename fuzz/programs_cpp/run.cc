#include "run.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>
#include <sstream>

#include "interpret.h"

namespace fuzz {
namespace {

using gk::Tensor;
using Tape = Mode::Tape;

constexpr int kCalls = 3;

std::string Printed(const std::string& path) {
  std::ifstream file(path);
  if (!file) return "";
  std::ostringstream text;
  text << file.rdbuf();
  file.close();
  unlink(path.c_str());
  return text.str();
}

template <class T>
void AddNumbers(const Tensor& t, std::vector<double>* numbers) {
  for (const T value : t.flat<T>()) {
    numbers->push_back(static_cast<double>(value));
  }
}

Outcome::Part PartOf(std::string what, const Tensor& t) {
  Outcome::Part part;
  part.what = std::move(what);
  const gk::Shape shape = t.shape();
  for (int i = 0; i < shape.rank(); ++i) part.shape.push_back(shape.dim(i));
  switch (t.dtype()) {
    case gk::DataType::kFloat:
      AddNumbers<float>(t, &part.numbers);
      break;
    case gk::DataType::kDouble:
      AddNumbers<double>(t, &part.numbers);
      break;
    case gk::DataType::kInt32:
      AddNumbers<int32_t>(t, &part.numbers);
      break;
    default:
      AddNumbers<bool>(t, &part.numbers);
  }
  return part;
}

std::string Numbered(const char* word, int call, size_t number) {
  return "call " + std::to_string(call) + ", " + word + " " +
         std::to_string(number);
}

using Tensors = std::vector<Tensor>;
using Variables = std::vector<gk::Variable>;
using Program_ = std::function<Tensors(const Tensors&, const Variables&)>;

// The first and second gradients of a program by the floats among its
// arguments and by its variables.
Tensors Gradients(const Program_& f, const Tensors& arguments,
                  const Variables& given, const Variables& variables) {
  const auto is_float = [](const Tensor& t) {
    return t.dtype() == gk::DataType::kFloat ||
           t.dtype() == gk::DataType::kDouble;
  };
  const auto sum = [&](const Tensors& all) {
    Tensor total;
    for (const Tensor& t : all) {
      if (!t.defined() || !is_float(t)) continue;
      const Tensor part = gk::reduce_sum(gk::sin(t));
      total = total.defined() ? total + part : part;
    }
    return total;
  };
  std::vector<gk::TensorOrVariable> sources;
  Tensors like;
  gk::GradientTape outer, inner;
  for (const Tensor& t : arguments) {
    if (!is_float(t)) continue;
    sources.emplace_back(t);
    like.push_back(t);
    outer.watch(t);
    inner.watch(t);
  }
  for (const gk::Variable& v : variables) {
    sources.emplace_back(v);
    like.push_back(v.value());
  }
  const Tensor y = sum(f(arguments, given));
  Tensors all{y};
  Tensors first = inner.gradient(Tensors{y}, sources);
  const Tensor z = sum(first);
  Tensors second;
  if (z.defined()) second = outer.gradient(Tensors{z}, sources);
  second.resize(first.size());
  for (const Tensors& gradients : {first, second}) {
    for (size_t i = 0; i < gradients.size(); ++i) {
      all.push_back(gradients[i].defined() ? gradients[i]
                                           : gk::zeros_like(like[i]));
    }
  }
  return all;
}

// By how much the elements of two tensors may differ: sums of gradients are
// taken in any order, and second gradients amplify what that makes.
double Tolerance(const Outcome::Part& a, bool is_double) {
  double largest = 1;
  for (const double x : a.numbers) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  return largest * (is_double ? 1e-7 : 1e-2);
}

bool Same(double a, double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= tolerance;
}

bool HasTape(const std::vector<Statement>& statements) {
  return std::any_of(statements.begin(), statements.end(),
                     [](const Statement& s) {
                       return s.type == Statement::Type::kTape ||
                              HasTape(s.body) || HasTape(s.other);
                     });
}

bool HasTape(const Program& program) {
  return HasTape(program.body) ||
         std::any_of(program.functions.begin(), program.functions.end(),
                     [](const Function& f) { return HasTape(f.body); });
}

// By how much an element changes where only last digits do; without bounds if
// it becomes a number, or is none any more.
double Spread(const Outcome& want, std::span<const Outcome> shaken, size_t part,
              size_t element) {
  const double number = want.parts[part].numbers[element];
  double largest = 0;
  for (const Outcome& other : shaken) {
    const double found = other.parts[part].numbers[element];
    if (Same(number, found, 0)) continue;
    const double distance = std::abs(found - number);
    largest = std::isfinite(distance) ? std::max(largest, distance)
                                      : std::numeric_limits<double>::infinity();
  }
  return largest;
}

// `shaken`: what `want` comes to where last digits differ. An element may
// differ by what they make of it.
std::string Difference(const Outcome& want, const Outcome& got, bool exact,
                       bool is_double, std::span<const Outcome> shaken) {
  constexpr double kMargin = 64;
  const auto all_shaken = [&](const std::string Outcome::*member) {
    return std::all_of(shaken.begin(), shaken.end(), [&](const Outcome& o) {
      return o.*member == want.*member;
    });
  };
  if (!all_shaken(&Outcome::error)) return "";
  if (want.error != got.error) {
    return "error: \"" + want.error + "\" became \"" + got.error + "\"";
  }
  if (!want.error.empty()) return "";
  for (size_t i = 0; i < want.parts.size(); ++i) {
    const Outcome::Part& a = want.parts[i];
    if (i >= got.parts.size()) return a.what + ": missing";
    const Outcome::Part& b = got.parts[i];
    if (a.shape != b.shape) return a.what + ": another shape";
    const double tolerance = exact ? 0 : Tolerance(a, is_double);
    for (size_t k = 0; k < a.numbers.size(); ++k) {
      if (!Same(a.numbers[k], b.numbers[k], tolerance)) {
        const double spread = Spread(want, shaken, i, k);
        if (std::isinf(spread) ||
            Same(a.numbers[k], b.numbers[k], spread * kMargin)) {
          continue;
        }
        std::ostringstream text;
        text.precision(12);
        text << a.what << ", element " << k << ": " << a.numbers[k]
             << " became " << b.numbers[k];
        return text.str();
      }
    }
  }
  if (want.printed != got.printed && all_shaken(&Outcome::printed)) {
    return "printed: \"" + want.printed + "\" became \"" + got.printed + "\"";
  }
  return "";
}

bool IsTape(const Mode& mode) { return mode.tape != Tape::kNone; }

// All programs are traced; each of the other modes sees some of them.
bool IsTurnOf(int mode, uint64_t seed) {
  if (mode == 2) return true;
  return IsTape(Modes()[mode]) ? seed % 12 == static_cast<uint64_t>(mode) - 6
                               : seed % 3 == static_cast<uint64_t>(mode) - 3;
}

}  // namespace

const std::vector<Mode>& Modes() {
  static const auto* modes = new std::vector<Mode>{
      {"eager", false},
      {"eager gradients", false, true, true, Tape::kOutside},
      {"traced"},
      {"without passes", true, false},
      {"without lowering", true, true, false},
      {"without passes and lowering", true, false, false},
      {"gradients of a traced call", true, true, true, Tape::kOutside},
      {"traced gradients", true, true, true, Tape::kInside},
      {"traced gradients without passes", true, false, true, Tape::kInside},
      {"traced gradients without lowering", true, true, false, Tape::kInside},
  };
  return *modes;
}

Outcome Runner::Run(const Program& program, const Mode& mode, uint64_t noise) {
  Outcome outcome;
  Printed(path_);
  SetPasses(mode.passes);
  SetLowering(mode.lowered);
  try {
    const Instance instance(program, mode.traced, path_, noise);
    gk::FunctionOptions options;
    if (program.unknown_shapes) {
      options.input_signature = instance.Signature();
    }
    const auto plain = [&](const Tensors& a, const Variables& v) {
      return instance.Run(a, v);
    };
    const auto traced = gk::function(plain, options);
    Program_ f = plain;
    if (mode.traced) {
      f = [&](const Tensors& a, const Variables& v) { return traced(a, v); };
    }
    const auto with_tape = [&](const Tensors& a, const Variables& v) {
      return Gradients(f, a, v, instance.variables());
    };
    const auto traced_tape = gk::function(with_tape);
    Variables given;
    if (program.passes_variable) given.push_back(instance.variables()[0]);
    for (int call = 0; call < (IsTape(mode) ? 2 : kCalls); ++call) {
      const Tensors arguments = instance.Arguments(call);
      Tensors results;
      switch (mode.tape) {
        case Tape::kNone:
          results = f(arguments, given);
          break;
        case Tape::kOutside:
          results = with_tape(arguments, given);
          break;
        case Tape::kInside:
          results = traced_tape(arguments, given);
          break;
      }
      for (size_t i = 0; i < results.size(); ++i) {
        outcome.parts.push_back(
            PartOf(Numbered("result", call, i), results[i]));
      }
      for (size_t i = 0; i < instance.variables().size(); ++i) {
        outcome.parts.push_back(PartOf(Numbered("variable", call, i),
                                       instance.variables()[i].value()));
      }
    }
  } catch (const gk::Error& e) {
    outcome.error = e.what();
  }
  SetPasses(true);
  SetLowering(true);
  outcome.printed = Printed(path_);
  return outcome;
}

std::string Check(Runner* runner, const Program& program, int only, int* mode) {
  const std::vector<Mode>& modes = Modes();
  Outcome wanted[2];
  bool known[2] = {false, false};
  for (int i = 2; i < static_cast<int>(modes.size()); ++i) {
    if (only >= 0 ? i != only : !IsTurnOf(i, program.seed)) continue;
    const int reference = IsTape(modes[i]);
    if (!known[reference]) {
      wanted[reference] = runner->Run(program, modes[reference]);
      known[reference] = true;
    }
    const bool exact = reference == 0 && !HasTape(program);
    const Outcome got = runner->Run(program, modes[i]);
    const auto difference = [&](std::span<const Outcome> shaken) {
      return Difference(wanted[reference], got, exact, program.is_double,
                        shaken);
    };
    std::string said = difference({});
    if (!said.empty() && !exact) {
      constexpr int kShaken = 4;
      std::vector<Outcome> shaken;
      for (int noise = 1; noise <= kShaken; ++noise) {
        shaken.push_back(runner->Run(program, modes[reference], noise));
      }
      said = difference(shaken);
    }
    if (!said.empty()) {
      *mode = i;
      return said;
    }
  }
  return "";
}

std::string SortOf(const std::string& difference) {
  std::string sort;
  for (const char c : difference.substr(0, difference.find("became"))) {
    if (std::isalpha(static_cast<unsigned char>(c))) sort += c;
  }
  return sort.substr(0, 24);
}

}  // namespace fuzz
