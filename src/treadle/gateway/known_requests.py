"""The request fields, betas, content blocks and headers that pass, each with what it does. Data.

What is not listed might cost something that nobody reads from the usage, or reach somebody else:
headers, betas and fields are left out of the request, and content that is not known is refused.
"""

from collections.abc import Mapping

FIELDS: Mapping[str, str] = {
    "model": "priced by its name",
    "messages": "counted by its size",
    "system": "counted by its size",
    "tools": "counted by its size; kinds are checked by `request_rules`",
    "tool_choice": "which tool is used",
    "max_tokens": "the most that the output may be",
    "stream": "how the answer comes",
    "metadata": "an id for the service's records",
    "stop_sequences": "where the output ends",
    "temperature": "how the output is chosen",
    "top_k": "how the output is chosen",
    "top_p": "how the output is chosen",
    "thinking": "part of the output; kinds below",
    "output_config": "effort and format of the output",
    "output_format": "the format of the output",
    "cache_control": "what is written to the cache; priced as such",
    "context_management": "what is left out of the prompt; edits below",
    "diagnostics": "an id of the message before",
    "inference_geo": "where the answer is made; priced by the usage",
    "service_tier": "the priority of the request",
    "speed": "priced by the usage",
    "fallbacks": "models that answer instead; priced by the usage",
    # Checked by `request_rules`: only empty ones pass.
    "container": "",
    "mcp_servers": "",
}
# With these fields the prompt, or part of it, is kept by the service: nobody here can count it, and
# leaving the field out would change what is said.
KEPT_BY_THE_SERVICE = frozenset({"thread", "previous_message_id", "prompt_id"})

THINKING = frozenset({"adaptive", "disabled", "enabled"})
EDITS: Mapping[str, str] = {
    "clear_thinking": "a shorter prompt",
    "clear_tool_uses": "a shorter prompt",
    "compact": "a further answer, priced by `usage.iterations`",
}
SPEEDS = frozenset({"fast", "standard"})
SERVICE_TIERS = frozenset({"auto", "standard_only"})
PLACES = frozenset({"global", "us"})

BLOCKS: Mapping[str, str] = {
    "text": "counted by its size",
    "image": "counted at the most that one takes",
    "document": "a PDF has no known size: one request of that kind at a time",
    "search_result": "counted by its size",
    "tool_use": "counted by its size",
    "tool_result": "counted by its size",
    "tool_reference": "the name of a tool",
    "tool_addition": "a tool, checked by `request_rules`",
    "tool_removal": "the name of a tool",
    "thinking": "said by the model before",
    "redacted_thinking": "said by the model before",
    "compaction": "said by the model before",
    "fallback": "said by the model before",
    "server_tool_use": "said by the model before",
    "web_search_tool_result": "found by the service before",
    "web_search_result": "found by the service before",
    "tool_search_tool_result": "found by the service before",
    "mid_conversation_system": "counted by its size",
}

