// Runs a fuzz target over mutated inputs, without a compiler's help.
//
//   TARGET [--seconds N] [--count N] [--seed S] [--timeout SECONDS]
//          [--memory MIB] [--only I] [--save DIR] CORPUS...
//
// Input number I of a seed depends on these two and the corpus alone, so that
// a failure is met again with --seed S --only I. Inputs run in child
// processes: what kills one, or does not come back in time, is counted, named
// and kept in DIR, and the next child goes on behind it. The exit status is 1
// if there was a failure. A file named by --only FILE is run as it is.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/sanitizer.h"
#include "driver/fuzz_target.h"
#include "driver/mutate_bytes.h"

#ifdef GK_ADDRESS_SANITIZER
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=1024:"
         "hard_rss_limit_mb=4096:detect_leaks=0:detect_stack_use_after_return="
         "0:handle_abort=1";
}
#endif

namespace gk::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxInput = 1 << 20;
constexpr int kMaxFailures = 25;

struct Options {
  double seconds = 0;
  uint64_t count = 0;
  uint64_t seed = 1;
  double timeout = 60;
  uint64_t memory_mib = 2048;
  std::string only;
  std::string save = "fuzz-failures";
  std::vector<std::string> corpus;
};

// Shared between the parent and a child.
struct Progress {
  std::atomic<uint64_t> index;
  std::atomic<bool> done;
};

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> ReadCorpus(const std::vector<std::string>& places) {
  std::vector<std::filesystem::path> files;
  for (const std::string& place : places) {
    if (!std::filesystem::is_directory(place)) {
      files.emplace_back(place);
      continue;
    }
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(place)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const auto& file : files) inputs.push_back(ReadFile(file));
  if (inputs.empty()) inputs.emplace_back();
  return inputs;
}

// The corpus itself comes first.
std::string MakeInput(const std::vector<std::string>& corpus, uint64_t seed,
                      uint64_t index) {
  if (index < corpus.size()) return corpus[index];
  std::seed_seq sequence{seed, seed >> 32, index, index >> 32};
  Random random(sequence);
  std::string input = corpus[Below(random, corpus.size())];
  const bool custom = LLVMFuzzerCustomMutator != nullptr;
  const uint64_t rounds = 1 + Below(random, OneIn(random, 4) ? 12 : 3);
  for (uint64_t i = 0; i < rounds; ++i) {
    if (custom && !OneIn(random, 12)) {
      std::string room(kMaxInput, '\0');
      const size_t size = std::min(input.size(), kMaxInput);
      std::memcpy(room.data(), input.data(), size);
      room.resize(LLVMFuzzerCustomMutator(
          reinterpret_cast<uint8_t*>(room.data()), size, kMaxInput,
          static_cast<unsigned int>(random())));
      input = std::move(room);
    } else {
      MutateBytes(random, corpus[Below(random, corpus.size())], kMaxInput,
                  &input);
    }
  }
  return input;
}

void RunInput(const std::string& input) {
  // Its own block, so that a sanitizer sees its end.
  std::vector<uint8_t> bytes(input.begin(), input.end());
  try {
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  } catch (const std::bad_alloc&) {
    // More than there is: a C++ caller is told so.
  }
}

void LimitMemory(const Options& options) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (kSanitized) return;  // takes address space for its own
  const rlim_t bytes = options.memory_mib << 20;
  const rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

// What the inputs print is nobody's business.
void Silence() {
  const int null = open("/dev/null", O_WRONLY);
  if (null >= 0) dup2(null, STDOUT_FILENO);
}

