"""The viewer in a real browser: light and dark, on a phone, by keyboard, without JavaScript."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from slowwave.api.viewer import viewer
from slowwave.cli.demo.sample import sample
from slowwave.domain.dead_letter import Refused
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory import Memory
from slowwave.store.dead_letters import bury_items
from tests.databases import copied, opened
from tests.integration.api.served import serving
from tests.scripts import script

pytestmark = [pytest.mark.accept, pytest.mark.timeout(400)]
SHOTS = Path(__file__).parents[2] / "dist" / "accept" / "viewer"
"""The folder for screenshots, for a person to look at."""
NORA = "user=nora"
PAGES = (
    "night", "people", "person", "as-of", "fact", "graph", "strengths", "search", "answers", "entry", "review",
    "ladder", "runs", "run", "undo", "undos", "desk", "letters", "operations", "quota",
)  # fmt: skip

CONTRAST = script(__file__, "contrast.js")
UNNAMED = """() => [...document.querySelectorAll('input:not([type=hidden]), select, button, a[href], summary')]
  .filter(one => !(one.labels && one.labels.length) && !one.textContent.trim() && !one.getAttribute('aria-label'))
  .map(one => one.outerHTML)"""
UNTITLED = """() => [...document.querySelectorAll('table')]
  .filter(one => !one.caption || !one.querySelector('th[scope]'))
  .map(one => one.outerHTML.slice(0, 200))"""
BEYOND = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def memory(postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]) -> Iterator[Memory]:
    """The memory of the sample's six days, consolidated; a claim waits for a person, and two letters are dead."""
    with copied(postgres_server, template, "pages") as name, opened(postgres_server, name, heavy_parts) as parts:
        by_scope: dict[Scope, list[Any]] = {}
        for line in sample("default"):
            by_scope.setdefault(line.scope, []).append(line.episode)
        memory = Memory(parts)
        for scope, episodes in by_scope.items():
            parts.push(scope, episodes)
        parts.schedule.fire_manually(by="test", tenant="default")
        memory.drain(120)
        with parts.database.tenant("default") as connection:
            bury_items(
                connection, [Refused({"role": role}, "malformed", "episode has no content", role) for role in "xy"],
                tenant="default", scope=Scope("default", "nora", "concierge"),
            )  # fmt: skip
        yield memory


@pytest.fixture(scope="module")
def address(memory: Memory) -> Iterator[str]:
    """The address of the pages, served as anybody serves them."""
    app = FastAPI()
    app.include_router(viewer(memory))
    with serving(app) as address:
        yield f"{address}/viewer"


