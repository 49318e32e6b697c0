// Tensors and variables: what they are made of, what they compute, how they
// fail.
#include <graphkiln/graphkiln.h>

#include <sstream>

#include "check.h"

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

static void Values() {
  const gk::Tensor scalar = 2.5f;
  CHECK(scalar.dtype() == gk::DataType::kFloat);
  CHECK(scalar.shape() == gk::Shape{});
  CHECK(scalar.item<float>() == 2.5f);
  const gk::Tensor matrix = {{1, 2, 3}, {4, 5, 6}};
  CHECK(matrix.dtype() == gk::DataType::kInt32);
  CHECK((matrix.shape() == gk::Shape{2, 3}));
  CHECK((matrix.to_vector<int32_t>() == Ints{1, 2, 3, 4, 5, 6}));
  const gk::Tensor shaped(Floats{1, 2, 3, 4}, {2, 2});
  CHECK(shaped.data<float>()[3] == 4);
  CHECK(gk::Tensor("text").item<std::string>() == "text");
  CHECK(gk::Tensor({true, false}).to_vector<bool>()[0]);
  CHECK(gk::Tensor(int64_t{1} << 40).dtype() == gk::DataType::kInt64);
  const gk::half stored = gk::Tensor(gk::half(1.5f)).item<gk::half>();
  CHECK(static_cast<float>(stored) == 1.5f);
  CHECK(gk::Tensor(Floats{}).num_elements() == 0);
  CHECK(!gk::Tensor().defined());
  std::ostringstream out;
  out << gk::Tensor({1, 2}) << ' ' << gk::Shape{2, gk::kUnknown} << ' '
      << gk::DataType::kBfloat16;
  CHECK(out.str() ==
        "Tensor(shape=(2,), dtype=int32, value=[1 2]) (2, None) bfloat16");
}

static void Computing() {
  const gk::Tensor x = {1.0f, 2.0f, 3.0f};
  CHECK(((2 * x + 1.0 - x / 2).to_vector<float>() ==
         Floats{2.5f, 4.0f, 5.5f}));
  CHECK(((-x).to_vector<float>() == Floats{-1, -2, -3}));
  CHECK((gk::Tensor({7, 8}) / gk::Tensor({2, 2})).dtype() ==
        gk::DataType::kDouble);
  CHECK(gk::reduce_sum(x).item<float>() == 6);
  CHECK((gk::reshape(x, {3, 1}).shape() == gk::Shape{3, 1}));
  CHECK((gk::maximum(x, 2).to_vector<float>() == Floats{2, 2, 3}));
  CHECK(gk::less(x, 2.5).to_vector<bool>()[2] == false);
  CHECK((gk::ops::AddV2(x, x).to_vector<float>() == Floats{2, 4, 6}));
  const gk::Tensor a = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  CHECK((gk::matmul(a, a).to_vector<float>() == Floats{7, 10, 15, 22}));
  CHECK((gk::ops::MatMul(a, a, false, true).to_vector<float>() ==
         Floats{5, 11, 11, 25}));
  CHECK((gk::stack({x, x}, 1).shape() == gk::Shape{3, 2}));
  CHECK((gk::concat({x, x}, 0).shape() == gk::Shape{6}));
  CHECK((gk::cast({1, 2}, gk::DataType::kDouble).dtype() ==
         gk::DataType::kDouble));
  CHECK((gk::zeros({2, 3}).shape() == gk::Shape{2, 3}));
  const std::vector<gk::Tensor> parts = gk::split(a, 2, 1);
  CHECK(parts.size() == 2 && parts[1].to_vector<float>()[1] == 4);
  CHECK(gk::exp(gk::Tensor(0.0f)).item<float>() == 1);
}

static void Variables() {
  gk::Variable v({1.0f, 2.0f}, {.name = "v"});
  const gk::Tensor before = v.value();
  v.assign_add({1.0f, 1.0f}).assign_sub({0.5f, 0.5f});
  CHECK((v.value().to_vector<float>() == Floats{1.5f, 2.5f}));
  CHECK((before.to_vector<float>() == Floats{1, 2}));
  CHECK(((v * 2).to_vector<float>() == Floats{3, 5}));
  CHECK(((v + v).to_vector<float>() == Floats{3, 5}));
  CHECK_ERROR(v.assign({1.0f, 2.0f, 3.0f}), kValueError);
  CHECK_ERROR(v.assign({1, 2}), kInvalidArgument);
  CHECK((v.value().to_vector<float>() == Floats{1.5f, 2.5f}));
  gk::Variable step(0);
  step.assign_add(1);
  CHECK(step.value().item<int32_t>() == 1);
  gk::Variable free(gk::Tensor{1.0f}, {.shape = {gk::kUnknown}});
  free.assign({1.0f, 2.0f});
  CHECK((free.shape() == gk::Shape{gk::kUnknown}));
  CHECK(v.to_string() ==
        "Variable(name=v, shape=(2,), dtype=float32, value=[1.5 2.5])");
}

static void Errors() {
  const gk::Tensor x = {1.0f, 2.0f};
  CHECK_ERROR(x + gk::Tensor({1, 2}), kInvalidArgument);
  CHECK_ERROR(x + gk::Tensor({1.0f, 2.0f, 3.0f}), kInvalidArgument);
  CHECK_ERROR(gk::Tensor({1, 2}) + 0.5, kTypeError);
  CHECK_ERROR(x.data<int32_t>(), kTypeError);
  CHECK_ERROR(x.item<float>(), kValueError);
  CHECK_ERROR(gk::Tensor(Floats{1, 2, 3}, {2, 2}), kValueError);
  CHECK_ERROR(gk::Tensor(Floats{1}, {int64_t{1} << 40, int64_t{1} << 40}),
              kInvalidArgument);
  CHECK_ERROR(gk::Tensor(Floats{1}, {gk::kUnknown}), kValueError);
  CHECK_ERROR((gk::Tensor{{1, 2}, {3}}), kValueError);
  CHECK_ERROR((gk::Shape{-2}), kInvalidArgument);
  CHECK_ERROR(x.dim(1), kIndexError);
  CHECK_ERROR(gk::Tensor().dtype(), kValueError);
  CHECK_ERROR(gk::Tensor() + x, kValueError);
  CHECK_ERROR(gk::reshape(x, {3}), kInvalidArgument);
  CHECK_ERROR(gk::set_num_threads(0), kValueError);
  CHECK_ERROR(gk::zeros({int64_t{1} << 40, 1 << 20}), kResourceExhausted);
}

static void Randoms() {
  gk::random::set_seed(7);
  const Floats first = gk::random::normal({4}).to_vector<float>();
  CHECK(gk::random::normal({4}).to_vector<float>() != first);
  gk::random::set_seed(7);
  CHECK(gk::random::normal({4}).to_vector<float>() == first);
  for (int32_t i :
       gk::random::uniform_int({100}, 2, 5).to_vector<int32_t>()) {
    CHECK(i >= 2 && i < 5);
  }
}

int main() {
  Values();
  Computing();
  Variables();
  Errors();
  Randoms();
  gk::set_num_threads(2);
  CHECK(gk::num_threads() == 2);
  return 0;
}
