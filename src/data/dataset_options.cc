#include "data/dataset_options.h"

#include <algorithm>

#include "proto/wire.h"

namespace gk {
namespace {

using Kind = Option::Kind;
using Named = std::pair<const char*, int>;

constexpr char kData[] = "data";
constexpr char kExperimental[] = "data.experimental";

constexpr Named kPolicies[] = {
    {"OFF", -1}, {"AUTO", 0}, {"FILE", 1}, {"DATA", 2}, {"HINT", 3}};
constexpr OptionEnum kAutoShardPolicy = {
    "AutoShardPolicy", true, kPolicies,
    "How a dataset is divided among workers.\n\n"
    ">>> tf.data.experimental.AutoShardPolicy.DATA.value\n2\n"};

constexpr Named kAlgorithms[] = {{"DEFAULT", 0},
                                 {"HILL_CLIMB", 1},
                                 {"GRADIENT_DESCENT", 2},
                                 {"MAX_PARALLELISM", 3},
                                 {"STAGE_BASED", 4}};
constexpr OptionEnum kAutotuneAlgorithm = {
    "AutotuneAlgorithm", false, kAlgorithms,
    "How parallelism and buffers are chosen.\n\n"
    ">>> tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB.value\n1\n"};

constexpr Named kStatePolicies[] = {{"WARN", 0}, {"IGNORE", 1}, {"FAIL", 2}};
constexpr OptionEnum kExternalStatePolicy = {
    "ExternalStatePolicy", false, kStatePolicies,
    "What happens to state outside of a dataset that is saved.\n\n"
    ">>> tf.data.experimental.ExternalStatePolicy.FAIL.value\n2\n"};

constexpr Option kAutotune[] = {
    {"enabled", Kind::kBool, 1,
     "Whether they do; if not, they are as large as they may be."},
    {"cpu_budget", Kind::kInt, 2, "CPUs that may be used."},
    {"ram_budget", Kind::kInt, 3,
     "Bytes that elements made in advance by one step may take."},
    {"autotune_algorithm", Kind::kEnum, 4, "By which algorithm.",
     &kAutotuneAlgorithm},
    {"initial_parallelism", Kind::kInt, 5, "What it begins with."},
    {"min_parallelism", Kind::kInt, 6, "The least there is."}};
constexpr OptionGroup kAutotuneOptions = {
    kExperimental, "AutotuneOptions", kAutotune,
    R"(How parallelism and buffers that are tf.data.AUTOTUNE follow the consumer:
as much is made in advance as keeps it from waiting, within the budgets.

>>> options = tf.data.Options()
>>> options.autotune.enabled = True
>>> options.autotune.cpu_budget is None
True
)"};

constexpr Option kDistribute[] = {
    {"auto_shard_policy", Kind::kEnum, 1, "By files or by elements.",
     &kAutoShardPolicy, nullptr, "AUTO"},
    {"num_devices", Kind::kInt, 2, "Of each worker."}};
constexpr OptionGroup kDistributeOptions = {
    kExperimental, "DistributeOptions", kDistribute,
    R"(How a dataset is divided among workers.

>>> tf.data.Options().experimental_distribute.auto_shard_policy.name
'AUTO'
)"};

constexpr Option kOptimization[] = {
    {"apply_default_optimizations", Kind::kBool, 1, "Those that need no wish."},
    {"filter_fusion", Kind::kBool, 6, "Filters become one."},
    {"map_and_batch_fusion", Kind::kBool, 9, "A map and a batch become one."},
    {"map_and_filter_fusion", Kind::kBool, 10,
     "A map and a filter become one."},
    {"map_fusion", Kind::kBool, 11, "Maps become one."},
    {"map_parallelization", Kind::kBool, 12, "Maps work in parallel."},
    {"noop_elimination", Kind::kBool, 14, "What changes nothing is left out."},
    {"parallel_batch", Kind::kBool, 15,
     "Batches are put together in parallel."},
    {"shuffle_and_repeat_fusion", Kind::kBool, 17,
     "A shuffle and a repeat become one."},
    {"filter_parallelization", Kind::kBool, 18, "Filters work in parallel."},
    {"inject_prefetch", Kind::kBool, 19, "The last step is made in advance."},
    {"seq_interleave_prefetch", Kind::kBool, 21,
     "Datasets that an interleave without parallel calls makes are made in "
     "advance."}};
constexpr OptionGroup kOptimizationOptions = {
    kExperimental, "OptimizationOptions", kOptimization,
    R"(Which rewritings of a dataset are wished for. Elements are the same with
and without. All are made where they are True, and `noop_elimination` unless it
or `apply_default_optimizations` is False.

>>> options = tf.data.Options()
>>> options.experimental_optimization.map_fusion = True
>>> options.experimental_optimization.map_fusion
True
)"};

constexpr Option kService[] = {
    {"pinned", Kind::kBool, 1, "Whether memory is pinned."}};
constexpr OptionGroup kServiceOptions = {
    kExperimental, "ServiceOptions", kService,
    R"(For a service that makes elements elsewhere; there is none here.

>>> tf.data.Options().experimental_service.pinned is None
True
)"};

constexpr Option kThreading[] = {
    {"max_intra_op_parallelism", Kind::kInt, 1, "Inside of an op."},
    {"private_threadpool_size", Kind::kInt, 2, "For the dataset alone."}};
constexpr OptionGroup kThreadingOptions = {kData, "ThreadingOptions",
                                           kThreading,
                                           R"(How many threads there are.

>>> options = tf.data.Options()
>>> options.threading.private_threadpool_size = 4
>>> options.threading.private_threadpool_size
4
)"};

// Older names have no number: they are never written.
constexpr Option kWhole[] = {
    {"deterministic", Kind::kBool, 1,
     "Whether elements must keep their order."},
    {"experimental_deterministic", Kind::kBool, 0,
     "The older name of `deterministic`.", nullptr, nullptr, nullptr,
     "deterministic"},
    {"experimental_distribute", Kind::kGroup, 2,
     "How it is divided among workers.", nullptr, &kDistributeOptions},
    {"experimental_optimization", Kind::kGroup, 3,
     "Which rewritings are wished for.", nullptr, &kOptimizationOptions},
    {"experimental_slack", Kind::kBool, 4,
     "Whether the last prefetch waits a bit."},
    {"threading", Kind::kGroup, 5, "How many threads there are.", nullptr,
     &kThreadingOptions},
    {"experimental_threading", Kind::kGroup, 0,
     "The older name of `threading`.", nullptr, &kThreadingOptions, nullptr,
     "threading"},
    {"experimental_external_state_policy", Kind::kEnum, 6,
     "What happens to state outside when it is saved.", &kExternalStatePolicy},
    {"autotune", Kind::kGroup, 7, "How it is tuned.", nullptr,
     &kAutotuneOptions},
    {"experimental_symbolic_checkpoint", Kind::kBool, 8,
     "How places are saved."},
    {"experimental_warm_start", Kind::kBool, 9, "Whether work begins at once."},
    {"dataset_name", Kind::kText, 10, "A name for it."},
    {"framework_type", Kind::kTexts, 11, "Who uses it."},
    {"experimental_service", Kind::kGroup, 12, "For a service.", nullptr,
     &kServiceOptions}};
constexpr OptionGroup kOptions = {
    kData, "Options", kWhole,
    R"(What a dataset is told about how it should be run. None of it changes what
the elements are.

>>> options = tf.data.Options()
>>> options.deterministic = False
>>> dataset = tf.data.Dataset.range(3).with_options(options)
>>> dataset.options().deterministic
False
)"};

constexpr const OptionGroup* kGroups[] = {
    &kAutotuneOptions, &kDistributeOptions, &kOptimizationOptions,
    &kServiceOptions,  &kThreadingOptions,  &kOptions};
constexpr const OptionEnum* kEnumerations[] = {
    &kAutoShardPolicy, &kAutotuneAlgorithm, &kExternalStatePolicy};

// The same as nothing?
bool IsDefault(const Option& option, const DatasetOptions::Value& value) {
  return option.otherwise != nullptr &&
         std::ranges::any_of(option.values->values, [&](const Named& v) {
           return std::get<int64_t>(value) == v.second &&
                  std::string_view(v.first) == option.otherwise;
         });
}

// From the last field to the first, as a Writer has it.
void Write(const DatasetOptions& options, const OptionGroup& group,
           proto::Writer* to) {
  for (size_t i = group.options.size(); i-- > 0;) {
    const Option& option = group.options[i];
    const DatasetOptions::Value* value = options.Find(option);
    if (option.key != nullptr || value == nullptr) continue;
    const auto bytes = [&](std::string_view text) {
      to->Bytes(text);
      to->Tag(option.number, proto::kBytes);
    };
    switch (option.kind) {
      case Kind::kGroup: {
        proto::Writer inside;
        Write(options, *option.group, &inside);
        bytes(inside.view());
        break;
      }
      case Kind::kText:
        bytes(std::get<std::string>(*value));
        break;
      case Kind::kTexts: {
        const auto& texts = std::get<std::vector<std::string>>(*value);
        std::for_each(texts.rbegin(), texts.rend(), bytes);
        break;
      }
      default: {
        const bool* flag = std::get_if<bool>(value);
        to->Varint(static_cast<uint64_t>(
            flag != nullptr ? *flag : std::get<int64_t>(*value)));
        to->Tag(option.number, proto::kVarint);
      }
    }
  }
}

bool Read(proto::Reader from, const OptionGroup& group, DatasetOptions* options,
          std::string* unknown) {
  while (!from.done()) {
    const char* start = from.position();
    uint32_t tag;
    if (!from.Tag(&tag)) return false;
    const auto found =
        std::ranges::find_if(group.options, [tag](const Option& o) {
          const bool bytes = o.kind == Kind::kText || o.kind == Kind::kTexts ||
                             o.kind == Kind::kGroup;
          return tag ==
                 (o.number << 3 | (bytes ? proto::kBytes : proto::kVarint));
        });
    if (found == group.options.end()) {
      if (!from.Keep(tag, start, unknown)) return false;
      continue;
    }
    std::string_view text;
    uint64_t number = 0;
    switch (found->kind) {
      case Kind::kGroup: {
        proto::Reader inside;
        std::string dropped;
        if (!from.Message(&inside)) return false;
        options->Set(*found, {});
        if (!Read(inside, *found->group, options, &dropped)) return false;
        break;
      }
      case Kind::kText:
        if (!from.Bytes(&text)) return false;
        options->Set(*found, std::string(text));
        break;
      case Kind::kTexts: {
        if (!from.Bytes(&text)) return false;
        std::vector<std::string> all;
        if (const auto* before = options->Find(*found)) {
          all = std::get<std::vector<std::string>>(*before);
        }
        all.emplace_back(text);
        options->Set(*found, std::move(all));
        break;
      }
      case Kind::kBool:
        if (!from.Varint(&number)) return false;
        options->Set(*found, number != 0);
        break;
      default:
        if (!from.Varint(&number)) return false;
        options->Set(*found, static_cast<int64_t>(number));
    }
  }
  return true;
}

}  // namespace

const Option* OptionGroup::Find(std::string_view option) const {
  for (const Option& o : options) {
    if (o.name == option) return o.key != nullptr ? Find(o.key) : &o;
  }
  return nullptr;
}

std::span<const OptionGroup* const> DatasetOptions::Groups() { return kGroups; }
std::span<const OptionEnum* const> DatasetOptions::Enumerations() {
  return kEnumerations;
}

const DatasetOptions::Value* DatasetOptions::Find(const Option& option) const {
  const auto at = values_.find(&option);
  return at == values_.end() ? nullptr : &at->second;
}

void DatasetOptions::Set(const Option& option, Value value) {
  if (IsDefault(option, value)) {
    values_.erase(&option);
  } else {
    values_.insert_or_assign(&option, std::move(value));
  }
}

void DatasetOptions::Merge(const DatasetOptions& others) {
  for (const auto& [option, value] : others.values_) {
    auto [at, fresh] = values_.try_emplace(option, value);
    if (fresh) continue;
    if (option->kind != Kind::kTexts) {
      at->second = value;
      continue;
    }
    auto& mine = std::get<std::vector<std::string>>(at->second);
    const auto& theirs = std::get<std::vector<std::string>>(value);
    mine.insert(mine.end(), theirs.begin(), theirs.end());
  }
  unknown_ += others.unknown_;
}

DatasetOptions::Shared DatasetOptions::Both(Shared options, Shared others) {
  if (others == nullptr || others == options) return options;
  if (options == nullptr) return others;
  auto both = std::make_shared<DatasetOptions>(*options);
  both->Merge(*others);
  return both;
}

std::string DatasetOptions::Serialize() const {
  proto::Writer writer;
  writer.Raw(unknown_);
  Write(*this, Whole(), &writer);
  return writer.str();
}

StatusOr<DatasetOptions> DatasetOptions::Parse(std::string_view bytes) {
  DatasetOptions options;
  if (!Read(proto::Reader(bytes), Whole(), &options, &options.unknown_)) {
    return InvalidArgument(
        "Could not parse serialized_options as valid Options.");
  }
  return options;
}

}  // namespace gk
