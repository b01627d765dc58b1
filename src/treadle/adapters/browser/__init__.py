"""Finds a browser for the agent: Playwright MCP, the Node that runs it, and a Chromium."""
