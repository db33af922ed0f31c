"""Faults to plant in the last Hopper rungs: plant.py says how they are used."""

GEMM, HOPPER, WGMMA, TILE = (
    f"common/{name}.h" for name in ("cluster_gemm", "hopper", "wgmma", "wgmma_tile"))
STREAM, RING, ROWS = (f"flash_attention/{name}.h" for name in ("stream", "ring", "warpgroup_rows"))
SPLIT = "hgemm/12_split_tail.cu"
FLASH = "flash_attention/14_across_pieces.cu"

DEEP = "64x64x1032"     # the ring comes round; in hgemm, parts of the depth too
MANY = "2304x2048x256"   # 72 tiles: some of the 66 clusters have two
SMALL = "256x256x256"

# operator, size, name, what the first finding says, (file, text, instead)...; `missed`: there is none.
FAULTS = []


def plant(operator, size, name, says, *changes, missed=False):
    FAULTS.append({"operator": operator, "size": size, "name": name, "says": says,
                   "changes": changes, "missed": missed})


def hgemm(size, name, says, *changes, **options):
    plant("hgemm", size, name, says, *changes, **options)


def gelu(size, name, says, *changes, **options):
    plant("gemm_bias_gelu", size, name, says, *changes, **options)


def flash(size, name, says, *changes, **options):
    plant("flash_attention", size, name, says, *changes, **options)


# ---- tiles and phases
hgemm(DEEP, "no wait for full",
      "wait for the phase of the copy's mbarrier",
      (GEMM, "        wait(&ring.full[at.stage], at.parity);", ""))
hgemm(DEEP, "one thread of each warpgroup waits for full",
      "wait for the phase of the copy's mbarrier",
      (GEMM, "        wait(&ring.full[at.stage], at.parity);",
       "        if (tid == 0) wait(&ring.full[at.stage], at.parity);"))
hgemm(DEEP, "arrive without expect_tx",
      "0 bytes were expected",
      (TILE, "  arrive_expecting(full, sizeof(Tiles<BM>));\n  "
      "load_box(tiles.A, A, row0, k0, full);\n  constexpr", "  arrive(full);\n  "
      "load_box(tiles.A, A, row0, k0, full);\n  constexpr"))
hgemm(DEEP, "expect_tx without the other block's half of B",
      "wait for the phase of the copy's mbarrier",
      (TILE, "  arrive_expecting(full, sizeof(Tiles<BM>));\n  load_box(tiles.A, A, row0, k0, full);\n"
       "  constexpr", "  arrive_expecting(full, sizeof(Tiles<BM>) - BN * 64);\n"
       "  load_box(tiles.A, A, row0, k0, full);\n  constexpr"))
gelu(DEEP, "expect_tx of 1024 bytes too many",
      "its phase 0 lacks 1024 of 50176 bytes",
     (TILE, "  arrive_expecting(full, sizeof(Tiles<BM>));\n  load_box(tiles.A, A, row0, k0, full);\n"
      "  constexpr", "  arrive_expecting(full, sizeof(Tiles<BM>) + 1024);\n"
      "  load_box(tiles.A, A, row0, k0, full);\n  constexpr"))
gelu(DEEP, "all panels of B to one place",
      "before the copy, wait for a barrier",
     (TILE, "load_box_multicast(tiles.B + p * PANEL,", "load_box_multicast(tiles.B,"))
gelu(DEEP, "box of A to the next stage",
      "wait for the phase of the copy's mbarrier",
     (GEMM, "load_shared_tiles<T, CLUSTER>(ring.tiles[at.stage],",
      "load_shared_tiles<T, CLUSTER>(ring.tiles[(at.stage + 1) % STAGES],"))
flash("1x1x384x64x0", "no wait for values",
      "before the asynchronous copy",
      (FLASH, "    wait(&ring.values_full[last], last_parity);", ""))
flash("1x1x384x64x0", "no wait for queries: the piece is read before them",
      "__syncthreads() is missing",
      (STREAM, "    wait(&ring.queries_full[slot], ring.parity(round));\n    return ring.piece_of",
       "    return ring.piece_of"))

