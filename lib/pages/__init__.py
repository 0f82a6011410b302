"""What the pages of the book call: the line under a title, figures, tables, numbers, answers."""

from lib.pages.answers import answer
from lib.pages.chapter import (
    about,
    check_parameters,
    figure,
    figure_html,
    numbers,
    ran_on,
    setup_style,
    table,
)
from lib.pages.headline import headline
