#!/bin/sh
# doc_test.sh -- the documents and the sources agree.
#
# The generated tables of documents are those that the rows make, every section that a
# comment names (doc/abi.md, "Memory map") exists, and so does every file that a document links to; every source begins with a comment;
# environment variables have their row in src/drv/variable.def and are in a document.
# B is the build directory.
B=${B:-build}
unset MAKEFLAGS MFLAGS
make --no-print-directory -s B="$B" "$B/host/tables" || exit 1
bad=0
tables=$(grep -l '^<!-- generated' doc/*.md)
for doc in $tables; do
    "$B/host/tables" "$doc" | cmp -s - "$doc" || {
        echo "$doc: its tables are not those of the rows; run make doc"
        bad=1
    }
done
# references, in one line or broken over two
grep -rh --include='*.[chs]' --include='*.def' -A1 'doc/[a-z]*\.md, *\("\|$\)' src host lib include tool 2>/dev/null |
    tr '\n' ' ' | sed 's/\* */ /g; s/  */ /g' |
    grep -o 'doc/[a-z]*\.md, "[^"]*"\( and "[^"]*"\|, "[^"]*"\)*' | sort -u >"$B/doc_test.references"
while IFS= read -r line; do
    file=${line%%,*}
    echo "$line" | grep -o '"[^"]*"' | tr -d '"' | while IFS= read -r section; do
        grep -q "^##* $section\$" "$file" || echo "$file: no section \"$section\""
    done
done <"$B/doc_test.references" >"$B/doc_test.out"
for doc in *.md doc/*.md doc/decisions/*.md; do
    grep -o '](\([^)#]*\))' "$doc" | sed 's/^](//; s/)$//' | grep -v '^http' | while IFS= read -r file; do
        [ -e "$(dirname "$doc")/$file" ] || echo "$doc: no file $file"
    done
done >>"$B/doc_test.out"
# environment variables: each that is read has a row, and each row a document
for v in $(grep -rhoE --include='*.c' --include='setup.sh' '\bVENTUS_[A-Z_]+\b' src tool test/runner |
    grep -v 'VENTUS_LDS\|VENTUS_$' | sort -u); do
    grep -q "^VARIABLE($v," src/drv/variable.def || echo "src/drv/variable.def: no row for $v"
done >>"$B/doc_test.out"
for v in $(sed -n 's/^VARIABLE(\([A-Z_]*\),.*/\1/p' src/drv/variable.def); do
    grep -rq "$v" doc/*.md doc/man HACKING.md || echo "no document names $v"
done >>"$B/doc_test.out"
# every file of C says at its top what it does
for f in src/*/*.[ch] src/*/*.def tool/*.[ch] host/*.c test/*/*.[ch]; do
    head -n 1 "$f" | grep -q '^/\*' || echo "$f: begins without a comment"
done >>"$B/doc_test.out"
cat "$B/doc_test.out"
[ -s "$B/doc_test.out" ] && bad=1
echo "$(wc -l <"$B/doc_test.references") references"
exit $bad
