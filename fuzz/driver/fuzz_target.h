// What a fuzz target consists of: libFuzzer's interface, so that the same
// sources run under libFuzzer (clang) and under the driver beside this file.
#ifndef GK_FUZZ_DRIVER_FUZZ_TARGET_H_
#define GK_FUZZ_DRIVER_FUZZ_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gk {
class Status;
}

// Runs one input, which may be anything. Ends the process where something is
// wrong.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Optional: changes `data` (of `size` bytes, room for `max_size`) into another
// input, by this seed alone; returns its size.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed)
    __attribute__((weak));

namespace gk::fuzz {

// Says what is wrong on stderr and aborts.
[[noreturn]] void Fail(std::string_view what);
// An input may be refused, but not as an error of ours.
void CheckNotInternal(const Status& status);

}  // namespace gk::fuzz

#endif  // GK_FUZZ_DRIVER_FUZZ_TARGET_H_
