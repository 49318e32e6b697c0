#include "ops/data/dataset_fingerprint.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "framework/graph.h"

namespace gk {
namespace {

class Fingerprint {
 public:
  Status Of(const Dataset& dataset, uint64_t* sum) {
    if (const auto known = datasets_.find(&dataset); known != datasets_.end()) {
      *sum = known->second;
      return OkStatus();
    }
    const DatasetOrigin* origin = dataset.origin();
    if (origin == nullptr) {
      return InvalidArgument(
          "A {} that a function was given has no fingerprint", dataset.kind());
    }
    uint64_t h = Bytes(origin->op->name);
    GK_RETURN_IF_ERROR(Attrs(origin->attrs, &h));
    for (const Tensor& t : origin->inputs) GK_RETURN_IF_ERROR(Add(t, &h));
    datasets_.emplace(&dataset, h);
    *sum = h;
    return OkStatus();
  }

 private:
  static uint64_t Bytes(std::string_view bytes) {
    uint64_t h = 0xcbf29ce484222325u;
    size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {
      uint64_t word = 0;
      std::copy_n(bytes.data() + i, 8, reinterpret_cast<char*>(&word));
      h = HashCombine(h, word);
    }
    for (; i < bytes.size(); ++i) {
      h = HashCombine(h, static_cast<unsigned char>(bytes[i]));
    }
    return HashCombine(h, bytes.size());
  }
  static void Mix(uint64_t value, uint64_t* h) { *h = HashCombine(*h, value); }

  Status Add(const Tensor& t, uint64_t* h) {
    Mix(static_cast<uint64_t>(t.dtype()), h);
    for (const int64_t size : t.shape().dims()) Mix(size, h);
    if (t.dtype() == DataType::kString) {
      for (int64_t i = 0; i < t.num_elements(); ++i) {
        Mix(Bytes(t.data<std::string>()[i]), h);
      }
    } else if (t.dtype() == DataType::kVariant) {
      for (int64_t i = 0; i < t.num_elements(); ++i) {
        const Dataset* inner = t.data<Variant>()[i].As<Dataset>();
        uint64_t sum = 0;
        if (inner != nullptr) GK_RETURN_IF_ERROR(Of(*inner, &sum));
        Mix(sum, h);
      }
    } else if (t.dtype() != DataType::kResource) {
      Mix(Bytes({static_cast<const char*>(t.raw_data()),
                 static_cast<size_t>(t.byte_size())}),
          h);
    }
    return OkStatus();
  }

  // In any order.
  Status Attrs(const AttrMap& attrs, uint64_t* h) {
    uint64_t all = 0;
    for (const auto& [name, value] : attrs) {
      // What debugging and graphs of others say of a node.
      if (name.starts_with('_') || name == "metadata") continue;
      uint64_t one = Bytes(name);
      Mix(value.index(), &one);
      GK_RETURN_IF_ERROR(
          std::visit([&](const auto& v) { return Value(v, &one); }, value));
      all += one;
    }
    Mix(all, h);
    return OkStatus();
  }

  static Status Value(std::monostate, uint64_t*) { return OkStatus(); }
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) static Status
      Value(T v, uint64_t* h) {
    Mix(Bytes({reinterpret_cast<const char*>(&v), sizeof(v)}), h);
    return OkStatus();
  }
  static Status Value(const std::string& v, uint64_t* h) {
    Mix(Bytes(v), h);
    return OkStatus();
  }
  static Status Value(const PartialTensorShape& v, uint64_t* h) {
    Mix(v.unknown_rank(), h);
    if (v.unknown_rank()) return OkStatus();
    for (const int64_t size : v.dims()) Mix(size, h);
    return OkStatus();
  }
  Status Value(const Tensor& v, uint64_t* h) { return Add(v, h); }
  Status Value(const FunctionAttr& v, uint64_t* h) {
    return v.definition ? Function(*v.definition, h) : OkStatus();
  }
  template <class T>
  Status Value(const std::vector<T>& list, uint64_t* h) {
    Mix(list.size(), h);
    for (const auto& v : list) {
      if constexpr (std::is_same_v<T, bool>) {
        Mix(v, h);
      } else {
        GK_RETURN_IF_ERROR(Value(v, h));
      }
    }
    return OkStatus();
  }

  // Nodes by their numbers, which are the order in which they were made.
  Status Function(const GraphFunction& f, uint64_t* h) {
    if (const auto known = functions_.find(&f); known != functions_.end()) {
      Mix(known->second, h);
      return OkStatus();
    }
    functions_[&f] = functions_.size();  // one that calls itself
    uint64_t sum = 0;
    std::unordered_map<const Node*, uint64_t> numbers;
    const auto edge = [&](const Output& o) {
      Mix(numbers[o.node], &sum);
      Mix(o.index, &sum);
    };
    for (const auto& node : f.graph().nodes()) {
      if (node == nullptr) continue;
      numbers.emplace(node.get(), numbers.size());
      Mix(Bytes(node->op().name), &sum);
      GK_RETURN_IF_ERROR(Attrs(node->attrs(), &sum));
      for (const Output& o : node->inputs()) edge(o);
      for (const Node* before : node->control_inputs()) {
        Mix(numbers[before], &sum);
      }
    }
    for (const Node* argument : f.arguments()) Mix(numbers[argument], &sum);
    for (const Output& o : f.results()) edge(o);
    functions_[&f] = sum;
    Mix(sum, h);
    return OkStatus();
  }

  std::unordered_map<const Dataset*, uint64_t> datasets_;
  std::unordered_map<const GraphFunction*, uint64_t> functions_;
};

}  // namespace

StatusOr<uint64_t> FingerprintOf(const Dataset& dataset) {
  uint64_t sum = 0;
  GK_RETURN_IF_ERROR(Fingerprint().Of(dataset, &sum));
  return sum;
}

}  // namespace gk
