// graphkiln diff: what two models do not have in common.
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "checkpoint/object_graph.h"
#include "command_line/canonical_graph.h"
#include "command_line/commands.h"
#include "command_line/model_facts.h"
#include "graph/graph_file.h"

namespace gk::command {
namespace {

// How far apart values are. Numbers that are no numbers are equal.
struct ValueDistance {
  int64_t differing = 0;
  double absolute = 0;
  uint64_t ulps = 0;  // of real numbers
};

// Bits of a real number in the order of the numbers.
template <class T>
int64_t Ordered(T value) {
  using Bits = std::conditional_t<
      sizeof(T) == 8, int64_t,
      std::conditional_t<sizeof(T) == 4, int32_t,
                         std::conditional_t<sizeof(T) == 2, int16_t, int8_t>>>;
  Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? int64_t{std::numeric_limits<Bits>::min()} - bits : bits;
}

template <class T>
void Compare(T a, T b, ValueDistance* d) {
  const double x = static_cast<double>(a), y = static_cast<double>(b);
  if (std::isnan(x) && std::isnan(y)) return;
  if (x == y && std::signbit(x) == std::signbit(y)) return;
  ++d->differing;
  const double apart = std::abs(x - y);
  d->absolute = std::isnan(apart) ? INFINITY : std::max(d->absolute, apart);
  const int64_t p = Ordered(a), q = Ordered(b);
  const uint64_t steps =
      p > q ? uint64_t(p) - uint64_t(q) : uint64_t(q) - uint64_t(p);
  d->ulps = std::max(d->ulps, steps);
}

ValueDistance DistanceOf(const Tensor& a, const Tensor& b) {
  ValueDistance d;
  const int64_t n = a.num_elements();
  const bool real =
      VisitType<float, double, half, bfloat16, float8_e5m2, float8_e4m3fn>(
          a.dtype(), [&](auto tag) {
            using T = decltype(tag);
            for (int64_t i = 0; i < n; ++i)
              Compare(a.data<T>()[i], b.data<T>()[i], &d);
          });
  const bool complex = VisitType<complex64, complex128>(a.dtype(), [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < n; ++i) {
      const T x = a.data<T>()[i], y = b.data<T>()[i];
      const int64_t before = d.differing;
      Compare(x.real(), y.real(), &d);
      Compare(x.imag(), y.imag(), &d);
      d.differing = std::min(d.differing, before + 1);
    }
  });
  const bool whole =
      VisitType<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                uint64_t>(a.dtype(), [&](auto tag) {
        using T = decltype(tag);
        for (int64_t i = 0; i < n; ++i) {
          const T x = a.data<T>()[i], y = b.data<T>()[i];
          if (x == y) continue;
          ++d.differing;
          d.absolute = std::max(d.absolute, std::abs(static_cast<double>(x) -
                                                     static_cast<double>(y)));
        }
      });
  if (real || complex || whole) return d;
  for (int64_t i = 0; i < n; ++i) {
    const bool same =
        a.dtype() == DataType::kString
            ? a.data<std::string>()[i] == b.data<std::string>()[i]
            : std::memcmp(a.data<char>() + i * DataTypeSize(a.dtype()),
                          b.data<char>() + i * DataTypeSize(a.dtype()),
                          DataTypeSize(a.dtype())) == 0;
    d.differing += !same;
  }
  return d;
}

class Comparison {
 public:
  explicit Comparison(double tolerance) : tolerance_(tolerance) {}

  const std::vector<std::string>& differences() const { return differences_; }

  void CompareModels(const ModelFiles& a, const ModelFiles& b) {
    const ModelFacts facts_a = FactsOf(a), facts_b = FactsOf(b);
    const bool values_alone =
        a.kind == ModelKind::kCheckpoint || b.kind == ModelKind::kCheckpoint;
    if (!values_alone) {
      if (facts_a.tags != facts_b.tags) {
        Say(Format("tags: {} against {}", JoinText(facts_a.tags, ","),
                   JoinText(facts_b.tags, ",")));
      }
      CompareSignatures(facts_a, facts_b);
      CompareOps(facts_a, facts_b);
      CompareGraphs(*a.meta.graph_def, *b.meta.graph_def);
    }
    CompareValues(a, b, facts_a, facts_b);
  }

 private:
  void Say(std::string difference) {
    differences_.push_back(std::move(difference));
  }

  // Says which names only one has; calls visit(name, a's, b's) for the others.
  template <class T, class Visit>
  void Pairs(std::string_view what, const std::map<std::string, T>& a,
             const std::map<std::string, T>& b, Visit&& visit) {
    for (const auto& [name, own] : a) {
      const auto other = b.find(name);
      if (other == b.end()) {
        Say(Format("{} {}: only in the first", what, Shown(name)));
      } else {
        visit(name, own, other->second);
      }
    }
    for (const auto& [name, own] : b) {
      if (!a.contains(name)) {
        Say(Format("{} {}: only in the second", what, Shown(name)));
      }
    }
  }

  using Tensors = std::map<std::string, std::string>;
  static std::map<std::string, Tensors> SignaturesOf(const ModelFacts& facts) {
    std::map<std::string, Tensors> all;
    for (const SignatureFacts& s : facts.signatures) {
      Tensors& own = all[s.name];
      for (const auto* side : {&s.inputs, &s.outputs}) {
        const std::string way = side == &s.inputs ? "input " : "output ";
        for (const TensorFacts& t : *side) {
          own[way + t.name] = t.dtype + " " + t.shape;
        }
      }
    }
    return all;
  }

