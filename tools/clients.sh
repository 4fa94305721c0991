#!/bin/sh
# Build the programs of others that holdfast works with, and run the tests that use the real ones.
# What cannot be built here is named at the end: its tests did not run.
#
# Usage: tools/clients.sh PYTHON
set -u

python=$1
folder=$(pwd)/.scratch/clients
wait_s=${CLIENTS_WAIT_S:-1200}
tests=
missing=
mkdir -p "$folder/bin"

# build NAME TEST COMMAND...: keep what is there, else build it within the time there is.
build() {
    name=$1 test=$2
    shift 2
    if [ ! -x "$folder/bin/$name" ]; then
        echo "clients: building $name"
        timeout "$wait_s" nice "$@" >"$folder/$name.log" 2>&1
    fi
    if [ -x "$folder/bin/$name" ]; then
        tests="$tests $test"
    else
        missing="$missing $name"
    fi
}

make_models() {
    "$python" -m venv "$folder/models" &&
        "$folder/models/bin/pip" install --quiet 'beads-mcp>=1.3,<2' &&
        printf '#!/bin/sh\nexec "%s/models/bin/python" "$@"\n' "$folder" >"$folder/beads-models" &&
        chmod +x "$folder/beads-models" && mv "$folder/beads-models" "$folder/bin/"
}

# Embedded Dolt needs cgo; the tag keeps ICU out.
build bd tests/clients/test_bd.py \
    env GOBIN="$folder/bin" CGO_ENABLED=1 GOFLAGS=-tags=gms_pure_go \
    go install github.com/steveyegge/beads/cmd/bd@latest
# Without its default features no model is loaded when it is built or run.
build ck tests/clients/test_ck.py \
    cargo install ck-search --locked --no-default-features --root "$folder"
if [ ! -x "$folder/bin/beads-models" ]; then
    echo "clients: installing the models of beads-mcp"
    make_models >"$folder/beads-models.log" 2>&1
fi
if [ -x "$folder/bin/beads-models" ]; then
    tests="$tests tests/clients/test_models.py"
else
    missing="$missing beads-models"
fi

status=0
if [ -n "$tests" ]; then
    # shellcheck disable=SC2086
    HOLDFAST_CLIENTS="$folder/bin" "$python" -m pytest -n0 -m clients $tests || status=$?
fi
for name in $missing; do
    echo "clients: NOT run: $name could not be built here; see .scratch/clients/$name.log"
done
exit $status
