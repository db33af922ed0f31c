// Facts about wgmma with every number of columns, as a Hopper shows them; wgmma.cu has the others.
#include "products.cuh"

#define TO_64(F) \
  F(8, 4, 2) F(16, 8, 4) F(24, 12, 6) F(32, 16, 8) F(40, 20, 10) F(48, 24, 12) F(56, 28, 14) F(64, 32, 16)
#define TO_256(F)                                                                                  \
  F(72, 36, 18) F(80, 40, 20) F(88, 44, 22) F(96, 48, 24) F(104, 52, 26) F(112, 56, 28)            \
  F(120, 60, 30) F(128, 64, 32) F(136, 68, 34) F(144, 72, 36) F(152, 76, 38) F(160, 80, 40)        \
  F(168, 84, 42) F(176, 88, 44) F(184, 92, 46) F(192, 96, 48) F(200, 100, 50) F(208, 104, 52)      \
  F(216, 108, 54) F(224, 112, 56) F(232, 116, 58) F(240, 120, 60) F(248, 124, 62) F(256, 128, 64)
#define INTEGER_COLUMNS(F)                                                                         \
  F(8, 4, 0) F(16, 8, 0) F(24, 12, 0) F(32, 16, 0) F(48, 24, 0) F(64, 32, 0) F(80, 40, 0)          \
  F(96, 48, 0) F(112, 56, 0) F(128, 64, 0) F(144, 72, 0) F(160, 80, 0) F(176, 88, 0)               \
  F(192, 96, 0) F(208, 104, 0) F(224, 112, 0) F(240, 120, 0) F(256, 128, 0)

#define HALF_TO_FLOAT(n, count, halves) F32(HalfToFloat##n, n, count, 16, f16, f16, ", 1, 1, 0, 0")
#define HALF_TO_HALF(n, count, halves) F16(HalfToHalf##n, n, halves, 16, f16, f16, ", 1, 1, 0, 0")
#define TF32_TO_FLOAT(n, count, halves) F32(Tf32ToFloat##n, n, count, 8, tf32, tf32, ", 1, 1")
#define BYTES(n, count, halves) S32(Bytes##n, n, count, s8, s8, "")
#define RUN_HALF_TO_FLOAT(n, count, halves) plain_products<HalfToFloat##n>();
#define RUN_HALF_TO_HALF(n, count, halves) plain_products<HalfToHalf##n>();
#define RUN_TF32_TO_FLOAT(n, count, halves) plain_products<Tf32ToFloat##n>();
#define RUN_BYTES(n, count, halves) plain_products<Bytes##n>();
TO_64(HALF_TO_FLOAT)
TO_256(HALF_TO_FLOAT)
TO_64(HALF_TO_HALF)
TO_256(HALF_TO_HALF)
TO_64(TF32_TO_FLOAT)
INTEGER_COLUMNS(BYTES)

void columns_of_floats() {
  TO_64(RUN_HALF_TO_FLOAT)
  TO_256(RUN_HALF_TO_FLOAT)
  TO_64(RUN_TF32_TO_FLOAT)
}
void columns_of_halves() {
  TO_64(RUN_HALF_TO_HALF)
  TO_256(RUN_HALF_TO_HALF)
}
void columns_of_integers() {
  INTEGER_COLUMNS(RUN_BYTES)
}

#define GROUP(name) {#name, name}
const Group groups[] = {GROUP(columns_of_floats), GROUP(columns_of_halves),
                        GROUP(columns_of_integers)};

int main(int argc, char** argv) {
  return run_groups(groups, argc, argv);
}
