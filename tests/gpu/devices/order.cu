// What two devices see of each other's writes, by fence, scope and width. Counts of what PTX's
// memory model leaves open ("chip:") say what this pair of devices did, not what is promised.
#include "facts.h"

namespace {

enum class Fence { none, device, system };
const char* const fence_names[] = {"none", "gpu", "sys"};

__device__ void fence(Fence which) {
  if (which == Fence::device) __threadfence();
  if (which == Fence::system) __threadfence_system();
}

__device__ void set(int* flag, int value) {
  *const_cast<volatile int*>(flag) = value;
}

__device__ int get(const int* flag) {
  return *const_cast<const volatile int*>(flag);
}

__device__ void await(const int* flag, int value) {
  while (get(flag) < value) {
  }
}

constexpr int words = 64;  // one cache line apart

/// Writes data, then the flag; waits for the answer before the next round.
__global__ void writer(int* data, int* flag, const int* answer, int rounds, Fence which) {
  for (int round = 1; round <= rounds; ++round) {
    for (int i = 0; i < words; ++i) set(data + 32 * i, round);
    fence(which);
    set(flag, round);
    await(answer, round);
  }
}

__global__ void reader(const int* data, const int* flag, int* answer, int rounds, Fence which,
                       unsigned long long* stale) {
  for (int round = 1; round <= rounds; ++round) {
    await(flag, round);
    fence(which);
    for (int i = words - 1; i >= 0; --i) *stale += get(data + 32 * i) != round;
    fence(Fence::system);
    set(answer, round);
  }
}

/// The writer is on device 0. The data lies on `home`; flag and answer with whom waits for them.
unsigned long long stale_words(int home, Fence of_writer, Fence of_reader) {
  constexpr int rounds = 3000;
  int* const data = memory_on<int>(home, 32 * words);
  int *const flag = memory_on<int>(1), *const answer = memory_on<int>(0);
  auto* const stale = memory_on<unsigned long long>(1);
  const cudaStream_t streams[] = {stream_on(0), stream_on(1)};
  cudaSetDevice(0);
  writer<<<1, 1, 0, streams[0]>>>(data, flag, answer, rounds, of_writer);
  cudaSetDevice(1);
  reader<<<1, 1, 0, streams[1]>>>(data, flag, answer, rounds, of_reader, stale);
  cudaStreamSynchronize(streams[0]);
  cudaStreamSynchronize(streams[1]);
  return value_of(stale);
}

void messages() {
  connect();
  for (int home : {0, 1}) {
    for (Fence of_writer : {Fence::none, Fence::device, Fence::system}) {
      for (Fence of_reader : {Fence::none, Fence::device, Fence::system}) {
        const bool promised = of_writer == Fence::system && of_reader == Fence::system;
        printf("%smessages data on %d, writer's fence %s, reader's %s: %llu stale\n",
               promised ? "" : "chip: ", home, fence_names[static_cast<int>(of_writer)],
               fence_names[static_cast<int>(of_reader)], stale_words(home, of_writer, of_reader));
        fflush(stdout);
      }
    }
  }
}

__global__ void add_plain(int* to, int times) {
  for (int i = 0; i < times; ++i) atomicAdd(to, 1);
}

__global__ void add_system(int* to, int times) {
  for (int i = 0; i < times; ++i) atomicAdd_system(to, 1);
}

template <class Kernel>
int sum_of(Kernel kernel) {
  int* const word = memory_on<int>(0);
  for (int device : {0, 1}) {
    const Current current(device);
    kernel<<<4, 256>>>(word, 1000);
  }
  for (int device : {0, 1}) {
    const Current current(device);
    cudaDeviceSynchronize();
  }
  return value_of(word);
}

void atomics() {
  connect();
  printf("chip: atomics atomicAdd from both: %d of 2048000\n", sum_of(add_plain));
  tell("atomicAdd_system from both", "%d of 2048000", sum_of(add_system));
}

enum class Order { relaxed, acquire_release, sequential };
const char* const order_names[] = {"relaxed", "acq_rel", "sc"};

__device__ void order(Order which) {
  if (which == Order::acquire_release) asm volatile("fence.acq_rel.sys;" ::: "memory");
  if (which == Order::sequential) asm volatile("fence.sc.sys;" ::: "memory");
}

/// "I raise mine, then look at yours", in step with the other device.
__global__ void store_then_load(int* mine, const int* theirs, int* my_turn, const int* their_turn,
                                int* seen, int rounds, Order which) {
  for (int round = 1; round <= rounds; ++round) {
    set(my_turn, round);
    await(their_turn, round);
    set(mine + round, 1);
    order(which);
    seen[round] = get(theirs + round);
  }
}

void store_buffering() {
  connect();
  constexpr int rounds = 200000;
  for (Order which : {Order::relaxed, Order::acquire_release, Order::sequential}) {
    int *flags[2], *turns[2], *seen[2];
    for (int device : {0, 1}) {
      flags[device] = memory_on<int>(device, rounds + 1);
      turns[device] = memory_on<int>(1 - device);  // where the other waits
      seen[device] = memory_on<int>(device, rounds + 1);
    }
    const cudaStream_t streams[] = {stream_on(0), stream_on(1)};
    for (int device : {0, 1}) {
      const Current current(device);
      store_then_load<<<1, 1, 0, streams[device]>>>(flags[device], flags[1 - device], turns[device],
                                                    turns[1 - device], seen[device], rounds, which);
    }
    static int host[2][rounds + 1];
    int neither = 0;
    for (int device : {0, 1}) {
      cudaStreamSynchronize(streams[device]);
      cudaMemcpy(host[device], seen[device], sizeof host[device], cudaMemcpyDeviceToHost);
    }
    for (int i = 1; i <= rounds; ++i) neither += host[0][i] == 0 && host[1][i] == 0;
    printf("%sstore_buffering %s: %d of %d saw neither\n",
           which == Order::sequential ? "" : "chip: ", order_names[static_cast<int>(which)],
           neither, rounds);
    fflush(stdout);
  }
}

enum class Width { sixteen_bytes, two_of_eight, bytes_in_a_word };
const char* const width_names[] = {"16 bytes", "2 x 8 bytes", "bytes of a word"};

__device__ void store_packet(uint4* to, unsigned value, Width width) {
  if (width == Width::sixteen_bytes)
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(to), "r"(value)
                 : "memory");
  const unsigned long long pair = static_cast<unsigned long long>(value) << 32 | value;
  if (width == Width::two_of_eight)
    asm volatile("st.volatile.global.v2.u64 [%0], {%1, %1};" ::"l"(to), "l"(pair) : "memory");
  if (width == Width::bytes_in_a_word) {
    auto* const bytes = reinterpret_cast<volatile unsigned char*>(to);
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(value);
  }
}

