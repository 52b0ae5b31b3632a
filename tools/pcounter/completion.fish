# SPDX-License-Identifier: GPL-2.0-only
# Completion of "pcounter" for fish: the words of its completion for bash.

set -g __pcounter_bash (status dirname)/../../bash-completion/completions/pcounter

function __pcounter_words
    set -l line (commandline -opc) (commandline -ct)
    set -l words (bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _pcounter; printf "%s\n" "${COMPREPLY[@]}"' bash $__pcounter_bash $line)
    if test -n "$words"
        printf '%s\n' $words
    else
        __fish_complete_path (commandline -ct)
    end
end

complete -c pcounter -f -a '(__pcounter_words)'
