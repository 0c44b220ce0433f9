# bash completion for ventus, which knows itself what fits (tool/complete.c)

_ventus() {
    local cur=${COMP_WORDS[COMP_CWORD]} word what f suffix
    COMPREPLY=()
    while IFS=$'\t' read -r word what; do
        case $word in
        .directories)
            compopt -o filenames 2>/dev/null
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$cur")
            ;;
        .files*)
            compopt -o filenames 2>/dev/null
            while IFS= read -r f; do
                [[ $word == .files || -d $f ]] && COMPREPLY+=("$f")
                for suffix in ${word#.files}; do
                    [[ $f == *."$suffix" && ! -d $f ]] && COMPREPLY+=("$f")
                done
            done < <(compgen -f -- "$cur")
            ;;
        *) COMPREPLY+=("$word") ;;
        esac
    done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

complete -F _ventus ventus
