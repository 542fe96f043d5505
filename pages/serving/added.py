"""What serving adds to the pages."""

from __future__ import annotations

from pages.serving.sign_in import OpenID

SIGN_IN = OpenID()