  void CompareSignatures(const ModelFacts& a, const ModelFacts& b) {
    Pairs(
        "signature", SignaturesOf(a), SignaturesOf(b),
        [&](const std::string& name, const Tensors& own, const Tensors& other) {
          Pairs(Format("signature {},", Shown(name)), own, other,
                [&](const std::string& tensor, const std::string& x,
                    const std::string& y) {
                  if (x == y) return;
                  Say(Format("signature {}, {}: {} against {}", Shown(name),
                             Shown(tensor), x, y));
                });
        });
  }

  static std::map<std::string, int64_t> OpsOf(const ModelFacts& facts) {
    std::map<std::string, int64_t> ops;
    for (const OpFacts& op : facts.ops) ops[op.name] = op.count;
    return ops;
  }

  void CompareOps(const ModelFacts& a, const ModelFacts& b) {
    Pairs("op", OpsOf(a), OpsOf(b),
          [&](const std::string& name, int64_t x, int64_t y) {
            if (x == y) return;
            Say(Format("op {}: {} against {}", Shown(name),
                       CountText(x, "node"), CountText(y, "node")));
          });
  }

  void CompareGraphs(const proto::GraphDef& a, const proto::GraphDef& b) {
    if (!differences_.empty()) return;  // what is said is more telling
    const std::string difference =
        DifferenceOf(CanonicalGraph(a), CanonicalGraph(b));
    if (!difference.empty()) Say("graph: " + difference);
  }

  // Where both have keys of objects, by these, else by name.
  static std::map<std::string, VariableFacts> VariablesOf(
      const ModelFacts& facts) {
    std::map<std::string, VariableFacts> all;
    for (const VariableFacts& v : facts.variables) all[v.key] = v;
    return all;
  }

  void CompareValues(const ModelFiles& a, const ModelFiles& b,
                     const ModelFacts& facts_a, const ModelFacts& facts_b) {
    Pairs("variable", VariablesOf(facts_a), VariablesOf(facts_b),
          [&](const std::string& key, const VariableFacts& x,
              const VariableFacts& y) {
            const std::string name = Shown(x.name);
            if (x.dtype != y.dtype || x.shape != y.shape) {
              return Say(Format("variable {}: {} {} against {} {}", name,
                                x.dtype, x.shape, y.dtype, y.shape));
            }
            CompareTensors(name, MustRead(a.values->Read(key)),
                           MustRead(b.values->Read(key)));
          });
  }

  void CompareTensors(const std::string& name, const Tensor& a,
                      const Tensor& b) {
    const ValueDistance d = DistanceOf(a, b);
    if (d.differing == 0) return;
    const bool numbers = d.absolute > 0 || d.ulps > 0;
    if (numbers && d.absolute <= tolerance_) return;
    std::string text = Format("variable {}: {} of {} differ", name, d.differing,
                              CountText(a.num_elements(), "element"));
    if (numbers) text += Format(", by up to {:g}", d.absolute);
    if (d.ulps > 0) text += Format(" or {} ulp", d.ulps);
    Say(std::move(text));
  }

  const double tolerance_;
  std::vector<std::string> differences_;
};

Exit Diff(const Arguments& arguments, const Console& console) {
  const std::string text = arguments.Value("tolerance", "0");
  char* end = nullptr;
  const double tolerance = std::strtod(text.c_str(), &end);
  if (*end != '\0' || text.empty() || !(tolerance >= 0)) {
    throw Failure::Make(Exit::kUsage,
                        "--tolerance: expected a number of 0 or more, got "
                        "'{}'.",
                        Shown(text));
  }
  const std::optional<Tags> tags = TagsOf(arguments);
  const ModelFiles a = ReadModelFiles(arguments.words()[0], tags);
  const ModelFiles b = ReadModelFiles(arguments.words()[1], tags);
  Comparison comparison(tolerance);
  comparison.CompareModels(a, b);
  const std::vector<std::string>& differences = comparison.differences();
  if (arguments.Value("format", "text") == "json") {
    Json::List list(differences.begin(), differences.end());
    console.Print(Json(Json::Members{{"equal", differences.empty()},
                                     {"differences", list}})
                      .Text());
  } else {
    for (const std::string& difference : differences) {
      console.Print(difference + "\n");
    }
  }
  return differences.empty() ? Exit::kDone : Exit::kDiffers;
}

constexpr Option kDiffOptions[] = {
    {"tolerance", "X", "values that are not farther apart are equal (0)"},
    {"format", "text|json", "how to show the differences"},
    kTagsOption,
};
constexpr Example kDiffExamples[] = {
    {"diff before after", "signatures, ops, graphs and values"},
    {"diff model training/ckpt-12 --tolerance 1e-6",
     "the values of a model against those of a checkpoint"},
};

}  // namespace

const Command kDiffCommand = {
    "diff",
    "MODEL MODEL",
    2,
    2,
    "Compares two models: signatures, graphs and the values of variables.",
    "Prints a line for each difference: of a variable in how many elements, by "
    "how\n"
    "much at most, and how many representable numbers (ulp) lie between. "
    "Functions\n"
    "are compared by their names without the numbers that programs append. "
    "Exit\n"
    "status 1 if there is a difference, 0 if there is none.",
    kDiffOptions,
    kDiffExamples,
    Diff};

}  // namespace gk::command