__global__ void send(uint4* to, const int* answer, int rounds, Width width) {
  for (int round = 1; round <= rounds; ++round) {
    store_packet(to, static_cast<unsigned>(round), width);
    if (round % 16 == 0) await(answer, round);  // the reader sees most packets on their way
  }
}

__global__ void poll(const uint4* from, int* answer, int rounds, Width width,
                     unsigned long long* torn) {
  for (int last = 0; last < rounds;) {
    unsigned x, y, z, w;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                 : "l"(from)
                 : "memory");
    if (width == Width::bytes_in_a_word) {
      const unsigned byte = x & 255;
      *torn += x != byte * 0x01010101u || y != x;
      if (x == y && x == byte * 0x01010101u) last += static_cast<unsigned char>(byte - last);
    } else {
      *torn += x != w || y != z || x != y;
      if (x == w && x == y) last = static_cast<int>(x);
    }
    set(answer, last / 16 * 16);
  }
}

void packets() {
  connect();
  constexpr int rounds = 100000;
  for (Width width : {Width::sixteen_bytes, Width::two_of_eight, Width::bytes_in_a_word}) {
    uint4* const packet = memory_on<uint4>(1);
    int* const answer = memory_on<int>(0);
    auto* const torn = memory_on<unsigned long long>(1);
    const cudaStream_t streams[] = {stream_on(0), stream_on(1)};
    cudaSetDevice(0);
    send<<<1, 1, 0, streams[0]>>>(packet, answer, rounds, width);
    cudaSetDevice(1);
    poll<<<1, 1, 0, streams[1]>>>(packet, answer, rounds, width, torn);
    cudaStreamSynchronize(streams[0]);
    cudaStreamSynchronize(streams[1]);
    printf("chip: packets %s: %llu torn of %d\n", width_names[static_cast<int>(width)],
           value_of(torn), rounds);
    fflush(stdout);
  }
}

const Fact facts[] = {
    {"messages", messages},
    {"atomics", atomics},
    {"store_buffering", store_buffering},
    {"packets", packets},
};

}  // namespace

int main(int argc, char** argv) {
  return run_facts(facts, argc, argv);
}
