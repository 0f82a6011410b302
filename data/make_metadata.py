"""Describe the repository for machines: ``codemeta.json`` (CodeMeta), ``ro-crate-metadata.json``
(RO-Crate: each file of results with its checksum, the raw data with address and licence, the
papers) and ``codecheck.yml`` (CODECHECK: what a checker should make again, and how).

    make metadata

It reads what is stated once: ``pyproject.toml``, ``CITATION.cff``, ``data/datasets.yml``.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import yaml

from lib.datasets.cache import sha256_of
from lib.paths import RESULTS, ROOT

CC_BY = "https://creativecommons.org/licenses/by/4.0/"
MIT = "https://spdx.org/licenses/MIT"


def stated() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The project, its citation and the raw files, as their own files state them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    files = yaml.safe_load((ROOT / "data" / "datasets.yml").read_text("utf-8"))["files"]
    return project, citation, files


def papers(citation: dict[str, Any]) -> list[dict[str, Any]]:
    """The papers as articles of schema.org."""
    return [
        {
            "@id": f"https://doi.org/{one['doi']}" if "doi" in one else one.get("url", f"#{i}"),
            "@type": "ScholarlyArticle",
            "name": one["title"],
            "author": [f"{who['given-names']} {who['family-names']}" for who in one["authors"]],
            "datePublished": str(one["year"]),
        }
        for i, one in enumerate(citation["references"], 1)
    ]


def codemeta() -> dict[str, Any]:
    """The software, in the words of CodeMeta 3."""
    project, citation, _ = stated()
    authors = [{"@type": "Organization", "name": who["name"]} for who in citation["authors"]]
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": project["name"],
        "description": project["description"],
        "version": project["version"],
        "license": MIT,
        "author": authors,
        "dateModified": str(citation["date-released"]),
        "developmentStatus": "active",
        "keywords": citation["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": project["dependencies"],
        "buildInstructions": "README.md",
        "readme": "README.md",
        "referencePublication": papers(citation),
    }


def crate() -> dict[str, Any]:
    """The repository as a research object, in the words of RO-Crate 1.3."""
    project, citation, raw = stated()
    results = [
        {
            "@id": path.relative_to(ROOT).as_posix(),
            "name": f"Results of the grid {path.stem}",
            "encodingFormat": "application/vnd.apache.parquet",
            "contentSize": str(path.stat().st_size),
            "sha256": sha256_of(path),
        }
        for path in _results()
    ]
    downloads = [
        {
            "@id": file["url"],
            "name": name,
            "encodingFormat": "text/csv",
            "contentSize": str(file["size"]),
            "sha256": file["sha256"],
            "conditionsOfAccess": file["licence"],
        }
        for name, file in raw.items()
    ]
    files = [{"@type": "File", **one} for one in (*results, *downloads)]
    authors = [{"@id": f"#{who['name']}", **who} for who in citation["authors"]]
    articles = papers(citation)
    whole = {
        "@id": "./",
        "@type": "Dataset",
        "name": citation["title"],
        "description": project["description"],
        "datePublished": str(citation["date-released"]),
        "license": {"@id": CC_BY},
        "author": _named(authors),
        "citation": _named(articles),
        "hasPart": _named(files),
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.3"},
        "about": {"@id": "./"},
    }
    licence = {"@id": CC_BY, "@type": "CreativeWork", "name": "CC BY 4.0"}
    people = [{"@type": "Organization", **who} for who in authors]
    graph = [descriptor, whole, licence, *people, *articles, *files]
    return {"@context": "https://w3id.org/ro/crate/1.3/context", "@graph": graph}


def _results() -> list[Path]:
    return sorted(RESULTS.glob("*.parquet"))


def _named(entities: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [{"@id": one["@id"]} for one in entities]


def codecheck() -> dict[str, Any]:
    """What a checker makes again: each file of results, and the commands."""
    _, citation, _ = stated()
    grids = [(path.relative_to(ROOT).as_posix(), path.stem) for path in _results()]
    return {
        "version": "https://codecheck.org.uk/spec/config/1.0/",
        "paper": {
            "title": citation["title"],
            "authors": [{"name": who["name"]} for who in citation["authors"]],
        },
        "manifest": [
            {"file": file, "comment": f"the stored cells of {grid}: cells drawn by your own seed"}
            for file, grid in grids
        ],
        "summary": (
            "`make book` and `make test` need Python and a package index. `python -m lib verify"
            " --minutes 10 --seed YOURS` draws stored cells, runs them again, and writes"
            " certificate.md: which agree, and which share of all may be wrong."
        ),
    }


def main() -> None:
    """Write the three files."""
    for name, said in {"codemeta.json": codemeta(), "ro-crate-metadata.json": crate()}.items():
        (ROOT / name).write_text(f"{json.dumps(said, indent=2, ensure_ascii=False)}\n", "utf-8")
    head = "# Written by: make metadata\n"
    text = yaml.safe_dump(codecheck(), sort_keys=False, allow_unicode=True, width=120)
    (ROOT / "codecheck.yml").write_text(head + text, "utf-8")


if __name__ == "__main__":
    main()
