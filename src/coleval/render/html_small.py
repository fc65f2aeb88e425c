"""A page in as few bytes as HTML allows: what a browser reads of it is the same.

Nothing is renamed or left out that a reader could see; the files of ``assets/`` stay readable.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<[a-z][^<>]*>", re.IGNORECASE)
# A value that needs no quotes; one that ends in a slash could be taken for the end of its tag.
_QUOTED = re.compile(r"""="([^\s"'=<>`]*[^\s"'=<>`/])"(/?)""")
_SPACE = ' xmlns="http://www.w3.org/2000/svg"'
# A browser ends these itself where the next of their kind begins or what holds them ends.
_OPTIONAL = re.compile(
    r"</t[dh]>(?=<t[dh][ >]|</tr>)|</tr>(?=<tr[ >]|</tbody>)|</thead>(?=<tbody>)"
    r"|</tbody>(?=</table>)|</li>(?=<li[ >]|</[ou]l>)|</d[td]>(?=<d[td][ >]|</dl>)"
)
_REMARK = re.compile(r"/\*.*?\*/", re.DOTALL)


def small_markup(markup: str) -> str:
    """Return markup without line ends between tags, quotes and end tags that nothing needs."""
    told = _TAG.sub(_bare, markup.replace(">\n<", "><").replace(_SPACE, ""))
    return _OPTIONAL.sub("", told)


def small_style(rules: str) -> str:
    """Return a style sheet without remarks and without space that nothing needs."""
    told = re.sub(r"\s+", " ", _REMARK.sub("", rules))
    told = re.sub(r" ?([{};]) ?", r"\1", told)
    told = re.sub(r"([:,>]) ", r"\1", told)
    told = re.sub(r"#([0-9a-f])\1([0-9a-f])\2([0-9a-f])\3\b", r"#\1\2\3", told)
    return told.replace(";}", "}").strip()


def small_script(program: str) -> str:
    """Return a script without lines of remarks and without what its lines begin with."""
    lines = (line.strip() for line in program.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


def _bare(tag: re.Match[str]) -> str:
    return _QUOTED.sub(lambda found: f"={found[1]}{' /' if found[2] else ''}", tag[0])
