// Facts about wgmma and setmaxnreg, as a Hopper shows them. run.sh runs each group; what an H200
// printed is kept in h200.txt, and the emulator's tests compare.
#include "setmaxnreg.cuh"
#include "wgmma_layouts.cuh"
#include "wgmma_values.cuh"

#define GROUP(name) {#name, name}
const Group groups[] = {
    GROUP(types),         GROUP(signs),            GROUP(layouts),    GROUP(base_offsets),
    GROUP(values_of_fp8), GROUP(values_of_floats), GROUP(saturation), GROUP(sums),
    GROUP(setmaxnreg),
};

int main(int argc, char** argv) {
  return run_groups(groups, argc, argv);
}
