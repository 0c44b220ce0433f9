# bash completion for ventus: commands, the options that `ventus COMMAND --help` lists,
# and files of the kinds that a command takes.

_ventus_files() { # SUFFIX|SUFFIX...
    local f
    compopt -o filenames 2>/dev/null
    while IFS= read -r f; do
        [[ -d $f || $f == *.@($1) ]] && COMPREPLY+=("$f")
    done < <(compgen -f -- "$cur")
}

_ventus_options() { # COMMAND
    "${COMP_WORDS[0]}" help "$1" 2>/dev/null |
        sed -n 's/^ \{1,6\}\(-[A-Za-z?]\)\{0,1\},\{0,1\} *\(--[a-z-]*\).*/\1 \2/p'
}

_ventus() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local commands='as cc dis objdump ld run replay sweep info help'
    local reset
    COMPREPLY=()
    reset=$(shopt -p extglob)
    shopt -s extglob
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
        $reset
        return
    fi
    [[ $prev == '=' ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
    [[ $cur == '=' ]] && cur=
    case $prev in
    --isa | -p) mapfile -t COMPREPLY < <(compgen -W 'v202 v2025 v202+ai v202+tidx v2025+tidx' -- "$cur") ;;
    --engine) mapfile -t COMPREPLY < <(compgen -W 'auto interp jit shadow timing' -- "$cur") ;;
    --vm) mapfile -t COMPREPLY < <(compgen -W 'own spike rtl ignore' -- "$cur") ;;
    --threads) mapfile -t COMPREPLY < <(compgen -W '4 8 16 32' -- "$cur") ;;
    --check) mapfile -t COMPREPLY < <(compgen -W 'all bounds init race barrier align free' -- "$cur") ;;
    --stats) mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur") ;;
    --machine)
        mapfile -t COMPREPLY < <(compgen -W \
            "$("${COMP_WORDS[0]}" info 2>/dev/null | sed -n 's/^machine \([^:]*\):.*/\1/p')" -- "$cur")
        _ventus_files machine
        ;;
    --dump-buffers | --export-replay | --verify | -I | --include)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        ;;
    *)
        if [[ $cur == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$(_ventus_options "${COMP_WORDS[1]}")" -- "$cur")
        else
            case ${COMP_WORDS[1]} in
            as) _ventus_files 's|S|asm' ;;
            cc) _ventus_files 'cl|ir' ;;
            objdump) _ventus_files 'o|elf|riscv' ;;
            ld) _ventus_files 'o|s' ;;
            run) _ventus_files 's|o|elf|riscv|cl' ;;
            replay) _ventus_files 'metadata|data' ;;
            sweep) _ventus_files 'json' ;;
            help) mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur") ;;
            esac
        fi
        ;;
    esac
    $reset
}

complete -F _ventus ventus
