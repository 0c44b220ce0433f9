# fish completion for ventus, which knows itself what fits (tool/complete.c)

function __ventus_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    for line in ($words[1] complete $words[2..-1] "$last" 2>/dev/null)
        switch $line
            case .directories
                __fish_complete_directories "$last"
            case .files
                __fish_complete_path "$last"
            case '.files *'
                for suffix in (string split ' ' (string replace '.files ' '' $line))
                    __fish_complete_suffix .$suffix
                end
            case '*'
                echo $line
        end
    end
end

complete -c ventus -f -a '(__ventus_complete)'
