// Writes the models that run_model.c runs, into the folder that is named.
#include <graphkiln/graphkiln.h>

#include <string>
#include <vector>

namespace {

struct Linear : gk::Module {
  Linear() : gk::Module("linear") {
    w = track("w", gk::Variable(gk::Tensor({{1.f}, {2.f}}), {.name = "w"}));
  }
  std::optional<gk::Variable> w;
};

gk::Tensor Words(const std::vector<std::string>& words) {
  return gk::Tensor(words);
}

// A model of tables, one of them filled from a file that is gone later.
void WriteTables(const std::string& folder) {
  const std::string words = folder + "/words.txt";
  gk::io::write_file(gk::Tensor(words), gk::Tensor("red\ngreen\nblue\n"));
  using gk::lookup::DenseHashTable;
  using gk::lookup::MutableHashTable;
  using gk::lookup::StaticHashTable;
  using gk::lookup::StaticVocabularyTable;
  using gk::lookup::TextFileInitializer;
  const gk::Tensor none(int64_t{-1});
  const StaticHashTable sizes(Words({"s", "m"}), gk::Tensor({1.f, 2.f}),
                              gk::Tensor(0.f));
  const StaticVocabularyTable colors(TextFileInitializer{words}, 1);
  const MutableHashTable seen(gk::DataType::kString, none);
  seen.insert(Words({"a", "b"}),
              gk::cast(gk::Tensor({7, 8}), gk::DataType::kInt64));
  const MutableHashTable pairs(gk::DataType::kInt64, gk::Tensor({0.f, 0.f}));
  pairs.insert(gk::Tensor(int64_t{5}), gk::Tensor({1.f, 2.f}));
  const DenseHashTable dense(gk::Tensor(""), gk::Tensor("$"), none, 8);
  dense.insert(gk::Tensor("x"), gk::Tensor(int64_t{3}));
  gk::Module model;
  model.track("colors", colors);
  model.track("sizes",
              std::map<std::string, StaticHashTable>{{"shirt", sizes}});
  model.track("seen", seen);
  model.track("pairs", pairs);
  model.track("dense", dense);
  const gk::saved_model::Asset file(words);
  model.track("file", file);
  const auto find = gk::function(
      [=](gk::Tensor keys) {
        return std::map<std::string, gk::Tensor>{
            {"color", colors.lookup(keys)},
            {"size", sizes.lookup(keys)},
            {"seen", seen.lookup(keys)},
            {"dense", dense.lookup(keys)},
            {"pair", pairs.lookup(gk::Tensor(int64_t{5}))},
            {"text", gk::io::read_file(file.asset_path())}};
      },
      {.argument_names = {"keys"}});
  const gk::TensorSpec keys{gk::Shape({gk::kUnknown}), gk::DataType::kString};
  find.get_concrete_function(keys);
  const auto note = gk::function(
      [=](gk::Tensor key, gk::Tensor value) {
        seen.insert(key, value);
        return seen.size();
      },
      {.argument_names = {"key", "value"}});
  note.get_concrete_function(gk::TensorSpec{gk::Shape(), gk::DataType::kString},
                             gk::TensorSpec{gk::Shape(), gk::DataType::kInt64});
  gk::saved_model::save(model, folder + "/tables",
                        {.functions = {{"find", find}, {"note", note}},
                         .signatures = {{"serving_default", find}}});
  gk::io::gfile::remove(words);
}

// Functions with gradients of their own, which use what is around them.
void WriteGradients(const std::string& folder) {
  using Tensors = std::vector<gk::Tensor>;
  gk::Module model;
  const gk::Variable v = model.track("v", gk::Variable(3.f));
  const auto steep = gk::function(
      [=](gk::Tensor x, gk::Tensor c) {
        const gk::Tensor k = c * 2.f;
        const auto f = gk::custom_gradient([=](const Tensors& in) {
          return gk::OwnGradient{{in[0] * k}, [=](const Tensors& dy) {
                                   return Tensors{dy[0] * k * v.value()};
                                 }};
        });
        return f({x})[0];
      },
      {.argument_names = {"x", "c"}});
  const auto scaled = gk::function(
      [=](gk::Tensor x) {
        const auto f = gk::custom_gradient([=](const Tensors& in) {
          const auto gradient = [=](const Tensors& dy, const auto&) {
            return gk::OwnGradients{{dy[0] * 10.f}, {dy[0] * 100.f * in[0]}};
          };
          return gk::OwnGradient{{in[0] * v.value()}, {}, gradient};
        });
        return f({x})[0];
      },
      {.argument_names = {"x"}});
  const gk::TensorSpec scalar{gk::Shape()};
  steep.get_concrete_function(scalar, scalar);
  scaled.get_concrete_function(scalar);
  gk::saved_model::save(model, folder + "/gradients",
                        {.functions = {{"steep", steep}, {"scaled", scaled}}});
}

// A graph by itself, as text: y = x * 3 + 1, its sum, and what nobody needs.
constexpr char kGraph[] = R"(node { name: "x" op: "Placeholder"
       attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: -1 } } } } }
node { name: "unused" op: "Placeholder"
       attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "three" op: "Const"
       attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor {
         dtype: DT_FLOAT tensor_shape {} float_val: 3 } } } }
node { name: "one" op: "Const"
       attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor {
         dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
node { name: "axis" op: "Const"
       attr { key: "dtype" value { type: DT_INT32 } }
       attr { key: "value" value { tensor {
         dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 0 } } } }
node { name: "tripled" op: "Mul" input: "x" input: "three"
       attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y" op: "AddV2" input: "tripled" input: "one"
       attr { key: "T" value { type: DT_FLOAT } } }
node { name: "total" op: "Sum" input: "y" input: "axis"
       attr { key: "T" value { type: DT_FLOAT } }
       attr { key: "Tidx" value { type: DT_INT32 } }
       attr { key: "keep_dims" value { b: false } } }
)";

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
  const gk::ConcreteFunction trace =
      score.get_concrete_function(gk::TensorSpec{gk::Shape({gk::kUnknown, 2})},
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
  spin.get_concrete_function(gk::TensorSpec{gk::Shape(), gk::DataType::kInt64});
  gk::saved_model::save(gk::Module(), folder + "/spin",
                        {.functions = {{"spin", spin}}});
  WriteTables(folder);
  WriteGradients(folder);
  gk::io::write_file(gk::Tensor(folder + "/graph.pbtxt"),
                     gk::Tensor(kGraph));
  return 0;
}