# ---- parities
hgemm(DEEP, "full waited for by the other parity",
      "wait for the phase of the copy's mbarrier",
      (GEMM, "wait(&ring.full[at.stage], at.parity);", "wait(&ring.full[at.stage], at.parity ^ 1);"))
hgemm(DEEP, "empty waited for by the other parity",
      "its phase 0 lacks 1 of 1 arrival",
      (GEMM, "wait(&ring.empty[at.stage], at.parity ^ 1);", "wait(&ring.empty[at.stage], at.parity);"))
gelu(DEEP, "parity never flipped",
      "has all its arrivals",
      (TILE, "      parity ^= 1;", "      "))
gelu(DEEP, "empty not waited for",
      "has all its arrivals",
     (GEMM, "        wait(&ring.empty[at.stage], at.parity ^ 1);", ""))
gelu(DEEP, "parity flipped at each stage",
      "which no thread of the block has written yet",
     (TILE, "    if (++stage == STAGES) {\n      stage = 0;\n      parity ^= 1;",
      "    parity ^= 1;\n    if (++stage == STAGES) {\n      stage = 0;"))
flash("1x1x640x64x0", "parity of values from the use, not the trip",
      "the parity cannot tell the two apart",
      (FLASH, "last_parity = use / STAGES % 2;", "last_parity = use % 2;"))

# ---- proxies
hgemm(SMALL, "no fence.proxy.async before the store",
      "without fence.proxy.async",
      (GEMM, "    fence_async();", ""))
gelu(SMALL, "fence.proxy.async by the issuer alone",
      "in each thread that writes",
     (GEMM, "    fence_async();\n    warpgroup_barrier(barrier);\n    if (tid == 0) store_box",
      "    warpgroup_barrier(barrier);\n    if (tid == 0) fence_async();\n"
      "    if (tid == 0) store_box"))
gelu(SMALL, "no barrier before the store",
      "a barrier is missing",
     (GEMM, "    fence_async();\n    warpgroup_barrier(barrier);", "    fence_async();"))
flash("1x1x256x64x0", "no fence.proxy.async before the output is handed over",
      "without fence.proxy.async",
      (FLASH, "    fence_async();", ""))

# ---- wgmma: registers and tiles in use
hgemm(DEEP, "accumulators read before wgmma.wait_group",
      "reads an accumulator",
      (GEMM, "      wgmma_wait<0>();\n      release(last);", "      release(last);"))
gelu(DEEP, "one group left when accumulators are read",
      "reads an accumulator",
     (GEMM, "      wgmma_wait<0>();\n      release(last);", "      wgmma_wait<1>();\n"
      "      release(last);"))
hgemm(DEEP, "accumulator written under a running wgmma",
      "writes an accumulator",
      (GEMM, "        wgmma_wait<1>();", "        if (k0 == 0) sum[0] = 0; wgmma_wait<1>();"))
hgemm(DEEP, "stage released under the wgmma that reads it",
      "may still read it",
      (GEMM, "if (k0 > piece.k_begin) release(last);", "release(at.stage);"))
gelu(DEEP, "wait_group 2: the stage is released one group early",
      "may still read it",
     (GEMM, "        wgmma_wait<1>();", "        wgmma_wait<2>();"))
hgemm(DEEP, "no commit_group",
      "wgmma.commit_group is missing",
      (TILE, "  wgmma_commit();", ""))
gelu(SMALL, "no wgmma.fence",
      "without wgmma.fence",
      (TILE, "  wgmma_fence();", ""))
flash("1x1x384x64x0", "scores masked before their wait",
      "reads an accumulator",
      (FLASH, "    wgmma_wait<1>();  // the scores", "    // the scores"))
flash("1x1x384x64x0", "output handed over under the last product",
      "reads an accumulator",
      (FLASH, "  wgmma_wait<0>();\n  hand_over(", "  hand_over("))
flash("1x1x640x64x0", "values released before P V has read them",
      "may still read it",
      (FLASH, "    wgmma_wait<0>();\n    release(&ring.values_empty[last]);",
       "    release(&ring.values_empty[last]);\n    wgmma_wait<0>();"))
