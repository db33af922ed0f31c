// The table of PTX opcodes: their modifiers and their functions. The meanings are the PTX ISA's
// (version 8.x), in its names: d is the destination, a, b and c are the sources.

#include <algorithm>
#include <array>

#include "emulator/runtime/ptx/ptx.h"

namespace kata::emulator::ptx {
namespace {

constexpr std::string_view integers = "u16 u32 u64 s16 s32 s64";
constexpr std::string_view numbers = "u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64";
constexpr std::string_view floats = "f16 f16x2 bf16 bf16x2 f32 f64";
constexpr std::string_view bit_types = "pred b16 b32 b64";
constexpr std::string_view memory =
    "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f16x2 bf16x2 f32 f64";
constexpr std::string_view ordering =
    "global shared shared::cluster local volatile weak relaxed acquire release acq_rel sc cta "
    "cluster gpu sys "
    "nc ca cg cs lu cv wb wt v2 v4 L1::* L2::*";

// clang-format off
constexpr std::array opcodes{
    Opcode{"add", "rn sat ftz", numbers, 3, 3, add, "d = a + b"},
    Opcode{"sub", "rn sat ftz", numbers, 3, 3, sub, "d = a - b"},
    Opcode{"mul", "lo hi wide rn sat ftz", numbers, 3, 3, mul, "d = a * b; .hi its upper half, .wide all of it"},
    Opcode{"mad", "lo hi wide rn sat ftz", "u16 u32 u64 s16 s32 s64 f32 f64", 4, 4, mad, "d = a * b + c"},
    Opcode{"fma", "rn sat ftz relu", floats, 4, 4, fma, "d = a * b + c, rounded once"},
    Opcode{"div", "rn approx full ftz", "u16 u32 u64 s16 s32 s64 f32 f64", 3, 3, div, "d = a / b"},
    Opcode{"rem", "", integers, 3, 3, rem, "d = a % b"},
    Opcode{"min", "ftz NaN", numbers, 3, 3, min, "the smaller one"},
    Opcode{"max", "ftz NaN", numbers, 3, 3, max, "the larger one"},
    Opcode{"abs", "ftz", numbers, 2, 2, abs, "d = |a|"},
    Opcode{"neg", "ftz", numbers, 2, 2, neg, "d = -a"},
    Opcode{"ex2", "approx ftz", "f16 f16x2 bf16 bf16x2 f32", 2, 2, ex2, "d = 2^a"},
    Opcode{"lg2", "approx ftz", "f32", 2, 2, lg2, "d = log2(a)"},
    Opcode{"rcp", "approx rn ftz", "f32 f64", 2, 2, rcp, "d = 1 / a"},
    Opcode{"sqrt", "approx rn ftz", "f32 f64", 2, 2, sqrt, "d = sqrt(a)"},
    Opcode{"rsqrt", "approx ftz", "f32 f64", 2, 2, rsqrt, "d = 1 / sqrt(a)"},
    Opcode{"sin", "approx ftz", "f32", 2, 2, sin, "d = sin(a)"},
    Opcode{"cos", "approx ftz", "f32", 2, 2, cos, "d = cos(a)"},
    Opcode{"tanh", "approx", "f16 f16x2 bf16 bf16x2 f32", 2, 2, tanh, "d = tanh(a)"},

    Opcode{"mov", "", "pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 bf16 f32 f64", 2, 2, mov, "d = a; {d, e} = a and d = {a, b} split and join bits"},
    Opcode{"setp", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 bf16 f32 f64", 3, 4, setp, "p = a < b; p|q: q is the opposite"},
    Opcode{"selp", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", 4, 4, selp, "d = c ? a : b"},
    Opcode{"and", "", bit_types, 3, 3, and_, "d = a & b"},
    Opcode{"or", "", bit_types, 3, 3, or_, "d = a | b"},
    Opcode{"xor", "", bit_types, 3, 3, xor_, "d = a ^ b"},
    Opcode{"not", "", bit_types, 2, 2, not_, "d = ~a"},
    Opcode{"shl", "", "b16 b32 b64", 3, 3, shl, "d = a << b; 0 if b is too large"},
    Opcode{"shr", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64", 3, 3, shr, "d = a >> b"},
    Opcode{"shf", "l r clamp wrap", "b32", 4, 4, shf, "half of the 64 bits b:a, shifted by c"},
    Opcode{"popc", "", "b32 b64", 2, 2, popc, "bits that are set"},
    Opcode{"clz", "", "b32 b64", 2, 2, clz, "zeros before the first one"},
    Opcode{"brev", "", "b32 b64", 2, 2, brev, "bits in reverse order"},
    Opcode{"bfind", "shiftamt", "u32 u64 s32 s64", 2, 2, bfind, "place of the highest bit that is not the sign"},
    Opcode{"bfe", "", "u32 u64 s32 s64", 4, 4, bfe, "c bits of a from b"},
    Opcode{"bfi", "", "b32 b64", 5, 5, bfi, "b with d bits from c replaced by those of a"},
    Opcode{"prmt", "", "b32", 4, 4, prmt, "four of the eight bytes b:a, chosen by c"},
    Opcode{"lop3", "", "b32", 5, 5, lop3, "the logical function of three that the table in d says"},
    Opcode{"dp4a", "", "u32 s32", 4, 4, dp4a, "d = c + the products of four bytes"},
    Opcode{"vabsdiff4", "add", "u32 s32", 4, 4, vabsdiff4, "|a - b| of four bytes; with .add d = c + their sum"},

    Opcode{"cvt", "rn rna rni rzi rmi rpi sat satfinite ftz relu", "u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 tf32 f32 f64", 2, 3, cvt, "d = a as another type"},
    Opcode{"cvta", "to global shared shared::cluster local const", "u32 u64", 2, 2, cvta, "an address of one space as a generic one, and back"},
    Opcode{"isspacep", "global shared shared::cluster local", "", 2, 2, isspacep, "whether an address lies in that space"},

    Opcode{"ld", ordering, memory, 2, 3, ld, "d = [a]"},
    Opcode{"st", ordering, memory, 2, 3, st, "[a] = b"},
    Opcode{"atom", "global shared shared::cluster relaxed acquire release acq_rel cta cluster gpu sys add min max exch cas and or xor inc dec noftz L2::*", "b32 b64 u32 u64 s32 s64 f16 bf16 f16x2 bf16x2 f32 f64", 3, 4, atom, "d = [a], and [a] = [a] op b, at once"},
    Opcode{"red", "global shared shared::cluster relaxed release cta cluster gpu sys add min max and or xor inc dec noftz L2::*", "b32 b64 u32 u64 s32 s64 f16 bf16 f16x2 bf16x2 f32 f64", 2, 2, red, "[a] = [a] op b, at once"},
    Opcode{"cp", "async ca cg shared global L2::* commit_group wait_group wait_all", "", 0, 5, cp, "cp.async: global to shared, done at the wait"},
    Opcode{"membar", "cta gl sys", "", 0, 0, fence, "order of this thread's memory accesses"},
    Opcode{"fence", "acq_rel sc acquire release cta cluster gpu sys", "", 0, 0, fence, "order of this thread's memory accesses"},
    Opcode{"prefetch", "global local L1 L2 L2::*", "", 1, 1, no_effect, "no effect here"},
    Opcode{"prefetchu", "L1", "", 1, 1, no_effect, "no effect here"},
    Opcode{"applypriority", "global L2::*", "", 2, 2, no_effect, "no effect here"},
    Opcode{"createpolicy", "fractional range L2::* global", "b64", 1, 5, no_effect, "no effect here"},
    Opcode{"griddepcontrol", "wait launch_dependents", "", 0, 0, griddepcontrol, "wait: what the kernel before this one wrote is there"},

    Opcode{"shfl", "sync up down bfly idx", "b32", 5, 5, shfl, "another lane's a; d|p: whether there was one"},
    Opcode{"vote", "sync all any uni ballot", "pred b32", 3, 3, vote, "a predicate of all lanes"},
    Opcode{"match", "any all sync", "b32 b64", 3, 3, match, "lanes with the same a"},
    Opcode{"redux", "sync add min max and or xor", "b32 u32 s32", 3, 3, redux, "a of all lanes, reduced"},
    Opcode{"activemask", "", "b32", 1, 1, activemask, "lanes that are here now"},
    Opcode{"bar", "sync arrive cta warp", "", 1, 2, bar, "barrier a, of b threads; bar.warp.sync: of a mask's lanes"},
    Opcode{"barrier", "sync arrive cta aligned cluster wait release relaxed acquire", "", 0, 2, barrier, "barrier a, of b threads; barrier.cluster: of the cluster's"},
    Opcode{"mapa", "shared::cluster", "u32 u64", 3, 3, mapa, "address a, in the block of the cluster that has rank b"},
    Opcode{"getctarank", "shared::cluster", "u32 u64", 2, 2, getctarank, "rank of the block that address a belongs to"},
    Opcode{"elect", "sync", "", 2, 2, elect, "d|p: the lane of a mask that is its leader"},
    Opcode{"setmaxnreg", "inc dec sync aligned", "u32", 1, 1, setmaxnreg, "registers that the thread may use from now on"},
    Opcode{"bra", "uni", "", 1, 1, bra, "goes on at a label"},
    Opcode{"nanosleep", "", "u32", 1, 1, nanosleep, "lets others run"},
    Opcode{"trap", "", "", 0, 0, trap, "ends the launch"},
    Opcode{"exit", "", "", 0, 0, exit_thread, "ends the thread"},

    Opcode{"ldmatrix", "sync aligned m8n8 x1 x2 x4 trans shared", "b16", 2, 2, ldmatrix, "8x8 matrices whose rows the lanes name"},
    Opcode{"stmatrix", "sync aligned m8n8 x1 x2 x4 trans shared", "b16", 2, 2, stmatrix, "the same, stored"},
    Opcode{"movmatrix", "sync aligned m8n8 trans", "b16", 2, 2, movmatrix, "an 8x8 matrix in registers, transposed"},
    Opcode{"mma", "sync aligned m16n8k4 m16n8k8 m16n8k16 m16n8k32 row col satfinite", "f16 bf16 tf32 f32 s8 u8 s32 e4m3 e5m2", 4, 4, mma, "D = A B + C of a warp"},
    Opcode{"wgmma", "mma_async fence commit_group wait_group sync aligned satfinite m64n*", "f16 bf16 tf32 f32 s8 u8 s32 e4m3 e5m2", 0, 8, wgmma, "D = A B + D of a warpgroup, and the wait for it"},
};
// clang-format on

struct Lack {
  std::string_view prefix, reason;
};
constexpr std::string_view wrong_modifiers =
    "check its modifiers and their order: the emulator has the forms that ptxas accepts for sm_90a";
constexpr std::array lacks{
    Lack{"cp.async.bulk", wrong_modifiers},
    Lack{"cp.async.mbarrier", wrong_modifiers},
    Lack{"cp.reduce", wrong_modifiers},
    Lack{"mbarrier", wrong_modifiers},
    Lack{"st.async", wrong_modifiers},
    Lack{"red.async", wrong_modifiers},
    Lack{"fence.proxy", "fence.proxy.async and fence.proxy.alias are there"},
    Lack{"tensormap", "maps are made by cuTensorMapEncodeTiled() alone"},
    Lack{"tcgen05", "it is for compute capability 10.0, and the emulator is a 9.0"},
    Lack{"wmma", "nvcuda::wmma and mma.sync are there"},
    Lack{"tex", "textures are not there"},
    Lack{"call", "a function is called in C++"},
};

}  // namespace

const Opcode* find_opcode(std::string_view name) {
  const auto found = std::find_if(opcodes.begin(), opcodes.end(),
                                  [&](const Opcode& opcode) { return opcode.name == name; });
  return found == opcodes.end() ? nullptr : &*found;
}

std::string_view reason_for_lack(std::string_view instruction) {
  const auto found = std::find_if(lacks.begin(), lacks.end(), [&](const Lack& lack) {
    return instruction.starts_with(lack.prefix);
  });
  return found == lacks.end() ? std::string_view() : found->reason;
}

}  // namespace kata::emulator::ptx
