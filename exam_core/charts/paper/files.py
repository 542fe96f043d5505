"""A drawing as SVG and as PDF."""

from __future__ import annotations

import html
import math

from exam_core.charts.paper.drawing import Drawing, Path, Words, text_width

FONT = "Times New Roman, Times, serif"
_SHIFT = {"start": 0.0, "middle": 0.5, "end": 1.0}


def svg(drawing: Drawing, font: str = FONT) -> str:
    """The drawing as SVG, as large as it is in print.

    Parameters
    ----------
    font : families that are taken, the first that there is
    """
    width, height = _number(drawing.width), _number(drawing.height)
    about = html.escape(_printable(drawing.about))
    body = "\n".join(
        _svg_path(item, drawing.height) if isinstance(item, Path) else _svg_words(item, drawing.height)
        for item in drawing.items
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="{html.escape(font)}">\n<title>{about}</title>\n{body}\n</svg>\n'
    )


def _svg_path(path: Path, height: float) -> str:
    points = " ".join(f"{_number(x)},{_number(height - y)}" for x, y in path.points)
    kind, fill = ("polygon", path.colour) if path.closed else ("polyline", "none")
    dash = f' stroke-dasharray="{" ".join(map(_number, path.dash))}"' if path.dash else ""
    return (
        f'<{kind} points="{points}" fill="{fill}" stroke="{path.colour}" stroke-width="{_number(path.width)}"{dash}/>'
    )


def _svg_words(words: Words, height: float) -> str:
    x, y = _number(words.x), _number(height - words.y)
    turned = f' transform="rotate({_number(-words.turned)} {x} {y})"' if words.turned else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{_number(words.size)}" text-anchor="{words.anchor}" fill="{words.colour}"'
        f"{turned}>{html.escape(_printable(words.text))}</text>"
    )


def pdf(drawing: Drawing) -> bytes:
    """The drawing as PDF, its text in Times-Roman, which every reader has; it is not embedded.

    A character beyond Windows' Latin set becomes a question mark: Times-Roman has no other.
    """
    content = "\n".join(_pdf_path(item) if isinstance(item, Path) else _pdf_words(item) for item in drawing.items)
    stream = content.encode("cp1252", errors="replace")
    box = f"[0 0 {_number(drawing.width)} {_number(drawing.height)}]"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents 5 0 R "
        "/Resources << /Font << /F 4 0 R >> >> >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    made, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return made + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (size, table, size, len(made))
    )


def _pdf_path(path: Path) -> str:
    (x, y), *others = path.points
    shade = _shade(path.colour)
    lines = " ".join(f"{_number(x)} {_number(y)} l" for x, y in others)
    end = "b" if path.closed else "S"
    dash = f"[{' '.join(map(_number, path.dash))}] 0 d"
    return f"{shade} RG {shade} rg {_number(path.width)} w {dash} {_number(x)} {_number(y)} m {lines} {end}"


def _pdf_words(words: Words) -> str:
    cos, sin = math.cos(math.radians(words.turned)), math.sin(math.radians(words.turned))
    back = _SHIFT[words.anchor] * text_width(words.text, words.size)
    matrix = (cos, sin, -sin, cos, words.x - back * cos, words.y - back * sin)
    text = "".join(f"\\{one}" if one in "()\\" else one for one in _printable(words.text))
    return (
        f"{_shade(words.colour)} rg BT /F {_number(words.size)} Tf {' '.join(map(_number, matrix))} Tm ({text}) Tj ET"
    )


def _printable(text: str) -> str:
    """A text without control characters, which neither format takes."""
    return "".join(one if one.isprintable() else " " for one in text)


def _shade(colour: str) -> str:
    return " ".join(_number(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))


def _number(value: float) -> str:
    """Two decimals at most, and never a -0."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
