// programs_cpp --count N --seed S [--seconds T] [--shrink]: runs random
// programs in all ways; exit status 1 if any made a difference.
#include <graphkiln/graphkiln.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "program.h"
#include "run.h"
#include "shrink.h"

namespace fuzz {
namespace {

struct Options {
  uint64_t count = 1000, seed = 0;
  double seconds = 0;
  uint64_t keep_going = 25;
  bool shrink = false, show = false;
};

// What the process that runs programs leaves for the one that watches it.
struct Shared {
  uint64_t running = 0;  // the seed
  uint64_t done = 0, failed = 0, different = 0;
};

constexpr const char* kUsage =
    "programs_cpp [--count N] [--seed S] [--seconds T] [--keep-going N]\n"
    "             [--shrink] [--show]\n"
    "Runs random programs eagerly, traced, without graph passes, without\n"
    "lowered control flow and with gradients, and compares. GK_CHECK_PLANS=1\n"
    "has plans checked, too.\n"
    "  --show    prints the program of --seed\n"
    "  --shrink  prints the smallest program for each difference\n";

bool Parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--shrink") {
      options->shrink = true;
    } else if (word == "--show") {
      options->show = true;
    } else if (i + 1 == argc) {
      return false;
    } else if (word == "--count") {
      options->count = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seed") {
      options->seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seconds") {
      options->seconds = std::atof(argv[++i]);
    } else if (word == "--keep-going") {
      options->keep_going = std::strtoull(argv[++i], nullptr, 10);
    } else {
      return false;
    }
  }
  return true;
}

double Now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Report(const Program& program, const std::string& said, int mode,
            Runner* runner, bool shrink) {
  std::printf("seed %llu: %s: %s\n",
              static_cast<unsigned long long>(program.seed), Modes()[mode].name,
              said.c_str());
  if (shrink) {
    const std::string sort = SortOf(said);
    const Program small = Shrink(program, [&](const Program& p) {
      int found = 0;
      return SortOf(Check(runner, p, mode, &found)) == sort;
    });
    int found = 0;
    std::printf("smallest: %s\n%s", Check(runner, small, mode, &found).c_str(),
                Listing(small).c_str());
  }
  std::fflush(stdout);
}

// Runs programs until the last; the process may die of one.
void Work(const Options& options, uint64_t first, double end, Shared* shared) {
  const std::string path =
      "/tmp/programs_cpp." + std::to_string(getpid()) + ".txt";
  Runner runner(path);
  for (uint64_t seed = first; seed < options.seed + options.count; ++seed) {
    shared->running = seed;
    // A program that hangs ends the process: by the processor's time, as the
    // machine may be busy, and in the end by the clock.
    const int limit = options.shrink ? 600 : 60;
    itimerval timer{};
    timer.it_value.tv_sec = limit;
    setitimer(ITIMER_PROF, &timer, nullptr);
    alarm(limit * 20);
    const Program program = Generate(seed);
    int mode = 0;
    const std::string said = Check(&runner, program, -1, &mode);
    ++shared->done;
    if (!said.empty()) {
      ++shared->different;
      Report(program, said, mode, &runner, options.shrink);
    }
    if (shared->done % 2000 == 0) {
      std::printf("%llu programs, %llu differences\n",
                  static_cast<unsigned long long>(shared->done),
                  static_cast<unsigned long long>(shared->different));
      std::fflush(stdout);
    }
    if ((end > 0 && Now() > end) || shared->different >= options.keep_going) {
      return;
    }
  }
}

int Main(int argc, char** argv) {
  Options options;
  if (!Parse(argc, argv, &options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  if (options.show) {
    std::fputs(Listing(Generate(options.seed)).c_str(), stdout);
    return 0;
  }
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    return 2;
  }
  auto* const shared = new (memory) Shared;
  const double start = Now();
  const double end = options.seconds > 0 ? start + options.seconds : 0;
  uint64_t died = 0;
  uint64_t first = options.seed;
  while (first < options.seed + options.count) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      gk::set_num_threads(2);
      // All programs are traced at one place of this program's text.
      gk::set_retracing_warning_sink([](const std::string&) {});
      Work(options, first, end, shared);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
      std::perror("fork");
      return 2;
    }
    unlink(("/tmp/programs_cpp." + std::to_string(child) + ".txt").c_str());
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    std::printf("seed %llu: the process ended with %s %d\n%s",
                static_cast<unsigned long long>(shared->running),
                WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                Listing(Generate(shared->running)).c_str());
    ++died;
    ++shared->done;
    first = shared->running + 1;
    if (died + shared->different >= options.keep_going) break;
  }
  const double spent = Now() - start;
  std::printf(
      "%llu programs, %llu differences, %llu deaths, %.0f s, "
      "%.2f ms each\n",
      static_cast<unsigned long long>(shared->done),
      static_cast<unsigned long long>(shared->different),
      static_cast<unsigned long long>(died), spent,
      spent / std::max<double>(1, shared->done) * 1000);
  return shared->different + died > 0 ? 1 : 0;
}

}  // namespace
}  // namespace fuzz

int main(int argc, char** argv) { return fuzz::Main(argc, argv); }
