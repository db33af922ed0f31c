// Which unit an instruction occupies.
#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "assembly/instruction.h"
#include "support/text.h"

namespace kata::assembly {
namespace {

constexpr std::array<const char*, 21> names{
    "FP32",        "FP64",        "FP16",         "integer",     "conversion",   "special function",
    "tensor",      "global load", "global store", "shared load", "shared store", "local load",
    "local store", "constant",    "other memory", "atomic",      "async copy",   "exchange",
    "barrier",     "control",     "move"};

using Table = std::unordered_map<std::string, Pipe>;

/// Words of each pipe, separated by blanks.
Table table_of(const std::vector<std::pair<Pipe, const char*>>& rows) {
  Table table;
  for (const auto& [pipe, words] : rows) {
    for (const std::string& word : split(words, ' ')) table[word] = pipe;
  }
  return table;
}

/// By the part of the mnemonic before its first dot. What is not here is an integer instruction.
const Table& sass_table() {
  static const Table table = table_of({
      {Pipe::fp32,
       "FADD FADD2 FADD32I FCHK FFMA FFMA2 FFMA32I FMNMX FMNMX3 FMUL FMUL2 FMUL32I FSEL FSET FSETP "
       "FSWZADD"},
      {Pipe::fp64, "DADD DFMA DMUL DMNMX DSET DSETP"},
      {Pipe::fp16,
       "HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 VHMNMX HFMA2_MMA"},
      {Pipe::conversion, "F2F F2I I2F I2I I2IP I2FP F2IP F2FP FRND UF2FP UI2F"},
      {Pipe::special, "MUFU"},
      {Pipe::global_load, "LDG LDGMC"},
      {Pipe::global_store, "STG"},
      {Pipe::shared_load, "LDS LDSM"},
      {Pipe::shared_store, "STS STSM STAS"},
      {Pipe::local_load, "LDL"},
      {Pipe::local_store, "STL"},
      {Pipe::constant_load, "LDC ULDC LDCU"},
      {Pipe::other_memory,
       "LD ST TEX TLD TLD4 TMML TXD TXQ SUATOM SULD SURED SUST CCTL CCTLL CCTLT QSPC UTMACCTL "
       "UTMAPF "
       "UBLKPF"},
      {Pipe::atomic, "ATOM ATOMG ATOMS RED REDG REDAS UTMAREDG UBLKRED"},
      {Pipe::async_copy, "LDGSTS UBLKCP UTMALDG UTMASTG UTMACMDFLUSH"},
      {Pipe::exchange, "SHFL VOTE VOTEU MATCH REDUX CREDUX ELECT"},
      {Pipe::barrier,
       "BAR MEMBAR FENCE ERRBAR CGAERRBAR DEPBAR LDGDEPBAR SYNCS WARPSYNC WARPGROUP WARPGROUPSET "
       "B2R "
       "R2B ARRIVES UCGABAR_ARV UCGABAR_WAIT ENDCOLLECTIVE ACQBULK UTMACMDWAIT"},
      {Pipe::control,
       "BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL EXIT JMP JMX JMXU KILL NANOSLEEP NOP PREEXIT "
       "RET "
       "RPCMOV RTT YIELD USETMAXREG PMTRIG LEPC"},
      {Pipe::move,
       "MOV MOV32I MOVM PRMT SEL UMOV UPRMT USEL R2UR S2R S2UR CS2R P2R R2P UP2UR UR2UP CS2UR"},
  });
  return table;
}

/// By the part of the mnemonic before its first dot, where that says enough.
const Table& ptx_table() {
  static const Table table = table_of({
      {Pipe::special, "ex2 lg2 rcp rsqrt sqrt sin cos tanh"},
      {Pipe::tensor, "mma wmma tcgen05"},
      {Pipe::shared_load, "ldmatrix"},
      {Pipe::shared_store, "stmatrix"},
      {Pipe::atomic, "atom red multimem"},
      {Pipe::other_memory,
       "tex tld4 txq suld sust sured suq prefetch prefetchu discard applypriority createpolicy "
       "isspacep"},
      {Pipe::exchange, "shfl vote match redux activemask elect"},
      {Pipe::barrier, "bar barrier mbarrier membar fence griddepcontrol"},
      {Pipe::control, "bra brx call ret exit trap brkpt nanosleep setmaxnreg pmevent"},
      {Pipe::conversion, "cvt"},
      {Pipe::move, "mov cvta mapa getctarank prmt movmatrix"},
  });
  return table;
}

bool has(const std::vector<std::string>& parts, std::string_view one) {
  return std::any_of(parts.begin() + 1, parts.end(), [&](const std::string& part) {
    return part.substr(0, part.find(':')) == one;
  });
}

Pipe access(const std::vector<std::string>& parts) {
  const bool loads = parts[0].starts_with("ld");
  if (has(parts, "global")) return loads ? Pipe::global_load : Pipe::global_store;
  if (has(parts, "shared")) return loads ? Pipe::shared_load : Pipe::shared_store;
  if (has(parts, "local")) return loads ? Pipe::local_load : Pipe::local_store;
  if (has(parts, "const") || has(parts, "param")) return Pipe::constant_load;
  return Pipe::other_memory;
}

Pipe arithmetic(const std::vector<std::string>& parts) {
  const std::string& type = parts.back();
  if (type == "f64") return Pipe::fp64;
  if (type == "f32" || type == "f32x2") return Pipe::fp32;
  const bool half = type.starts_with("f16") || type.starts_with("bf16");
  return half ? Pipe::fp16 : Pipe::integer;
}

}  // namespace

const char* to_string(Pipe pipe) {
  return names[static_cast<std::size_t>(pipe)];
}

std::vector<Pipe> all_pipes() {
  std::vector<Pipe> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.push_back(static_cast<Pipe>(i));
  return all;
}

Pipe pipe_of_sass(const std::string& opcode) {
  const std::string root = opcode.substr(0, opcode.find('.'));
  const auto known = sass_table().find(root);
  if (known != sass_table().end()) return known->second;
  return root.ends_with("MMA") || root.starts_with("UTC") ? Pipe::tensor : Pipe::integer;
}

Pipe pipe_of_ptx(const std::string& opcode) {
  const std::vector<std::string> parts = split(opcode, '.');
  const std::string& root = parts[0];
  if (const auto known = ptx_table().find(root); known != ptx_table().end()) return known->second;
  if (root == "ld" || root == "ldu" || root == "st") return access(parts);
  if (root == "wgmma") return has(parts, "mma_async") ? Pipe::tensor : Pipe::barrier;
  if (root == "cp") {
    const bool waits = has(parts, "wait_group") || has(parts, "wait_all") ||
                       has(parts, "commit_group") || has(parts, "mbarrier");
    const bool copies = has(parts, "global") || has(parts, "ca") || has(parts, "cg");
    return waits && !copies ? Pipe::barrier : Pipe::async_copy;
  }
  return arithmetic(parts);
}

Mix mix_of(const std::vector<Instruction>& instructions) {
  Mix mix;
  for (const Instruction& one : instructions) ++mix[one.pipe];
  return mix;
}

}  // namespace kata::assembly
