#include "rules.h"

#include <array>

namespace fuzz {
namespace {

using gk::Tensor;
constexpr Kind kS = Kind::kScalar, kV = Kind::kVector, kM = Kind::kMatrix,
               kI = Kind::kInt, kN = Kind::kInts, kB = Kind::kBool;

#define GK_RULE(result, text, expression, ...)           \
  Rule {                                                 \
    text, result, {__VA_ARGS__},                         \
        [](const Tensor* in, const Facts& f) -> Tensor { \
          (void)in;                                      \
          (void)f;                                       \
          return expression;                             \
        }                                                \
  }
// Of a shape that operands have nothing to do with.
Rule Fixed(Rule rule) {
  rule.fixes_shape = true;
  return rule;
}

// A number in [-1, 1] of the rule's parameter.
double Number(const Facts& f) { return f.param * 0.125 - 1.0; }
Tensor Index(const Tensor& i, int size) {
  return gk::math::floormod(i, Tensor(size));
}
Tensor Float(const Tensor& t, const Facts& f) { return gk::cast(t, f.dtype); }
Tensor Last(const Tensor& t) { return gk::gather(t, -1 + gk::size(t)); }

// Elementwise, for floats of one kind. No slope is infinite: traced, a loop or
// branch sends zeros back to what it has overwritten, and these times infinity
// are no number.
void AddElementwise(Kind k, std::vector<Rule>* rules) {
  const Rule made[] = {
      GK_RULE(k, "gk::tanh($0)", gk::tanh(in[0]), k),
      GK_RULE(k, "gk::sin($0)", gk::sin(in[0]), k),
      GK_RULE(k, "gk::sigmoid($0)", gk::sigmoid(in[0]), k),
      GK_RULE(k, "gk::exp(-gk::abs($0))", gk::exp(-gk::abs(in[0])), k),
      GK_RULE(k, "gk::sqrt(gk::abs($0) + 0.5)", gk::sqrt(gk::abs(in[0]) + 0.5),
              k),
      GK_RULE(k, "gk::nn::relu($0)", gk::nn::relu(in[0]), k),
      GK_RULE(k, "gk::nn::elu($0)", gk::nn::elu(in[0]), k),
      GK_RULE(k, "gk::nn::softplus($0)", gk::nn::softplus(in[0]), k),
      GK_RULE(k, "gk::math::log1p(gk::abs($0))",
              gk::math::log1p(gk::abs(in[0])), k),
      GK_RULE(k, "gk::math::erf($0)", gk::math::erf(in[0]), k),
      GK_RULE(k, "-$0", -in[0], k),
      GK_RULE(k, "gk::identity($0)", gk::identity(in[0]), k),
      GK_RULE(k, "gk::stop_gradient($0)", gk::stop_gradient(in[0]), k),
      // What multiplies values bounds all but one: in nested loops squares
      // soon pass all numbers, and slopes with them.
      GK_RULE(k, "gk::square(gk::sin($0))", gk::square(gk::sin(in[0])), k),
      GK_RULE(k, "gk::floor($0)", gk::floor(in[0]), k),
      GK_RULE(k, "gk::zeros_like($0)", gk::zeros_like(in[0]), k),
      GK_RULE(k, "$0 * # / 8 - 1", in[0] * Number(f), k),
      GK_RULE(k, "$0 + # / 8 - 1", in[0] + Number(f), k),
      GK_RULE(k, "$0 + $1", in[0] + in[1], k, k),
      GK_RULE(k, "$0 - $1", in[0] - in[1], k, k),
      GK_RULE(k, "gk::tanh($0 * $1)", gk::tanh(in[0] * in[1]), k, k),
      GK_RULE(k, "$0 * 0.5 + $1 * 0.5", in[0] * 0.5 + in[1] * 0.5, k, k),
      GK_RULE(k, "gk::maximum($0, $1)", gk::maximum(in[0], in[1]), k, k),
      GK_RULE(k, "gk::minimum($0, $1)", gk::minimum(in[0], in[1]), k, k),
      GK_RULE(k, "$0 / (gk::abs($1) + 1)", in[0] / (gk::abs(in[1]) + 1), k, k),
      GK_RULE(k, "gk::math::squared_difference(tanh($0), sin($1))",
              gk::math::squared_difference(gk::tanh(in[0]), gk::sin(in[1])), k,
              k),
      GK_RULE(k, "gk::math::divide_no_nan($0, relu($1) + ($1 > 0))",
              gk::math::divide_no_nan(
                  in[0], gk::nn::relu(in[1]) + Float(in[1] > 0, f)),
              k, k),
      GK_RULE(k, "gk::add_n({$0, $1, $0})", gk::add_n({in[0], in[1], in[0]}), k,
              k),
      GK_RULE(k, "gk::where($0, $1, $2)", gk::where(in[0], in[1], in[2]), kB, k,
              k),
      GK_RULE(k, "gk::where($0 > $1, $0, $2)",
              gk::where(in[0] > in[1], in[0], in[2]), k, k, k),
      GK_RULE(k, "gk::tanh($0 * $1 + $2)", gk::tanh(in[0] * in[1] + in[2]), k,
              k, k),
      GK_RULE(k, "$0 + gk::cast($1, dtype)", in[0] + Float(in[1] % 9, f), k,
              kI),
      GK_RULE(k, "$0 * $1 (scalar)", in[0] * gk::tanh(in[1]), k, kS),
      GK_RULE(k, "$0 + $1 (scalar)", in[0] + gk::sin(in[1]), k, kS),
  };
  rules->insert(rules->end(), std::begin(made), std::end(made));
}

// Along axes, for vectors and matrices.
void AddAxes(Kind k, std::vector<Rule>* rules) {
  const Rule made[] = {
      GK_RULE(k, "gk::nn::softmax($0)", gk::nn::softmax(in[0]), k),
      GK_RULE(k, "gk::nn::log_softmax($0)", gk::nn::log_softmax(in[0]), k),
      GK_RULE(k, "gk::sort($0)", gk::sort(in[0]), k),
      GK_RULE(k, "gk::sort($0, -1, \"DESCENDING\")",
              gk::sort(in[0], -1, "DESCENDING"), k),
      GK_RULE(k, "gk::cumsum($0) * 0.3", gk::cumsum(in[0]) * 0.3, k),
      GK_RULE(k, "gk::cumsum($0, 0, true, true)",
              gk::cumsum(in[0], 0, true, true) * 0.3, k),
      GK_RULE(k, "gk::math::cumprod(gk::tanh($0))",
              gk::math::cumprod(gk::tanh(in[0])), k),
      GK_RULE(k, "gk::reverse($0, {0})",
              gk::reverse(in[0], std::vector<int64_t>{0}), k),
      GK_RULE(k, "gk::roll($0, #, 0)", gk::roll(in[0], f.param % 5, 0), k),
      GK_RULE(k, "$0 - reduce_max", in[0] - gk::reduce_max(in[0], -1, true), k),
      GK_RULE(k, "$0 - reduce_mean", in[0] - gk::reduce_mean(in[0], 0, true),
              k),
      GK_RULE(k, "$0 - reduce_logsumexp",
              in[0] - gk::reduce_logsumexp(in[0], -1, true), k),
      GK_RULE(k, "$0 / (1 + norm $1)",
              in[0] / (1.0 + gk::sqrt(gk::reduce_sum(gk::square(in[1])) + 0.1)),
              k, k),
      GK_RULE(
          k, "$0 * sqrt(reduce_sum(exp $1))",
          gk::tanh(in[0] * gk::sqrt(gk::reduce_sum(gk::exp(-gk::abs(in[1]))))),
          k, k),
      GK_RULE(
          k, "concat({$0, $1})[1:]",
          gk::slice(gk::concat({in[0], in[1]}, 0),
                    gk::concat({Tensor({1}), gk::zeros_like(gk::slice(
                                                 gk::shape(in[0]), {1}, {-1}))},
                               0),
                    gk::shape(in[0])),
          k, k),
      GK_RULE(k, "gk::reshape(gk::reshape($0, {-1}), gk::shape($1))",
              gk::reshape(gk::reshape(in[0], {-1}), gk::shape(in[1])), k, k),
      GK_RULE(k, "gk::transpose(gk::transpose($0))",
              gk::transpose(gk::transpose(in[0])), k),
      GK_RULE(k, "gk::nn::l2_normalize($0 + 0.1, -1)",
              gk::nn::l2_normalize(in[0] + 0.1, -1), k),
      GK_RULE(k, "gk::unstack and gk::stack",
              gk::concat(
                  {gk::expand_dims(gk::gather(in[0], 0), 0),
                   gk::slice(in[1],
                             gk::concat({Tensor({1}),
                                         gk::zeros_like(gk::slice(
                                             gk::shape(in[1]), {1}, {-1}))},
                                        0),
                             gk::shape(in[1]) -
                                 gk::concat({Tensor({1}),
                                             gk::zeros_like(gk::slice(
                                                 gk::shape(in[1]), {1}, {-1}))},
                                            0))},
                  0),
              k, k),
  };
  rules->insert(rules->end(), std::begin(made), std::end(made));
}

std::vector<Rule> MakeRules() {
  std::vector<Rule> rules;
  for (Kind k : {kS, kV, kM}) AddElementwise(k, &rules);
  for (Kind k : {kV, kM}) AddAxes(k, &rules);
  const Rule made[] = {
      // Scalars.
      GK_RULE(kS, "gk::reduce_sum($0) * 0.2", gk::reduce_sum(in[0]) * 0.2, kV),
      GK_RULE(kS, "gk::reduce_max($0)", gk::reduce_max(in[0]), kV),
      GK_RULE(kS, "gk::reduce_mean($0)", gk::reduce_mean(in[0]), kM),
      GK_RULE(kS, "gk::reduce_min($0)", gk::reduce_min(in[0]), kM),
      GK_RULE(kS, "gk::reduce_prod(gk::sin($0))",
              gk::reduce_prod(gk::sin(in[0])), kV),
      GK_RULE(kS, "gk::tensordot($0, gk::sin($1), 1) * 0.3",
              gk::tensordot(in[0], gk::sin(in[1]), 1) * 0.3, kV, kV),
      GK_RULE(kS, "gk::gather($0, $1 % width)",
              gk::gather(in[0], Index(in[1], f.width)), kV, kI),
      GK_RULE(kS, "last of $0", Last(in[0]), kV),
      GK_RULE(kS, "gk::cast($0 % 9, dtype)", Float(in[0] % 9, f), kI),
      GK_RULE(kS, "gk::cast($0, dtype)", Float(in[0], f), kB),
      GK_RULE(kS, "# / 8 - 1", Tensor::OfNumber(Number(f), f.dtype)),
      GK_RULE(kS, "gk::nn::l2_loss($0)", gk::tanh(gk::nn::l2_loss(in[0])), kV),
      GK_RULE(kS, "gk::math::reduce_std(concat({$0 * tanh($1), {-1, 1}}))",
              gk::math::reduce_std(gk::concat(
                  {in[0] * gk::tanh(in[1]), Float(Tensor({-1, 1}), f)}, 0)),
              kV, kV),
      // Vectors.
      GK_RULE(kV, "gk::reduce_sum($0, 0)", gk::reduce_sum(in[0], 0) * 0.5, kM),
      GK_RULE(kV, "gk::reduce_max($0, 0)", gk::reduce_max(in[0], 0), kM),
      GK_RULE(kV, "gk::gather($0, $1 % rows)",
              gk::gather(in[0], Index(in[1], f.rows)), kM, kI),
      GK_RULE(kV, "gk::gather($0, $1 % width)",
              gk::gather(in[0], Index(in[1], f.width)), kV, kN),
      GK_RULE(kV, "gk::gather_nd($0, expand_dims($1))",
              gk::gather_nd(in[0], gk::expand_dims(Index(in[1], f.width), 1)),
              kV, kN),
      GK_RULE(kV, "gk::scatter_nd($1, $0, shape)",
              gk::scatter_nd(gk::expand_dims(Index(in[1], f.width), 1), in[0],
                             gk::shape(in[0])),
              kV, kN),
      GK_RULE(kV, "gk::tensor_scatter_nd_update($0, {{$1}}, {$2})",
              gk::tensor_scatter_nd_update(
                  in[0], gk::reshape(Index(in[1], f.width), {1, 1}),
                  gk::expand_dims(in[2], 0)),
              kV, kI, kS),
      GK_RULE(kV, "gk::tensor_scatter_nd_add($0, {{$1}}, {$2})",
              gk::tensor_scatter_nd_add(
                  in[0], gk::reshape(Index(in[1], f.width), {1, 1}),
                  gk::expand_dims(in[2], 0)),
              kV, kI, kS),
      GK_RULE(kV, "gk::math::unsorted_segment_sum($0, $1 % width, width)",
              gk::math::unsorted_segment_sum(in[0], Index(in[1], f.width),
                                             gk::size(in[0])),
              kV, kN),
      GK_RULE(kV, "gk::linalg::matvec($0, $1, true)",
              gk::linalg::matvec(in[0], gk::sin(gk::reduce_sum(in[0], 1)),
                                 true) *
                      0.1 +
                  in[1],
              kM, kV),
      GK_RULE(kV, "gk::cast($0 % 7, dtype)", Float(in[0] % 7, f), kN),
      GK_RULE(kV, "gk::broadcast_to($0, shape($1))",
              gk::broadcast_to(in[0], gk::shape(in[1])), kS, kV),
      GK_RULE(kV, "gk::nn::top_k($0, width)[0]",
              gk::nn::top_k(in[0], gk::size(in[0]))[0], kV),
      Fixed(GK_RULE(kV, "gk::one_hot($0 % width, width)",
                    gk::one_hot(Index(in[0], f.width), f.width, gk::Argument(),
                                gk::Argument(), gk::Argument(), f.dtype),
                    kI)),
      Fixed(GK_RULE(kV, "gk::zeros({width})",
                    gk::zeros(gk::Shape{f.width}, f.dtype))),
      // Matrices.
      GK_RULE(kM, "softmax($0 $1^T) $1",
              gk::matmul(gk::nn::softmax(gk::matmul(in[0], in[1], false, true)),
                         in[1]),
              kM, kM),
      GK_RULE(kM, "tanh($0 ($1^T $1) * 0.1)",
              gk::tanh(gk::matmul(in[0], gk::matmul(in[1], in[1], true)) * 0.1),
              kM, kM),
      GK_RULE(kM, "$0 + $1 (row)", in[0] + in[1], kM, kV),
      GK_RULE(kM, "$0 * $1 (row)", in[0] * gk::sin(in[1]), kM, kV),
      GK_RULE(kM, "gk::gather($0, $1 % width, 1)",
              gk::gather(in[0], Index(in[1], f.width), gk::Argument(), 1), kM,
              kN),
      GK_RULE(kM, "gk::tensor_scatter_nd_update($0, {{$1}}, {$2})",
              gk::tensor_scatter_nd_update(
                  in[0], gk::reshape(Index(in[1], f.rows), {1, 1}),
                  gk::expand_dims(in[2], 0)),
              kM, kI, kV),
      GK_RULE(kM, "gk::broadcast_to($0, shape($1))",
              gk::broadcast_to(in[0], gk::shape(in[1])), kV, kM),
      Fixed(GK_RULE(kM, "gk::stack({$0, ...})",
                    gk::stack(std::vector<Tensor>(f.rows, in[0]), 0), kV)),
      GK_RULE(kM, "gk::linalg::band_part($0, 0, -1)",
              gk::linalg::band_part(in[0], 0, -1), kM),
      // Integers.
      GK_RULE(kI, "$0 + #", in[0] + f.param, kI),
      GK_RULE(kI, "$0 * $1 % 101", (in[0] * in[1]) % 101, kI, kI),
      GK_RULE(kI, "$0 - $1", in[0] - in[1], kI, kI),
      GK_RULE(kI, "$0 % 7", in[0] % 7, kI),
      GK_RULE(kI, "floordiv($0, 3)", gk::math::floordiv(in[0], 3), kI),
      GK_RULE(kI, "#", Tensor(f.param)),
      GK_RULE(kI, "gk::size($0)", gk::size(in[0]), kV),
      GK_RULE(kI, "gk::argmax($0, 0, int32)",
              gk::argmax(in[0], 0, gk::DataType::kInt32), kV),
      GK_RULE(kI, "gk::reduce_sum($0) % 50", gk::reduce_sum(in[0]) % 50, kN),
      GK_RULE(kI, "gk::cast($0, int32)", gk::cast(in[0], gk::DataType::kInt32),
              kB),
      GK_RULE(kI, "gk::cast(clip($0 * 9), int32)",
              gk::cast(gk::clip_by_value(in[0] * 9.0, -99.0, 99.0),
                       gk::DataType::kInt32),
              kS),
      GK_RULE(kI, "gk::where($0, $1, $2)", gk::where(in[0], in[1], in[2]), kB,
              kI, kI),
      GK_RULE(kI, "gk::bitwise::bitwise_xor($0, $1)",
              gk::bitwise::bitwise_xor(in[0], in[1]), kI, kI),
      GK_RULE(kN, "$0 + $1", in[0] + in[1], kN, kI),
      GK_RULE(kN, "$0 * $1 % 31", (in[0] * in[1]) % 31, kN, kN),
      GK_RULE(kN, "gk::argsort($0)", gk::argsort(in[0]), kV),
      GK_RULE(kN, "gk::sort($0)", gk::sort(in[0]), kN),
      GK_RULE(kN, "gk::cumsum($0) % 17", gk::cumsum(in[0]) % 17, kN),
      GK_RULE(kN, "gk::range(size($0))", gk::range(gk::size(in[0])), kV),
      // Conditions.
      GK_RULE(kB, "$0 > $1", in[0] > in[1], kS, kS),
      GK_RULE(kB, "$0 > # / 8 - 1", in[0] > Number(f), kS),
      GK_RULE(kB, "gk::reduce_sum($0) > # / 8 - 1",
              gk::reduce_sum(in[0]) > Number(f), kV),
      GK_RULE(kB, "gk::reduce_any($0 > 0.5)", gk::reduce_any(in[0] > 0.5), kM),
      GK_RULE(kB, "$0 < $1", in[0] < in[1], kI, kI),
      GK_RULE(kB, "$0 % 2 < 1", in[0] % 2 < 1, kI),
      GK_RULE(kB, "gk::equal($0, #)", gk::equal(in[0], f.param % 4), kI),
      GK_RULE(kB, "!$0", !in[0], kB),
      GK_RULE(kB, "$0 && $1", gk::logical_and(in[0], in[1]), kB, kB),
      GK_RULE(kB, "$0 || $1", gk::logical_or(in[0], in[1]), kB, kB),
      GK_RULE(kB, "# is even", Tensor(f.param % 2 == 0)),
  };
  rules.insert(rules.end(), std::begin(made), std::end(made));
  return rules;
}

}  // namespace

const std::vector<Rule>& Rules() {
  static const auto* rules = new std::vector<Rule>(MakeRules());
  return *rules;
}

const std::vector<int>& RulesFor(Kind kind, bool unknown_shapes) {
  using Table = std::array<std::array<std::vector<int>, kNumKinds>, 2>;
  static const auto* table = [] {
    auto* made = new Table;
    for (int i = 0; i < static_cast<int>(Rules().size()); ++i) {
      const Rule& rule = Rules()[i];
      const int k = static_cast<int>(rule.result);
      (*made)[0][k].push_back(i);
      if (!rule.fixes_shape) (*made)[1][k].push_back(i);
    }
    return made;
  }();
  return (*table)[unknown_shapes][static_cast<int>(kind)];
}

}  // namespace fuzz
