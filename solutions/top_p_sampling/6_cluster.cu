// A cluster of blocks per row, so that few rows fill the GPU.
//
// Two blocks of 512 threads fit on an SM, so up to 264 run at once: as many per row, up to 8, as
// there is room for. Each has a share of the row's tiles. The blocks read each other's maximum,
// counts and sums through shared memory, and the one in which the bound is crossed walks.
//
// Prediction: one block per row leaves half of the SMs idle at 64 x 131072; here they read 33.5 MB
// in 11 us, then twice from L2 in 6 each. Barriers of the cluster, scans and the walk add 12: 35
// us, where rung 5 needs 55. At 128 x 128256 one block of an SM reads while the other scans: 48.
// Measured: 68.5 us at 128x128256, 26 % of the limit (H200, 2026-11-29)
#include "cluster_kernel.h"

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  launch<false>({logits, p, uniform, token, vocab}, rows);
}
