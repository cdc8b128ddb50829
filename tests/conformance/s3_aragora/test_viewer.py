"""A page for people, over the stages of the search."""

import re

import pytest
from fastapi.testclient import TestClient

from slowwave import wiring
from slowwave.api.app import create_app
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory


@pytest.mark.requirement("S3.29")
def test_the_address_of_the_viewer_leads_to_its_stages(parts: wiring.Parts) -> None:
    ann = Scope("default", "ann", "concierge")
    parts.push(ann, [Episode(content=said, session="s1") for said in ("I moved to Oslo", "I live in Lisbon")])
    memory = Memory(parts)
    memory.drain()
    site = TestClient(create_app(memory, keyless=True), base_url="http://127.0.0.1")

    index = site.get("/api/v1/memory/viewer", params={"user": "ann", "agent": "concierge", "q": "Where does she live?"})
    first = re.search(r'href="(/viewer/entry\?[^"]*)">I live in Lisbon', index.text)
    assert first
    entry = site.get(first[1].replace("&amp;", "&")).text

    assert "Stages of the search" in index.text
    assert re.search(r'class="this user"[^>]*>.*?I live in Lisbon', entry, re.S)
    assert "I moved to Oslo" in entry
