"""Pages of the viewer over HTTP: escaping, security headers, keys, verbs, and pagination."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from slowwave.api.app import create_app
from slowwave.api.viewer import Guest, viewer
from slowwave.api.viewer.pages import memories as memory_pages
from slowwave.api.viewer.site import NAV
from slowwave.domain.dead_letter import Refused
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.errors import Unauthorized
from slowwave.memory import Memory
from slowwave.memory.operations import Access
from slowwave.store.dead_letters import bury_items
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.contract.replay.packs import VERSIONS, deaf, declare, install, mishearing
from tests.databases import copied, opened
from tests.faults.rig.processes import until
from tests.integration.steps import learn

HOSTILE = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>{{ 7 * 7 }}"
ANN = {"user": "ann"}


@dataclass(frozen=True)
class Key:
    """A key of a test."""

    tenant: str
    verbs: tuple[str, ...]


KEYS = {
    "all": Key("default", ("*",)), "reader": Key("default", ("recall",)), "operator": Key("default", ("operate",)),
    "other": Key("elsewhere", ("*",)),
}  # fmt: skip


def keys(secret: str) -> Guest:
    if secret not in KEYS:
        raise Unauthorized("there is no such key")
    return KEYS[secret]


def test_each_page_is_in_the_menu_once() -> None:
    pages = sorted(name for _, _, names, _ in NAV for name in names)
    templates = {file.stem for file in Path(memory_pages.__file__).parents[1].joinpath("templates").glob("*.html")}
    assert pages == sorted(templates - {"frame", "macros", "problem", "login"})


@pytest.fixture(scope="module")
def memory(postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]) -> Iterator[Memory]:
    """A memory of Ann, who has moved, and of a user whose every text is an attack."""
    with copied(postgres_server, template, "viewer") as name, opened(postgres_server, name, heavy_parts) as parts:
        memory = Memory(parts)
        ann = memory.scope("ann", agent="a")
        for days, said in enumerate(("I live in Lisbon", "I moved to Oslo", "My sister is Åse")):
            ann.push(said, occurred_at=NOON + timedelta(days=days), session="s1")
        ann.consolidate()
        declare(parts, deaf("Lisbon"), version=next(VERSIONS))
        bad = memory.scope(HOSTILE, agent=HOSTILE, channel=HOSTILE)
        said = f"My name is {HOSTILE}. I live in Lisbon. I like {HOSTILE}"
        learn(bad, said, session=HOSTILE, metadata={"speaker": HOSTILE})
        bad.graph.create_relationship(HOSTILE, f"{HOSTILE} too", "knows")
        memory.scope("zoe", agent="a", tenant="elsewhere").push("I live in Bergen")
        with parts.database.tenant("default") as connection:
            bury_items(
                connection, [Refused({"x": HOSTILE}, "malformed", HOSTILE, HOSTILE)], tenant="default",
                scope=Scope("default", HOSTILE, HOSTILE, HOSTILE),
            )  # fmt: skip
        yield memory


def browser(memory: Memory, **asked: Any) -> TestClient:
    """Return a client for the pages of *memory*."""
    app = FastAPI()
    app.include_router(viewer(memory, **asked))
    return TestClient(app, base_url="http://localhost")


@pytest.fixture
def site(memory: Memory) -> TestClient:
    """A client on this host, where no key is required."""
    return browser(memory)


def entered(site: TestClient, key: str) -> TestClient:
    assert site.post("/viewer/enter", data={"key": key}).status_code == 200
    return site


def every_page(memory: Memory) -> list[tuple[str, dict[str, object]]]:
    """Return the address of each page; pages of a person are those of the hostile user."""
    scope = memory.scope(HOSTILE, agent=HOSTILE, channel=HOSTILE).quietly()
    fact, episode = scope.facts()[0], scope.recent()[0]
    run = memory.deltas(limit=1)[0].run
    named: dict[str, object] = {"user": HOSTILE}
    return [
        ("", {}), ("/people", {}), ("/person", named), ("/person", {**named, "so": "2026-03-05", "agent": HOSTILE}),
        ("/fact", {"id": str(fact.id)}), ("/graph", named), ("/strengths", named), ("/search", {}),
        ("/search", {**named, "q": HOSTILE}), ("/entry", {**named, "id": str(episode.id)}), ("/review", {}),
        ("/review", {"done": "accept", "number": 1, "by": HOSTILE}), ("/tiers", {}), ("/runs", {}),
        ("/run", {"number": run}), ("/undo", {}), ("/undo", {"done": HOSTILE}), ("/undo", {"what": run}),
        ("/undo", {"fact": str(fact.id), "right": HOSTILE}), ("/forget", {}), ("/forget", {"done": HOSTILE}),
        ("/forget", {"user": fact.scope.user}), ("/canaries", {}), ("/canaries", {"done": HOSTILE}),
        ("/canaries", {"pack": "everyday"}), ("/model-calls", {}), ("/dead-letters", {}),
        ("/dead-letters", {"done": "drop", "number": 1}), ("/operations", {"tenant": HOSTILE, "done": HOSTILE}),
        ("/operations", {"act": "check"}), ("/operations", {"act": "set", "what": HOSTILE, "user": HOSTILE}),
    ]  # fmt: skip


def token_of(page: str) -> str:
    """Return the token of the forms of a page."""
    found = re.search(r'name="token" value="(\w+)"', page)
    assert found
    return found[1]


class Elements(HTMLParser):
    """The elements of a page, each with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, set[str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name for name, _ in attrs}))


