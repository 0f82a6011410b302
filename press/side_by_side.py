"""Several versions of a page on one: its headline numbers in a table, a figure and a sentence, and
what else differs between the outputs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import nbformat
import pandas as pd

from lib.files import template
from lib.pages.chapter import STYLE, figure_html, table_html
from lib.pages.headline import KIND, Ends, in_words
from lib.typeset import value_text
from press.toc import glued_texts

Parameters = dict[str, object]
Numbers = Mapping[str, tuple[Ends, Ends]]  # by metric: here, and without privacy
Version = tuple[str, Parameters, nbformat.NotebookNode]  # its page, its parameters, its notebook
_PAGE = template(Path(__file__).parent / "templates" / "side_by_side.md.j2")
WITHOUT = "without privacy"


def label(parameters: Parameters) -> str:
    """The parameters in words, ``epsilon = 1, seed = 3``."""
    return ", ".join(f"{name} = {value}" for name, value in parameters.items()) or "as in the book"


def side_by_side(executed: Sequence[Version]) -> str:
    """A page (MyST) with what differs between the versions: the page's headline, if it states one;
    numbers of the prose; outputs under the headings that they stand under.
    """
    docs, versions, notebooks = zip(*executed, strict=True)
    texts = (c.source for c in notebooks[0].cells if c.cell_type == "markdown")
    title = next((line for text in texts for line in text.splitlines() if line), "# Versions")
    numbers = [glued_texts(notebook) for notebook in notebooks]
    rows = {name: [other.get(name, "–") for other in numbers] for name in numbers[0]}
    heading, outputs = "", []
    for cells in zip(*(n.cells for n in notebooks), strict=True):
        if cells[0].cell_type == "markdown":
            heading = [heading, *re.findall(r"^##+ (.+)$", cells[0].source, re.M)][-1]
        elif len(set(shown := [_html(cell) for cell in cells])) > 1:
            outputs.append((heading, shown))
            heading = ""
    page = _PAGE.render(
        title=title,
        versions=[*zip(docs, map(label, versions), strict=True)],
        headline=_headline(versions, [*map(stated, notebooks)]),
        rows={name: values for name, values in rows.items() if len(set(values)) > 1},
        outputs=outputs,
    )
    return page.rstrip() + "\n"


def stated(notebook: nbformat.NotebookNode) -> Numbers:
    """What an executed page states with :func:`lib.pages.headline.headline`; nothing if it does
    not.
    """
    outputs = (out for cell in notebook.cells for out in cell.get("outputs", []))
    bodies = (out.get("data", {}).get(KIND, {}) for out in outputs)
    return {
        name: (_ends(here), _ends(without))
        for body in bodies
        for name, (here, without) in body.items()
    }


def _ends(values: Sequence[float | None]) -> Ends:
    mean, low, high = (float("nan") if v is None else float(v) for v in values)
    return mean, low, high


def _headline(versions: Sequence[Parameters], found: Sequence[Numbers]) -> list[str]:
    """Table, figure (HTML) and sentence; nothing unless every version states the same metrics."""
    metrics = [*found[0]]
    if not metrics or any([*one] != metrics for one in found):
        return []
    names = varying(versions) or [*versions[0]]
    labels = [label({name: version[name] for name in names}) for version in versions]
    here, plain = ([{m: one[m][i] for m in metrics} for one in found] for i in (0, 1))
    settings = [*zip(labels, here, strict=True)]
    if all(repr(other) == repr(plain[0]) for other in plain):
        settings.append((WITHOUT, plain[0]))
    else:
        settings += [
            (f"{WITHOUT}, as for {said}", one) for said, one in zip(labels, plain, strict=True)
        ]
    shown = pd.DataFrame(
        [(said, *(in_words(one[m]) for m in metrics)) for said, one in settings],
        columns=["setting", *metrics],
    )
    caption = "Means over the runs of each setting, with 95% intervals (Student's t)."
    said = sentence(labels, found)
    fig, about, alt = _figure(labels, found, versions)
    return [table_html(shown, caption), figure_html(fig, about, alt, name="fig-side-by-side"), said]


def sentence(labels: Sequence[str], found: Sequence[Numbers]) -> str:
    """Which metrics have intervals of the first and the last setting that do not overlap.

    Examples
    --------
    >>> one, two = {"DI": ((0.5, 0.4, 0.6),) * 2}, {"DI": ((0.8, 0.7, 0.9),) * 2}
    >>> sentence(["epsilon = 0.5", "epsilon = 2"], [one, two])
    'From epsilon = 0.5 to epsilon = 2, DI moves by more than its intervals: from 0.5 to 0.8.'
    """
    first, last = found[0], found[-1]
    if any(low != low for one in found for (_, low, _), _ in one.values()):
        return "One run of a setting has no interval, so the table shows numbers only."
    start = f"From {labels[0]} to {labels[-1]}, "
    clear = [
        name
        for name, ((_, low, high), _) in first.items()
        if last[name][0][1] > high or low > last[name][0][2]
    ]
    if not clear:
        return f"{start}none of {', '.join(first)} moves by more than its intervals."
    means = ([value_text(one[m][0][0]) for one in (first, last)] for m in clear)
    moves = (f"from {before} to {after}" for before, after in means)
    verb = "moves by more than its" if len(clear) == 1 else "move by more than their"
    rest = [name for name in first if name not in clear]
    return f"{start}{' and '.join(clear)} {verb} intervals: {'; '.join(moves)}." + (
        f" {' and '.join(rest)} {'does' if len(rest) == 1 else 'do'} not." if rest else ""
    )


def varying(versions: Sequence[Parameters]) -> list[str]:
    """The parameters that differ between the versions."""
    return [k for k in versions[0] if len({repr(v[k]) for v in versions}) > 1]


def _figure(labels: Sequence[str], found: Sequence[Numbers], versions: Sequence[Parameters]):
    """A panel for each metric: the settings in their order, and a line without privacy."""
    import matplotlib.pyplot as plt

    from lib.plotting.panels import panels
    from lib.plotting.style import BLUE, DARK

    over, words = "setting", labels
    if len(names := varying(versions)) == 1:
        (over,) = names
        words = [str(version[over]) for version in versions]
    metrics, places = [*found[0]], range(len(found))
    rows = -(-len(metrics) // 2)
    with plt.style.context(STYLE):
        fig, grid = panels(
            (6.4, 2.2 * rows), (rows, min(2, len(metrics))), over, titles=metrics, sharex=True
        )
        for ax, metric in zip(grid.flat, metrics, strict=False):
            here, without = zip(*(one[metric] for one in found), strict=True)
            mean, low, high = zip(*here, strict=True)
            ax.plot(places, [mean for mean, _, _ in without], "--", color=DARK)
            ax.plot(places, mean, "o-", color=BLUE)
            ax.vlines(places, low, high, color=BLUE)
            ax.set_xticks(places, words)
        for ax in [*grid.flat][len(metrics) :]:
            ax.set_visible(False)
    caption = (
        "**Each metric over the settings that you asked for.** Blue: means of this rerun with 95% "
        "intervals. Dashed: without privacy."
    )
    pairs = [*zip(words, found, strict=True)]
    alt = "; ".join(
        f"{m} at {', '.join(f'{w}: {in_words(one[m][0])}' for w, one in pairs)}" for m in metrics
    )
    return fig, caption, alt


def _html(cell: nbformat.NotebookNode) -> str:
    """What a cell shows, as HTML."""
    shown = []
    for out in cell.get("outputs", []):
        if out.output_type == "stream" and out.name == "stdout":
            shown.append(f"<pre>{escape(out.text)}</pre>")
        data = out.get("data", {})
        if data and KIND not in data and not out.metadata.get("scrapbook"):
            plain = f"<pre>{escape(data.get('text/plain', ''))}</pre>"
            shown.append(data.get("text/html") or plain)
    return "".join(shown)
