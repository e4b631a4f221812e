"""The rule for commit messages, and the good and the bad example of CONTRIBUTING.md."""

import re

import pytest

from tests.tools.commit_messages import complaints
from tests.stack.paths import ROOT

BODY = "\n\nThe old one was wrong."


def example(kind: str) -> str:
    section = (ROOT / "CONTRIBUTING.md").read_text().split("## Commit messages")[1]
    found = re.search(rf"^{kind}:.*?^```\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def test_good_example_follows_the_rule() -> None:
    assert list(complaints(example("Good"))) == []


def test_bad_example_breaks_the_rule() -> None:
    assert len(list(complaints(example("Bad")))) == 3


@pytest.mark.parametrize("subject", ["ctl, edge: report another cancellation window", "tests/http: process two replies",
                                     "README: embed the picture", "x: " + "a" * 69])
def test_subjects_that_are_right(subject: str) -> None:
    assert list(complaints(subject + BODY)) == []


@pytest.mark.parametrize("subject, mistake", [
    ("x: " + "a" * 70, "73 characters"), ("tests: skip locked rows.", "full stop"), ("Skip locked rows", "area"),
    ("tests: Skip locked rows", "lower case"), ("tests: skips locked rows", '"skips" is not'),
    ("tests: skipped locked rows", '"skipped" is not'), ("tests: skipping rows", '"skipping" is not'),
    ("tests: what stands in the way", '"what" is not'), ("fixup! tests: skip locked rows", "area")])
def test_subjects_that_are_wrong(subject: str, mistake: str) -> None:
    (found,) = complaints(subject + BODY)
    assert mistake in found


@pytest.mark.parametrize("rest", ["", "\n", "\n\n", "\n\nSigned-off-by: Ana <ana@example.com>"])
def test_body_is_required(rest: str) -> None:
    assert list(complaints("tests: skip locked rows" + rest)) == ["there is no body that says why"]


def test_empty_line_follows_the_subject() -> None:
    assert list(complaints("tests: skip locked rows\nbecause two passes meet")) == ["the line after the subject is not empty"]
