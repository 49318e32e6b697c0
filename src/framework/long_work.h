// LongWork: work of which people who watch are told once it lasts: "Tracing
// train_step: 12,400 nodes, 3 s", "Saving model: [=====     ] 210 of 400 MB".
//
// Nothing is said of the first two seconds, of other threads than the main one,
// and where nobody watches (HostLanguage::ShowProgress). GK_PROGRESS in the
// environment is a number of seconds in place of the two, or "off".
#ifndef GK_FRAMEWORK_LONG_WORK_H_
#define GK_FRAMEWORK_LONG_WORK_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace gk {

enum class WorkUnit { kNodes, kBytes };

class LongWork {
 public:
  // "Saving", "Saved": literals. Within other work of the unit it is a part of
  // that, and its total is added to the other's.
  LongWork(WorkUnit unit, std::string_view now, std::string_view then,
           std::string_view what, int64_t total = 0);
  // What was shown of work that is not done is wiped away.
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  // Says how long it took, if anything was shown.
  void Done();

  // So many units more of what runs on this thread. May wait for the host
  // language's lock, as CheckInterrupt does.
  static void Advance(WorkUnit unit, int64_t count);

 private:
  using Clock = std::chrono::steady_clock;
  void Look();
  void Show(const std::string& line, std::string_view end);
  double Seconds() const;

  const WorkUnit unit_;
  const std::string_view now_, then_;
  const std::string what_;
  LongWork* const outer_;  // of this thread
  LongWork* whole_;        // the outermost of the unit, perhaps this
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_look_;
  bool told_ = true;  // unless nobody watches
  int64_t total_ = 0, count_ = 0, seen_ = 0;
  size_t shown_ = 0;  // letters on the line
};

}  // namespace gk

#endif  // GK_FRAMEWORK_LONG_WORK_H_
