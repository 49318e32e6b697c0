// Maps from tensors to tensors, in scalar variants.
#include "ops/fn/tensor_map.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/tensor_sum.h"
#include "framework/tensor_text.h"
#include "framework/variant.h"
#include "framework/variant_level.h"
#include "ops/element_moves.h"
#include "ops/fn/AddN.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

// Immutable once shared.
class TensorMap final : public VariantObject {
 public:
  struct Entry {
    Tensor key, value;
  };
  // By what IdentityOf says of the key.
  using Entries = std::map<std::string, Entry, std::less<>>;

  std::string_view type_name() const override {
    return "tensorflow::TensorMap";
  }
  void AppendText(std::string* text, size_t) const override {
    *text += "TensorMap";
  }
  StatusOr<Ref<VariantObject>> ZerosLike() const override {
    const VariantLevel level;
    GK_RETURN_IF_ERROR(level.Check(VariantLevel::kZeros));
    Ref<TensorMap> zeros = MakeRef<TensorMap>();
    for (const auto& [name, entry] : entries) {
      GK_ASSIGN_OR_RETURN(Tensor zero, ZerosOf(entry.value));
      zeros->entries.emplace(name, Entry{entry.key, std::move(zero)});
    }
    return Ref<VariantObject>(std::move(zeros));
  }
  // The entries of both; values of one key are added up.
  StatusOr<Ref<VariantObject>> Add(const VariantObject& other) const override {
    const VariantLevel level;
    GK_RETURN_IF_ERROR(level.Check(VariantLevel::kSum));
    const auto* more = DownCast<const TensorMap>(&other);
    if (more == nullptr) {
      return InvalidArgument("A {} cannot be added to a map",
                             other.type_name());
    }
    Ref<TensorMap> sum = MakeRef<TensorMap>();
    sum->entries = entries;
    for (const auto& [name, entry] : more->entries) {
      const auto [at, is_new] = sum->entries.emplace(name, entry);
      if (is_new) continue;
      GK_ASSIGN_OR_RETURN(at->second.value,
                          SumOf(at->second.value, entry.value));
    }
    return Ref<VariantObject>(std::move(sum));
  }

  Entries entries;
};

// Equal of keys of one type, shape and elements alone.
Status IdentityOf(const Tensor& key, std::string* identity) {
  if (key.dtype() == DataType::kResource || key.dtype() == DataType::kVariant) {
    return InvalidArgument("key of type {} is none that a map has",
                           DataTypeString(key.dtype()));
  }
  *identity =
      std::string(DataTypeString(key.dtype())) + key.shape().DebugString();
  if (key.dtype() != DataType::kString) {
    identity->append(static_cast<const char*>(key.raw_data()), key.byte_size());
    return OkStatus();
  }
  for (const std::string& text : key.flat<std::string>()) {
    *identity += std::to_string(text.size()) + ":" + text;
  }
  return OkStatus();
}

StatusOr<const TensorMap*> MapOf(const Tensor& handle) {
  if (handle.rank() != 0) {
    return InvalidArgument("Input map must be a scalar. Saw: {}",
                           handle.shape().DebugString());
  }
  const Variant& held = handle.scalar<Variant>();
  if (const auto* map = held.As<TensorMap>()) return map;
  return InvalidArgument("Input handle is not a map. Saw: '{}'",
                         held.get() ? held.get()->type_name() : "nothing");
}

Status NoKey(std::string_view what, const Tensor& key) {
  std::string text = FirstValuesText(key, 3);
  if (key.rank() == 0 && text.size() >= 2 && text[0] == '[') {
    text = text.substr(1, text.size() - 2);
  }
  return InvalidArgument("Trying to {}. Could not find key \"{}\".", what,
                         text);
}

// The map of input 0, for output 0: itself if nobody else sees it.
Status OwnMap(KernelContext& c, TensorMap** out) {
  GK_ASSIGN_OR_RETURN(const TensorMap* given, MapOf(c.input(0)));
  const Variant& held = c.input(0).scalar<Variant>();
  Ref<TensorMap> map;
  if (c.MayOverwrite(0) && held.IsExclusive()) {
    map = Ref<TensorMap>(held.As<TensorMap>());
  } else {
    map = MakeRef<TensorMap>();
    map->entries = given->entries;
  }
  *out = map.get();
  c.set_output(0, Tensor::Scalar(Variant(std::move(map))));
  return OkStatus();
}

Status ComputeEmptyMap(KernelContext& c) {
  c.set_output(0, Tensor::Scalar(Variant(MakeRef<TensorMap>())));
  return OkStatus();
}

Status ComputeInsert(KernelContext& c) {
  std::string name;
  GK_RETURN_IF_ERROR(IdentityOf(c.input(1), &name));
  TensorMap* map;
  GK_RETURN_IF_ERROR(OwnMap(c, &map));
  map->entries.insert_or_assign(
      name, TensorMap::Entry{c.input(1).Alias(), c.input(2).Alias()});
  return OkStatus();
}

