#pragma once
// A CUDA runtime for tests on a machine without a GPU: memory is the host's, everything happens at
// once, and errors come when a test asks for them.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace fake_cuda {

/// The next cudaGetLastError says so once, as after a launch that was refused.
void refuse_launch(cudaError_t error);

/// Every call fails from now on, as after an illegal address; revive() ends it.
void kill_device(cudaError_t error);
void revive();

/// cudaMalloc has that many bytes left.
void set_free_memory(std::size_t bytes);

/// Bytes that are allocated now.
std::size_t allocated();

/// What the two functions below count starts again.
void reset_traffic();

/// Copies from the host, memsets and kernels that write. A copy within the device may be a
/// kernel of the limit, so it does not count.
long writes();

/// Reads of at least twice the L2: a kernel reports its own with note_read().
long flushing_reads();
void note_read(std::size_t bytes);
void note_write();

/// Work on a stream that only the next cudaDeviceSynchronize waits for.
void launch_unordered(std::function<void()> work);

/// What the GPU's memory moves at most, in bytes per second; 0: it does not say.
void set_peak(double bytes_per_s);

/// A kernel begins; and how many began when something was written since the last flushing read, so
/// that they found it in the L2.
void note_call();
long calls_beside_writes();

/// The bytes of the L2 that a kernel has set aside; and how often such lines were let go.
std::size_t& set_aside();
long let_go();

/// So many devices are there; all have the same memory.
void set_devices(int count);

/// Copies and memsets since the last cudaDeviceSynchronize: on a GPU they may be under way.
long under_way();

}  // namespace fake_cuda
