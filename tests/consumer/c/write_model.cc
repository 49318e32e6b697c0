// Writes the models that run_model.c runs, into the folder that is named.
#include <graphkiln/graphkiln.h>

#include <string>

namespace {

struct Linear : gk::Module {
  Linear() : gk::Module("linear") {
    w = track("w", gk::Variable(gk::Tensor({{1.f}, {2.f}}), {.name = "w"}));
  }
  std::optional<gk::Variable> w;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  Linear linear;
  const auto score = gk::function(
      [linear](gk::Tensor x, gk::Tensor bias) {
        return std::map<std::string, gk::Tensor>{
            {"score", gk::linalg::matmul(x, *linear.w) + bias},
            {"text", gk::strings::as_string(bias)}};
      },
      {.argument_names = {"x", "bias"}});
  const gk::ConcreteFunction trace = score.get_concrete_function(
      gk::TensorSpec{gk::Shape({gk::kUnknown, 2})},
      gk::TensorSpec{gk::Shape()});
  gk::saved_model::save(
      linear, folder + "/linear",
      {.signatures = {{"serving_default", trace}, {"score", trace}},
       .defaults = {{"score", {{"bias", gk::Tensor(10.f)}}}}});

  const auto sum = gk::function(
      [linear](gk::Tensor x) { return gk::linalg::matmul(x, *linear.w); },
      {.argument_names = {"x"}});
  sum.get_concrete_function(gk::TensorSpec{gk::Shape({gk::kUnknown, 2})});
  gk::saved_model::save(linear, folder + "/sum", {.functions = {{"sum", sum}}});

  const auto spin = gk::function(
      [](gk::Tensor x) {
        gk::Tensor i = x;
        gk::carry(i).while_([&] { return i >= 0; },
                            [&] { i = gk::math::floormod(i + 1, 1000); });
        return i;
      },
      {.argument_names = {"x"}});
  spin.get_concrete_function(
      gk::TensorSpec{gk::Shape(), gk::DataType::kInt64});
  gk::saved_model::save(gk::Module(), folder + "/spin",
                        {.functions = {{"spin", spin}}});
  return 0;
}
