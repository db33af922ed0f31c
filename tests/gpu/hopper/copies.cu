// Facts about bulk copies, tensor maps and mbarriers, as a Hopper shows them. run.sh runs each group;
// what an H200 printed is kept in h200.txt, and the emulator's tests compare.
#include "clusters.cuh"
#include "encode.cuh"
#include "faults.cuh"
#include "linear_copies.cuh"
#include "mbarriers.cuh"
#include "reductions.cuh"
#include "remote_stores.cuh"
#include "tensor_copies.cuh"

#define GROUP(name) {#name, name}
const Group groups[] = {
    GROUP(swizzle),    GROUP(edges),            GROUP(unaligned),     GROUP(odd_widths),
    GROUP(dimensions), GROUP(element_strides),  GROUP(byte_counts),   GROUP(fills_and_values),
    GROUP(reductions), GROUP(other_reductions), GROUP(linear_copies), GROUP(encode_answers),
    GROUP(mbarriers),  GROUP(leaders),          GROUP(clusters),      GROUP(wrong_maps),
    GROUP(misaligned), GROUP(remote_stores),
};

int main(int argc, char** argv) {
  return run_groups(groups, argc, argv);
}
