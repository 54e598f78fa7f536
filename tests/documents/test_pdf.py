"""PDF, by pypdf in a child process."""

from __future__ import annotations

import sys

import pytest

from substrate.documents.formats.pdf import read_pdf
from substrate.errors import InputError, SchemaInvalid


def pdf(*pages: str) -> bytes:
    """A small PDF, by hand: a page for each text."""
    kids = " ".join(f"{3 + 2 * i} 0 R" for i in range(len(pages)))
    font = "<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    for i, text in enumerate(pages):
        said = f"BT /F 12 Tf 72 700 Td ({text}) Tj ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {4 + 2 * i} 0 R /Resources {font} >>"
        )
        objects.append(f"<< /Length {len(said)} >>\nstream\n{said}\nendstream")
    data, places = b"%PDF-1.4\n", []
    for number, said in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{said}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"trailer << /Root 1 0 R /Size {len(objects) + 1} >>\nstartxref\n{len(data)}\n%%EOF"
    return data + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()


def test_the_text_of_a_pdf_is_read_page_by_page() -> None:
    found = read_pdf(pdf("How heads are signed", "Second page"))
    assert found.text == "How heads are signed\n\nSecond page\n\n"
    assert [start for start, _ in found.sections] == [0, found.text.index("Second")]
    assert not found.exact


OWN_PARENT = pdf("a").replace(b"/Kids [3 0 R", b"/Kids [2 0 R")
"""Pages that are among their own kids: who follows them never ends."""


@pytest.mark.parametrize("data", [b"no pdf", pdf("a")[:200], pdf(), OWN_PARENT], ids=range(4))
def test_what_is_no_pdf_with_text_is_refused(data: bytes) -> None:
    with pytest.raises(SchemaInvalid):
        read_pdf(data)


def test_without_pypdf_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(InputError, match=r"substrate-memory\[pdf\]"):
        read_pdf(pdf("a"))
