"""A program that the agent starts spends at the model's socket: it ends with the budget."""

import json

from tests.acceptance.harness import ONE_DELIVERABLE, CommandHarness, assert_sound, script

BUDGET_USD = 1.0
# 16,000 tokens of output, of which one character is shown.
ANSWER_USD = 0.324
PROGRAM = """\
import json, socket

body = json.dumps({
    "model": "claude-opus-5-5", "max_tokens": 16000, "stream": True,
    "thinking": {"type": "adaptive", "display": "omitted"},
    "messages": [{"role": "user", "content": "go"}],
}).encode()
head = (
    "POST /v1/messages HTTP/1.1\\r\\nhost: gateway\\r\\nx-treadle-role: reviewer\\r\\n"
    "x-claude-code-session-id: spender\\r\\ncontent-length: %d\\r\\n\\r\\n" % len(body)
).encode()
answered = 0
for _ in range(20):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("/run/treadle/model.sock")
        connection.sendall(head + body)
        read = b""
        while b"message_start" not in read and b"error" not in read:
            read += connection.recv(4096)
        answered += b"message_start" in read
print("answered", answered)
"""
SPENDER = f"""
  - role: implementer
    turns:
      - tool: Write
        input: {{file_path: spend.py, content: {json.dumps(PROGRAM)}}}
      - tool: Bash
        input: {{command: python3 spend.py}}
      - text: There was money left.
        optional: true
  - role: reviewer
    turns:
      - text: a
        delay_between: 0.1
        usage: {{input: 1000, output: 16000}}
        repeat: 40
        optional: true
"""


def test_twenty_connections_that_a_program_cuts_end_with_the_budget(
    harness: CommandHarness,
) -> None:
    finished = harness.deliver(script(ONE_DELIVERABLE, SPENDER), "--max-cost", str(BUDGET_USD))

    assert_sound(harness, finished)
    assert finished.result["reason"] == "budget_exceeded"
    [said] = [
        event["output"]
        for event in finished.of_type("tool.finished")
        if event["output"].startswith("answered")
    ]
    billed_usd = int(said.split()[1]) * ANSWER_USD
    assert BUDGET_USD <= billed_usd <= BUDGET_USD + ANSWER_USD
    assert billed_usd <= finished.result["cost_usd"] <= BUDGET_USD + 2 * ANSWER_USD
