"""The engine `grammar`: statements out of what users say, over a dependency parse. A pack of it needs no rules."""

from slowwave.rules.engines.engine import Files
from slowwave.rules.engines.sentences import StatementReader
from slowwave.rules.grammar.parser import Parser
from slowwave.rules.grammar.reader import statements
from slowwave.rules.pack_schema import GrammarPart
from slowwave.rules.statements.back.recent import in_talk


def build(files: Files[GrammarPart]) -> StatementReader:
    """Return the reader of statements for a pack. Raises `Incorrect` without the extra, or without its pipeline."""
    parser = Parser(files.manifest.pipeline)
    return StatementReader(
        files.manifest,
        lambda episodes, talk: statements(list(in_talk(episodes, talk)), parser),
        looks_back=True,
        made_by=parser.version,
        load=parser.load,
    )
