# The table of doc/configuration.md, | Section | Key | Default | Meaning |, as a list for mdoc(7).
BEGIN { FS = " *[|] *" }

/^[|] [a-z_]+ [|]/ {
    if ($2 != section) {
        if (section != "") {
            print ".El"
        }
        section = $2
        print ".Ss [" section "]"
        print ".Bl -tag -width Ds"
    }
    print ".It Ic " $3
    meaning = $5
    gsub(/`/, "", meaning)
    gsub(/[.] /, ".\n\\\\\\&", meaning)
    if (meaning != "") {
        print "\\&" toupper(substr(meaning, 1, 1)) substr(meaning, 2) "."
    }
    if ($4 != "") {
        print "Default:"
        print ".Ql " $4 " ."
    }
}

END { print ".El" }
