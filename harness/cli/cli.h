#pragma once
// The command line: the one place that prints, asks and decides the exit status.

namespace kata::cli {

/// What the process exits with: 0 pass, 1 fail, 2 error, 77 not attempted.
int run_command(int argc, char** argv);

}  // namespace kata::cli
