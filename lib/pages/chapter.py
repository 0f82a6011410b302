"""What every chapter starts with: a style for its figures, a line on data and runs, figures with
alternative text, checked parameters.

A chapter shows things through :func:`about`, :func:`figure` and :func:`table`, which display HTML
that the rendered book keeps as it is. Each has a pure counterpart ``*_html`` that returns the
string.
"""

from __future__ import annotations

import base64
import io
import re
import warnings
from bisect import bisect_left
from collections.abc import Mapping
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from lib import validate
from lib.extras import needs
from lib.pages.parameters import check_parameters as check_parameters
from lib.paths import PACKAGE
from lib.typeset import typeset, value_text

if TYPE_CHECKING:  # the key of a chapter follows imports: this module must reach little
    import pandas as pd
    from matplotlib.figure import Figure


# a dependency's progress bars miss widgets, which a rendered page could not use anyway
warnings.filterwarnings("ignore", message="IProgress not found")

DENSITY = 150  # dots of a picture for an inch, which is 100 pixels of a page
NUMBER = '<td class="num">'
_CELLS = '<td class="brief">', "<td>", '<td class="words">', '<td class="sentences">'
STYLE = PACKAGE / "plotting" / "companion.mplstyle"
ORIGIN = {
    "local": "real, read from COMPANION_DATA",
    "cache": "real, read from the download cache",
    "download": "real, downloaded from its public origin",
    "replica": "differentially private replica",
}


def setup_style() -> None:
    """Use the book's matplotlib style (colour-blind safe, legible on light and dark pages)."""
    import matplotlib.pyplot as plt

    plt.style.use(["default", STYLE])  # and nothing of a person's own settings


# --- the line under a title
# ----------------------------------------------------------------------


def about_html(
    page: str, *data: Any, runs: int | str | None = None, seed: int | None = None
) -> str:
    """The line under a title: which data (real or replica, and from where), runs, seed, and the
    command by which the page is run again.

    Parameters
    ----------
    page : str
        As the command names it, ``"ldp/fairness"``.
    *data : Dataset or str
        Each :class:`lib.datasets.Dataset` says its own source; a string is shown as it is.
    runs : int or str, optional
        Independent runs behind the results (read it off the table, do not type it).
    seed : int, optional
        Master seed of the live run.
    """
    words = {"runs": runs, "seed": seed}
    parts = [*map(_data_in_words, data)]
    parts += [f"{key} {value}" for key, value in words.items() if value is not None]
    command = f"<code>python -m lib rerun {escape(page)}</code>"
    return f'<p class="about">{" · ".join([*map(escape, parts), command])}</p>'


def _data_in_words(data: Any) -> str:
    if isinstance(data, str):
        return data
    origin = ORIGIN.get(data.source, data.source)
    return f"live: {data.task.title} ({len(data.frame):,} rows, {origin})"


def about(page: str, *data: Any, **options: Any) -> None:
    """Display :func:`about_html`."""
    show({"text/html": about_html(page, *data, **options), "text/plain": ""})


def ran_on_html(*data: Any) -> str:
    """The line under the output of a cell that is tagged ``live``: the rows of this machine that it
    ran on.

    Parameters
    ----------
    *data : Dataset or str
        A string is the name of a source (``"replica"``, ``"local"``), as tables of the
        synthesizers have it.

    Raises
    ------
    ValueError
        If no data are given.
    """
    if not data:
        raise ValueError("data must name at least one table, got none")
    words = [_rows_in_words(item) for item in data]
    return f'<p class="ran-on">Live, on {escape(" and ".join(dict.fromkeys(words)))}.</p>'


def _rows_in_words(data: Any) -> str:
    if isinstance(data, str):
        return "the replica" if data == "replica" else "the real data"
    return f"the {'replica' if data.is_replica else 'real data'} of {data.task.title}"


def ran_on(*data: Any) -> None:
    """Display :func:`ran_on_html`."""
    html = ran_on_html(*data)
    show({"text/html": html, "text/plain": re.sub("<[^>]*>", "", html)})


# --- figures and tables
# -----------------------------------------------------------------------------------------


def figure_html(
    fig: Figure,
    caption: str,
    alt: str,
    name: str | None = None,
    width: str | None = None,
    stacked: Figure | None = None,
) -> str:
    """A ``<figure>`` with the picture, its caption and alternative text; figures are closed, so
    that they are not shown twice.

    The picture has no ground, and the book's style sheet inverts its lightness on a dark page. On
    a phone it scrolls where it is too wide.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
    caption : str
        What is drawn and what to see in it; ``*emphasis*``, ``**strong**`` and ```code``` are
        understood.
    alt : str
        What a reader who cannot see the picture needs: axes, curves, what they do. At least 20
        characters.
    name : str, optional
        Anchor: ``<a href="#name">`` reaches the figure.
    width : str, optional
        CSS width, e.g. ``"28rem"``; never wider than the page.
    stacked : matplotlib.figure.Figure, optional
        The same with its panels below each other, for a phone: a wide figure of a first screen.

    Raises
    ------
    ValueError
        If ``alt`` or ``caption`` is missing.
    """
    if not isinstance(alt, str) or len(alt.strip()) < 20:
        raise validate.refusal("alt", "a description of at least 20 characters", alt)
    if not isinstance(caption, str) or not caption.strip():
        raise validate.refusal("caption", "text", caption)
    drawn = width or f"{int(fig.get_figwidth() * 100)}px"
    source = f'<source media="(max-width: 600px)" srcset={_png(stacked)}>' if stacked else ""
    anchor = f' id="{escape(name)}"' if name else ""
    return (
        f'<figure class="plot"{anchor} style="--drawn:{escape(drawn)}"><div class="picture">'
        f'<picture>{source}<img alt="{escape(alt.strip())}" src={_png(fig)}></picture></div>'
        f"<figcaption>{_inline(caption)}</figcaption></figure>"
    )


