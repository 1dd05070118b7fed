"""Checks with the official SDKs that the scripted model streams valid answers."""
import json

import anthropic
import openai
import openai.types.responses
import pydantic

from model import Server

TOOL = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
PLAIN = [
    {"when": {"last": "find it"}, "say": "I look: ä€😀.", "calls": [
        {"tool": "look", "arguments": {"path": "a ä.py"}, "id": "one"}, {"tool": "look", "arguments": {"path": "b.py"}, "id": "two"}],
     "tokens": [11, 7]},
    {"when": {"last": "line (\\d+)"}, "take": {"line": "line (\\d+)"}, "say": "It is line ${line}.", "tokens": [13, 5]},
]
SPLIT = [{**step, "split": 1} for step in PLAIN]
CALLS = [("one", "look", {"path": "a ä.py"}), ("two", "look", {"path": "b.py"})]


def with_chat(address):
    client = openai.OpenAI(base_url=f"{address}/v1", api_key="dummy", max_retries=0)
    tools = [{"type": "function", "function": {"name": "look", "parameters": TOOL}}]
    messages = [{"role": "user", "content": "find it"}]
    with client.chat.completions.stream(model="m", messages=messages, tools=tools,
                                        stream_options={"include_usage": True}) as stream:
        done = stream.get_final_completion()
    said = done.choices[0].message
    first = (said.content, [(c.id, c.function.name, json.loads(c.function.arguments)) for c in said.tool_calls],
             done.choices[0].finish_reason, (done.usage.prompt_tokens, done.usage.completion_tokens))
    messages += [{"role": "assistant", "content": said.content, "tool_calls": [
        {"id": c.id, "type": "function", "function": {"name": "look", "arguments": c.function.arguments}} for c in said.tool_calls]}]
    messages += [{"role": "tool", "tool_call_id": c.id, "content": "line 7"} for c in said.tool_calls]
    with client.chat.completions.stream(model="m", messages=messages) as stream:
        return first, stream.get_final_completion().choices[0].message.content, ("tool_calls", None)


def with_responses(address):
    client = openai.OpenAI(base_url=f"{address}/v1", api_key="dummy", max_retries=0)
    tools = [{"type": "function", "name": "look", "parameters": TOOL, "strict": False}]
    with client.responses.stream(model="m", input="find it", tools=tools) as stream:
        done = stream.get_final_response()
    calls = [item for item in done.output if item.type == "function_call"]
    first = (done.output_text, [(c.call_id, c.name, json.loads(c.arguments)) for c in calls], done.status,
             (done.usage.input_tokens, done.usage.output_tokens))
    given = [{"role": "user", "content": "find it"}]
    given += [{"type": "function_call", "call_id": c.call_id, "name": c.name, "arguments": c.arguments} for c in calls]
    given += [{"type": "function_call_output", "call_id": c.call_id, "output": "line 7"} for c in calls]
    with client.responses.stream(model="m", input=given) as stream:
        return first, stream.get_final_response().output_text, ("completed", None)


def with_anthropic(address):
    client = anthropic.Anthropic(base_url=address, api_key="dummy", max_retries=0)
    tools = [{"name": "look", "input_schema": TOOL}]
    messages = [{"role": "user", "content": "find it"}]
    with client.messages.stream(model="m", max_tokens=100, messages=messages, tools=tools) as stream:
        done = stream.get_final_message()
    calls = [block for block in done.content if block.type == "tool_use"]
    first = (done.content[0].text, [(c.id, c.name, c.input) for c in calls], done.stop_reason,
             (done.usage.input_tokens, done.usage.output_tokens))
    messages.append({"role": "assistant", "content": [block.model_dump(include={"type", "text", "id", "name", "input"})
                                                      for block in done.content]})
    messages.append({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": c.id, "content": "line 7"} for c in calls]})
    with client.messages.stream(model="m", max_tokens=100, messages=messages) as stream:
        return first, stream.get_final_message().content[0].text, ("tool_use", None)


def wrong(provider, part, kind=None):
    """Returns why the official types reject a part of a request, by default an image; None for a service without types here."""
    types = {
        "openai": openai.types.chat.ChatCompletionContentPartImageParam,
        "responses": openai.types.responses.ResponseInputImageParam,
        "anthropic": anthropic.types.ImageBlockParam,
    }
    kind = kind or types.get(provider)
    try:
        return kind and set(part) - set(pydantic.TypeAdapter(kind).validate_python(part))
    except pydantic.ValidationError as error:
        return str(error)[:2000]


def check(report):
    """Each SDK parses both answers, whole and byte by byte, and recognizes a refusal."""
    for name, talk in [("openai chat", with_chat), ("openai responses", with_responses), ("anthropic", with_anthropic)]:
        for how, steps in [("whole", PLAIN), ("byte by byte", SPLIT)]:
            with Server({"steps": steps}) as server:
                first, last, (stop, _) = talk(server.address)
            wanted = (("I look: ä€😀.", CALLS, stop, (11, 7)), "It is line 7.")
            report(f"{name}, {how}", (first, last) == wanted, (first, last))
    refused = [{"fault": {"status": 429, "retry_after": 1}}]
    for name, talk, error in [("openai", with_chat, openai.RateLimitError), ("anthropic", with_anthropic, anthropic.RateLimitError)]:
        with Server({"steps": refused}) as server:
            try:
                found = talk(server.address)
            except error as told:
                found = told.response.headers.get("retry-after")
        report(f"{name}, refused", found == "1", found)
