#include "kernels/dnnl_primitive.h"

#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/blocked_signals.h"
#include "base/thread_number.h"
#include "kernels/close_dnnl.h"

extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads(void);
#if defined(__GLIBC__)
struct ThreadDataIndex {
  unsigned long module, offset;
};
void* __tls_get_addr(ThreadDataIndex*);
#endif
}

namespace gk {
namespace {

#if defined(__GLIBC__)
// oneDNN's number among the libraries that have variables of each thread; 0
// if it has none.
unsigned long VariablesOfDnnl() {
  struct Search {
    uintptr_t code = reinterpret_cast<uintptr_t>(&dnnl_primitive_execute);
    unsigned long module = 0;
  } search;
  const auto visit = [](dl_phdr_info* library, size_t, void* data) {
    auto& s = *static_cast<Search*>(data);
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const auto& part = library->dlpi_phdr[i];
      if (part.p_type == PT_LOAD &&
          s.code - library->dlpi_addr - part.p_vaddr < part.p_memsz) {
        s.module = library->dlpi_tls_modid;
        return 1;
      }
    }
    return 0;
  };
  dl_iterate_phdr(visit, &search);
  return search.module;
}

// Whoever has let go of blocks of each small size gets these again, whatever
// other threads take meanwhile.
void PutSmallBlocksAside() {
  constexpr size_t kStep = 16, kSizes = 64, kEach = 2;
  void* blocks[kSizes * kEach];
  size_t made = 0;
  while (made < kSizes * kEach) {
    void* const block = std::malloc((made / kEach + 1) * kStep - 8);
    if (block == nullptr) break;
    blocks[made++] = block;
  }
  const bool all = made == kSizes * kEach;
  while (made > 0) std::free(blocks[--made]);
  if (!all) throw std::bad_alloc();
}
#endif

// Throws if there are no such blocks to be had. oneDNN does not look whether
// it got what it asked for when it makes its objects.
void ExpectMemory(size_t bytes) {
  void* const block = std::aligned_alloc(64, bytes);
  if (block == nullptr) throw std::bad_alloc();
  std::free(block);
}
constexpr size_t kObjectBytes = 64 << 10, kPrimitiveBytes = 4 << 20;

// oneDNN and OpenMP keep data of each thread, made on first use, and end the
// process if there is no memory for them.
void PrepareThread() {
#if defined(__GLIBC__)
  static constinit thread_local bool prepared = false;
  if (prepared) [[likely]]
    return;
  static const unsigned long variables = VariablesOfDnnl();
  PutSmallBlocksAside();
  if (variables != 0) {
    ThreadDataIndex index{variables, 0};
    __tls_get_addr(&index);
  }
  omp_set_num_threads(omp_get_max_threads());
  prepared = true;
#endif
}

// Threads that run in oneDNN now, counted apart so that they do not wait for
// each other; who closed it.
struct alignas(64) Count {
  std::atomic<int> threads{0};
};
std::array<Count, 8> inside;
std::atomic<bool> closed{false};
std::atomic<pthread_t> closer;

bool AnyInside() {
  return std::any_of(inside.begin(), inside.end(),
                     [](const Count& c) { return c.threads.load() > 0; });
}

const dnnl::engine& Engine() {
  static const dnnl::engine* engine = [] {
    std::atexit(CloseDnnl);
    pthread_atfork(nullptr, nullptr, [] {
      for (Count& c : inside) c.threads.store(0);
    });
    return new dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return *engine;
}

class Inside {
 public:
  Inside() : count_(inside[ThreadNumber() % inside.size()].threads) {
    count_.fetch_add(1);
    if (closed.load() && !pthread_equal(closer.load(), pthread_self())) {
      count_.fetch_sub(1);
      for (;;) pause();  // The process is ending.
    }
  }
  ~Inside() { count_.fetch_sub(1); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  std::atomic<int>& count_;
};

// Products let the stack pointer point into memory of the heap (oneDNN's
// jit_avx_gemm_f32.cpp and jit_avx512_common_gemm_f32.cpp, in versions 2.6 to
// 3.7 alone): what a signal's handler pushes would overwrite what lies below
// it. Their name begins with "gemm", as that of whatever is made of them.
bool KeepsStack(const dnnl::primitive& primitive) {
  const char* name = nullptr;
  dnnl_primitive_desc_query(primitive.get_primitive_desc(),
                            dnnl_query_impl_info_str, 0, &name);
  if (name == nullptr) return false;
  const std::string_view kind(name);
  return kind.starts_with("brg") || kind.starts_with("jit") ||
         kind.starts_with("simple");
}

}  // namespace

void CloseDnnl() {
  closer.store(pthread_self());
  closed.store(true);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(5);
  while (AnyInside() && Clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

OneThreadGuard::OneThreadGuard()
    : saved_((PrepareThread(), omp_get_max_threads())) {
  if (saved_ != 1) omp_set_num_threads(1);
}

OneThreadGuard::~OneThreadGuard() {
  if (saved_ != 1) omp_set_num_threads(saved_);
}

struct DnnlPrimitive::State {
  explicit State(const Parts& parts)
      : stream((ExpectMemory(kObjectBytes), Engine())),
        scratch(parts.scratchpad, Engine(), nullptr) {
    for (const Argument& argument : parts.arguments) {
      memories.emplace_back(argument.desc, Engine(), nullptr);
      c_arguments.push_back({argument.id, memories.back().get()});
    }
    if (size_t bytes = parts.scratchpad.get_size(); bytes > 0) {
      buffer.reset(static_cast<std::byte*>(
          std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
      if (buffer == nullptr) throw std::bad_alloc();
      scratch.set_data_handle(buffer.get());
      c_arguments.push_back({DNNL_ARG_SCRATCHPAD, scratch.get()});
    }
  }

  struct FreeBuffer {
    void operator()(std::byte* p) const { std::free(p); }
  };
  dnnl::stream stream;
  std::vector<dnnl::memory> memories;
  dnnl::memory scratch;
  std::unique_ptr<std::byte, FreeBuffer> buffer;
  std::vector<dnnl_exec_arg_t> c_arguments;
};

StatusOr<std::unique_ptr<DnnlPrimitive>> DnnlPrimitive::Create(
    const std::function<Parts(const dnnl::engine&)>& make) {
  try {
    const Inside inside;
    OneThreadGuard guard;
    ExpectMemory(kPrimitiveBytes);
    ExpectMemory(kObjectBytes);
    return std::unique_ptr<DnnlPrimitive>(new DnnlPrimitive(make(Engine())));
  } catch (const dnnl::error& error) {
    return Unimplemented("oneDNN primitive: {}", error.what());
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory creating a oneDNN primitive");
  }
}

DnnlPrimitive::DnnlPrimitive(Parts parts) : parts_(std::move(parts)) {
  parts_.keeps_stack |= KeepsStack(parts_.primitive);
}

DnnlPrimitive::~DnnlPrimitive() {
  while (State* state = idle_.Take()) delete state;
}

dnnl_status_t DnnlPrimitive::Execute(State& state) const {
  std::optional<BlockedSignals> blocked;
  if (!parts_.keeps_stack) blocked.emplace(/*samples=*/false);
  return dnnl_primitive_execute(parts_.primitive.get(), state.stream.get(),
                                static_cast<int>(state.c_arguments.size()),
                                state.c_arguments.data());
}

Status DnnlPrimitive::Run(std::span<void* const> pointers) {
  try {
    const Inside inside;
    OneThreadGuard guard;
    std::unique_ptr<State> state(idle_.Take());
    if (state == nullptr) state = std::make_unique<State>(parts_);
    for (size_t i = 0; i < pointers.size(); ++i) {
      state->memories[i].set_data_handle(pointers[i]);
    }
    const dnnl_status_t status = Execute(*state);
    if (idle_.Give(state.get())) state.release();
    if (status == dnnl_out_of_memory) {
      return ResourceExhausted("out of memory running a oneDNN primitive");
    }
    if (status != dnnl_success) {
      return Internal("oneDNN execution failed with status {}",
                      static_cast<int>(status));
    }
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) {
      return ResourceExhausted("out of memory running a oneDNN primitive");
    }
    return Internal("oneDNN: {}", error.what());
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory running a oneDNN primitive");
  }
  return OkStatus();
}

dnnl::primitive_attr UserScratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

}  // namespace gk
