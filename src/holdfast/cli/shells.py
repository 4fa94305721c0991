"""What each shell is given to complete commands of holdfast: it asks us, and offers files where we
have nothing to say.

Close to click's own scripts, which cut a description at its first comma in fish, offer no files
where an argument may be a file or something else, and change variables of the user's in bash.
"""

from __future__ import annotations

from typing import Final

VARIABLE: Final = "_HOLDFAST_COMPLETE"
"""What the shell's function sets when it asks; click answers."""

_BASH: Final = """\
_holdfast_completion() {
    local IFS=$'\\n'
    local response completion type value

    response=$(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD \
_HOLDFAST_COMPLETE=bash_complete $1)

    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"

        if [[ $type == 'dir' ]]; then
            COMPREPLY=()
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            COMPREPLY=()
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=("$value")
        fi
    done

    return 0
}

complete -o nosort -o bashdefault -o default -F _holdfast_completion holdfast
"""

_ZSH: Final = """\
#compdef holdfast

_holdfast_completion() {
    local -a plain described response
    local type key descr
    (( ! $+commands[holdfast] )) && return 1

    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \
_HOLDFAST_COMPLETE=zsh_complete holdfast)}")

    for type key descr in ${response}; do
        if [[ "$type" == "plain" ]]; then
            if [[ "$descr" == "_" ]]; then
                plain+=("$key")
            else
                described+=("${key//:/\\\\:}:$descr")
            fi
        elif [[ "$type" == "dir" ]]; then
            _path_files -/
        fi
    done

    if (( $#described )); then
        _describe -V unsorted described -U
    fi
    if (( $#plain )); then
        compadd -U -V unsorted -a plain
    fi
    if (( ! $#described && ! $#plain )) && [[ "$response[1]" != "dir" ]]; then
        _path_files -f
    fi
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    # autoload from fpath, call function directly
    _holdfast_completion "$@"
else
    # eval/source/. command, register function for later
    compdef _holdfast_completion holdfast
fi
"""

_FISH: Final = """\
function _holdfast_completion
    set -l response (env _HOLDFAST_COMPLETE=fish_complete COMP_WORDS=(commandline -cp) \
COMP_CWORD=(commandline -t) holdfast)

    if test -z "$response"
        __fish_complete_path (commandline -ct)
    end
    for completion in $response
        set -l metadata (string split --max 1 "," $completion)

        if test $metadata[1] = "dir"
            __fish_complete_directories $metadata[2]
        else if test $metadata[1] = "file"
            __fish_complete_path $metadata[2]
        else if test $metadata[1] = "plain"
            echo $metadata[2]
        end
    end
end

complete --no-files --command holdfast --arguments "(_holdfast_completion)"
"""

SCRIPTS: Final = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
