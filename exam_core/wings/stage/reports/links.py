"""Links that people take along: as a QR code, and whether they lead anywhere from another machine."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

import segno

LOCAL = (
    "This link leads to this machine alone: it works in a browser here, and on no other device. Serve the dashboard "
    "under a name that others reach to share it."
)


def qr_code(link: str) -> str:
    """A link as a QR code: an SVG as a data URI, black on white in any theme, with its quiet zone; made here."""
    code = segno.make(link, micro=False, error="l", boost_error=False)
    return code.svg_data_uri(scale=4, border=4, dark="#000", light="#fff", omitsize=True)


def leads_elsewhere(link: str) -> bool:
    """Whether a link is of a server that other machines may reach."""
    try:
        host = urlsplit(link).hostname or ""
    except ValueError:
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return bool(host) and host != "localhost" and not host.endswith(".localhost")
