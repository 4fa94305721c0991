#!/bin/sh
# Repair what is missing or damaged: git history, git checkout, template, reindex, in this order.
# A damaged original is kept aside. Exit code: 0 all is well now, 1 something is left, 2 it failed.
# Every argument is passed on: --check only looks, --json is for scripts.
set -eu
exec holdfast heal "$@"
