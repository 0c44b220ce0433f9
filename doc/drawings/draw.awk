# draw.awk -- makes an SVG of a description in text: `awk -f draw.awk NAME.txt >NAME.svg`.
#
# Lines of a description; what follows a `|` is text, and lengths are pixels:
#
#   size W H | TITLE                  first; the title is for readers who cannot see
#   box KIND X Y W H | NAME | NOTE | NOTE...
#   frame X Y W H | NAME              around boxes
#   arrow X1 Y1 X2 Y2 ... | LABEL     along these points; a label stands beside the middle of the last part
#   text KIND X Y | TEXT              KIND: name, note, code, or one of them with -middle or -end
#   lanes X Y MASK KIND               a cell a lane, 1: on
#   line X1 Y1 X2 Y2
#
# KIND of boxes and lanes is a colour: blue, green, orange, plain.  Both backgrounds of readers, light
# and dark, have colours of their own.
function escape(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function put(class, x, y, s) { printf "<text class=\"%s\" x=\"%g\" y=\"%g\">%s</text>\n", class, x, y, escape(s) }
function rect(class, x, y, w, h, round) {
    printf "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"%g\"/>\n", class, x, y, w, h, round
}
function colours(card, edge, ink, note, blue, blueline, green, greenline, orange, orangeline, plain) {
    return sprintf(".card{fill:%s;stroke:%s}.name,.code{fill:%s}.note{fill:%s}.line{stroke:%s}.head{fill:%s}" \
        ".blue{fill:%s;stroke:%s}.green{fill:%s;stroke:%s}.orange{fill:%s;stroke:%s}.plain{fill:%s;stroke:%s}" \
        ".frame,.off{stroke:%s}", card, edge, ink, note, note, note, blue, blueline, green, greenline, orange,
        orangeline, plain, edge, edge)
}
function style() {
    print "<style>"
    print "text{font:13px system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif}"
    print ".name{font-weight:600}.note{font-size:12px}"
    print ".code{font:12.5px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}"
    print ".middle{text-anchor:middle}.end{text-anchor:end}"
    print ".frame,.off,.line{fill:none}.frame{stroke-dasharray:4 3}.line{stroke-width:1.4}"
    print colours("#ffffff", "#c4ccd4", "#1f2328", "#57606a", "#ddf0ff", "#5a9bd8", "#dff5e3", "#58a86c", "#fdeedd", "#d18b47", "#f3f5f7")
    print "@media (prefers-color-scheme: dark){"
    print colours("#161b22", "#4a525c", "#e6edf3", "#a5adb7", "#15304d", "#5a9bd8", "#163622", "#58a86c", "#432c12", "#d18b47", "#22282f")
    print "}"
    print "</style>"
}
function box(class, x, y, w, h, n, part,    i, at) {
    rect(class, x, y, w, h, 6)
    at = y + h / 2 + 4.5 - (n - 1) * 8.5
    for (i = 1; i <= n; i++)
        put((i == 1 ? "name" : "note") " middle", x + w / 2, at + (i - 1) * 17, part[i])
}
function arrow(n, p, label,    i, d, x, y, up) {
    d = "M" p[1] " " p[2]
    for (i = 3; i < n; i += 2)
        d = d " L" p[i] " " p[i + 1]
    printf "<path class=\"line\" d=\"%s\" marker-end=\"url(#head)\"/>\n", d
    if (label == "")
        return
    up = p[n - 3] == p[n - 1]
    x = (p[n - 3] + p[n - 1]) / 2 + (up ? 8 : 0)
    y = (p[n - 2] + p[n]) / 2 + (up ? 4 : -7)
    put("note" (up ? "" : " middle"), x, y, label)
}
function lanes(x, y, mask, class,    i) {
    for (i = 1; i <= length(mask); i++)
        rect(substr(mask, i, 1) == "1" ? class : "off", x + (i - 1) * 26, y, 22, 18, 3)
}
/^[ \t]*(#|$)/ { next }
{
    n = split($0, part, "|")
    count = split(part[1], word, " ")
    for (i = 2; i <= n; i++)
        part[i - 1] = trim(part[i])
    part[n] = ""
    n--
}
word[1] == "size" {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n", \
        word[2], word[3], word[2], word[3]
    printf "<title>%s</title>\n", escape(part[1])
    style()
    print "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
    print "<path class=\"head\" d=\"M0 0.5 L8 4 L0 7.5 z\"/></marker></defs>"
    rect("card", 0.5, 0.5, word[2] - 1, word[3] - 1, 8)
    next
}
word[1] == "box" { box(word[2], word[3], word[4], word[5], word[6], n, part); next }
word[1] == "frame" {
    rect("frame", word[2], word[3], word[4], word[5], 8)
    put("name", word[2] + 12, word[3] + 20, part[1])
    next
}
word[1] == "arrow" {
    for (i = 2; i <= count; i++)
        point[i - 1] = word[i]
    arrow(count - 1, point, part[1])
    next
}
word[1] == "line" {
    printf "<path class=\"line\" d=\"M%g %g L%g %g\"/>\n", word[2], word[3], word[4], word[5]
    next
}
word[1] == "text" { sub("-", " ", word[2]); put(word[2], word[3], word[4], part[1]); next }
word[1] == "lanes" { lanes(word[2], word[3], word[4], word[5]); next }
{ printf "%s:%d: what is `%s'?\n", FILENAME, FNR, word[1] >"/dev/stderr"; bad = 1; exit }
END { if (bad) exit 1; print "</svg>" }
