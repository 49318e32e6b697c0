// What this machine can do at most, measured: to say what part of it a program
// attains.
#ifndef GK_KERNELS_MACHINE_PEAK_H_
#define GK_KERNELS_MACHINE_PEAK_H_

namespace gk {

struct MachinePeak {
  // Additions and multiplications of float32 a second, by all threads of the
  // pool together.
  double flops = 0;
  // Bytes a second between memory and the CPU, read and written together.
  double bandwidth = 0;
};

// Measured by the first call, in about 50 ms. Thread-safe.
const MachinePeak& MeasuredPeak();

}  // namespace gk

#endif  // GK_KERNELS_MACHINE_PEAK_H_