def _png(fig: Figure) -> str:
    """The figure in base 64, of 64 colours, which are a third of the bytes, and its size in pixels
    of a page.
    """
    import matplotlib.pyplot as plt
    from PIL import Image

    raw, packed = io.BytesIO(), io.BytesIO()
    fig.savefig(raw, dpi=DENSITY)
    few = Image.open(raw).quantize(64, method=Image.Quantize.FASTOCTREE)
    few.save(packed, "PNG", optimize=True)
    plt.close(fig)
    wide, high = (int(100 * inches) for inches in fig.get_size_inches())
    code = base64.b64encode(packed.getvalue()).decode()
    return f'"data:image/png;base64,{code}" width="{wide}" height="{high}"'


def figure(fig: Figure, caption: str, alt: str, **options: Any) -> None:
    """Display :func:`figure_html`."""
    html = figure_html(fig, caption, alt, **options)
    show({"text/html": html, "text/plain": f"[figure] {alt}"})


def table_html(
    frame: pd.DataFrame,
    caption: str | None = None,
    formats: Mapping[str, str] | None = None,
    index: bool = False,
    name: str | None = None,
    marks: bool = False,
) -> str:
    """A table that scrolls sideways on a narrow screen.

    Parameters
    ----------
    frame : pandas.DataFrame
    caption : str, optional
    formats : mapping column -> format spec, optional
        E.g. ``{"DI": ".3f", "n": ",d"}``; else three significant digits. Missing values are a dash.
    index : bool
        Show the index as the first columns.
    name : str, optional
        Anchor.
    marks : bool
        Whether cells have the marks that captions have. Without it they show what they hold, as
        names from data must.
    """
    frame = frame.reset_index() if index else frame
    formats = dict(formats or {})
    for column in formats:
        validate.choice("formats", column, list(frame.columns))
    opening = [_opening(frame.iloc[:, j]) for j in range(frame.shape[1])]
    numeric = [' class="num"' if tag == NUMBER else "" for tag in opening]
    head = "".join(
        f'<th scope="col"{n}>{escape(typeset(str(c)), quote=False)}</th>'
        for n, c in zip(numeric, frame.columns, strict=True)
    )
    specs = [formats.get(c) for c in frame.columns]
    shown = _inline if marks else partial(escape, quote=False)
    rows = (
        "".join(
            f"{tag}{shown(_cell(value, spec))}</td>"
            for tag, value, spec in zip(opening, row, specs, strict=True)
        )
        for row in frame.itertuples(index=False, name=None)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    anchor = f' id="{escape(name)}"' if name else ""
    title = f"<caption>{_inline(caption)}</caption>" if caption else ""
    return (
        f'<div class="table-scroll" tabindex="0"{anchor}><table class="plain-table">{title}'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def table(frame: pd.DataFrame, caption: str | None = None, **options: Any) -> None:
    """Display :func:`table_html`."""
    html = table_html(frame, caption, **options)
    show({"text/html": html, "text/plain": frame.to_string()})


def numbers(**values: object) -> None:
    """Glue each value as it is to be read, for ``{glue:text}`` under its name in the prose.

    MyST-NB's own ``glue`` keeps ``repr(value)``, which for a NumPy number reads
    ``np.float64(...)``.

    Examples
    --------
    >>> numbers(gap=f"{0.1486:.3f}", runs=20)
    """
    with needs("book"):
        from myst_nb import glue

    for name, value in values.items():
        glue(name, typeset(str(value)), display=False)


def _opening(column: pd.Series) -> str:
    """Tag of the cells of ``column``: numbers to the right, and room for a column of words."""
    text = column.astype(str)
    if column.dtype.kind in "iuf" or text.str.fullmatch(r"[-−+±\d.,%\[\] ]+").all():
        return NUMBER
    return _CELLS[bisect_left((11, 24, 100), text.str.len().max())]


def _cell(value: object, spec: str | None) -> str:
    missing = value is None or value != value  # NaN and NaT differ from themselves
    return typeset(format(value, spec)) if spec and not missing else value_text(value)


def _inline(text: str) -> str:
    """The few marks of Markdown that captions use, everything else escaped."""
    text = escape(typeset(text), quote=False)
    # the stars of code are no marks
    text = re.sub(r"`([^`]+)`", lambda m: f"<code>{m[1].replace('*', '&#42;')}</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"<em>\1</em>", text)


def show(forms: dict[str, Any]) -> None:
    """Display one thing, in a form for each MIME type."""
    with needs("book"):
        from IPython.display import display

    display(forms, raw=True)
