"""Reads a page as a browser does, far enough to judge its structure."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "link", "br", "img", "hr", "input", "col"}


@dataclass
class Table:
    caption: str = ""
    rows: list[list[str]] = field(default_factory=list)

    @property
    def pairs(self) -> dict[str, list[str]]:
        return {row[0]: row[1:] for row in self.rows}


class Page(HTMLParser):
    """A page whose tags are balanced; the attributes say what it holds."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.headings: list[tuple[int, str]] = []
        self.tables: list[Table] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "table":
            self.tables.append(Table())
        elif tag == "tr":
            self.tables[-1].rows.append([])
        elif tag in ("th", "td"):
            self.tables[-1].rows[-1].append("")
        elif tag in ("h1", "h2", "h3", "h4"):
            self.headings.append((int(tag[1]), ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.text += data
        if "caption" in self.open:
            self.tables[-1].caption += data
        elif "th" in self.open or "td" in self.open:
            self.tables[-1].rows[-1][-1] += data
        elif self.open and self.open[-1] in ("h1", "h2", "h3", "h4"):
            level, text = self.headings[-1]
            self.headings[-1] = (level, text + data)

    def table(self, caption: str) -> Table:
        (found,) = (table for table in self.tables if table.caption.startswith(caption))
        return found

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


def assert_sound(html: str) -> Page:
    """Assert what holds of every page, whatever it is about."""
    page = Page(html)
    assert html.startswith("<!DOCTYPE html>")
    assert page.all("html") == [{"lang": "en"}]
    levels = [level for level, _ in page.headings]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    assert all(text.strip() for _, text in page.headings)
    assert all(table.caption.strip() for table in page.tables)
    assert all(row and len(row) == len(table.rows[0]) for table in page.tables for row in table.rows)
    assert all(plot["role"] == "img" and plot["aria-label"] for plot in page.all("svg"))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("src", "href", "xlink:href", "action", "data", "srcset"):
                assert value.startswith("#")
                assert value[1:] in ids
            assert "http" not in value
            assert "url(" not in value
            assert name != "aria-labelledby" or value in ids
    assert not {"script", "link", "img", "iframe", "object", "image", "use"} & {tag for tag, _ in page.tags}
    assert "@import" not in html
    assert "url(" not in html
    assert "default-src 'none'" in html
    assert "width=device-width" in html
    assert "prefers-color-scheme: dark" in html
    return page
