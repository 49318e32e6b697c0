#include "framework/long_work.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "framework/host_language.h"

namespace gk {
namespace {

using Duration = std::chrono::duration<double>;

constexpr Duration kUntold{2};
constexpr Duration kBetweenLines{0.1};
constexpr int kBarWidth = 30;
// The clock is looked at after so many.
constexpr int64_t kNodesAtOnce = 16;
constexpr int64_t kBytesAtOnce = int64_t{1} << 20;

thread_local LongWork* current_work = nullptr;

bool OnMainThread() { return syscall(SYS_gettid) == getpid(); }

// Negative: never.
Duration Untold() {
  const char* const wish = std::getenv("GK_PROGRESS");
  if (wish == nullptr || *wish == '\0') return kUntold;
  char* end = nullptr;
  const double seconds = std::strtod(wish, &end);
  return Duration(*end == '\0' && seconds >= 0 ? seconds : -1);
}

std::string Grouped(int64_t n) {
  std::string digits = std::to_string(n);
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<size_t>(i), ",");
  }
  return digits;
}

std::string Megabytes(int64_t bytes) {
  const double megabytes = bytes / 1e6;
  return bytes < 10'000'000 ? Format("{:.1f}", megabytes)
                            : Format("{:.0f}", megabytes);
}

std::string Amount(WorkUnit unit, int64_t count) {
  return unit == WorkUnit::kNodes ? Grouped(count) + " nodes"
                                  : Megabytes(count) + " MB";
}

std::string Bar(int64_t count, int64_t total) {
  const double share = std::min(1.0, static_cast<double>(count) / total);
  const int filled = static_cast<int>(share * kBarWidth);
  return Format("[{}{}] {} of {} MB", std::string(filled, '='),
                std::string(kBarWidth - filled, ' '), Megabytes(count),
                Megabytes(total));
}

}  // namespace

LongWork::LongWork(WorkUnit unit, std::string_view now, std::string_view then,
                   std::string_view what, int64_t total)
    : unit_(unit), now_(now), then_(then), what_(what), outer_(current_work) {
  whole_ = this;
  for (LongWork* work = outer_; work != nullptr; work = work->outer_) {
    if (work->unit_ == unit) whole_ = work->whole_;
  }
  whole_->total_ += total;
  current_work = this;
  if (whole_ != this) return;
  const Duration untold = Untold();
  told_ = untold.count() >= 0 && OnMainThread();
  next_look_ = start_ + std::chrono::duration_cast<Clock::duration>(untold);
}

LongWork::~LongWork() {
  current_work = outer_;
  if (shown_ > 0) Show("", "\r");
}

double LongWork::Seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void LongWork::Done() {
  if (shown_ == 0) return;
  Show(Format("{} {}: {} in {:.1f} s", then_, what_, Amount(unit_, count_),
              Seconds()),
       "\n");
  shown_ = 0;
}

void LongWork::Advance(WorkUnit unit, int64_t count) {
  for (LongWork* work = current_work; work != nullptr; work = work->outer_) {
    if (work->unit_ != unit) continue;
    LongWork& whole = *work->whole_;
    whole.count_ += count;
    if (!whole.told_) return;
    const int64_t at_once =
        unit == WorkUnit::kNodes ? kNodesAtOnce : kBytesAtOnce;
    if (whole.count_ - whole.seen_ >= at_once) whole.Look();
    return;
  }
}

void LongWork::Look() {
  seen_ = count_;
  const Clock::time_point time = Clock::now();
  if (time < next_look_) return;
  next_look_ =
      time + std::chrono::duration_cast<Clock::duration>(kBetweenLines);
  Show(Format("{} {}: {}, {:.0f} s", now_, what_,
              total_ > 0 ? Bar(count_, total_) : Amount(unit_, count_),
              Seconds()),
       "");
}

// Over what the line shows, with nothing left of it: not all that show text
// know the codes of terminals.
void LongWork::Show(const std::string& line, std::string_view end) {
  std::string text = "\r" + line;
  if (shown_ > line.size()) text.append(shown_ - line.size(), ' ');
  text += end;
  told_ = HostLanguage::Get().ShowProgress(text);
  shown_ = told_ ? line.size() : 0;
}

}  // namespace gk