flash("1x1x384x64x0", "P packed under the P V that reads it",
      "registers of A are not looked at (docs/emulator.md)",
      (FLASH, "    next.exponentiate(factor);\n    wgmma_wait<0>();",
       "    next.exponentiate(factor);\n    next.pack(); wgmma_wait<0>();"), missed=True)

# ---- descriptors, swizzles, maps
hgemm(SMALL, "descriptor of 64-byte swizzle",
      "with a 64-byte swizzle",
      (WGMMA, "uint64_t(1) << 62", "uint64_t(2) << 62"))
gelu(SMALL, "descriptor without swizzle",
      "with no swizzle",
      (WGMMA, " | uint64_t(1) << 62", ""))
hgemm(SMALL, "map without swizzle",
      "copied it with no swizzle",
      (HOPPER, "CU_TENSOR_MAP_SWIZZLE_128B,", "CU_TENSOR_MAP_SWIZZLE_NONE,"))
hgemm(SMALL, "map of 64-byte swizzle with rows of 128 bytes",
      "cuTensorMapEncodeTiled",
      (HOPPER, "CU_TENSOR_MAP_SWIZZLE_128B,", "CU_TENSOR_MAP_SWIZZLE_64B,"))
hgemm(SMALL, "8-row groups 2048 bytes apart",
      "has a wgmma read",
      (WGMMA, "uint64_t(1024 >> 4) << 32",
                                               "uint64_t(2048 >> 4) << 32"))
gelu(SMALL, "panels 4 times as far apart as they are",
      "has a wgmma read",
     (TILE, "N_MAJOR<T> ? PANEL : 0);", "N_MAJOR<T> ? 4 * PANEL : 0);"))
hgemm(SMALL, "ring at a multiple of 512 bytes, of 1024 needed",
      "where the swizzle pattern repeats",
      (GEMM, "  Ring<BM, STAGES> ring;", "  char pad[512]; Ring<BM, STAGES> ring;"),
      (TILE, "struct alignas(1024) Tiles", "struct alignas(512) Tiles"),
      (GEMM, "  alignas(1024) char staging", "  alignas(512) char staging"))
hgemm(SMALL, "box of 512 rows",
      "cuTensorMapEncodeTiled",
      (TILE, "tensor_map(B.data, K, N, B.stride, 64)", "tensor_map(B.data, K, N, B.stride, 512)"))
hgemm("256x260x256", "rows of C not at multiples of 16 bytes",
      "cuTensorMapEncodeTiled",
      (GEMM, "  if (N * sizeof(Out) % 16 == 0) {", "  if (true) {"))
gelu(SMALL, "the map is a copy in the kernel's memory",
      "__grid_constant__",
     (GEMM, "const __grid_constant__ CUtensorMap A, const", "CUtensorMap A, const"))
hgemm(SMALL, "row and column of a box exchanged",
      "each box is a legal one: the result is wrong",
      (HOPPER, '"l"(&map), "r"(col), "r"(row), "r"(shared_address(barrier))\n      : "memory");\n}\n\n// The same',
       '"l"(&map), "r"(row), "r"(col), "r"(shared_address(barrier))\n      : "memory");\n}\n\n// The same'), missed=True)

# ---- clusters
hgemm(SMALL, "no cluster barrier after init",
      "that no thread has initialised",
      (GEMM, "  cluster_barrier();\n\n  Place", "  __syncthreads();\n\n  Place"))
gelu(SMALL, "no fence.mbarrier_init",
      "fence.mbarrier_init.release.cluster is missing",
      (TILE, "    fence_init();", ""))
hgemm(DEEP, "no cluster barrier at the end",
      "which is gone when that block returns",
      (GEMM, "wait_stores_read<0>();\n  }\n  cluster_barrier();", "wait_stores_read<0>();\n  }"))
gelu(SMALL, "mask with a block that is not there",
      "rank 2, but its cluster has 2 blocks",
     (TILE, "(1 << CLUSTER) - 1);", "(2 << CLUSTER) - 1);"))
gelu(DEEP, "empty released in the own block only",
      "wait for the phase of the copy's mbarrier",
     (GEMM, "arrive_at(&ring.empty[stage], tid);", "arrive(&ring.empty[stage]);"))