# By the name before the date. Those of the service's own tools are not here: see `request_rules`.
BETAS: Mapping[str, str] = {
    "advanced-tool-use": "definitions of tools that come later",
    "advisor-tool": "nothing without its tool, which is refused",
    "afk-mode": "tells that nobody watches",
    "cache-diagnosis": "why the cache was missed",
    "cache-keepalive": "the cache; priced by the usage",
    "claude-code": "which agent asks",
    "claude-code-side-query": "which part of the agent asks",
    "compact": "a further answer, priced by `usage.iterations`",
    "context-1m": "longer prompts, counted by their size",
    "context-hint": "shorter prompts",
    "context-management": "shorter prompts",
    "dangerous-tool-use": "how tools are described",
    "effort": "the length of the output",
    "extended-cache-ttl": "the cache for an hour; priced as such",
    "fallback-credit": "a lower price",
    "fast-mode": "priced by `usage.speed`",
    "fine-grained-tool-streaming": "how the answer comes",
    "inline-tools": "definitions of tools in messages, checked like others",
    "interleaved-thinking": "part of the output",
    "max-tokens-3-5-sonnet": "the most that the output may be",
    "mid-conversation-system": "system text in messages",
    "mid-conversation-system-clear-at": "system text in messages",
    "mid-conversation-tool-changes": "definitions of tools in messages, checked like others",
    "oauth": "which login is used",
    "output-128k": "the most that the output may be",
    "per-turn-control": "the length of the output",
    "program-use-case-ids": "an id for the service's records",
    "prompt-caching": "the cache; priced as such",
    "prompt-caching-evict": "the cache; priced as such",
    "prompt-caching-scope": "the cache; priced as such",
    "redact-thinking": "part of the output",
    "request-tags": "an id for the service's records",
    "server-side-fallback": "models that answer instead; priced by the usage",
    "structured-outputs": "the format of the output",
    "task-budgets": "the length of the output",
    "thinking-binding-controls": "part of the output",
    "thinking-display-updates": "what of the output is shown",
    "thinking-resumption": "part of the output",
    "thinking-token-count": "how much of the output is thinking",
    "timing": "when messages were sent",
    "token-counting": "counting tokens is free",
    "token-efficient-tools": "shorter output",
    "tool-examples": "definitions of tools",
    "tool-provenance": "where a tool comes from",
    "tool-search-tool": "definitions of tools that come later",
    "web-search": "nothing without its tool, which is checked",
}
# Betas of tools that the service runs, and of things that it keeps. No agent here has a use for
# them, so nobody is told that they are left out.
REFUSED_BETAS = frozenset(
    {
        "agent-memory",
        "auto-mode-classifier",
        "ccr-byoc",
        "ccr-triggers",
        "code-execution",
        "computer-use",
        "environments",
        "files-api",
        "managed-agents",
        "mcp-client",
        "mcp-servers",
        "mcp-tunnels",
        "message-batches",
        "message-threads",
        "skills",
        "web-fetch",
    }
)

HEADERS: Mapping[bytes, str] = {
    b"accept": "the form of the answer",
    b"anthropic-beta": "see `BETAS`",
    b"anthropic-dangerous-direct-browser-access": "Claude Code sends it",
    b"anthropic-version": "the form of the API",
    b"authorization": "replaced by `headers`",
    b"content-type": "the form of the request",
    b"user-agent": "which agent asks",
    b"x-api-key": "replaced by `headers`",
    b"x-app": "which agent asks",
    b"x-client-app": "which agent asks",
    b"x-client-request-id": "an id for the service's records",
}
HEADER_PREFIXES: Mapping[bytes, str] = {
    b"x-claude-code-": "which session asks",
    b"x-stainless-": "which library asks",
    b"x-treadle-": "which part of a rehearsal's script answers",
}

# Every figure of a usage that is read, or that has no price of its own.
USAGE_FIELDS: Mapping[str, str] = {
    "input_tokens": "priced",
    "output_tokens": "priced",
    "cache_creation_input_tokens": "priced",
    "cache_read_input_tokens": "priced",
    "cache_creation": "priced",
    "server_tool_use": "searches are priced; fetching is free, other kinds are refused",
    "inference_geo": "priced",
    "speed": "priced",
    "iterations": "priced",
    "service_tier": "at the list price",
    "output_tokens_details": "part of the output",
    "thinking_tokens": "part of the output",
    "fallback_credit": "a lower price, which is not believed",
    # In an iteration.
    "type": "which kind of answer it is",
    "model": "priced by its name",
}
USAGE_TIERS = frozenset({"batch", "priority", "standard"})
USAGE_PLACES = frozenset({"global", "not_available", "us"})
USAGE_SPEEDS = frozenset({"fast", "standard"})
USAGE_SERVER_TOOLS = frozenset({"web_search_requests", "web_fetch_requests"})
