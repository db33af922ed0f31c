#pragma once
// A warp that runs machine code: its registers, and where its lanes are.

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "emulator/runtime/machine/code.h"
#include "emulator/runtime/machine/memory.h"

namespace kata::emulator::machine {

inline constexpr unsigned all_lanes = ~0u;
using Lanes = std::array<std::uint32_t, 32>;
using WideLanes = std::array<std::uint64_t, 32>;

/// Registers of lanes, and predicates, a bit for each lane. Those of the uniform datapath have one
/// lane.
struct Registers {
  explicit Registers(unsigned count) : zero(count - 1), general(count) {
    predicates[7] = all_lanes;
  }

  const Lanes& operator[](unsigned number) const { return general[number]; }
  void set(unsigned number, const Lanes& values, unsigned lanes) {
    if (number == zero) return;
    Lanes& to = general[number];
    if (lanes == all_lanes) {
      to = values;
      return;
    }
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1) to[lane] = values[lane];
  }
  void set_wide(unsigned number, const WideLanes& values, unsigned lanes) {
    if (number == zero) return;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      general[number][lane] = static_cast<std::uint32_t>(values[lane]);
      general[number + 1][lane] = static_cast<std::uint32_t>(values[lane] >> 32);
    }
  }
  void set_predicate(unsigned number, unsigned values, unsigned lanes) {
    if (number < 7) predicates[number] = (predicates[number] & ~lanes) | (values & lanes);
  }
  /// 3 bits, and one that negates.
  unsigned predicate(unsigned number, bool negated) const {
    return negated ? ~predicates[number] : predicates[number];
  }

  unsigned zero;
  std::vector<Lanes> general;
  std::array<unsigned, 8> predicates{};
};

/// Lanes that go on together.
struct Group {
  enum class Waits { no, at_sync, at_warp_sync, at_barrier, at_cluster };

  unsigned lanes = 0;
  std::uint32_t at = 0;  ///< number of the instruction
  Waits waits = Waits::no;
  unsigned what = 0;  ///< number of the barrier, or lanes that are waited for
};

struct Block;
struct Launch;

struct Warp {
  explicit Warp(Block& in) : block(in), registers(256), uniform(64) {}

  Block& block;
  Registers registers, uniform;
  unsigned present = 0, live = 0;
  unsigned number = 0;  ///< in its block
  std::vector<Group> groups;
  /// By number and lane: the lanes that BSYNC waits for.
  std::array<Lanes, 16> sync{};
  std::vector<Lanes> local;  ///< by word
  std::uint64_t awaits = 0;  ///< the cluster's meeting that it has come to
  /// Loads, and where from, that others may answer, since it wrote or met others: a poll repeats
  /// one of them.
  std::map<const Word*, std::pair<unsigned, WideLanes>> asked;
  bool has_polled = false;  ///< in its turn, which is over then
};

/// An instruction, and for which lanes it runs.
struct Context {
  Warp& warp;
  Registers& file;  ///< the warp's or the uniform ones
  const Word& word;
  unsigned opcode;  ///< without its form
  unsigned form;
  unsigned lanes;

  unsigned to() const { return word.field(16); }
};

/// Blocks that see each other's shared memory.
struct Cluster {
  std::vector<Block*> blocks;  ///< by rank
  unsigned arrived = 0;        ///< lanes at the barrier
  std::uint64_t meetings = 0;  ///< of all lanes, so far
};

struct Block {
  Block(Launch& of, std::size_t shared_bytes) : launch(of), shared(shared_bytes) {}

  Launch& launch;
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  Cluster* cluster = nullptr;
  unsigned rank = 0;  ///< in its cluster
  bool is_over = false;
  std::uint64_t number = 0;
  std::array<unsigned, 3> index{};
  struct Barrier {
    unsigned arrived = 0, threads = 0;  ///< threads: that it waits for; 0: all
    unsigned true_lanes = 0;
    unsigned result = 0;  ///< of the last reduction: in how many lanes the predicate held
    bool all = false, asks_all = false;
  };
  std::array<Barrier, 16> barriers{};
};

}  // namespace kata::emulator::machine
