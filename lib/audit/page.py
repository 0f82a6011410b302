"""Pieces of a page that stands alone: no script, no outside address, pictures inside, light and
dark, 390 px wide.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from html import escape

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from lib.paths import ROOT

__all__ = ["page", "section", "paragraph", "bullets", "table", "picture", "drawn"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --ground: #ffffff; --soft: #f0f2f4; --line: #767676; --alarm: #9a2a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececec; --ground: #15181b; --soft: #22272c; --line: #8c949c; --alarm: #ffb08a; }
  img { filter: invert(1) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 56rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.25rem; margin-top: 2.2rem; } h3 { font-size: 1.05rem; }
.answer { border-left: .3rem solid var(--line); background: var(--soft); padding: .6rem 1rem; }
.answer.found { border-color: var(--alarm); }
.scroll { overflow-x: auto; margin: 1rem 0; } .scroll:focus-visible { outline: 2px solid var(--ink); }
table { border-collapse: collapse; font-size: .88rem; overflow-wrap: normal; } .caption { font-size: .88rem; margin: 1rem 0 -.6rem; }
th[scope=row] { min-width: 8rem; } td.number, td.span { white-space: nowrap; } td.words { min-width: 14rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 0; } img { max-width: 100%; height: auto; } figcaption { font-size: .88rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1rem; }
code { background: var(--soft); padding: 0 .2rem; }
@media print { .scroll { overflow: visible; } }
"""


def page(title: str, body: Sequence[str]) -> str:
    """A whole document; its policy forbids every request, so that nothing can leave the machine
    by it.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:;'
        " style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body><main>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )


def section(title: str, *parts: str, level: int = 2) -> str:
    """A heading and what stands under it."""
    return f"<section><h{level}>{escape(title)}</h{level}>\n" + "\n".join(parts) + "\n</section>"


def paragraph(text: str, kind: str = "") -> str:
    """Escaped text; ``kind`` is a class of the style."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def bullets(items: Sequence[str]) -> str:
    """A list of escaped texts."""
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def table(frame: pd.DataFrame, caption: str, formats: dict[str, str] | None = None) -> str:
    """A table whose first column heads its rows; it scrolls sideways where the screen is narrow."""
    formats = formats or {}
    kinds = [
        ' class="number"' if frame.dtypes.iloc[j].kind in "iuf" else ""
        for j in range(frame.shape[1])
    ]
    head = "".join(
        f'<th scope="col"{k}>{escape(str(c))}</th>'
        for c, k in zip(frame.columns, kinds, strict=True)
    )
    lines = []
    for row in frame.itertuples(index=False, name=None):
        cells = [
            _cell(value, formats.get(column, ""))
            for value, column in zip(row, frame.columns, strict=True)
        ]
        rest = "".join(
            f"<td{k or _width(cell)}>{cell}</td>"
            for cell, k in zip(cells[1:], kinds[1:], strict=True)
        )
        lines.append(f'<tr><th scope="row"{kinds[0]}>{cells[0]}</th>{rest}</tr>')
    return (
        f'<p class="caption">{escape(caption)}</p>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table'
        f' aria-label="{escape(caption)}">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _width(cell: str) -> str:
    """Short cells stay on one line, sentences get room."""
    return ' class="span"' if len(cell) <= 24 else ' class="words"'


def _cell(value: object, spec: str) -> str:
    return "–" if value is None or value != value else escape(format(value, spec))


def picture(fig: Figure, alt: str, caption: str) -> str:
    """The figure as a PNG inside the page, with its alternative text."""
    file = io.BytesIO()
    fig.savefig(file, format="png", dpi=200, transparent=True, metadata={"Software": None})
    size = f'width="{round(fig.get_figwidth() * 100)}" height="{round(fig.get_figheight() * 100)}"'
    plt.close(fig)
    code = base64.b64encode(file.getvalue()).decode()
    return (
        f'<figure><img src="data:image/png;base64,{code}" alt="{escape(alt)}" {size}>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def drawn(draw: Callable[[], tuple[Figure, str]], caption: str) -> str:
    """:func:`picture` of what ``draw`` returns, in the book's style."""
    with plt.style.context(ROOT / "lib" / "plotting" / "companion.mplstyle"):
        fig, alt = draw()
        return picture(fig, alt, caption)
