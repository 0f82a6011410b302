"""What the pages of the book call: badges, figures, tables, numbers, answers and checks."""

from lib.pages.answers import answer
from lib.pages.chapter import (
    badges,
    check_parameters,
    figure,
    figure_html,
    numbers,
    ran_on,
    setup_style,
    table,
)
from lib.pages.headline import headline
