"""How a page looks: by day, by night, on paper, on a phone. All rules are for ``.coleval``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.tint import STEPS, tinted, tinted_by_night

if TYPE_CHECKING:
    from collections.abc import Callable

_DAY = """\
--ink:#1b1f24;--dim:#59626d;--page:#fff;--band:#f3f6f9;--line:#d5dbe2;--link:#0b57a4;
--best:#0a6b2d;--worst:#b3261e;--bar:#2f6fab"""

_NIGHT = """\
--ink:#e6e9ed;--dim:#a4adb8;--page:#14181d;--band:#1d232a;--line:#343c46;--link:#8cc2ff;
--best:#63d592;--worst:#ff958c;--bar:#5fa8e6"""

# Colours that stay apart for most eyes, all light enough for black letters.
_KINDS = ("#e69f00", "#8cc8f0", "#4fa8df", "#2fb68e", "#d58bb8", "#b9c0c7", "#f0e442", "#dd9a6b")

_RULES = """\
.coleval{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--page)}
.coleval *{box-sizing:border-box}
body.coleval{margin:0;padding:1rem clamp(.6rem,2.5vw,2.5rem) 3rem;overflow-wrap:anywhere}
div.coleval{padding:.6rem}
.coleval h1{font-size:1.5rem;margin:.2rem 0 .6rem}
.coleval h2{font-size:1.25rem;margin:2.2rem 0 .2rem;
padding-top:.8rem;border-top:1px solid var(--line)}
.coleval h3{font-size:1.05rem;margin:1.4rem 0 .2rem}
.coleval p,.coleval dl,.coleval .notes,.coleval .signature{max-width:100ch}
.coleval a{color:var(--link)}
.coleval .up-again{float:right;text-decoration:none;font-weight:normal}
.coleval nav ul,.coleval nav ol{margin:.3rem 0;padding-left:1.4rem}
.coleval nav li{margin:.25rem 0}
.coleval nav .tables{color:var(--dim);font-size:.87rem}
.coleval .finding{font-size:1.05rem;margin:.2rem 0 .6rem}
.coleval figure{margin:.5rem 0 1.1rem}
.coleval figcaption{margin:0 0 .3rem}
.coleval .dim,.coleval small,.coleval .notes,.coleval .csv,.coleval .signature{color:var(--dim)}
.coleval .notes{list-style:none;margin:.3rem 0 0;padding:0;font-size:.87rem}
.coleval .csv{font-size:.8rem;margin:.1rem 0}
.coleval code{font-family:ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.coleval dt{font-weight:600;margin-top:.5rem}
.coleval dd{margin:0 0 0 1.5rem}
.coleval .remedy{color:var(--best)}
.coleval .box{width:fit-content;max-width:100%;max-height:85vh;overflow:auto;
border:1px solid var(--line);border-radius:4px}
.coleval table{border-collapse:separate;border-spacing:0;margin:0;font-size:.87rem;
font-variant-numeric:tabular-nums lining-nums}
.coleval td,.coleval th{padding:.16rem .5rem;text-align:right;vertical-align:top;font-weight:normal;
white-space:nowrap;border:0;color:var(--ink);background:var(--page);unicode-bidi:isolate}
.coleval thead th{position:sticky;top:0;z-index:2;font-weight:600;vertical-align:bottom;
background:var(--band);border-bottom:1px solid var(--line)}
.coleval thead th span{display:inline-block}
.coleval thead .up span{writing-mode:vertical-rl;transform:rotate(180deg);text-align:left;
max-height:15em;white-space:normal;max-width:4.5em;overflow:hidden}
.coleval thead .up{text-align:center}
.coleval thead .f{white-space:normal;overflow-wrap:anywhere;min-width:10ch;max-width:20ch}
.coleval .t{text-align:left}
.coleval .w{white-space:normal;overflow-wrap:anywhere;min-width:26ch;max-width:46ch}
.coleval .p{white-space:normal;min-width:30ch;max-width:90ch}
.coleval .k{padding-right:1.35rem}
.coleval tbody th{position:sticky;left:0;z-index:1;border-right:1px solid var(--line)}
.coleval tbody tr:nth-child(even)>*{background:var(--band)}
.coleval tbody tr:hover>*{box-shadow:inset 0 -1px var(--dim)}
.coleval tbody td.d{color:var(--dim)}
.coleval .m{font-style:normal;display:inline-block;width:0;white-space:nowrap}
.coleval tbody td.best{color:var(--best);font-weight:700}
.coleval tbody td.worst{color:var(--worst)}
.coleval details summary{cursor:pointer}
.coleval td details,.coleval th details{white-space:normal;overflow-wrap:anywhere;max-width:46ch;
max-height:20em;overflow:auto}
.coleval .bar{position:relative;display:block;width:16rem;height:1.1em;margin:.1em 0}
.coleval .stack{width:36rem}
.coleval .bar i{position:absolute;top:0;bottom:0;background:var(--bar);min-width:1px;
font-style:normal;text-align:center;line-height:1.15em;white-space:nowrap;overflow:hidden}
.coleval .d .bar i{opacity:.55}
.coleval .interval i{top:.45em;bottom:auto;height:2px}
.coleval .interval .dot{width:.5em!important;height:.5em;margin-left:-.25em;top:calc(.2em + 1px);
border-radius:50%}
.coleval .interval{margin:.1em .4em}
.coleval .key{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.3rem 0;padding:0;
font-size:.87rem}
.coleval .key i{display:inline-block;
width:.9em;height:.9em;margin-right:.4em;vertical-align:-.1em}
.coleval .find{float:right;font:inherit;font-size:.87rem;
width:13rem;padding:.25rem .5rem;border:1px solid var(--line);border-radius:4px;
background:var(--page);color:var(--ink)}
.coleval .sorts thead th{cursor:pointer}
.coleval th[aria-sort=ascending]::after{content:" \\2191"}
.coleval th[aria-sort=descending]::after{content:" \\2193"}
@media (max-width:40rem){.coleval td,.coleval th{padding:.16rem .35rem}
.coleval tbody th{white-space:normal;overflow-wrap:anywhere;
min-width:7rem;max-width:38vw}.coleval .find{width:8rem}.coleval .bar{width:9rem}
.coleval .stack{width:24rem}}
@media print{.coleval{font-size:9pt}.coleval .box{max-height:none;overflow:visible;border:0}
.coleval thead th,.coleval tbody th{position:static}.coleval .find,.coleval .up-again{display:none}
.coleval tr{break-inside:avoid}.coleval h2,.coleval h3,.coleval figcaption{break-after:avoid}
.coleval *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.coleval td,.coleval th{padding:.05em .35em}.coleval .k{padding-right:1.1em}
.coleval .wide table{font-size:var(--paper)}}
"""

# Tables are wider than they are high; for a page of its own alone, not for a notebook.
PAPER = "@page{size:landscape;margin:12mm}\n"


def style() -> str:
    """Return the style sheet."""
    night = f".coleval{{{_NIGHT}}}\n{_tints(tinted_by_night)}"
    return (
        f".coleval{{{_DAY};color-scheme:light dark}}\n{_RULES}{_stripes()}{_tints(tinted)}"
        f"@media screen and (prefers-color-scheme:dark){{\n{night}}}\n"
    )


def _tints(style_of: Callable[[float], str]) -> str:
    """Return a rule for each step of a cell's shade; what is marked or dim keeps its letters."""
    rules = []
    for at in range(STEPS + 1):
        letters, ground = style_of(at / STEPS).split(" on ")
        rules.append(f".coleval tbody tr>td.h{at}{{background:{ground};color:{letters}}}\n")
    return "".join(rules)


def _stripes() -> str:
    rules = (
        f".coleval i.s{at}{{background:{color};color:#000}}\n" for at, color in enumerate(_KINDS)
    )
    return "".join(rules)