def test_each_page_escapes_user_text(site: TestClient, memory: Memory) -> None:
    wrong: list[tuple[str, dict[str, object]]] = [("/fact", {"id": HOSTILE}), ("/person", {"user": "a", "so": HOSTILE})]
    for path, asked in [*every_page(memory), *wrong]:
        page = site.get(f"/viewer{path}", params=asked)  # type: ignore[arg-type]
        elements = Elements(page.text).found

        assert page.status_code == 200 or (path, asked) in wrong, path
        assert [attributes for tag, attributes in elements if tag == "script"] == [{"src", "defer"}], path
        assert "img" not in {tag for tag, _ in elements}, path
        assert not {one for _, attributes in elements for one in attributes if one == "style" or one[:2] == "on"}, path
        assert "default-src 'none'" in page.headers["content-security-policy"], path


def test_a_fact_page_marks_its_words_in_the_source(site: TestClient, memory: Memory) -> None:
    (oslo,) = (fact for fact in memory.scope("ann", agent="a").facts() if fact.object == "Oslo")

    page = site.get("/viewer/fact", params={"id": str(oslo.id)}).text

    assert "<mark>I moved to Oslo</mark>" in page
    assert "moved-home" in page


def test_valid_and_known_time_select_the_shown_facts(site: TestClient) -> None:
    def told(**asked: str) -> list[str]:
        page = site.get("/viewer/person", params={**ANN, **asked}).text
        return [home for home in ("Lisbon", "Oslo") if f"lives in {home}" in page]

    assert told() == ["Lisbon", "Oslo"]
    assert told(so="2026-03-02") == ["Lisbon"]
    assert told(so="2026-03-05") == ["Oslo"]
    assert told(known="2026-03-05") == []


def test_looking_at_every_page_leaves_each_memory_as_it_was(site: TestClient, memory: Memory) -> None:
    scope = memory.scope(HOSTILE, agent=HOSTILE, channel=HOSTILE)
    pages, before = every_page(memory), scope.outlook(scope.history())

    for path, asked in pages:
        site.get(f"/viewer{path}", params=asked)  # type: ignore[arg-type]

    assert before
    assert scope.outlook(scope.history()) == before


def test_the_next_page_of_a_list_begins_after_the_last_entry(site: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_pages, "FACTS_OF_A_PERSON", 1)
    seen, path = [], "/viewer/person?user=ann"
    while path:
        page = site.get(path).text
        seen += re.findall(r'<a class="said" href="[^"]*">([^<]*)</a>', page)
        found = re.search(r'rel="next" href="([^"]*)"', page)
        path = found[1].replace("&amp;", "&") if found else ""

    assert len(seen) == len(set(seen)) >= 3