Status ComputeLookup(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorMap* map, MapOf(c.input(0)));
  std::string name;
  GK_RETURN_IF_ERROR(IdentityOf(c.input(1), &name));
  const auto at = map->entries.find(name);
  if (at == map->entries.end()) {
    return NoKey("lookup non-existent key", c.input(1));
  }
  const Tensor& value = at->second.value;
  const auto wanted = c.attr<DataType>("value_dtype");
  if (value.dtype() != wanted) {
    return InvalidArgument("Type mismatch: actual {} vs. expect {}",
                           DataTypeString(value.dtype()),
                           DataTypeString(wanted));
  }
  c.set_output(0, value.Alias());
  return OkStatus();
}

Status ComputeErase(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorMap* given, MapOf(c.input(0)));
  std::string name;
  GK_RETURN_IF_ERROR(IdentityOf(c.input(1), &name));
  if (!given->entries.contains(name)) {
    return NoKey("erase non-existent item", c.input(1));
  }
  TensorMap* map;
  GK_RETURN_IF_ERROR(OwnMap(c, &map));
  map->entries.erase(name);
  return OkStatus();
}

Status ComputeHasKey(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorMap* map, MapOf(c.input(0)));
  std::string name;
  GK_RETURN_IF_ERROR(IdentityOf(c.input(1), &name));
  c.set_output(0, Tensor::Scalar(map->entries.contains(name)));
  return OkStatus();
}

Status ComputeMapSize(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorMap* map, MapOf(c.input(0)));
  c.set_output(0, Tensor::Scalar(static_cast<int32_t>(map->entries.size())));
  return OkStatus();
}

Status ComputeStackKeys(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const TensorMap* map, MapOf(c.input(0)));
  if (map->entries.empty()) {
    return InvalidArgument("TensorMapStackKeys cannot be called on empty map.");
  }
  const Tensor& first = map->entries.begin()->second.key;
  const auto type = c.attr<DataType>("key_dtype");
  for (const auto& [name, entry] : map->entries) {
    if (entry.key.dtype() != type) {
      return InvalidArgument("Key does not match requested dtype.");
    }
    if (!(entry.key.shape() == first.shape())) {
      return InvalidArgument("Keys must all have the same shape.");
    }
  }
  TensorShape shape = first.shape();
  shape.InsertDim(0, static_cast<int64_t>(map->entries.size()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, type, shape, &out));
  return VisitMoved(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = static_cast<T*>(out->raw_data());
    for (const auto& [name, entry] : map->entries) {
      to = std::copy_n(static_cast<const T*>(entry.key.raw_data()),
                       entry.key.num_elements(), to);
    }
  });
}

// ---- Gradients ----

void LookupGradient(GradContext& g) {
  g.Set(0, ops::TensorMapInsert(ops::EmptyTensorMap(), g.x(1), g.dy(0)));
}

// Where the gradient has no such key the value's is zero: so one is added.
void InsertGradient(GradContext& g) {
  const Tensor none = ops::TensorMapInsert(ops::EmptyTensorMap(), g.x(1),
                                           ops::ZerosLike(g.x(2)));
  const Tensor dy = ops::AddN(TensorVector{g.dy(0), none});
  const DataType type = g.x(2).dtype();
  if (g.wants(0)) g.Set(0, ops::TensorMapErase(dy, g.x(1), type));
  if (g.wants(2)) g.Set(2, ops::TensorMapLookup(dy, g.x(1), type));
}

void EraseGradient(GradContext& g) { g.Set(0, g.dy(0)); }

const OpRecord kRecords[] = {
    {.name = "EmptyTensorMap",
     .inputs = "",
     .outputs = "handle: variant",
     .attrs = "",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeEmptyMap},
     .doc = "A map without entries."},

    {.name = "TensorMapInsert",
     .inputs = "input_handle: variant; key: key_dtype; value: value_dtype",
     .outputs = "output_handle: variant",
     .attrs = "key_dtype: type; value_dtype: type",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeInsert},
     .gradient = InsertGradient,
     .doc = "A map with one more entry, or another value of one."},

    {.name = "TensorMapLookup",
     .inputs = "input_handle: variant; key: key_dtype",
     .outputs = "value: value_dtype",
     .attrs = "key_dtype: type; value_dtype: type",
     .shape = shape_fn::Unknown,
     .kernel = {.compute = ComputeLookup},
     .gradient = LookupGradient,
     .doc = "The value that a map has for a key."},

    {.name = "TensorMapErase",
     .inputs = "input_handle: variant; key: key_dtype",
     .outputs = "output_handle: variant",
     .attrs = "key_dtype: type; value_dtype: type",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeErase},
     .gradient = EraseGradient,
     .doc = "A map without the entry of a key."},

    {.name = "TensorMapHasKey",
     .inputs = "input_handle: variant; key: key_dtype",
     .outputs = "has_key: bool",
     .attrs = "key_dtype: type",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeHasKey},
     .doc = "Does a map have an entry of this key?"},

    {.name = "TensorMapSize",
     .inputs = "input_handle: variant",
     .outputs = "size: int32",
     .attrs = "",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeMapSize},
     .doc = "How many entries a map has."},

    {.name = "TensorMapStackKeys",
     .inputs = "input_handle: variant",
     .outputs = "keys: key_dtype",
     .attrs = "key_dtype: type",
     .traits = kNoGradient,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = ComputeStackKeys},
     .doc = "The keys of a map as one tensor, in an order of its own."},
};

}  // namespace

GK_REGISTER_OPS(tensor_map)

}  // namespace gk
