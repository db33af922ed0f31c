#pragma once
// A crash or a case that never ends: the worker says where, then ends.

#include <cstdint>
#include <string>

namespace kata {

/// What handlers ask about the code of a candidate. Any of these may be null, the two about stack
/// overflows together.
struct CodeOfCandidate {
  /// "file:line" of a code address, or empty.
  std::string (*locate)(const void* code_address) = nullptr;
  /// Whether a fault at this address is a kernel's thread that overflowed its stack.
  bool (*is_stack_overflow)(const void* address) = nullptr;
  /// Ends the launch of that thread, and goes on where it was made.
  void (*end_at_stack_overflow)(const void* code_address) = nullptr;
  /// Grows while kernels get on.
  std::uint64_t (*progress)() = nullptr;
  /// Whether no block ends on a full device: see emulator.h.
  bool (*is_full)() = nullptr;
  /// Kernels that run end soon, and what they found is told. False: none runs.
  bool (*end_kernels)() = nullptr;
};

/// Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and the watchdog's SIGALRM: writes a `died`
/// answer to `answer_descriptor`, then (best effort, since memory may be damaged) a `where` answer
/// with the innermost frame of the candidate, and ends the process. `token`: Job::token.
void report_deaths(int answer_descriptor, const std::string& token, const CodeOfCandidate& code);

/// The same for a whole program of the person's: SIGINT and SIGTERM end it as a crash does, while
/// SIGALRM and SIGUSR2 are left to it. At the very end `last_words` is called, which may fail or
/// hang: it has two seconds.
void report_deaths_of_program(int answer_descriptor, const std::string& token,
                              const CodeOfCandidate& code, void (*last_words)());

/// Where SIGINT or SIGTERM came while kernels ran, which have ended since: ends the process.
void end_if_interrupted();

/// Ends the process with a `died` answer (signal SIGALRM) unless called again within that time, as
/// spent_s() counts it (support/spent.h). 0 turns it off. Returns what was left of the limit
/// before. `is_patient`: while kernels get on it waits for up to a minute.
double set_watchdog(double seconds, bool is_patient = false);

}  // namespace kata
