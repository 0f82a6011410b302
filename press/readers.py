"""The pages of the reference, read by two processes while another reads the rest.

They take three quarters of the time of reading. Sphinx would share out all pages, but theorems must
be read in one process.
"""

from __future__ import annotations

import pickle
from multiprocessing import active_children
from typing import Any

from sphinx.domains import Domain
from sphinx.util.parallel import ParallelTasks, parallel_available

from press.toc import FOLDER

READERS = 2


def setup(app: Any) -> None:
    """Let the builder read so, where processes can be forked."""
    if parallel_available:
        app.connect("builder-inited", lambda app: _share_out(app.builder))


def _share_out(builder: Any) -> None:
    serial = builder._read_serial

    def read(docs: list[str]) -> bytes:
        for doc in docs:
            builder.read_doc(doc, _cache=False)
        return pickle.dumps(builder.env, pickle.HIGHEST_PROTOCOL)

    def read_all(docs: list[str]) -> None:
        apart = [doc for doc in docs if doc.startswith(f"{FOLDER}/")]
        for doc in apart:
            builder.events.emit("env-purge-doc", builder.env, doc)
            builder.env.clear_doc(doc)
        for domain in builder.env.domains.values():
            if type(domain).merge_domaindata is Domain.merge_domaindata:
                # that of the theorems cannot merge, and the reference has none
                domain.merge_domaindata = lambda docs, other: None
        tasks, half, found = ParallelTasks(READERS), len(apart) // 2, {}
        try:
            for part in filter(None, (apart[:half], apart[half:])):
                tasks.add_task(read, part, lambda part, env: found.update({part[0]: (part, env)}))
            serial([doc for doc in docs if doc not in apart])
            tasks.join()
            for _, (part, env) in sorted(found.items()):  # a name belongs to the page read first
                builder.env.merge_info_from(part, pickle.loads(env), builder.app)
            # viewcode forgets modules of which no name is shown whenever a page is forgotten
            builder.events.emit("env-purge-doc", builder.env, "")
        except BaseException:  # they would wait for ever to be heard
            for process in active_children():
                process.kill()
            raise

    builder._read_serial = read_all
