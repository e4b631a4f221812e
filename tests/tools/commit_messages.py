"""commit_messages: judges every commit since the rule of CONTRIBUTING.md ("Commit messages") began. Prints one TAP line.

Prints nothing where those commits are not there: in a shallow clone, in an export without git.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parents[2]

# The last commit before the rule.
BEGINNING = "764196a656aa36f3865545252657b2491a406659"
NUMBER = 3
SUBJECT_MAX = 72
SUBJECT = re.compile(r"[A-Za-z0-9_./-]+(?:, [A-Za-z0-9_./-]+)*: ([a-z][a-z-]*)(?:\W.*)?(?<![.\s])")
TRAILER = re.compile(r"[A-Z][A-Za-z-]+: \S")
NO_VERBS = set("a an the what who which when where how this that it its one no nothing".split())
VERBS_LIKE_OTHER_FORMS = set("bring ping ring string embed exceed feed need proceed seed shed speed succeed bias focus".split())


def is_imperative(word: str) -> bool:
    """Whether `word` can be an imperative: not "adds", "added", "adding", "the"."""
    if word in VERBS_LIKE_OTHER_FORMS:
        return True
    return word not in NO_VERBS and not re.search(r"(?:ed|ing|[^s]s)$", word)


def complaints(message: str) -> Iterator[str]:
    """What is wrong with a commit message, one sentence for each mistake."""
    subject, *rest = message.rstrip("\n").split("\n")
    if len(subject) > SUBJECT_MAX:
        yield f"the subject has {len(subject)} characters; {SUBJECT_MAX} are allowed"
    form = SUBJECT.fullmatch(subject)
    if form is None:
        yield 'the subject is not "area: what it does", in lower case and without a full stop'
    elif not is_imperative(form[1]):
        yield f'"{form[1]}" is not an imperative'
    if rest and rest[0]:
        yield "the line after the subject is not empty"
    if not any(line.strip() and not TRAILER.match(line) for line in rest):
        yield "there is no body that says why"


def git(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["git", *words], cwd=ROOT, text=True, capture_output=True)


def history() -> list[tuple[str, str]]:
    """Short id and message of each commit since the rule began; none where git does not know where that was."""
    try:
        if git("rev-parse", "--show-toplevel").stdout.strip() != str(ROOT):
            return []
        if git("merge-base", "--is-ancestor", BEGINNING, "HEAD").returncode != 0:
            return []
    except FileNotFoundError:
        return []
    log = git("log", "--no-merges", "--format=%h%n%B%x00", f"{BEGINNING}..HEAD").stdout
    entries = [entry.strip("\n") for entry in log.split("\0")]
    return [(entry.partition("\n")[0], entry.partition("\n")[2]) for entry in entries if entry]


def main() -> int:
    commits = history()
    wrong = [(name, message, list(complaints(message))) for name, message in commits]
    wrong = [entry for entry in wrong if entry[2]]
    if wrong:
        print(f"not ok {NUMBER} - commit messages break the rule of CONTRIBUTING.md (git rebase -i rewords them)")
        for name, message, mistakes in wrong:
            print(f"# {name} {message.splitlines()[0]}\n#     {'; '.join(mistakes)}")
        return 1
    if commits:
        print(f"ok {NUMBER} - {len(commits)} commit messages follow CONTRIBUTING.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
