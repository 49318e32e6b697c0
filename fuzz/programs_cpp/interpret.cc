#include "interpret.h"

#include <cmath>

namespace fuzz {
namespace {

using gk::Tensor;
using Type = Statement::Type;

// A function made by gk::function, or a lambda, by what it captures.
template <class F>
auto Traced(F f, bool traced) {
  return [traced, plain = f, made = gk::function(f)](const auto&... a) {
    return traced ? made(a...) : plain(a...);
  };
}

}  // namespace

Instance::Instance(const Program& program, bool traced, std::string path,
                   uint64_t noise)
    : program_(program),
      traced_(traced),
      path_(std::move(path)),
      facts_{program.is_double ? gk::DataType::kDouble : gk::DataType::kFloat,
             program.width, program.rows, 0},
      shakes_(noise != 0),
      noise_(noise) {
  int salt = 50;
  for (const Kind kind : program.variables) {
    variables_.emplace_back(Made(kind, salt++));
  }
  for (int i = 0; i < kNumRegisters; ++i) {
    captured_.push_back(Made(kRegisters[i], 20 + i));
  }
  for (int i = 0; i < static_cast<int>(program.functions.size()); ++i) {
    const Function& f = program.functions[i];
    const bool trace = traced && f.traced;
    auto body = [this, i](Tensor a, Tensor b, int depth) {
      return Body(i, a, b, nullptr, depth);
    };
    auto with = [this, i](Tensor a, Tensor b, gk::Variable v, int depth) {
      return Body(i, a, b, &v, depth);
    };
    calls_.push_back([call = Traced(body, trace),
                      call_with = Traced(with, trace)](
                         const Tensor& a, const Tensor& b,
                         const gk::Variable* variable, int depth) {
      return variable ? call_with(a, b, *variable, depth) : call(a, b, depth);
    });
  }
}

Tensor Instance::Made(Kind kind, int salt) const {
  int count = 1;
  gk::Shape shape;
  if (kind == Kind::kVector || kind == Kind::kInts) {
    count = program_.width;
    shape = gk::Shape{count};
  } else if (kind == Kind::kMatrix) {
    count = program_.width * program_.rows;
    shape = gk::Shape{program_.rows, program_.width};
  }
  const auto value = [&](int i) {
    const auto mixed = (i + 1) * 2654435761u + salt * 40503u +
                       static_cast<uint32_t>(program_.seed) * 97u;
    return static_cast<int>((mixed >> 7) % 400);
  };
  if (kind == Kind::kBool) return Tensor(value(0) % 2 == 0);
  if (!IsFloat(kind)) {
    std::vector<int32_t> numbers(count);
    for (int i = 0; i < count; ++i) numbers[i] = value(i) % 9 - 2;
    return kind == Kind::kInt ? Tensor(numbers[0]) : Tensor(numbers, shape);
  }
  std::vector<float> numbers(count);
  for (int i = 0; i < count; ++i) numbers[i] = value(i) * 0.01f - 2;
  const Tensor made =
      kind == Kind::kScalar ? Tensor(numbers[0]) : Tensor(numbers, shape);
  return Shaken(gk::cast(made, facts_.dtype));
}

Tensor Instance::Shaken(const Tensor& t) const {
  if (!shakes_) return t;
  const gk::Shape shape = t.shape();
  int64_t count = 1;
  for (int i = 0; i < shape.rank(); ++i) count *= shape.dim(i);
  const double unit = program_.is_double ? 0x1p-51 : 0x1p-22;
  std::vector<double> factors(count);
  for (double& f : factors) {
    f = 1 + unit * (static_cast<double>(noise_() >> 11) * 0x1p-52 - 1);
  }
  return t * gk::reshape(gk::cast(Tensor(factors), facts_.dtype), shape);
}

std::vector<Tensor> Instance::Arguments(int call) const {
  std::vector<Tensor> made;
  for (int i = 0; i < kNumRegisters; ++i) {
    if (program_.is_argument[i]) {
      made.push_back(Made(kRegisters[i], 100 * (call + 1) + i));
    }
  }
  return made;
}

gk::Shape Instance::ShapeOf(Kind kind, bool unknown) const {
  switch (kind) {
    case Kind::kVector:
    case Kind::kInts:
      return gk::Shape{unknown ? gk::kUnknown : program_.width};
    case Kind::kMatrix:
      return unknown ? gk::Shape{gk::kUnknown, gk::kUnknown}
                     : gk::Shape{program_.rows, program_.width};
    default:
      return gk::Shape();
  }
}

std::vector<gk::TensorSpec> Instance::Signature() const {
  std::vector<gk::TensorSpec> specs;
  for (int i = 0; i < kNumRegisters; ++i) {
    if (!program_.is_argument[i]) continue;
    gk::DataType dtype = facts_.dtype;
    if (kRegisters[i] == Kind::kBool) {
      dtype = gk::DataType::kBool;
    } else if (!IsFloat(kRegisters[i])) {
      dtype = gk::DataType::kInt32;
    }
    specs.emplace_back(ShapeOf(kRegisters[i], true), dtype);
  }
  return specs;
}

std::vector<Tensor> Instance::Run(
    const std::vector<Tensor>& arguments,
    const std::vector<gk::Variable>& given) const {
  Frame frame{captured_, variables_, 0, {}};
  if (!given.empty()) frame.variables[0] = given[0];
  size_t next = 0;
  for (int i = 0; i < kNumRegisters; ++i) {
    if (program_.is_argument[i]) frame.registers[i] = arguments[next++];
  }
  Execute(program_.body, &frame);
  std::vector<Tensor> results;
  for (int i = 0; i < kNumRegisters; ++i) {
    if (program_.is_result[i]) results.push_back(frame.registers[i]);
  }
  return results;
}

Tensor Instance::Body(int function, const Tensor& a, const Tensor& b,
                      const gk::Variable* variable, int depth) const {
  const Function& f = program_.functions[function];
  Frame frame{captured_, variables_, depth, {}};
  frame.registers[f.a] = a;
  frame.registers[f.b] = b;
  if (variable) {
    // It stands for the first of its kind; the others, maybe the same
    // variable, are captured.
    for (size_t i = 0; i < frame.variables.size(); ++i) {
      if (frame.variables[i].dtype() == variable->dtype() &&
          frame.variables[i].shape() == variable->shape()) {
        frame.variables[i] = *variable;
        break;
      }
    }
  }
  Execute(f.body, &frame);
  if (f.recursive && depth > 0) {
    const Tensor again = calls_[function](
        frame.registers[f.a], frame.registers[f.b], variable, depth - 1);
    return again + frame.registers[f.result];
  }
  return frame.registers[f.result];
}

void Instance::Execute(const std::vector<Statement>& statements,
                       Frame* frame) const {
  ExecuteFrom(statements, 0, frame);
}

void Instance::ExecuteFrom(const std::vector<Statement>& statements, size_t at,
                           Frame* frame) const {
  for (; at < statements.size(); ++at) {
    const Statement& s = statements[at];
    const bool inner = s.type == Type::kIf || s.type == Type::kChoose;
    if (s.type != Type::kLeave && !(inner && frame->left.defined())) {
      Execute(s, frame);
      continue;
    }
    // What follows happens only if the turn goes on.
    Tensor go;
    if (s.type == Type::kLeave) {
      go = gk::logical_not(frame->registers[s.a]);
      if (s.param == 0) {
        frame->left = gk::logical_or(frame->left, frame->registers[s.a]);
      }
    } else {
      Execute(s, frame);
      go = gk::logical_not(frame->left);
    }
    if (at + 1 == statements.size()) return;
    const std::vector<Statement> rest(statements.begin() + at + 1,
                                      statements.end());
    const std::vector<int> changed = Assigned(rest);
    auto values = [&](const Frame& f) {
      std::vector<Tensor> found{f.left};
      for (const int r : changed) found.push_back(f.registers[r]);
      return found;
    };
    const std::vector<Tensor> after = gk::cond(
        go,
        [&] {
          Frame inside = *frame;
          ExecuteFrom(rest, 0, &inside);
          return values(inside);
        },
        [&] { return values(*frame); });
    frame->left = after[0];
    for (size_t i = 0; i < changed.size(); ++i) {
      frame->registers[changed[i]] = after[i + 1];
    }
    return;
  }
}

void Instance::Execute(const Statement& s, Frame* frame) const {
  Registers& r = frame->registers;
  switch (s.type) {
    case Type::kOp: {
      Facts facts = facts_;
      facts.param = s.param;
      const Tensor in[] = {r[s.a], r[s.b], r[s.c]};
      r[s.to] = Rules()[s.rule].make(in, facts);
      return;
    }
    case Type::kIf:
      return If(s, frame);
    case Type::kChoose:
      return Choose(s, frame);
    case Type::kFor:
      return For(s, frame);
    case Type::kLeave:
      return;
    case Type::kWrite:
      return Write(s, frame);
    case Type::kRead:
      r[s.to] = frame->variables[s.which].value();
      return;
    case Type::kPrint:
      gk::ops::PrintV2(gk::as_string(r[s.a] + 1000 * s.param),
                       "file://" + path_);
      return;
    case Type::kCall:
      return CallFunction(s, frame);
    case Type::kTape:
      return Tape(s, frame);
    case Type::kArray:
      return Array(s, frame);
    case Type::kFold:
      return Fold(s, frame);
  }
}

void Instance::If(const Statement& s, Frame* frame) const {
  std::vector<Statement> both = s.body;
  both.insert(both.end(), s.other.begin(), s.other.end());
  const std::vector<int> changed = Assigned(both);
  const bool leaves = frame->left.defined();
  auto branch = [&](const std::vector<Statement>& statements) {
    Frame inside = *frame;
    Execute(statements, &inside);
    std::vector<Tensor> found;
    if (leaves) found.push_back(inside.left);
    for (const int r : changed) found.push_back(inside.registers[r]);
    return found;
  };
  const std::vector<Tensor> after = gk::cond(
      frame->registers[s.a], [&] { return branch(s.body); },
      [&] { return branch(s.other); });
  if (leaves) frame->left = after[0];
  for (size_t i = 0; i < changed.size(); ++i) {
    frame->registers[changed[i]] = after[i + leaves];
  }
}

void Instance::Choose(const Statement& s, Frame* frame) const {
  std::vector<Statement> both = s.body;
  both.insert(both.end(), s.other.begin(), s.other.end());
  const std::vector<int> changed = Assigned(both);
  const bool leaves = frame->left.defined();
  static const std::vector<Statement> kNothing;
  using Branch = std::function<std::vector<Tensor>()>;
  std::vector<Branch> branches;
  for (const auto* statements : {&s.body, &s.other, &kNothing}) {
    branches.push_back([&, statements] {
      Frame inside = *frame;
      Execute(*statements, &inside);
      std::vector<Tensor> found;
      if (leaves) found.push_back(inside.left);
      for (const int r : changed) found.push_back(inside.registers[r]);
      return found;
    });
  }
  const std::vector<Tensor> after =
      gk::switch_case(frame->registers[s.a] % 3, branches);
  if (leaves) frame->left = after[0];
  for (size_t i = 0; i < changed.size(); ++i) {
    frame->registers[changed[i]] = after[i + leaves];
  }
}

gk::WhileOptions Instance::Options(const std::vector<int>& carried,
                                   int others) const {
  gk::WhileOptions options;
  if (!program_.unknown_shapes) return options;
  options.shape_invariants.resize(others, gk::Shape());
  for (const int r : carried) {
    options.shape_invariants.push_back(ShapeOf(kRegisters[r], true));
  }
  return options;
}

void Instance::For(const Statement& s, Frame* frame) const {
  const std::vector<int> carried = Assigned(s.body);
  const Tensor turns =
      s.param >= 0 ? Tensor(s.param) : frame->registers[s.a] % 5;
  std::vector<Tensor> state{Tensor(0), Tensor(false)};
  for (const int r : carried) state.push_back(frame->registers[r]);
  const std::vector<Tensor> after = gk::while_loop(
      [&](const std::vector<Tensor>& now) {
        return gk::logical_and(now[0] < turns, gk::logical_not(now[1]));
      },
      [&](const std::vector<Tensor>& now) {
        Frame inside = *frame;
        inside.left = now[1];
        for (size_t i = 0; i < carried.size(); ++i) {
          inside.registers[carried[i]] = now[i + 2];
        }
        Execute(s.body, &inside);
        std::vector<Tensor> next{now[0] + 1, inside.left};
        for (const int r : carried) next.push_back(inside.registers[r]);
        return next;
      },
      state, Options(carried, 2));
  for (size_t i = 0; i < carried.size(); ++i) {
    frame->registers[carried[i]] = after[i + 2];
  }
}

void Instance::Write(const Statement& s, Frame* frame) const {
  const gk::Variable& v = frame->variables[s.which];
  const Tensor value = gk::tanh(frame->registers[s.b]);
  switch (s.param) {
    case 0:
    case 1:
      v.assign(value);
      return;
    case 2:
      v.assign_add(value);
      return;
    case 3:
      v.assign_sub(value * 0.5);
      return;
    default:
      if (kRegisters[s.b] == Kind::kScalar) {
        v.assign(v.value() * 0.5 + value);
      } else {
        const int size =
            kRegisters[s.b] == Kind::kVector ? program_.width : program_.rows;
        const Tensor i =
            gk::reshape(gk::math::floormod(frame->registers[s.a], size), {1});
        gk::ops::ResourceScatterAdd(v.handle(), i, gk::gather(value, i));
      }
      return;
  }
}

void Instance::CallFunction(const Statement& s, Frame* frame) const {
  const Function& f = program_.functions[s.which];
  const gk::Variable* variable =
      f.takes_variable && !frame->variables.empty()
          ? &frame->variables[s.param % frame->variables.size()]
          : nullptr;
  frame->registers[s.to] =
      calls_[s.which](frame->registers[s.a], frame->registers[s.b], variable,
                      f.recursive ? s.param : 0);
}

void Instance::Tape(const Statement& s, Frame* frame) const {
  // A tensor of its own, which nothing else shares.
  const Tensor source = frame->registers[s.a] + 0;
  const auto or_zeros = [&](const Tensor& gradient) {
    return gradient.defined() ? Shaken(gradient) : gk::zeros_like(source);
  };
  const auto slope = [&](gk::GradientTape* tape) {
    tape->watch(source);
    frame->registers[s.a] = source;
    Execute(s.body, frame);
    const Tensor target =
        gk::sin(frame->registers[s.b]) + gk::reduce_sum(source * source) * 0.1;
    return or_zeros(tape->gradient(target, source));
  };
  if (s.param < 2) {
    gk::GradientTape tape;
    frame->registers[s.to] = slope(&tape);
    return;
  }
  gk::GradientTape outer;
  outer.watch(source);
  Tensor first;
  {
    gk::GradientTape inner;
    first = slope(&inner);
  }
  frame->registers[s.to] = or_zeros(outer.gradient(gk::sin(first), source));
}

void Instance::Array(const Statement& s, Frame* frame) const {
  gk::TensorArrayOptions options;
  options.dynamic_size = s.param % 2 == 0;
  options.clear_after_read = false;
  options.element_shape = ShapeOf(kRegisters[s.a], program_.unknown_shapes);
  const gk::TensorArray start(facts_.dtype, options.dynamic_size ? 0 : s.param,
                              options);
  const std::vector<int> carried = Assigned(s.body);
  std::vector<Tensor> state{Tensor(0)};
  for (const int r : carried) state.push_back(frame->registers[r]);
  auto [after, array] = gk::while_loop(
      [&](const std::vector<Tensor>& now, const gk::TensorArray&) {
        return now[0] < s.param;
      },
      [&](const std::vector<Tensor>& now, gk::TensorArray filled) {
        Frame inside = *frame;
        inside.left = Tensor();
        for (size_t i = 0; i < carried.size(); ++i) {
          inside.registers[carried[i]] = now[i + 1];
        }
        Execute(s.body, &inside);
        filled = filled.write(now[0], inside.registers[s.a]);
        std::vector<Tensor> next{now[0] + 1};
        for (const int r : carried) next.push_back(inside.registers[r]);
        return std::tuple(next, filled);
      },
      std::tuple(state, start),
      [&] {
        gk::WhileOptions o = Options(carried, 1);
        if (!o.shape_invariants.empty()) {
          o.shape_invariants.push_back(gk::Shape());
        }
        return o;
      }());
  for (size_t i = 0; i < carried.size(); ++i) {
    frame->registers[carried[i]] = after[i + 1];
  }
  const Tensor all = s.param % 2 ? array.stack() : array.gather({0});
  frame->registers[s.to] = gk::reduce_sum(all, 0) * 0.5 + array.read(0) * 0.1;
}

void Instance::Fold(const Statement& s, Frame* frame) const {
  const Tensor& rows = frame->registers[s.a];
  const Tensor& fixed = frame->registers[s.b];
  if (s.param == 0) {
    frame->registers[s.to] = gk::foldl(
        [&](Tensor sum, Tensor row) { return gk::tanh(sum + row * fixed); },
        rows);
  } else {
    const Tensor mapped = gk::map_fn(
        [&](Tensor row) { return gk::nn::softmax(row) * fixed; }, rows);
    frame->registers[s.to] = gk::reduce_sum(mapped, 0);
  }
}

}  // namespace fuzz
