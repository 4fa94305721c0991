#!/bin/sh
# Hold the quotes of every decision that holds against the code.
# Exit code: 0 each is grounded or an assumption, 1 one is not, 2 the check itself failed.
# Every argument is passed on: --json prints a line for each decision.
set -eu
exec holdfast ground --all "$@"
