// CloseDnnl: no thread runs in oneDNN while what it uses is destroyed.
#ifndef GK_KERNELS_CLOSE_DNNL_H_
#define GK_KERNELS_CLOSE_DNNL_H_

namespace gk {

// At the end of the process, before anything of oneDNN's is destroyed: waits
// for threads that run in it (not for ever), and holds back those that come
// later. The thread that calls this goes on as before.
void CloseDnnl();

}  // namespace gk

#endif  // GK_KERNELS_CLOSE_DNNL_H_
