// Runs the signature of each model named, over inputs that depend on their
// shapes alone, then once more with the first variable doubled; prints all
// results, bit for bit. What two libraries print is the same.
#include <graphkiln/saved_model.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>

namespace {

template <class T>
gk::Tensor Filled(const gk::Shape& shape) {
  std::vector<T> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(i * 7 % 13);
  }
  return gk::Tensor(values, shape);
}

gk::Tensor InputOf(const gk::TensorSpec& spec) {
  std::vector<int64_t> dims = spec.shape.dims();
  std::ranges::replace(dims, gk::kUnknown, int64_t{5});
  const gk::Shape shape(dims);
  if (spec.dtype == gk::DataType::kInt32) return Filled<int32_t>(shape);
  return Filled<float>(shape);
}

template <class T>
void PrintElements(const gk::Tensor& t, const char* format) {
  for (const T x : t.flat<T>()) std::printf(format, x);
}

void Print(const std::string& name, const gk::Tensor& t) {
  std::printf("%s %s", name.c_str(), t.shape().to_string().c_str());
  if (t.dtype() == gk::DataType::kFloat) {
    PrintElements<float>(t, " %a");
  } else if (t.dtype() == gk::DataType::kInt32) {
    PrintElements<int32_t>(t, " %d");
  } else {
    PrintElements<int64_t>(t, " %ld");
  }
  std::printf("\n");
}

void Run(const gk::saved_model::Signature& signature) {
  std::vector<gk::Tensor> inputs;
  for (const gk::TensorSpec& spec : signature.inputs()) {
    inputs.push_back(InputOf(spec));
  }
  const std::vector<gk::Tensor> results = signature.Call(inputs);
  for (size_t i = 0; i < results.size(); ++i) {
    Print(signature.outputs()[i].name, results[i]);
  }
}

void RunModel(const std::string& folder) {
  const auto model = gk::saved_model::load(folder);
  Run(model.signature());
  const gk::Variable variable = model.variables().at(0);
  const gk::Tensor value = variable.value();
  std::vector<float> doubled = value.to_vector<float>();
  for (float& x : doubled) x *= 2;
  variable.assign(gk::Tensor(doubled, value.shape()));
  Print(variable.name(), variable.value());
  Run(model.signature());
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    try {
      std::filesystem::is_directory(argv[i])
          ? RunModel(argv[i])
          : Run(gk::saved_model::load_graph(argv[i]));
    } catch (const std::exception& error) {
      std::printf("error: %s\n", error.what());
    }
  }
}
