#pragma once
// A crash or a case that never ends: the worker says where, then ends.

#include <string>

namespace kata {

/// Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and the watchdog's SIGALRM: writes a `died`
/// answer to `answer_descriptor`, then (best effort, since memory may be damaged) a `where` answer
/// with the innermost frame for which `locate` knows a line, and ends the process. `locate` may be
/// null. `token`: Job::token.
void report_deaths(int answer_descriptor, const std::string& token,
                   std::string (*locate)(const void* code_address));

/// The same for a whole program of the person's: SIGINT ends it as a crash does, while SIGALRM and
/// SIGUSR2 are left to it. At the very end `last_words` is called, which may fail or hang: it has
/// two seconds.
void report_deaths_of_program(int answer_descriptor, const std::string& token,
                              std::string (*locate)(const void* code_address),
                              void (*last_words)());

/// Ends the process with a `died` answer (signal SIGALRM) unless called again within that time: of
/// the processor's time, or of the clock's for a process that hardly uses any. 0 turns it off.
void set_watchdog(double seconds);

}  // namespace kata