def test_a_persons_page_lists_unread_turns_with_links(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    scope = Memory(parts).scope("jutta", agent="a")
    said = [
        "Seit dem Frühling wohne ich mit meinem Bruder in Leipzig.",
        f"Meine Katze ist leider sehr krank geworden und der Arzt kommt morgen noch einmal vorbei {HOSTILE}",
    ]
    for each in said:
        scope.push(each, session="s1")
    scope.consolidate()
    monkeypatch.setattr(memory_pages, "UNREAD", 1)
    site = browser(Memory(parts))
    page = site.get("/viewer/person", params={"user": "jutta"}).text
    (older,) = re.findall(r'href="([^"]*before=[^"]*)"', page)
    last = site.get(unescape(older)).text
    (turn,) = re.findall(r'href="([^"]*/entry[^"]*)"', last)

    assert "2 turns in German were not read: no rule pack reads this language. Set SLOWWAVE_MODEL" in page
    assert "Meine Katze" in page
    assert "<script>alert" not in page
    assert said[0] not in page
    assert said[0] in site.get(unescape(turn)).text
    assert "before=" not in last, "there is no page behind the last turn"


def test_a_persons_page_without_unread_turns_has_no_section_about_them(site: TestClient) -> None:
    assert "Not read" not in site.get("/viewer/person", params=ANN).text


def test_a_decision_carries_the_persons_name(site: TestClient, memory: Memory) -> None:
    token = token_of(site.get("/viewer/dead-letters").text)

    unnamed = site.post("/viewer/review/1", data={"token": token, "verdict": "edit"})
    unknown = site.post("/viewer/review/77", data={"token": token, "verdict": "accept", "by": "Ann"})

    assert unnamed.status_code == 422
    assert "records it" in unnamed.text
    assert "enter the correct object" in unnamed.text
    assert unknown.status_code == 404


def test_the_viewer_undoes_and_corrects_after_a_preview(parts: Parts) -> None:
    memory = Memory(parts)
    ann = learn(memory.scope("ann", agent="a"), "I live in Lisbon", occurred_at=NOON)
    ann.push("I moved to Oslo", key="k2", occurred_at=NOON + timedelta(days=1))
    (report,) = (one for one in ann.consolidate() if one.deltas)
    site = browser(memory)
    to = re.search(r'href="(/viewer/undo\?what=\d+)"', site.get(f"/viewer/run?number={report.run}").text)
    assert to

    seen = site.get(to[1]).text
    assert [fact.object for fact in ann.facts()] == ["Oslo"], "nothing is changed by looking"
    token = token_of(seen)
    form = {"token": token, "what": str(report.run), "fact": "", "right": "", "reason": "a joke"}
    assert "No longer believed" in seen
    assert site.post("/viewer/undo", data=form).status_code == 422
    assert site.post("/viewer/undo", data={**form, "by": "Ann", "token": "0" * 64}).status_code == 403
    done = site.post("/viewer/undo", data={**form, "by": "Ann"}).text

    assert f"Done: run {report.run} is undone." in done
    (home,) = ann.facts()
    assert home.object == "Lisbon"
    wrong = {"token": token, "what": "", "fact": str(home.id), "right": "Lagos", "by": "Ann", "reason": ""}
    assert "This is wrong" in site.get(f"/viewer/fact?id={home.id}").text
    site.post("/viewer/undo", data=wrong)
    assert [fact.object for fact in ann.facts()] == ["Lagos"]
    assert [one.by for one in memory.undos()] == ["Ann", "Ann"]


def test_pages_say_fact_and_confirmed(parts: Parts) -> None:
    memory = Memory(parts)
    ann = memory.scope("ann", agent="a")
    for number in range(2):
        learn(ann, "I live in Lisbon", key=f"k{number}", occurred_at=NOON + timedelta(days=number))
    (confirmed,) = (one for one in memory.deltas() if one.delta.kind == "noop")
    site = browser(memory)

    kind = '<span class="kind">confirmed</span>'
    assert kind in site.get(f"/viewer/run?number={confirmed.run}").text
    assert kind in site.get(f"/viewer/fact?id={ann.facts()[0].id}").text
    person = site.get("/viewer/person?user=ann").text
    assert "<title>ann: facts" in person
    assert re.findall(r"(?i)>[^<]*\bbeliefs?\b[^<]*<", person) == []


def test_the_viewer_replays_a_pack_after_a_preview(parts: Parts) -> None:
    install(parts)
    memory = Memory(parts)
    ann = memory.scope("ann", agent="a")
    ann.push("I live in Lisbon", key="k1", occurred_at=NOON)
    (report,) = (one for one in ann.consolidate() if one.deltas)
    install(parts, mishearing(Lisbon="Lagos"), version=2)
    site = browser(memory)
    to = re.search(r'href="(/viewer/undo\?pack=[^"]+)"', site.get(f"/viewer/run?number={report.run}").text)
    assert to

    seen = site.get(unescape(to[1])).text
    assert [fact.object for fact in ann.facts()] == ["Lisbon"], "nothing is changed by looking"
    form = dict(re.findall(r'name="(token|pack|user|agent|channel)" value="([^"]*)"', seen))
    assert "Replay everyday" in seen
    done = site.post("/viewer/undo", data={**form, "by": "Ann"}).text

    assert "Done: the replay of everyday@2 is done." in done
    assert [fact.object for fact in ann.facts()] == ["Lagos"]
    assert "The pack makes the same claims as before" in site.get(unescape(to[1])).text


def test_the_viewer_compares_a_canary_and_rolls_it_back(parts: Parts) -> None:
    new = next(VERSIONS)
    declare(parts, mishearing(Lisbon="Lagos"), version=new)
    ann = learn(Memory(parts).scope("ann", agent="a"), "I live in Lisbon", key="k1", occurred_at=NOON)
    site, elsewhere = browser(Memory(parts)), browser(Memory(parts), tenant="elsewhere")

    assert 'href="/viewer/canaries?pack=everyday"' in site.get("/viewer/canaries").text
    seen = site.get("/viewer/canaries?pack=everyday").text
    gained, lost = seen.split("Lost by the canary")
    assert ("The user lives in Lagos" in gained, "The user lives in Lisbon" in lost) == (True, True)
    form = {"token": token_of(seen), "pack": "everyday", "act": "roll-back"}
    assert site.post("/viewer/canaries", data=form).status_code == 422
    assert site.post("/viewer/canaries", data={**form, "by": "Ann", "token": "0" * 64}).status_code == 403
    assert "Roll it back" not in elsewhere.get("/viewer/canaries?pack=everyday").text
    assert elsewhere.post("/viewer/canaries", data={**form, "by": "Ann"}).status_code == 403
    assert [fact.object for fact in ann.facts()] == ["Lagos"]

    done = site.post("/viewer/canaries", data={**form, "by": "Ann"}).text

    assert f"Done: everyday@{new} is rolled back." in done
    assert [fact.object for fact in ann.facts()] == ["Lisbon"]


def test_the_viewer_rolls_back_an_earlier_canary_that_is_undecided(parts: Parts) -> None:
    old, new = next(VERSIONS), next(VERSIONS)
    declare(parts, mishearing(Lisbon="Lagos"), version=old)
    ann = learn(Memory(parts).scope("ann", agent="a"), "I live in Lisbon", key="k1", occurred_at=NOON)
    declare(parts, mishearing(chess="cheese"), version=new)
    site, earlier = browser(Memory(parts)), f"/viewer/canaries?pack=everyday%40{old}"

    assert f'href="{earlier}"' in site.get("/viewer/canaries").text
    assert f">everyday@{old}</a> is undecided" in site.get("/viewer/canaries?pack=everyday").text
    seen = site.get(earlier).text
    form = dict(re.findall(r'name="(token|pack)" value="([^"]*)"', seen))
    done = site.post("/viewer/canaries", data={**form, "act": "roll-back", "by": "Ann"}).text

    assert f"Done: everyday@{old} is rolled back." in done
    assert [fact.object for fact in ann.facts()] == ["Lisbon"]


def test_the_viewer_changes_quotas_and_checks_all_ledgers_after_a_confirmation(
    parts: Parts, superuser: psycopg.Connection
) -> None:
    memory, page = Memory(parts), "/viewer/operations"
    learn(memory.scope("ann", agent="a"), "I live in Lisbon", occurred_at=NOON)
    superuser.execute("UPDATE facts SET confidence = 0.01")
    site, elsewhere = browser(memory), browser(memory, tenant="elsewhere")
    asked = {"what": "recalls-a-minute", "most": "7", "applies": "user", "user": "ann", "tenant": "acme"}

    form = {**asked, "act": "set", "token": token_of(site.get(page, params={**asked, "act": "set"}).text)}
    assert memory.quotas.listing(tenant="acme") == [], "nothing is changed by looking"
    assert site.post(page, data={**form, "token": "0" * 64}).status_code == 403
    for wrong in ({"most": "many"}, {"user": ""}, {"applies": "nobody"}, {"act": "look"}):
        assert site.post(page, data={**form, **wrong}).status_code == 422
    for answer in (elsewhere.post(page, data=form), elsewhere.get(page, params=asked)):
        assert (answer.status_code, "SLOWWAVE_TENANT" in answer.text) == (403, True)
    assert "Set a quota" not in elsewhere.get(page).text
    done = site.post(page, data=form).text
    assert "Done: user ann may use at most 7 of recalls-a-minute." in done
    (to,) = re.findall(r'href="([^"]*act=remove[^"]*)"', done)
    remove = dict(re.findall(r'name="(\w+)" value="([^"]*)"', site.get(unescape(to)).text))
    assert "Done: user ann has no quota of recalls-a-minute." in site.post(page, data=remove).text
    assert memory.quotas.listing(tenant="acme") == []

    check = {"act": "check", "token": token_of(site.get(page, params={"act": "check"}).text)}
    assert "fold-differs" in site.post(page, data=check).text


def test_the_replay_page_needs_only_a_pack_and_a_user(parts: Parts) -> None:
    install(parts)
    memory = Memory(parts)
    learn(memory.scope("ann"), "I live in Lisbon", key="k1", occurred_at=NOON)
    site = browser(memory)

    seen = site.get("/viewer/undo?pack=everyday&user=ann")
    of_nobody = site.get("/viewer/undo?pack=everyday")

    assert (seen.status_code, "Replay everyday" in seen.text) == (200, True)
    assert (of_nobody.status_code, "name the user" in unescape(of_nobody.text)) == (422, True)


def test_the_viewer_forgets_a_user_after_a_preview_and_confirmation(parts: Parts) -> None:
    memory = Memory(parts)
    ann = learn(memory.scope("ann", agent="a"), "I live in Lisbon", occurred_at=NOON)
    site = browser(memory)

    seen = site.get("/viewer/forget?user=ann").text

    assert "I live in Lisbon" in seen
    assert [fact.object for fact in ann.facts()] == ["Lisbon"], "nothing goes by looking"
    confirm = re.search(r'name="confirm" value="(\w+)"', seen)
    assert confirm
    form = {"token": token_of(seen), "confirm": confirm[1], "user": "ann", "session": "", "fact": "", "matching": ""}
    assert site.post("/viewer/forget", data=form).status_code == 422
    assert site.post("/viewer/forget", data={**form, "sure": "forget", "token": "0" * 64}).status_code == 403
    assert ann.facts()

    done = site.post("/viewer/forget", data={**form, "sure": "forget"}).text

    (receipt,) = memory.erasures()
    assert f"Done: erasure {receipt.id}." in done
    assert "ann" not in re.findall(r"<td>(.*?)</td>", done)
    assert not ann.facts()


def test_a_keyless_viewer_refuses_other_host_names(memory: Memory) -> None:
    assert browser(memory).get("/viewer", headers={"host": "rebound.example"}).status_code == 403


def test_a_key_opens_a_session_and_leaving_ends_it(memory: Memory) -> None:
    site = browser(memory, keys=keys)

    away = site.get("/viewer/people", follow_redirects=False)
    assert (away.status_code, away.headers["location"]) == (303, "/viewer/enter?next=%2Fpeople")
    assert site.post("/viewer/enter", data={"key": "wrong"}).status_code == 401
    inside = site.post("/viewer/enter", data={"key": "all", "next": "/people"}, follow_redirects=False)

    cookie = inside.headers["set-cookie"].lower()
    assert inside.headers["location"] == "/viewer/people"
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    page = site.get("/viewer/people").text
    token = token_of(page)
    site.post("/viewer/leave", data={"token": token})
    assert site.get("/viewer/people", follow_redirects=False).status_code == 303


def test_login_redirects_only_to_our_own_pages(memory: Memory) -> None:
    for next in ("//evil.example", "https://evil.example", "/\\evil.example"):
        inside = browser(memory, keys=keys).post(
            "/viewer/enter", data={"key": "all", "next": next}, follow_redirects=False
        )
        assert inside.headers["location"] == "/viewer"


def test_another_tenants_key_shows_no_data(memory: Memory) -> None:
    fact = memory.scope("ann", agent="a").facts()[0]
    site = entered(browser(memory, keys=keys), "other")

    assert site.get("/viewer/fact", params={"id": str(fact.id)}).status_code == 404
    assert site.get("/viewer/entry", params={**ANN, "id": str(fact.sources[0].episode)}).status_code == 404
    lists = ("", "/people", "/person?user=ann", "/search?user=ann&q=Lisbon", "/strengths?user=ann", "/dead-letters")
    for path in lists:
        page = site.get(f"/viewer{path}")
        assert page.status_code == 200
        assert "Lisbon</a>" not in page.text
        assert "Letter " not in page.text


def test_keys_of_the_api_open_the_pages_until_they_are_revoked(parts: Parts) -> None:
    access = Access(parts)
    key, secret = access.create("me", ["recall"])
    _, pushing = access.create("agent", ["push"])
    with TestClient(create_app(Memory(parts)), base_url="https://slowwave.example") as site:
        assert site.post("/viewer/enter", data={"key": pushing}).status_code == 401
        inside = site.post("/viewer/enter", data={"key": secret}, follow_redirects=False)
        assert "secure" in inside.headers["set-cookie"].lower()
        assert site.get("/viewer/people").status_code == 200
        assert site.get("/viewer/runs").status_code == 403
        access.revoke(key.key)
        until(lambda: site.get("/viewer", follow_redirects=False).status_code == 303, "a revoked key opens nothing")


def test_the_verbs_of_a_key_decide_the_accessible_pages(memory: Memory) -> None:
    reader, operator = entered(browser(memory, keys=keys), "reader"), entered(browser(memory, keys=keys), "operator")
    (letter,) = memory.operator().dead_letters()
    token = token_of(reader.get("/viewer").text)

    assert reader.get("/viewer/person?user=ann").status_code == 200
    assert reader.get("/viewer/runs").status_code == 403
    dropping = reader.post(f"/viewer/dead-letters/{letter.letter}", data={"act": "drop", "token": token})
    assert dropping.status_code == 403
    assert operator.get("/viewer/runs").status_code == 200
    assert operator.get("/viewer/person?user=ann").status_code == 403
    assert "Lisbon" not in operator.get("/viewer").text


def test_a_former_path_redirects_to_the_present_page_with_its_query(parts: Parts) -> None:
    site = browser(Memory(parts))

    for former, present in (("ladder", "tiers"), ("desk", "model-calls"), ("letters", "dead-letters")):
        answer = site.get(f"/viewer/{former}?after=x", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (308, f"/viewer/{present}?after=x")


def test_an_empty_memory_shows_the_next_step(parts: Parts) -> None:
    site = browser(Memory(parts))

    for name in ("", "people", "person?user=ann", "review", "undo", "canaries", "tiers", "runs", "model-calls",
                 "dead-letters", "search", "operations"):  # fmt: skip
        path = f"/{name}".rstrip("/")
        page = site.get(f"/viewer{path}")
        assert page.status_code == 200, path
        assert 'class="empty"' in page.text, path


def test_a_form_of_another_site_is_refused(site: TestClient, memory: Memory) -> None:
    (letter,) = memory.operator().dead_letters()
    page = site.get("/viewer/dead-letters").text
    token = token_of(page)
    wrong = [
        ({"act": "drop"}, {}), ({"act": "drop", "token": "0" * 64}, {}),
        ({"act": "drop", "token": token}, {"origin": "http://evil.example"}),
        ({"act": "drop", "token": token}, {"sec-fetch-site": "cross-site"}),
    ]  # fmt: skip

    for form, headers in wrong:
        assert site.post(f"/viewer/dead-letters/{letter.letter}", data=form, headers=headers).status_code == 403
    assert memory.operator().dead_letters()

    done = site.post(f"/viewer/dead-letters/{letter.letter}", data={"act": "drop", "token": token})
    assert "is dropped" in done.text
    assert memory.operator().dead_letters() == []
