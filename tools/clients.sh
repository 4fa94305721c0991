#!/bin/sh
# Build the programs of others that holdfast works with, and run the tests that use the real ones.
# What cannot be had here is named at the end, with the reason: its tests did not run, and for that
# alone the exit code is 1. Everything else is run all the same.
#
# Usage: tools/clients.sh PYTHON
set -u

python=$1
folder=$(pwd)/.scratch/clients
wait_s=${CLIENTS_WAIT_S:-1200}
tests=
agents=
missing=
mkdir -p "$folder/bin" "$folder/home"

# build NAME TEST COMMAND...: keep what is there, else build it within the time there is.
build() {
    name=$1 test=$2
    shift 2
    if [ ! -x "$folder/bin/$name" ]; then
        echo "clients: building $name"
        timeout "$wait_s" nice "$@" >"$folder/$name.log" 2>&1 || ended "$name" $?
    fi
    if [ -x "$folder/bin/$name" ]; then
        tests="$tests $test"
    else
        missing="$missing $name"
    fi
}

# ended NAME CODE: say in the log of what failed what its own words do not.
ended() {
    [ "$2" -ne 124 ] || echo "error: it was given up after $wait_s seconds" >>"$folder/$1.log"
}

# reason NAME: the line of its log that says best why it is not there.
reason() {
    log=$folder/$1.log
    grep -v '^npm error code' "$log" 2>/dev/null |
        grep -i -m 1 -e error -e forbidden -e 'not found' -e 'no such' -e failed -e denied ||
        grep . "$log" 2>/dev/null | tail -n 1 | grep . ||
        echo "it said nothing"
}

# answers PROGRAM: whether it runs here; what it writes at home stays in the scratch folder.
answers() {
    HOME=$folder/home "$1" --version >/dev/null 2>&1
}

# install_aider: in an environment of its own, as it pins much; it needs a Python before 3.13.
install_aider() {
    for one in "$python" python3.12 python3.11 python3.10; do
        if "$one" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 13))'; then
            break
        fi
    done
    "$one" -m venv "$folder/aider" &&
        timeout "$wait_s" "$folder/aider/bin/pip" install --quiet 'aider-chat==0.86.2' &&
        ln -sf ../aider/bin/aider "$folder/bin/aider"
}

# install_npm PACKAGE COMMAND: a program of npm's, with what its own set-up brings.
install_npm() {
    modules=$folder/npm/node_modules
    mkdir -p "$folder/npm"
    [ -e "$folder/npm/package.json" ] || echo '{"private": true}' >"$folder/npm/package.json"
    if ! answers "$modules/.bin/$2"; then
        timeout "$wait_s" npm install --prefix "$folder/npm" --no-audit --no-fund "$1" || return
        # Where npm runs no set-up of packages, the program is not in its place yet.
        setup=$modules/${1%@*}/install.cjs
        answers "$modules/.bin/$2" || { [ -e "$setup" ] && node "$setup"; }
    fi
    ln -sf "../npm/node_modules/.bin/$2" "$folder/bin/$2"
}

# put NAME TEST FUNCTION...: keep what is there, else install it.
put() {
    name=$1 test=$2
    shift 2
    if ! answers "$folder/bin/$name"; then
        echo "clients: installing $name"
        "$@" >"$folder/$name.log" 2>&1 || ended "$name" $?
        HOME=$folder/home "$folder/bin/$name" --version >>"$folder/$name.log" 2>&1
    fi
    if answers "$folder/bin/$name"; then
        agents="$agents $test"
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
    make_models >"$folder/beads-models.log" 2>&1 || ended beads-models $?
fi
if [ -x "$folder/bin/beads-models" ]; then
    tests="$tests tests/clients/test_models.py"
else
    missing="$missing beads-models"
fi

# Coding clients, which work with a scripted model: through the proxy, and with hooks installed.
put aider tests/clients/test_aider.py install_aider
put codex "tests/clients/test_codex.py tests/clients/test_codex_hooks.py
    tests/clients/test_codex_recovery.py" \
    install_npm @openai/codex@0.166.0 codex
put claude "tests/clients/test_claude.py tests/clients/test_claude_hooks.py
    tests/clients/test_claude_recovery.py tests/clients/test_claude_screen.py
    tests/clients/test_claude_workers.py tests/clients/test_story.py" \
    install_npm @anthropic-ai/claude-code@2.1.325 claude
put opencode "tests/clients/test_opencode_hooks.py tests/clients/test_opencode_recovery.py" \
    install_npm opencode-ai@1.18.33 opencode
put gemini tests/clients/test_gemini_hooks.py install_npm @google/gemini-cli@0.61.0 gemini

# A network that nothing but loopback is in, so that whoever calls elsewhere fails.
alone=
for way in "unshare --net" "unshare --map-root-user --net"; do
    if [ -z "$alone" ] && $way sh -c 'ip link set lo up' 2>/dev/null; then
        alone=$way
    fi
done

status=0
if [ -n "$tests" ]; then
    # shellcheck disable=SC2086
    HOLDFAST_CLIENTS="$folder/bin" "$python" -m pytest -n0 -m clients $tests || status=$?
fi
if [ -n "$agents" ]; then
    # shellcheck disable=SC2016
    run='[ -z "$HOLDFAST_ALONE" ] || ip link set lo up; exec "$@"'
    # shellcheck disable=SC2086
    HOLDFAST_CLIENTS="$folder/bin" HOLDFAST_ALONE="$alone" $alone sh -c "$run" sh \
        "$python" -m pytest -n0 -m clients $agents || status=$?
    [ -n "$alone" ] || echo "clients: the network was NOT taken away from the coding clients here"
fi
for name in $missing; do
    why=$(reason "$name" | tr -s '\t ' ' ' | cut -c 1-200)
    echo "clients: NOT run: $name could not be had here: $why (.scratch/clients/$name.log)"
    [ "$status" -ne 0 ] || status=1
done
exit $status