class Campaign {
 public:
  explicit Campaign(const Options& options)
      : options_(options), corpus_(ReadCorpus(options.corpus)) {
    void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) Fail("no shared memory");
    progress_ = new (shared) Progress;
  }

  int Run() {
    std::printf("seed %llu, %zu inputs in the corpus\n",
                static_cast<unsigned long long>(options_.seed), corpus_.size());
    std::fflush(stdout);
    const Clock::time_point start = Clock::now();
    deadline_ =
        options_.seconds > 0
            ? start + std::chrono::duration_cast<Clock::duration>(
                          std::chrono::duration<double>(options_.seconds))
            : Clock::time_point::max();
    uint64_t next = 0;
    while (Clock::now() < deadline_ && !Ended(next) &&
           failures_.size() < kMaxFailures) {
      next = RunChild(next);
    }
    const double took =
        std::chrono::duration<double>(Clock::now() - start).count();
    std::printf("%llu inputs in %.1f s, seed %llu: %zu failures\n",
                static_cast<unsigned long long>(next), took,
                static_cast<unsigned long long>(options_.seed),
                failures_.size());
    for (const std::string& f : failures_) std::printf("  %s\n", f.c_str());
    return failures_.empty() ? 0 : 1;
  }

  int RunOnly() {
    const std::string& only = options_.only;
    uint64_t number = 0;
    const auto [end, error] =
        std::from_chars(only.data(), only.data() + only.size(), number);
    if (std::filesystem::exists(only)) {
      RunInput(ReadFile(only));
    } else if (error == std::errc() && end == only.data() + only.size()) {
      RunInput(MakeInput(corpus_, options_.seed, number));
    } else {
      std::fprintf(stderr,
                   "--only %s: there is no such file, nor is it the number of "
                   "an input\n",
                   only.c_str());
      return 2;
    }
    std::printf("no failure\n");
    return 0;
  }

 private:
  bool Ended(uint64_t index) const {
    if (options_.count > 0) return index >= options_.count;
    return options_.seconds <= 0 && index >= corpus_.size();
  }

  // Returns the index to go on with.
  uint64_t RunChild(uint64_t first) {
    progress_->index = first;
    progress_->done = false;
    const pid_t child = fork();
    if (child < 0) Fail("cannot fork");
    if (child == 0) Work(first);
    uint64_t seen = first;
    Clock::time_point since = Clock::now();
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const uint64_t now = progress_->index;
      if (now != seen) {
        seen = now;
        since = Clock::now();
      } else if (Clock::now() - since >
                 std::chrono::duration<double>(options_.timeout)) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        if (!progress_->done) {
          Note(progress_->index,
               "hangs: no end within " +
                   std::to_string(static_cast<int>(options_.timeout)) + " s");
        }
        return progress_->index + 1;
      }
    }
    const uint64_t index = progress_->index;
    if (progress_->done) return index;
    if (WIFSIGNALED(status)) {
      Note(index, std::string("dies: ") + strsignal(WTERMSIG(status)));
    } else {
      Note(index,
           "ends with exit status " + std::to_string(WEXITSTATUS(status)));
    }
    return index + 1;
  }

  [[noreturn]] void Work(uint64_t first) {
    LimitMemory(options_);
    Silence();
    // A child does not live for ever: what inputs leave behind goes with it.
    constexpr uint64_t kMaxInputs = 2000;
    uint64_t i = first;
    for (; i < first + kMaxInputs && !Ended(i) && Clock::now() < deadline_;
         ++i) {
      progress_->index = i;
      RunInput(MakeInput(corpus_, options_.seed, i));
    }
    progress_->index = i;
    progress_->done = true;
    _exit(0);
  }

  void Note(uint64_t index, const std::string& what) {
    std::filesystem::create_directories(options_.save);
    const std::string path = options_.save + "/seed" +
                             std::to_string(options_.seed) + "-" +
                             std::to_string(index);
    const std::string input = MakeInput(corpus_, options_.seed, index);
    std::ofstream(path, std::ios::binary) << input;
    failures_.push_back("--seed " + std::to_string(options_.seed) + " --only " +
                        std::to_string(index) + " (" + path + ") " + what);
    std::printf("%s\n", failures_.back().c_str());
    std::fflush(stdout);
  }

  const Options options_;
  const std::vector<std::string> corpus_;
  Progress* progress_ = nullptr;
  Clock::time_point deadline_;
  std::vector<std::string> failures_;
};

int Usage() {
  std::fprintf(stderr,
               "usage: TARGET [--seconds N] [--count N] [--seed S] "
               "[--timeout SECONDS] [--memory MIB] [--only I|FILE] "
               "[--save DIR] CORPUS...\n");
  return 2;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!argument.starts_with("--")) {
      options.corpus.push_back(argument);
      continue;
    }
    if (++i == argc) return Usage();
    const std::string value = argv[i];
    try {
      if (argument == "--seconds") {
        options.seconds = std::stod(value);
      } else if (argument == "--count") {
        options.count = std::stoull(value);
      } else if (argument == "--seed") {
        options.seed = std::stoull(value);
      } else if (argument == "--timeout") {
        options.timeout = std::stod(value);
      } else if (argument == "--memory") {
        options.memory_mib = std::stoull(value);
      } else if (argument == "--only") {
        options.only = value;
      } else if (argument == "--save") {
        options.save = value;
      } else {
        return Usage();
      }
    } catch (const std::exception&) {
      return Usage();
    }
  }
  Campaign campaign(options);
  return options.only.empty() ? campaign.Run() : campaign.RunOnly();
}

}  // namespace
}  // namespace gk::fuzz

int main(int argc, char** argv) { return gk::fuzz::Main(argc, argv); }
