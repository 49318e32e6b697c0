// power(x, 100) on a 10x10 integer matrix: many small operations, run one by
// one and as a traced graph.
#include <graphkiln/graphkiln.h>

#include <chrono>
#include <cstdio>
#include <exception>

namespace {

gk::Tensor Power(const gk::Tensor& x, int n) {
  gk::Tensor result = gk::eye(10, {}, {}, gk::DataType::kInt32);
  for (int i = 0; i < n; ++i) result = gk::matmul(x, result);
  return result;
}

template <class F>
double SecondsOf1000(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       start)
      .count();
}

}  // namespace

int main() try {
  const gk::Tensor x = gk::random::uniform_int({10, 10}, -1, 2);
  auto graph = gk::function(Power, {.name = "power"});
  if (graph(x, 100).to_vector<int32_t>() !=
      Power(x, 100).to_vector<int32_t>()) {
    std::fprintf(stderr, "the graph and eager execution disagree\n");
    return 1;
  }
  std::printf("power(x, 100), 1,000 calls, eager  %7.3f s\n",
              SecondsOf1000([&] { Power(x, 100); }));
  std::printf("power(x, 100), 1,000 calls, graph  %7.3f s\n",
              SecondsOf1000([&] { graph(x, 100); }));
  std::printf("traced %d time\n", graph.tracing_count());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "power: %s\n", e.what());
  return 1;
}
