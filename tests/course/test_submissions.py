"""What is handed in is looked at before anything of it runs."""

from __future__ import annotations

import json

import pytest

from course.mark import Limits, Submission, mark


def handed_in(folder, text, name="s1.ipynb"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    variants = {"s1": "a1-00000001", "s2": "a1-00000002"}
    return Submission("a1", "s1", path, path, variants)


def cells(*sources):
    kinds = [{"cell_type": "markdown", "metadata": {}, "source": source} for source in sources]
    return json.dumps({"cells": kinds, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def test_the_students_own_notebook_is_taken_with_the_kernel_of_the_course(tmp_path):
    text = cells('variant = "a1-00000001"').replace(
        '"metadata": {}, "nbformat"', '"metadata": {"kernelspec": {"name": "mine"}}, "nbformat"'
    )
    assert "mine" in text
    assert handed_in(tmp_path, text).notebook().metadata["kernelspec"]["name"] == "python3"


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("x", "s1.pdf", "must be a notebook (.ipynb), got s1.pdf"),
        ("", "s1.ipynb", "cannot be read"),
        ("[]", "s1.ipynb", "cannot be read"),
        ("{}", "s1.ipynb", "cannot be read"),
        ("[" * 100_000, "s1.ipynb", "cannot be read"),
        (b"\xff\xfe", "s1.ipynb", "cannot be read"),
        (cells(5), "s1.ipynb", "cannot be read"),
        (cells("a1-00000001 \ud800"), "s1.ipynb", "cannot be read"),
        (cells("a1-00000002"), "s1.ipynb", "is the notebook of another student (s2)"),
        (cells("a2-00000001"), "s1.ipynb", "has not the variant a1-00000001 of this student"),
        (b" " * (21 * 2**20), "s1.ipynb", "must be at most 20 MiB"),
    ],
)
def test_what_is_no_notebook_of_the_student_is_refused_in_words(tmp_path, text, name, message):
    with pytest.raises(ValueError) as error:
        handed_in(tmp_path, text, name).notebook()
    assert message in str(error.value)


@pytest.mark.parametrize("limits", [Limits(seconds=0), Limits(gibibytes=float("nan"))])
def test_limits_that_limit_nothing_are_refused(tmp_path, limits):
    with pytest.raises(ValueError, match="must be a finite number > 0"):
        mark(tmp_path, tmp_path, tmp_path, limits)
