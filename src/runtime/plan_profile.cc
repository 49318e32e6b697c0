#include "runtime/plan_profile.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "base/process_mutex.h"
#include "io/files.h"
#include "runtime/plan.h"

namespace gk {
namespace {

// Profiles outlive their plans until the process ends; a program that makes
// plans without end keeps the first ones only.
constexpr size_t kMaxProfiles = 4096;
constexpr char kFile[] = "GK_PLAN_PROFILE";

std::atomic<bool>& IsWanted() {
  static std::atomic<bool> wanted = std::getenv(kFile) != nullptr;
  return wanted;
}

class Profiles {
 public:
  static Profiles& Get() {
    static Profiles* profiles = [] {
      if (std::getenv(kFile) != nullptr) std::atexit([] { Get().Write(); });
      return new Profiles;
    }();
    return *profiles;
  }
  bool Keep(std::shared_ptr<PlanProfile> profile) {
    std::lock_guard lock(mutex_);
    if (all_.size() >= kMaxProfiles) return false;
    all_.push_back(std::move(profile));
    return true;
  }
  std::string Tables() {
    std::vector<std::shared_ptr<PlanProfile>> all;
    {
      std::lock_guard lock(mutex_);
      all = all_;
    }
    std::string text;
    for (const auto& profile : all) text += profile->Table();
    return text;
  }

 private:
  void Write() {
    const Status written = io::WriteFile(file_, Tables());
    if (!written.ok()) {
      std::fprintf(stderr, "GK_PLAN_PROFILE: %s\n", written.message().c_str());
    }
  }

  const char* const file_ = std::getenv(kFile);
  ProcessMutex mutex_;
  std::vector<std::shared_ptr<PlanProfile>> all_;
};

}  // namespace

std::shared_ptr<PlanProfile> PlanProfile::MakeIfWanted(const Plan& plan) {
  if (!IsWanted()) return nullptr;
  auto profile = std::make_shared<PlanProfile>(plan);
  return Profiles::Get().Keep(profile) ? profile : nullptr;
}

void PlanProfile::Want() { IsWanted() = true; }
std::string PlanProfile::AllTables() { return Profiles::Get().Tables(); }

PlanProfile::PlanProfile(const Plan& plan)
    : name_(plan.function.name), lines_(plan.instructions.size()) {
  const std::string all = plan.DebugString();
  std::string_view rest = all;
  for (Line& line : lines_) {
    const size_t end = rest.find('\n');
    line.text = rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  for (size_t i = 0; i < lines_.size(); ++i) {
    const Instruction& now = plan.instructions[i];
    for (int k = 0; k < now.num_outputs; ++k) {
      const SlotInfo& slot = plan.slots[now.first_output + k];
      lines_[i].text +=
          slot.is_static ? " " + slot.shape.DebugString() : " [?]";
    }
  }
}

int64_t PlanProfile::Now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::string PlanProfile::Table() const {
  int64_t total = 0, runs = 0;
  for (const Line& line : lines_) {
    total += line.wall_ns;
    runs = std::max<int64_t>(runs, line.runs);
  }
  if (runs == 0) return "";
  std::string text =
      Format("{}: {} runs, {:.1f} us each\n", name_, runs, total * 1e-3 / runs);
  for (const Line& line : lines_) {
    const double scale = line.runs ? 1e-3 / line.runs : 0;
    text += Format("{:10.2f} {:5.1f}% {:10.2f}  {}\n", line.wall_ns * scale,
                   total ? 100.0 * line.wall_ns / total : 0.0,
                   line.cpu_ns * scale, line.text);
  }
  return text;
}

}  // namespace gk