# ---- store buffers
hgemm(SMALL, "staging overwritten before it was read",
      "may still read it",
      (GEMM, "    if (tid == 0) wait_stores_read<1>();", ""))
gelu(SMALL, "one buffer where two are waited for",
      "may still read it",
     (GEMM, "char* const panel = staging[i % 2];", "char* const panel = staging[0];"))
gelu(SMALL, "no wait for the last stores",
      "returns while this bulk store may still read",
     (GEMM, "    if (BY_TMA && tid == 0) wait_stores_read<0>();", ""))
hgemm(SMALL, "all threads wait for the store, one has issued it",
      "a barrier is missing",
      (GEMM, "    if (tid == 0) wait_stores_read<1>();\n    warpgroup_barrier(barrier);",
       "    wait_stores_read<1>();"))
flash("1x2x1664x64x0", "queries' place given back before the output was read",
      "returns while this bulk store may still read",
      (STREAM, "      wait_stores_read<0>();", ""))

# ---- arrivals
hgemm(DEEP, "empty never released in the loop",
      "lacks 4 of 4 arrivals",
      (GEMM, "if (k0 > piece.k_begin) release(last);", ""))
gelu(MANY, "empty released in the loop alone, not after it",
      "lacks 4 of 4 arrivals",
     (GEMM, "      wgmma_wait<0>();\n      release(last);", "      wgmma_wait<0>();"))
hgemm(DEEP, "empty counts one block's consumers",
      "wait for the phase of the copy's mbarrier",
      (GEMM, "ring.init_barriers(CONSUMERS * CLUSTER)", "ring.init_barriers(CONSUMERS)"))
gelu(DEEP, "empty counts one arrival too many",
      "lacks 1 of 5 arrivals",
     (GEMM, "ring.init_barriers(CONSUMERS * CLUSTER)", "ring.init_barriers(CONSUMERS * CLUSTER + 1)"))
hgemm(DEEP, "full counts two arrivals",
      "lacks 1 of 2 arrivals",
      (TILE, "init(&full[s], 1);", "init(&full[s], 2);"))
hgemm(DEEP, "a whole warp produces",
      "before the copy, wait for a barrier",
      (GEMM, "tid == 0 && i < work.count()", "tid < 32 && i < work.count()"))
flash("1x1x384x64x0", "all lanes release the stage",
      "the parity cannot tell the two apart",
      (RING, "if (threadIdx.x % 32 == 0) arrive(empty);", "arrive(empty);"))
flash("1x1x384x64x0", "the producer forgets to end the work",
      "arrival",
      (STREAM, "    ring.finish(round);", ""))

# ---- setmaxnreg, barriers, split
hgemm(SMALL, "more registers than there are",
      "65536 registers",
      (GEMM, "take_registers<232>();", "take_registers<240>();"),
      (GEMM, "give_registers<40>();", "give_registers<56>();"))
gelu(SMALL, "the producer gives no registers",
      "65536 registers",
      (GEMM, "    give_registers<40>();", ""))
hgemm(SMALL, "setmaxnreg by one thread",
      "of its warpgroup do",
      (GEMM, "    give_registers<40>();", "    if (tid == 0) give_registers<40>();"))
gelu(SMALL, "one warpgroup wants other registers",
      "another setmaxnreg",
     (GEMM, "    take_registers<232>();",
      "    if (tid < 64) take_registers<232>(); else take_registers<224>();"))
gelu(SMALL, "both warpgroups at one named barrier",
      "may still read it",
     (GEMM, "const int barrier = 1 + threadIdx.x / WARPGROUP;", "const int barrier = 1;"))
hgemm(DEEP, "sums of other parts read without a barrier",
      "nothing orders blocks of one launch",
      (SPLIT, "      __threadfence();\n    }\n    warpgroup_barrier(barrier);",
       "      __threadfence();\n    }"))
hgemm(DEEP, "sums of a part published before all have stored",
      "nothing orders blocks of one launch",
      (SPLIT, "      warpgroup_barrier(barrier);\n      if (tid == 0) atomicAdd",
       "      if (tid == 0) atomicAdd"))