@pytest.fixture(scope="module")
def pages(memory: Memory, address: str) -> dict[str, str]:
    """The address of each page by its name."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    scope = memory.scope("nora", agent="concierge", channel="home").quietly()
    (home,) = (fact for fact in scope.facts() if fact.predicate == "lives_in" and fact.subject == "Nora")
    run = memory.why(home.id).steps[0].run
    paths = {
        "night": "", "people": "/people", "person": f"/person?{NORA}", "as-of": f"/person?{NORA}&so=2025-10-07",
        "fact": f"/fact?id={home.id}", "graph": f"/graph?{NORA}&agent=concierge&channel=home",
        "strengths": f"/strengths?{NORA}", "search": "/search", "answers": f"/search?{NORA}&q=Where+does+Nora+live%3F",
        "entry": f"/entry?{NORA}&id={home.sources[0].episode}", "review": "/review", "ladder": "/tiers",
        "runs": "/runs", "run": f"/run?number={run}", "undo": f"/undo?what={run}", "undos": "/undo",
        "desk": "/model-calls", "letters": "/dead-letters", "operations": "/operations",
        "quota": "/operations?act=set&what=recalls-a-minute&most=7&applies=user&user=nora",
    }  # fmt: skip
    assert set(paths) == set(PAGES)
    return {name: address + path for name, path in paths.items()}


@pytest.fixture
def tab(chromium: Any) -> Iterator[Any]:
    """Opens a page of its own, and fails the test for an error on its console or a request that failed.

    A request that the next page cuts short has not failed.
    """
    wrong: list[str] = []
    contexts = []

    def build(width: int = 1280, height: int = 900, **asked: Any) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": height}, **asked)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda said: wrong.extend([said.text] if said.type in ("error", "warning") else []))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("requestfailed", lambda one: wrong.extend([one.url] if one.failure != "net::ERR_ABORTED" else []))
        page.on("response", lambda one: wrong.extend([f"{one.url}: {one.status}"] if one.status >= 400 else []))
        return page

    yield build
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_renders_in_light_and_dark_mode_and_on_a_phone(name: str, tab: Any, pages: dict[str, str]) -> None:
    page = tab()
    grounds = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(pages[name])
        grounds.append(page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor"))
        page.screenshot(path=SHOTS / f"{name}-{scheme}.png", full_page=True)
        for details in page.locator("summary").all():
            details.click()
        assert page.evaluate(CONTRAST) == [], scheme

    assert grounds[0] != grounds[1]
    assert page.locator("h1").count() == 1
    assert page.locator("main, header, footer").count() == 3
    assert page.locator("nav[aria-label=Pages] a[aria-current]").count() == 1
    assert page.evaluate(UNNAMED) == []
    assert page.evaluate(UNTITLED) == []
    for width in (360, 768, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(BEYOND) <= 0, width
        if width == 360:
            page.screenshot(path=SHOTS / f"{name}-phone.png", full_page=True)


def test_each_page_is_readable_without_javascript(tab: Any, pages: dict[str, str]) -> None:
    page = tab(java_script_enabled=False)
    for name, address in pages.items():
        page.goto(address, wait_until="domcontentloaded")
        assert page.locator("h1").is_visible(), name
        assert len(page.locator("main").inner_text()) > 40, name


def test_a_page_has_no_layout_shift(tab: Any, pages: dict[str, str]) -> None:
    page = tab()
    page.add_init_script(
        "window.moved = 0; new PerformanceObserver(list => { for (const one of list.getEntries()) "
        "window.moved += one.value; }).observe({type: 'layout-shift', buffered: true});"
    )
    for name in ("night", "person", "fact"):
        page.goto(pages[name], wait_until="networkidle")
        assert page.evaluate("window.moved") == 0, name


def test_a_review_is_decided_by_keyboard_alone(tab: Any, pages: dict[str, str], memory: Memory) -> None:
    (waiting,) = memory.review()
    page = tab()
    page.goto(pages["review"])

    def reach(label: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            told = page.evaluate(
                "() => { const one = document.activeElement; "
                "return ((one.labels && one.labels[0]) || one).textContent.trim(); }"
            )
            if told == label:
                outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
                assert outline == "solid", "what has the focus shows it"
                return
        raise AssertionError(f"{label} is not reached by keyboard")

    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    reach("Nora is allergic to kiwi")
    page.keyboard.press("Space")
    reach("Your name")
    page.keyboard.type("Ann")
    reach("Reject")
    page.keyboard.press("Enter")
    page.locator("[role=status]").wait_for()

    assert "is rejected by Ann" in page.locator("[role=status]").inner_text()
    assert page.evaluate("() => document.activeElement.getAttribute('role')") == "status"
    assert memory.review() == []
    last = memory.deltas(since=waiting.created, limit=1_000)[-1]
    assert last.delta.reason.startswith("rejected by Ann")


def test_a_person_accepts_edits_or_rejects_a_review_and_the_delta_names_them(
    tab: Any, pages: dict[str, str], memory: Memory
) -> None:
    decisions = (("Accept", "accepted", "cocoa"), ("Save the edit", "edited", "mate"), ("Reject", "rejected", "coffee"))
    for button, done, liked in decisions:
        scope = memory.scope(done, agent="barista")
        for said in ("I like tea and I like coffee", "No, I meant cocoa."):
            scope.push(said, session="s1")
            scope.consolidate()
        (waiting,), page = scope.review(), tab()
        page.goto(pages["review"])
        page.get_by_label("The user likes coffee").check()
        page.get_by_label("Your name").fill("Ann Lee")
        page.get_by_label("Or the correct value").fill("mate" if done == "edited" else "")
        page.get_by_role("button", name=button).click()
        page.locator("[role=status]").wait_for()
        assert {fact.object for fact in scope.facts()} == {"tea", liked}
        assert scope.deltas()[-1].delta.reason == f"{done} by Ann Lee: {waiting.reason}"


def test_a_dead_letter_can_be_dropped_with_and_without_javascript(
    tab: Any, pages: dict[str, str], memory: Memory
) -> None:
    for scripts in (False, True):
        page, before = tab(java_script_enabled=scripts), len(memory.operator().dead_letters(reviews=False))
        page.goto(pages["letters"])
        page.get_by_role("button", name="Drop").first.click()
        page.locator("[role=status]").wait_for()
        assert len(memory.operator().dead_letters(reviews=False)) == before - 1


def test_a_search_with_javascript_changes_the_content_alone(tab: Any, pages: dict[str, str]) -> None:
    page = tab()
    page.goto(pages["search"])
    page.evaluate("window.stays = true")
    page.get_by_label("About whom").fill("nora")
    page.get_by_label("Question").fill("Where does Nora live?")
    page.keyboard.press("Enter")
    page.locator(".answers").wait_for()

    assert page.evaluate("window.stays") is True
    assert "q=Where" in page.url
    page.reload()
    assert page.locator(".answers li").count() > 0


def test_a_printed_page_contains_no_controls(tab: Any, pages: dict[str, str]) -> None:
    page = tab()
    page.goto(pages["person"])
    page.emulate_media(media="print")

    assert not page.locator("nav[aria-label=Pages]").is_visible()
    assert not page.locator("form.ask").is_visible()
    assert page.locator(".fact").first.is_visible()
