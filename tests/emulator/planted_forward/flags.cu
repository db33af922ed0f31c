// A value and a flag of one block, by two threads that have not met in between.
#include "../planted/filled.cuh"

__global__ void value_of_another_thread(volatile float* value, volatile int* flag, float* y) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) value[0] = 1;
    if (threadIdx.x == 32) {
      __threadfence();
      flag[0] = 1;
    }
  } else if (threadIdx.x == 0) {
    while (flag[0] == 0) {
    }
    __threadfence();
    y[blockIdx.x] = value[0];  // HERE race value_of_another_thread: after a barrier
  }
}

extern "C" void plant_value_of_another_thread() {
  value_of_another_thread<<<4, 64>>>(filled<float>(1), filled<int>(1), filled<float>(4));
}
