#pragma once
// One function for each fault: its kind and severity, and the sentence that a person reads.

#include <string>

#include "emulator/runtime/launch/incident.h"
#include "emulator/runtime/launch/launch.h"
#include "emulator/types/finding.h"

namespace kata::emulator {

struct Words {
  FindingKind kind;
  std::string message;
  Severity severity = Severity::error;
  std::string note = {};    ///< what to look for
  std::string object = {};  ///< what the line names: "x", "tile", "__syncthreads"
};

/// Where and to whom it happened.
struct Circumstances {
  const Incident& incident;
  const Launch& launch;

  /// "thread (0,0,0) of block (1,0,0)"
  std::string who() const;
};

const char* writes_or_reads(bool is_write);

// ---- memory (describe_memory.cpp)
Words describe(const OutOfBounds& fault, const Circumstances& c);
Words describe(const SharedOutOfBounds& fault, const Circumstances& c);
Words describe(const IllegalAddress& fault, const Circumstances& c);
Words describe(const PeerMissing& fault, const Circumstances& c);
Words describe(const BadSubscript& fault, const Circumstances& c);
Words describe(const IntegerOverflow& fault);
Words describe(const StackOverflow& fault, const Circumstances& c);
Words describe(const MissingReturn& fault, const Circumstances& c);
Words describe(const ForeignLocal& fault, const Circumstances& c);
Words describe(const Misaligned& fault, const Circumstances& c);
Words describe(const LayoutAssumed& fault, const Circumstances& c);
Words describe(const MatrixMisaligned& fault, const Circumstances& c);
Words describe(const InputModified& fault, const Circumstances& c);
Words describe(const ConstantModified& fault, const Circumstances& c);
Words describe(const Uninitialized& fault, const Circumstances& c);
Words describe(const SharedUninitialized& fault, const Circumstances& c);
Words describe(const CopyNotArrived& fault, const Circumstances& c);
Words describe(const InvalidFree& fault, const Circumstances& c);
Words describe(const SharedMemoryEarly& fault, const Circumstances& c);
Words describe(const SharedMemoryLeft& fault, const Circumstances& c);
Words describe(const WrongTexture& fault, const Circumstances& c);
Words describe(const OutsideSurface& fault, const Circumstances& c);
Words describe(const Race& fault, const Circumstances& c);
Words describe(const ReadOnlyWritten& fault, const Circumstances& c);

// ---- the async proxy (describe_async.cpp)
Words describe(const AsyncStillReads& fault, const Circumstances& c);
Words describe(const AsyncNotFenced& fault, const Circumstances& c);
Words describe(const StoreLeft& fault, const Circumstances& c);
Words describe(const TensorMapMisused& fault, const Circumstances& c);
Words describe(const MulticastBeyond& fault, const Circumstances& c);
Words describe(const SwizzleShifted& fault, const Circumstances& c);
Words describe(const SwizzleDiffers& fault, const Circumstances& c);
Words describe(const BarrierTouched& fault, const Circumstances& c);
Words describe(const BarrierNotFenced& fault, const Circumstances& c);
Words describe(const BarrierNotPublished& fault, const Circumstances& c);
Words describe(const MbarrierMisuse& fault, const Circumstances& c);
Words describe(const PhaseMissed& fault, const Circumstances& c);
/// "phase 0 lacks 1 of 2 arrivals and 4096 of 8192 bytes; line 12 has copied 4096 bytes".
std::string missing_in_words(const MissingPhase& missing, const Circumstances& c);

// ---- barriers, warps and blocks (describe_synchronization.cpp)
Words describe(const BarrierNotInitialized& fault, const Circumstances& c);
Words describe(const BarrierExited& fault, const Circumstances& c);
Words describe(const BarrierMixed& fault, const Circumstances& c);
Words describe(const MaskWithoutCaller& fault, const Circumstances& c);
Words describe(const MaskExited& fault, const Circumstances& c);
Words describe(const MaskElsewhere& fault, const Circumstances& c);
Words describe(const ShuffleFromNobody& fault, const Circumstances& c);
Words describe(const Deadlock& fault, const Circumstances& c);
Words describe(const RegistersWrong& fault, const Circumstances& c);
Words describe(const RegistersExceeded& fault, const Circumstances& c);
Words describe(const RegistersDiffer& fault, const Circumstances& c);
Words describe(const RegistersPartial& fault, const Circumstances& c);
Words describe(const RegistersEarly& fault, const Circumstances& c);
Words describe(const MatrixRegistersTaken& fault, const Circumstances& c);
Words describe(const MatrixNotFenced& fault, const Circumstances& c);
Words describe(const MatrixDiffers& fault, const Circumstances& c);
Words describe(const WarpgroupIncomplete& fault, const Circumstances& c);
Words describe(const NeverResident& fault, const Circumstances& c);
Words describe(const GridIncomplete& fault, const Circumstances& c);

// ---- the launch as a whole (messages.cpp)
Words describe(const GridSyncNotCooperative& fault, const Circumstances& c);
Words describe(const SharedTooLarge& fault, const Circumstances& c);
Words describe(const BlockBeyondBounds& fault, const Circumstances& c);
Words describe(const Unsupported& fault, const Circumstances& c);
Words describe(const Trapped& fault, const Circumstances& c);
Words describe(const AssertionFailed& fault, const Circumstances& c);
Words describe(const WaitsForOthers& fault, const Circumstances& c);
Words describe(const Timeout& fault, const Circumstances& c);

// ---- the order of streams (describe_streams.cpp)
Words describe(const StreamRace& fault, const Circumstances& c);

/// Of host code, which no launch belongs to.
Words describe(const HostAccess& fault);
Words describe(const LibraryAccess& fault);
Words describe(const HostRace& fault);

}  // namespace kata::emulator
