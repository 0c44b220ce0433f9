#compdef ventus
# zsh completion for ventus, which knows itself what fits (tool/complete.c)

local line word
local -a found
for line in ${(f)"$($words[1] complete "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    word=${line%%$'\t'*}
    case $word in
    .directories) _files -/ ;;
    .files) _files ;;
    .files*) _files -g "*.(${(j:|:)${=word#.files}})" ;;
    *) found+=("${word//:/\\:}${line#$word}") ;;
    esac
done
found=("${(@)found/$'\t'/:}")
(($#found)) && _describe ventus found
return 0
