#include "api/data_options.h"

#include <type_traits>

namespace gk::api {
namespace {

using OptionValue = ::gk::DatasetOptions::Value;

// Members by name, as the table has them.
#define GK_MEMBER(name) visit(#name, o.name)
template <class O, class F>
void VisitMembers(O& o, F&& visit) requires
    std::is_same_v<std::remove_const_t<O>, AutotuneOptions> {
  GK_MEMBER(enabled), GK_MEMBER(cpu_budget), GK_MEMBER(ram_budget),
      GK_MEMBER(autotune_algorithm), GK_MEMBER(initial_parallelism),
      GK_MEMBER(min_parallelism);
}
template <class O, class F>
void VisitMembers(O& o, F&& visit) requires
    std::is_same_v<std::remove_const_t<O>, DistributeOptions> {
  GK_MEMBER(auto_shard_policy), GK_MEMBER(num_devices);
}
template <class O, class F>
void VisitMembers(O& o, F&& visit) requires
    std::is_same_v<std::remove_const_t<O>, OptimizationOptions> {
  GK_MEMBER(apply_default_optimizations), GK_MEMBER(filter_fusion),
      GK_MEMBER(filter_parallelization), GK_MEMBER(inject_prefetch),
      GK_MEMBER(map_and_batch_fusion), GK_MEMBER(map_and_filter_fusion),
      GK_MEMBER(map_fusion), GK_MEMBER(map_parallelization),
      GK_MEMBER(noop_elimination), GK_MEMBER(parallel_batch),
      GK_MEMBER(seq_interleave_prefetch), GK_MEMBER(shuffle_and_repeat_fusion);
}
template <class O, class F>
void VisitMembers(O& o, F&& visit) requires
    std::is_same_v<std::remove_const_t<O>, ServiceOptions> {
  GK_MEMBER(pinned);
}
template <class O, class F>
void VisitMembers(O& o, F&& visit) requires
    std::is_same_v<std::remove_const_t<O>, ThreadingOptions> {
  GK_MEMBER(max_intra_op_parallelism), GK_MEMBER(private_threadpool_size);
}
template <class O, class F>
void VisitMembers(O& o, F&& visit) requires
    std::is_same_v<std::remove_const_t<O>, DataOptions> {
  GK_MEMBER(autotune), GK_MEMBER(dataset_name), GK_MEMBER(framework_type),
      GK_MEMBER(deterministic), GK_MEMBER(experimental_distribute),
      GK_MEMBER(experimental_external_state_policy),
      GK_MEMBER(experimental_optimization), GK_MEMBER(experimental_service),
      GK_MEMBER(experimental_slack),
      GK_MEMBER(experimental_symbolic_checkpoint),
      GK_MEMBER(experimental_warm_start), GK_MEMBER(threading);
}
#undef GK_MEMBER

template <class T>
OptionValue ValueOf(const T& v) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<int64_t>(v);
  } else {
    return v;
  }
}
template <class T>
void Take(const OptionValue& value, T* v) {
  if constexpr (std::is_enum_v<T>) {
    *v = static_cast<T>(std::get<int64_t>(value));
  } else {
    *v = std::get<T>(value);
  }
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

// What `o` says, of the group.
template <class O>
void Say(const O& o, const OptionGroup& group, ::gk::DatasetOptions* said) {
  VisitMembers(o, [&]<class T>(const char* name, const T& member) {
    const Option& option = *group.Find(name);
    if constexpr (IsOptional<T>::value) {
      if (member) said->Set(option, ValueOf(*member));
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      if (!member.empty()) said->Set(option, member);
    } else if constexpr (std::is_enum_v<T>) {
      said->Set(option, ValueOf(member));
    } else {
      said->Set(option, {});
      Say(member, *option.group, said);
    }
  });
}

template <class O>
void Hear(const ::gk::DatasetOptions& said, const OptionGroup& group, O* o) {
  VisitMembers(*o, [&]<class T>(const char* name, T& member) {
    const Option& option = *group.Find(name);
    const OptionValue* value = said.Find(option);
    if constexpr (IsOptional<T>::value) {
      if (value != nullptr) Take(*value, &member.emplace());
    } else if constexpr (std::is_same_v<T, std::vector<std::string>> ||
                         std::is_enum_v<T>) {
      if (value != nullptr) Take(*value, &member);
    } else {
      Hear(said, *option.group, &member);
    }
  });
}

}  // namespace

::gk::DatasetOptions Inner(const DataOptions& options) {
  ::gk::DatasetOptions said;
  Say(options, ::gk::DatasetOptions::Whole(), &said);
  return said;
}

DataOptions Outer(const ::gk::DatasetOptions& said) {
  DataOptions options;
  Hear(said, ::gk::DatasetOptions::Whole(), &options);
  return options;
}

DataOptions DataOptions::merge(const DataOptions& others) const {
  ::gk::DatasetOptions both = Inner(*this);
  both.Merge(Inner(others));
  return Outer(both);
}

}  // namespace gk::api
