# Messages have no colours where stderr is a file; stdout that cannot be written is an error.
# run: %b/ventus run no/such/file || true
# run: echo 13 | %b/ventus dis >/dev/full
# exit: 2

# out:
# no/such/file: error: No such file or directory
# ventus: error: stdout: No space left on device
# end
