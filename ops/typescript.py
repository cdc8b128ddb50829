"""Writes the TypeScript client from the OpenAPI document: `python ops/typescript.py`, after the API has changed."""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from slowwave import wiring
from slowwave.api.app import create_app
from slowwave.memory import Memory
from slowwave.settings import Settings

CLIENT = Path(__file__).parent / "clients" / "typescript" / "src" / "slowwave.ts"
HEAD = """/** Made by ops/typescript.py of the OpenAPI document: edit the API. */

import { type Options, Wire } from "./wire.js";

export { type Options, SlowwaveError } from "./wire.js";
"""
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
Schema = Mapping[str, Any]


def client() -> str:
    """Return the text of the client: a type for each schema, and a method for each operation that speaks JSON."""
    parts = wiring.connect(Settings.load(url="postgresql://slowwave@nowhere/slowwave"))  # never connected to
    document = create_app(Memory(parts)).openapi()
    parts.close()
    types = [_declared(name, schema) for name, schema in document["components"]["schemas"].items()]
    methods = [
        method
        for path, operations in document["paths"].items()
        for verb, operation in operations.items()
        for method in _method(path, verb, operation)
    ]
    body = "\n".join(methods)
    constructor = "  constructor(url: string, options: Options = {}) {\n    super(url, options);\n  }\n"
    return "\n".join(
        [HEAD, *types, f"/** A server of Slowwave, asked with a key. */\nexport class Slowwave extends Wire {{\n"
                       f"{constructor}\n{body}}}\n"]
    )  # fmt: skip


def _declared(name: str, schema: Schema) -> str:
    return f"{_words(schema.get('description'), '')}export type {_name(name)} = {_type(schema)};\n"


def _type(schema: Schema) -> str:
    """Return the type of *schema* as TypeScript writes it."""
    if "$ref" in schema:
        return _name(schema["$ref"].rpartition("/")[2])
    if "properties" in schema:
        return _object(schema)
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(_type(one) for one in alternatives))
    if "const" in schema or "enum" in schema:
        return " | ".join(_literal(one) for one in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(_type(one) for one in schema['prefixItems'])}]"
        return f"Array<{_type(schema.get('items', {}))}>"
    if kind == "object":
        values = schema.get("additionalProperties", True)
        return f"Record<string, {_type(values) if isinstance(values, dict) else 'unknown'}>"
    return PLAIN.get(str(kind), "unknown")


def _object(schema: Schema) -> str:
    required = schema.get("required", ())
    fields = [
        f"  {name}{'' if name in required else '?'}: {_indented(_type(field))};"
        for name, field in schema["properties"].items()
    ]
    return "\n".join(["{", *fields, "}"])


def _method(path: str, verb: str, operation: Schema) -> Iterator[str]:
    """Give the method of an operation; none where its answer is no JSON."""
    good = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    if not all("application/json" in answer.get("content", {}) for answer in good):
        return
    answers = dict.fromkeys(_type(answer["content"]["application/json"]["schema"]) for answer in good)
    within = [one for one in operation.get("parameters", ()) if one["in"] == "path"]
    asked = [one for one in operation.get("parameters", ()) if one["in"] == "query"]
    takes, sent = [f"{one['name']}: {_type(one['schema'])}" for one in within], []
    if asked:
        needs = any(one.get("required") for one in asked)
        fields = {one["name"]: one["schema"] for one in asked}
        query = _object({"properties": fields, "required": [one["name"] for one in asked if one.get("required")]})
        takes.append(f"query: {_indented(query)}{'' if needs else ' = {}'}")
        sent.append("query")
    if "requestBody" in operation:
        takes.append(f"body: {_type(operation['requestBody']['content']['application/json']['schema'])}")
        sent.append("body")
    place = re.sub(r"\{(\w+)\}", r"${encodeURIComponent(\1)}", path)
    options = f", {{ {', '.join(sent)} }}" if sent else ""
    yield (
        f"{_words(operation.get('description'), '  ')}"
        f"  {_camel(path, verb, operation)}({', '.join(takes)}): Promise<{' | '.join(answers)}> {{\n"
        f'    return this.ask("{verb.upper()}", `{place}`{options});\n'
        f"  }}\n"
    )


def _camel(path: str, verb: str, operation: Schema) -> str:
    """Return the name of a method: the operation's, without the path that FastAPI writes behind it."""
    own = operation["operationId"].removesuffix(re.sub(r"\W", "_", f"{path}_{verb}"))
    head, *rest = own.strip("_").split("_")
    return head + "".join(word.title() for word in rest)


def _words(text: str | None, indent: str) -> str:
    lines = (text or "").replace("*/", "* /").strip().splitlines()
    if len(lines) < 2:
        return f"{indent}/** {lines[0]} */\n" if lines else ""
    return "\n".join([f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */", ""])


def _name(schema: str) -> str:
    return re.sub(r"\W", "", schema.replace("_", ""))


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else CLIENT).write_text(client())
