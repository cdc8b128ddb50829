-- Calls of tools by their scope, of every month. As the owner. A turn costs nothing by it, a call one small entry.

CREATE INDEX episodes_tool_calls ON episodes (scope, position) WHERE kind = 'tool_call';
