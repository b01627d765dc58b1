"""The `plan` workflow: a person talks to the agent, which writes specifications and a backlog."""
