#pragma once
// Instructions of a kernel, as NVIDIA's tools print them, and the unit that each of them occupies.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kata::assembly {

/// What an instruction is for, in the groups of "Instruction Set Reference" (NVIDIA, CUDA Binary
/// Utilities); loads and stores by the space that they reach.
enum class Pipe {
  fp32,
  fp64,
  fp16,  ///< and bf16
  integer,
  conversion,
  special,  ///< MUFU: reciprocals, square roots, exponents, sines
  tensor,
  global_load,
  global_store,
  shared_load,
  shared_store,
  local_load,  ///< spilled registers, and arrays with an index that is not constant
  local_store,
  constant_load,  ///< parameters, too
  other_memory,   ///< textures, surfaces, addresses of any space, cache control
  atomic,
  async_copy,  ///< from global to shared memory or back, past the registers
  exchange,    ///< shuffles, votes, matches
  barrier,     ///< and fences, and waits for copies
  control,
  move,
};

const char* to_string(Pipe pipe);
std::vector<Pipe> all_pipes();

/// Of "LDG.E.128" or any other mnemonic of the machine.
Pipe pipe_of_sass(const std::string& opcode);
/// Of "ld.global.v4.f32".
Pipe pipe_of_ptx(const std::string& opcode);

/// A place in Assembly::sources. Code that the compiler cannot place has none.
struct Place {
  std::size_t file = 0;
  int line = 0;  ///< 0: none

  bool operator==(const Place&) const = default;
};

struct Instruction {
  std::string opcode;  ///< "LDG.E.128"
  std::string text;    ///< "@!P0 LDG.E.128 R4, [R2.64]"
  Pipe pipe = Pipe::move;
  Place place = {};
};

using Mix = std::map<Pipe, std::size_t>;
Mix mix_of(const std::vector<Instruction>& instructions);

}  // namespace kata::assembly
