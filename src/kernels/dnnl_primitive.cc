#include "kernels/dnnl_primitive.h"

#include <cstdlib>
#include <new>
#include <utility>

extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads(void);
}

namespace gk {
namespace {

const dnnl::engine& Engine() {
  static const dnnl::engine* engine =
      new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

}  // namespace

OneThreadGuard::OneThreadGuard() : saved_(omp_get_max_threads()) {
  if (saved_ != 1) omp_set_num_threads(1);
}

OneThreadGuard::~OneThreadGuard() {
  if (saved_ != 1) omp_set_num_threads(saved_);
}

struct DnnlPrimitive::State {
  explicit State(const Parts& parts)
      : stream(Engine()), scratch(parts.scratchpad, Engine(), nullptr) {
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
  OneThreadGuard guard;
  try {
    return std::unique_ptr<DnnlPrimitive>(new DnnlPrimitive(make(Engine())));
  } catch (const dnnl::error& error) {
    return Unimplemented("oneDNN primitive: {}", error.what());
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory creating a oneDNN primitive");
  }
}

DnnlPrimitive::DnnlPrimitive(Parts parts) : parts_(std::move(parts)) {}

DnnlPrimitive::~DnnlPrimitive() {
  for (auto& slot : idle_) delete slot.load();
}

std::unique_ptr<DnnlPrimitive::State> DnnlPrimitive::Acquire() {
  for (auto& slot : idle_) {
    if (slot.load(std::memory_order_relaxed) == nullptr) continue;
    if (State* state = slot.exchange(nullptr)) {
      return std::unique_ptr<State>(state);
    }
  }
  return std::make_unique<State>(parts_);
}

void DnnlPrimitive::Release(std::unique_ptr<State> state) {
  for (auto& slot : idle_) {
    State* expected = nullptr;
    if (slot.compare_exchange_strong(expected, state.get())) {
      state.release();
      return;
    }
  }
}

Status DnnlPrimitive::Run(std::span<void* const> pointers) {
  OneThreadGuard guard;
  try {
    std::unique_ptr<State> state = Acquire();
    for (size_t i = 0; i < pointers.size(); ++i) {
      state->memories[i].set_data_handle(pointers[i]);
    }
    const dnnl_status_t status = dnnl_primitive_execute(
        parts_.primitive.get(), state->stream.get(),
        static_cast<int>(state->c_arguments.size()),
        state->c_arguments.data());
    Release(std::move(state));
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
