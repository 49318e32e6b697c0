// Tables of single keys, fixed and changing ones.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "base/process_mutex.h"
#include "base/thread_pool.h"
#include "ops/lookup/key_places.h"
#include "ops/lookup/table.h"

namespace gk {
namespace {

// Bits that are equal where numbers are.
template <class T>
uint64_t NumberKey(const void* data, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const T*>(data) + i, sizeof(T));
  return static_cast<uint64_t>(value);
}
uint64_t RealKey(const Tensor& keys, int64_t i) {
  if (keys.dtype() == DataType::kDouble) {
    const double value = keys.data<double>()[i];
    return value == 0 ? 0 : NumberKey<uint64_t>(keys.raw_data(), i);
  }
  const float value = keys.data<float>()[i];
  return value == 0 ? 0 : NumberKey<uint32_t>(keys.raw_data(), i);
}

// Calls fn(key_of), a function from positions to keys.
template <class Fn>
auto VisitKeys(const Tensor& keys, Fn&& fn) {
  const void* data = keys.raw_data();
  switch (keys.dtype()) {
    case DataType::kString:
      return fn([&](int64_t i) -> const std::string& {
        return keys.data<std::string>()[i];
      });
    case DataType::kFloat:
    case DataType::kDouble:
      return fn([&](int64_t i) { return RealKey(keys, i); });
    default:
      break;
  }
  switch (DataTypeSize(keys.dtype())) {
    case 1:
      return fn([data](int64_t i) { return NumberKey<uint8_t>(data, i); });
    case 2:
      return fn([data](int64_t i) { return NumberKey<uint16_t>(data, i); });
    case 4:
      return fn([data](int64_t i) { return NumberKey<uint32_t>(data, i); });
    default:
      return fn([data](int64_t i) { return NumberKey<uint64_t>(data, i); });
  }
}

uint64_t BitsOf(uint64_t key) { return key; }
uint64_t BitsOf(const std::string& key) {
  const char* const data = key.data();
  const size_t n = key.size();
  uint64_t first = 0, last = 0;
  if (n > 16) return std::hash<std::string_view>()(key);
  // Short ones whole: their two ends meet.
  if (n >= 8) {
    std::memcpy(&first, data, 8);
    std::memcpy(&last, data + n - 8, 8);
  } else if (n >= 4) {
    std::memcpy(&first, data, 4);
    std::memcpy(&last, data + n - 4, 4);
  } else if (n > 0) {
    first = static_cast<uint8_t>(data[0]) |
            static_cast<uint64_t>(static_cast<uint8_t>(data[n / 2])) << 8 |
            static_cast<uint64_t>(static_cast<uint8_t>(data[n - 1])) << 16;
  }
  const auto product =
      static_cast<unsigned __int128>(first ^ (0xa0761d6478bd642f + n)) *
      (last ^ 0xe7037ed1a0b428db);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

template <class KeyOf>
constexpr bool kAreTexts =
    std::is_same_v<std::invoke_result_t<const KeyOf&, int64_t>,
                   const std::string&>;

// So many keys at once are looked for.
constexpr int64_t kTogether = 32;

struct Content {
  KeyPlaces places;
  Column keys, values;

  // Is it the key at that place, if its bits are?
  auto Is(uint64_t) const {
    return [](int64_t) { return true; };
  }
  auto Is(const std::string& key) const {
    return [this, &key](int64_t at) { return keys.text(at) == key; };
  }

  template <class K>
  int64_t Find(const K& key, uint64_t bits) const {
    return places.Find(bits, Is(key));
  }

  // Of n keys, kTogether at most, from `first` on.
  template <class KeyOf>
  void FindSome(const KeyOf& key_of, int64_t first, int64_t n,
                int64_t* found) const {
    uint64_t bits[kTogether];
    for (int64_t j = 0; j < n; ++j) {
      bits[j] = BitsOf(key_of(first + j));
      places.Prefetch(bits[j]);
    }
    for (int64_t j = 0; j < n; ++j) {
      found[j] = places.Guess(bits[j]);
      const int64_t at = std::max<int64_t>(found[j], 0);
      values.Prefetch(at);
      if (kAreTexts<KeyOf>) keys.Prefetch(at);
    }
    for (int64_t j = 0; kAreTexts<KeyOf> && j < n; ++j) {
      const auto& key = key_of(first + j);
      // Another key may have the same bits.
      if (found[j] >= 0 && !Is(key)(found[j])) found[j] = Find(key, bits[j]);
    }
  }

  // Where the key was before, or -1.
  template <class K>
  int64_t Add(const K& key, const Tensor& from, int64_t i) {
    const uint64_t bits = BitsOf(key);
    const int64_t at = Find(key, bits);
    if (at >= 0) return at;
    places.Add(bits, keys.rows());
    keys.Append(from, i);
    return -1;
  }
};

std::string ElementText(const Tensor& t, int64_t i) {
  if (t.dtype() == DataType::kString) return t.data<std::string>()[i];
  std::string text;
  VisitType<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
            uint32_t, uint64_t>(t.dtype(), [&](auto tag) {
    text = Format("{}", t.data<decltype(tag)>()[i]);
  });
  return text;
}

class HashTable final : public TableResource {
 public:
  HashTable(std::string name, TableTypes types, bool fixed)
      : TableResource(std::move(name), std::move(types)),
        is_fixed_(fixed),
        content_(Empty()) {}

  std::string_view kind() const override {
    return is_fixed_ ? "StaticHashTable" : "MutableHashTable";
  }
  Status Find(const Tensor& keys, const Tensor& otherwise,
              Tensor* values) override {
    const std::shared_ptr<const Content> content = Now();
    if (content == nullptr) {
      return FailedPrecondition("Table not initialized.");
    }
    const int64_t width = value_width();
    // One for all keys, unless there are as many as keys.
    const int64_t step = otherwise.num_elements() == width ? 0 : 1;
    Column defaults(otherwise.dtype(), width);
    const int64_t rows = step == 0 ? 1 : keys.num_elements();
    for (int64_t i = 0; i < rows; ++i) defaults.Append(otherwise, i);
    VisitKeys(keys, [&](auto key_of) {
      ThreadPool::Global().ParallelRange(
          keys.num_elements(), 40, [&](int64_t begin, int64_t end) {
            // Some at once: the memory that one waits for, others do too.
            for (int64_t first = begin; first < end; first += kTogether) {
              const int64_t n = std::min(kTogether, end - first);
              int64_t places[kTogether];
              content->FindSome(key_of, first, n, places);
              content->values.GetSome({places, static_cast<size_t>(n)},
                                      defaults, step, values, first);
            }
          });
    });
    return OkStatus();
  }

  Status Insert(const Tensor& keys, const Tensor& values) override {
    if (is_fixed_) return Refused("Insert");
    std::lock_guard lock(mutex_);
    Put(Mutable(), keys, values);
    return OkStatus();
  }

  Status Remove(const Tensor& keys) override {
    if (is_fixed_) return Refused("Remove");
    std::lock_guard lock(mutex_);
    Content& content = Mutable();
    VisitKeys(keys, [&](auto key_of) {
      for (int64_t i = 0; i < keys.num_elements(); ++i) {
        const auto& key = key_of(i);
        const uint64_t bits = BitsOf(key);
        const int64_t at = content.Find(key, bits);
        if (at < 0) continue;
        content.places.Remove(bits, content.Is(key));
        const int64_t last = content.keys.rows() - 1;
        if (at != last) {
          // The last one moves.
          Tensor moved = *Tensor::Allocate(types().key, TensorShape());
          content.keys.Get(last, &moved, 0);
          VisitKeys(moved, [&](auto moved_key) {
            content.places.Move(BitsOf(moved_key(0)), content.Is(moved_key(0)),
                                at);
          });
        }
        content.keys.Drop(at);
        content.values.Drop(at);
      }
    });
    return OkStatus();
  }

  Status Import(const Tensor& keys, const Tensor& values) override {
    if (is_fixed_) return Initialize(keys, values);
    auto content = Empty();
    Put(*content, keys, values);
    std::lock_guard lock(mutex_);
    content_.swap(content);
    return OkStatus();
  }

  Status Export(Tensor* keys, Tensor* values) override {
    const std::shared_ptr<const Content> content = Now();
    if (content == nullptr)
      return Status(Code::kAborted, "HashTable is not initialized.");
    const int64_t n = content->keys.rows();
    GK_ASSIGN_OR_RETURN(*keys, Tensor::Allocate(types().key, TensorShape({n})));
    std::vector<int64_t> dims{n};
    const auto value = types().value_shape.dims();
    dims.insert(dims.end(), value.begin(), value.end());
    GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
    GK_ASSIGN_OR_RETURN(*values, Tensor::Allocate(types().value, shape));
    content->keys.CopyAll(keys);
    content->values.CopyAll(values);
    return OkStatus();
  }

  int64_t Size() override {
    const std::shared_ptr<const Content> content = Now();
    return content == nullptr ? 0 : content->keys.rows();
  }

  bool IsInitialized() override { return is_fixed_ && Now() != nullptr; }

  Status Initialize(const Tensor& keys, const Tensor& values) override {
    if (!is_fixed_) return TableResource::Initialize(keys, values);
    auto content = Empty(true);
    Status status;
    VisitKeys(keys, [&](auto key_of) {
      for (int64_t i = 0; i < keys.num_elements() && status.ok(); ++i) {
        const int64_t at = content->Add(key_of(i), keys, i);
        if (at < 0) {
          content->values.Append(values, i);
        } else if (!content->values.Equals(at, values, i)) {
          Tensor known = *Tensor::Allocate(types().value, TensorShape());
          content->values.Get(at, &known, 0);
          status = FailedPrecondition(
              "HashTable has different value for same key. Key {} has {} and "
              "trying to add value {}",
              ElementText(keys, i), ElementText(known, 0),
              ElementText(values, i));
        }
      }
    });
    GK_RETURN_IF_ERROR(status);
    std::lock_guard lock(mutex_);
    if (content_ != nullptr) {
      if (content_->keys.rows() == content->keys.rows()) return OkStatus();
      return FailedPrecondition(
          "Table was already initialized with different data.");
    }
    content_ = std::move(content);
    return OkStatus();
  }

 private:
  // Null of a fixed one, until it has its content.
  std::shared_ptr<Content> Empty(bool always = false) const {
    if (is_fixed_ && !always) return nullptr;
    auto content = std::make_shared<Content>();
    content->keys = Column(types().key, 1);
    content->values = Column(types().value, value_width());
    return content;
  }

  int64_t value_width() const { return types().value_shape.num_elements(); }

  static Status Refused(std::string_view what) {
    return Unimplemented(
        "{} not supported by InitializableLookupTable implementations", what);
  }

  // What no writer changes while it is held.
  std::shared_ptr<const Content> Now() {
    std::lock_guard lock(mutex_);
    return content_;
  }

  // With the lock held: a copy, if somebody reads it.
  Content& Mutable() {
    if (content_.use_count() > 1) {
      content_ = std::make_shared<Content>(*content_);
    }
    return *content_;
  }

  static void Put(Content& content, const Tensor& keys, const Tensor& values) {
    VisitKeys(keys, [&](auto key_of) {
      const int64_t n = keys.num_elements();
      for (int64_t first = 0; first < n; first += kTogether) {
        const int64_t end = std::min(n, first + kTogether);
        // What is not there yet may come among them.
        int64_t places[kTogether];
        content.FindSome(key_of, first, end - first, places);
        for (int64_t i = first; i < end; ++i) {
          int64_t at = places[i - first];
          if (at < 0) at = content.Add(key_of(i), keys, i);
          content.values.Set(at < 0 ? content.values.rows() : at, values, i);
        }
      }
    });
  }

  const bool is_fixed_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  std::shared_ptr<Content> content_;
};

}  // namespace

Ref<TableResource> MakeHashTable(std::string name, TableTypes types,
                                 bool fixed) {
  return MakeRef<HashTable>(std::move(name), std::move(types), fixed);
}

}  // namespace gk
