#include "framework/attr_value.h"

#include <cstring>

#include "base/hash.h"

namespace gk {

AttrMap::AttrMap() = default;
AttrMap::AttrMap(std::initializer_list<Entry> entries) : entries_(entries) {}
AttrMap::AttrMap(const AttrMap&) = default;
AttrMap::AttrMap(AttrMap&&) noexcept = default;
AttrMap& AttrMap::operator=(const AttrMap&) = default;
AttrMap& AttrMap::operator=(AttrMap&&) noexcept = default;
AttrMap::~AttrMap() = default;

void AttrMap::Set(std::string_view name, AttrValue value) {
  for (Entry& e : entries_) {
    if (e.first == name) {
      e.second = std::move(value);
      return;
    }
  }
  Append(name, std::move(value));
}

void AttrMap::Append(std::string_view name, AttrValue value) {
  entries_.emplace_back(name, std::move(value));
}

void AttrMap::reserve(size_t n) { entries_.reserve(n); }

void AttrMap::Remove(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& e) { return e.first == name; });
}

namespace {

bool TensorEquals(const Tensor& a, const Tensor& b) {
  if (!a || !b) return !a && !b;
  if (a.Is(b)) return true;
  if (a.is_symbolic() || b.is_symbolic()) return false;
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() == DataType::kString) {
    auto x = a.flat<std::string>(), y = b.flat<std::string>();
    return std::equal(x.begin(), x.end(), y.begin());
  }
  if (IsObjectType(a.dtype())) return false;
  return std::memcmp(a.raw_data(), b.raw_data(), a.byte_size()) == 0;
}

template <class T>
bool Same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Tensor>) {
    return TensorEquals(a, b);
  } else if constexpr (std::is_same_v<T, FunctionAttr>) {
    return a.name == b.name && a.definition == b.definition;
  } else if constexpr (std::is_same_v<T, std::vector<Tensor>> ||
                       std::is_same_v<T, std::vector<FunctionAttr>>) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return Same(x, y); });
  } else if constexpr (std::is_same_v<T, float>) {
    return std::memcmp(&a, &b, sizeof(a)) == 0;
  } else {
    return a == b;
  }
}

size_t Hash(std::monostate) { return 0; }
size_t Hash(int64_t v) { return std::hash<int64_t>()(v); }
size_t Hash(float v) { return std::hash<float>()(v); }
size_t Hash(bool v) { return v; }
size_t Hash(const std::string& v) { return std::hash<std::string>()(v); }
size_t Hash(DataType v) { return static_cast<size_t>(v); }
size_t Hash(const PartialTensorShape& v) {
  size_t h = v.rank();
  for (int64_t d : v.dims()) h = HashCombine(h, Hash(d));
  return h;
}
size_t Hash(const Tensor& v) {
  if (!v || v.is_symbolic()) return 0;
  size_t h = HashCombine(Hash(v.dtype()), Hash(v.num_elements()));
  if (!IsObjectType(v.dtype())) {
    const int64_t n = std::min<int64_t>(v.byte_size(), 256);
    h = HashCombine(h, std::hash<std::string_view>()(std::string_view(
                           static_cast<const char*>(v.raw_data()), n)));
  }
  return h;
}
size_t Hash(const FunctionAttr& v) { return Hash(v.name); }
template <class T>
size_t Hash(const std::vector<T>& v) {
  size_t h = v.size();
  for (const auto& e : v) h = HashCombine(h, Hash(T(e)));
  return h;
}

std::string Text(std::monostate) { return ""; }
std::string Text(int64_t v) { return std::to_string(v); }
std::string Text(float v) { return Format("{:g}", v); }
std::string Text(bool v) { return v ? "true" : "false"; }
std::string Text(const std::string& v) { return "\"" + v + "\""; }
std::string Text(DataType v) { return DataTypeEnumName(v); }
std::string Text(const PartialTensorShape& v) { return v.DebugString(); }
std::string Text(const Tensor& v) {
  return v ? "<" + v.DebugString() + ">" : "<null>";
}
std::string Text(const FunctionAttr& v) { return v.name + "[]"; }
template <class T>
std::string Text(const std::vector<T>& v) {
  std::string s = "[";
  for (size_t i = 0; i < v.size(); ++i) {
    if (i > 0) s += ", ";
    s += Text(T(v[i]));
  }
  return s + "]";
}

}  // namespace

bool AttrEquals(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& x) {
        return Same(x, std::get<std::decay_t<decltype(x)>>(b));
      },
      a);
}

size_t AttrHash(const AttrValue& v) {
  return HashCombine(v.index(),
                     std::visit([](const auto& x) { return Hash(x); }, v));
}

std::string AttrText(const AttrValue& v) {
  return std::visit([](const auto& x) { return Text(x); }, v);
}

}  // namespace gk
