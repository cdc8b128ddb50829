"""A quotation of a model stands in the text or does not."""

import pytest

from slowwave.rules.model_packs.quotes import located


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("moved to Oslo", "I moved to Oslo.", "moved to Oslo"),
        ("I’m “new”", 'Well, I\'m "new" here', 'I\'m "new"'),
        ("i MOVED  to", "I moved\n to Oslo", "I moved\n to"),
        ("a b \u2014 c", "So a b - c.", "a b - c"),
        ("went … so powerful", "I went to a group and it was so powerful!", "went to a group and it was so powerful"),
        ("went ... [...] powerful", "I went to a group, powerful", "went to a group, powerful"),
        ("'moved to Oslo.'", "I moved to Oslo", "moved to Oslo"),
        ("I really went to the park", "Yes, really went to the park!", "really went to the park"),
        ("東京に住んで", "私は東京に住んでいます", "東京に住んで"),
        ("İstanbul", "Canım İstanbul'da", "İstanbul"),
    ],
)  # fmt: skip
def test_a_quotation_is_found_whatever_its_typography(quote: str, text: str, found: str) -> None:
    span = located(quote, text)

    assert span is not None
    assert text[slice(*span)] == found


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("I hate tea", "I like tea"),
        ("eat", "great tea"),
        ("tea … coffee", "coffee, then tea"),
        ("I live in Paris with my wife", "I live in Rome with my dog"),
        ("", "anything"),
        ("…", "anything"),
        ("?!", "what?!"),
    ],
)
def test_a_changed_quotation_is_not_located(quote: str, text: str) -> None:
    assert located(quote, text) is None
