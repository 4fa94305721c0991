#!/bin/sh
# Look whether the context may be cleared. Nothing is recorded.
# Exit code: 0 yes, 1 something is in the way (it is listed), 2 the check itself failed.
# Every argument is passed on: --json for scripts.
set -eu
exec holdfast clear --check "$@"
