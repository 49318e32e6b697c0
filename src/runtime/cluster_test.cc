#include "runtime/cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <map>
#include <random>

#include "framework/same_numbers.h"
#include "graph/function_for_test.h"

namespace gk {
namespace {

constexpr DataType kD = DataType::kDouble, kH = DataType::kHalf,
                   kB = DataType::kBool, kC = DataType::kComplex128;

// A random computation over one domain, as nodes.
struct Program {
  TestFunction graph;
  TensorShape domain;
  std::vector<Output> inputs;
  std::vector<Output> steps;
  std::vector<int> results;  // of the steps
};

Program Make(std::mt19937& random) {
  const auto pick = [&](size_t n) { return random() % n; };
  static const TensorShape kDomains[] = {
      {6000}, {3, 700}, {2, 3, 40}, {40000}, {20, 9}, {1, 64, 1}, {1}, {5}};
  Program p;
  p.domain = kDomains[pick(std::size(kDomains))];
  // By type: values of the whole domain, and those that are spread over it.
  std::map<DataType, std::vector<Output>> full, any;
  const auto add = [&](const Output& o) {
    const Node::OutputInfo& info = o.node->output(o.index);
    any[info.dtype].push_back(o);
    if (info.shape == PartialTensorShape(p.domain)) {
      full[info.dtype].push_back(o);
    }
  };
  const auto argument = [&](DataType t, const TensorShape& shape) {
    p.inputs.push_back(p.graph.Arg(t, shape));
    add(p.inputs.back());
  };
  const DataType types[] = {kF, pick(2) ? kD : kH, pick(4) ? kF : kC};
  for (DataType t : types) {
    argument(t, p.domain);
    std::vector<int64_t> dims(p.domain.dims().begin(), p.domain.dims().end());
    for (int64_t& d : dims) d = pick(2) ? d : 1;
    argument(t, TensorShape(dims));
    if (pick(2)) argument(t, TensorShape());
  }
  const int num_steps = 2 + pick(14);
  for (int s = 0; s < num_steps; ++s) {
    const DataType t = types[pick(3)];
    const Output x = full[t][pick(full[t].size())];
    const Output y = any[t][pick(any[t].size())];
    static const char* const kBinary[] = {"AddV2", "Mul", "Sub"};
    switch (pick(6)) {
      case 0:
        p.steps.push_back(p.graph.Add(pick(2) ? "Neg" : "Square", {x}));
        break;
      case 1: {
        const DataType to = types[pick(3)];
        if (t == kC || to == kC || t == to) continue;
        p.steps.push_back(p.graph.Add("Cast", {x}, {{"DstT", to}}));
        break;
      }
      case 2:
        if (t == kC) continue;
        p.steps.push_back(p.graph.Add("Less", {x, y}));
        break;
      case 3:
        if (full[kB].empty()) continue;
        p.steps.push_back(
            p.graph.Add("SelectV2", {full[kB][pick(full[kB].size())], x, y}));
        break;
      default:
        p.steps.push_back(p.graph.Add(
            kBinary[pick(3)], pick(2) ? std::vector{x, y} : std::vector{y, x}));
    }
    add(p.steps.back());
  }
  for (size_t s = 0; s < p.steps.size(); ++s) {
    if (s + 1 == p.steps.size() || pick(4) == 0) p.results.push_back(s);
  }
  return p;
}

Cluster ClusterOf(const Program& p) {
  Cluster cluster;
  std::map<const Node*, int> value_of;
  for (const Output& in : p.inputs) {
    const Node::OutputInfo& info = in.node->output(0);
    value_of[in.node] =
        cluster.AddInput(info.dtype, *info.shape.AsTensorShape());
  }
  for (const Output& step : p.steps) {
    std::vector<int> in;
    for (const Output& from : step.node->inputs()) {
      in.push_back(value_of[from.node]);
    }
    const TileKernel* tile = FusableTile(*step.node);
    EXPECT_NE(tile, nullptr) << step.node->type();
    value_of[step.node] = cluster.AddStep(*tile, in, step.node);
  }
  for (int r : p.results) cluster.AddResult(value_of[p.steps[r].node]);
  return cluster;
}

// Small whole numbers: they are the same in every type, and sums stay apart.
Tensor Values(DataType t, const TensorShape& shape, std::mt19937& random) {
  Tensor value = ValueOrThrow(Tensor::Allocate(t, shape));
  VisitType<float, double, half, std::complex<double>>(t, [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < value.num_elements(); ++i) {
      value.data<T>()[i] = T(float(int(random() % 64)) / 16 - 2);
    }
  });
  return value;
}

// The results, with the memory of `over` for result `r`; in two parts if there
// is a `cut`.
TensorVector RunCluster(const Cluster& cluster, const Program& p,
                        const TensorVector& in, int r = -1, int over = -1,
                        int64_t cut = 0) {
  TensorVector out, copies;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (const Tensor& t : in) {
    copies.push_back(ValueOrThrow(t.Copy()));
    from.push_back(copies.back().raw_data());
  }
  for (size_t k = 0; k < p.results.size(); ++k) {
    const DataType t = p.steps[p.results[k]].node->output(0).dtype;
    Tensor made = ValueOrThrow(Tensor::Allocate(t, p.domain));
    std::memset(made.raw_data(), 0xA5, made.byte_size());
    to.push_back(int(k) == r ? copies[over].raw_data() : made.raw_data());
    out.push_back(std::move(made));
  }
  if (cut > 0) {
    const int64_t rest = cluster.num_elements() - cut;
    EXPECT_EQ(cluster.RunPart(from.data(), to.data(), cut, rest), -1);
    EXPECT_EQ(cluster.RunPart(from.data(), to.data(), 0, cut), -1);
  } else {
    EXPECT_EQ(cluster.Run(from.data(), to.data()), -1);
  }
  if (r >= 0) {
    std::memcpy(out[r].raw_data(), to[r], out[r].byte_size());
  }
  return out;
}

void ExpectSame(const TensorVector& a, const TensorVector& b, int seed,
                const char* how) {
  for (size_t k = 0; k < a.size(); ++k) {
    EXPECT_TRUE(SameNumbers(a[k].dtype(), a[k].raw_data(), b[k].raw_data(),
                            a[k].num_elements()))
        << "seed " << seed << ", result " << k << ", " << how << ": "
        << a[k].DebugString() << " " << b[k].DebugString();
  }
}

// Steps joined to loops, registers used again, results written over operands:
// all of it gives what the steps give one by one.
TEST(Cluster, RandomStepsGiveTheSameBits) {
  int written_over = 0, joined = 0, shared = 0;
  for (int seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const Program p = Make(random);
    if (p.steps.empty()) continue;
    TensorVector in;
    for (const Output& o : p.inputs) {
      const Node::OutputInfo& info = o.node->output(0);
      in.push_back(Values(info.dtype, *info.shape.AsTensorShape(), random));
    }
    Cluster cluster = ClusterOf(p), plain = ClusterOf(p);
    cluster.Finish(p.domain);
    plain.FinishPlainly(p.domain);
    joined += cluster.steps().size() < plain.steps().size();
    shared += cluster.num_registers() < plain.num_registers();
    const TensorVector want = RunCluster(plain, p, in);
    ExpectSame(RunCluster(cluster, p, in), want, seed, "apart");
    const int64_t cut = cluster.num_elements() * int64_t(seed % 7) / 7;
    ExpectSame(RunCluster(cluster, p, in, -1, -1, cut), want, seed, "in parts");
    for (int r = 0; r < cluster.num_results(); ++r) {
      for (int i = 0; i < cluster.num_inputs(); ++i) {
        if (!cluster.MayWriteOver(i, r)) continue;
        ++written_over;
        ExpectSame(RunCluster(cluster, p, in, r, i), want, seed, "in place");
      }
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(written_over, 100);
  EXPECT_GT(joined, 25);
  EXPECT_GT(shared, 50);
}

// Only what is read to the end, element by element.
TEST(Cluster, WritesOverWhatItHasRead) {
  const TensorShape domain{30, 20};
  TestFunction b;
  const Output x = b.Arg(kF, domain), row = b.Arg(kF, TensorShape{20}),
               d = b.Arg(kD, domain);
  Cluster cluster;
  const int vx = cluster.AddInput(kF, domain);
  const int vrow = cluster.AddInput(kF, TensorShape{20});
  const int vd = cluster.AddInput(kD, domain);
  const auto step = [&](Output o, std::vector<int> in) {
    return cluster.AddStep(*FusableTile(*o.node), in, o.node);
  };
  const Output sum = b.Add("AddV2", {x, row});
  const Output square = b.Add("Square", {d});
  const int vsum = step(sum, {vx, vrow});
  const int vsquare = step(square, {vd});
  const int vlast = step(b.Add("Mul", {sum, x}), {vsum, vx});
  for (int v : {vsum, vsquare, vlast}) cluster.AddResult(v);
  cluster.Finish(domain);
  EXPECT_FALSE(cluster.MayWriteOver(0, 0)) << "x is read again";
  EXPECT_TRUE(cluster.MayWriteOver(0, 2));
  EXPECT_FALSE(cluster.MayWriteOver(1, 2)) << "a row is no matrix";
  EXPECT_TRUE(cluster.MayWriteOver(2, 1));
  EXPECT_FALSE(cluster.MayWriteOver(0, 1)) << "elements of another size";
}

int FailAtOne(void* out, const void* const* in, int64_t n, const void*) {
  const int32_t* x = static_cast<const int32_t*>(in[0]);
  std::memcpy(out, x, n * sizeof(int32_t));
  return std::count(x, x + n, 1) > 0;
}

// The op that comes first is to blame, wherever its element lies: run one by
// one, the later ones would not have begun.
TEST(Cluster, TheFirstStepThatFailsIsToBlame) {
  constexpr int kSize = 100'000;
  TileKernel tile;
  tile.fn = FailAtOne;
  tile.num_inputs = 1;
  tile.in[0] = tile.out = DataType::kInt32;
  Cluster cluster;
  for (int i = 0; i < 3; ++i) {
    cluster.AddInput(DataType::kInt32, TensorShape{kSize});
  }
  for (int i = 0; i < 3; ++i) {
    cluster.AddResult(cluster.AddStep(tile, {{i}}, nullptr));
  }
  cluster.Finish(TensorShape{kSize});
  std::vector<int32_t> in[3], out[3];
  const auto run = [&](std::vector<std::pair<int, int>> ones) {
    for (int i = 0; i < 3; ++i) {
      in[i].assign(kSize, 0);
      out[i].assign(kSize, 0);
    }
    for (const auto& [i, at] : ones) in[i][at] = 1;
    const void* const from[] = {in[0].data(), in[1].data(), in[2].data()};
    void* const to[] = {out[0].data(), out[1].data(), out[2].data()};
    return cluster.Run(from, to);
  };
  EXPECT_EQ(run({}), -1);
  EXPECT_EQ(run({{2, 0}}), 2);
  // Within a tile, in neighbouring ones, and far from one another.
  for (int apart = 1; apart < kSize / 2; apart *= 2) {
    EXPECT_EQ(run({{2, 0}, {1, apart}, {0, 2 * apart}}), 0) << apart;
    EXPECT_EQ(run({{1, 0}, {2, apart}}), 1) << apart;
    EXPECT_EQ(run({{2, 0}, {1, apart}}), 1) << apart;
  }
}

}  // namespace
}  // namespace gk
