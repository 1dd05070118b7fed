"""The wire formats of models: parsers of requests, and streams of answers."""
import json


def text_of(content):
    """The text of a content that is a string, a block, or a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        for key in ("text", "content", "output", "result"):
            if key in content:
                return text_of(content[key])
        return json.dumps(content)
    if isinstance(content, list):
        return "\n".join(text_of(block) for block in content)
    return ""


class Asked:
    """Content of a request, independent of its format: the system prompt, the turns in order, and the tools."""

    def __init__(self, model, system, turns, tools):
        self.model, self.system, self.turns, self.tools = model, system, turns, tools

    @property
    def last(self):
        """The text after the model's last message: results of calls, or text of the user."""
        since = []
        for role, text in reversed(self.turns):
            if role == "model":
                break
            since.append(text)
        return "\n".join(reversed(since))

    @property
    def whole(self):
        return "\n".join(text for _, text in self.turns)


def joined(*names):
    return "\n".join(name for name in names if name)


def ask_chat(body):
    system = joined(*(text_of(m["content"]) for m in body["messages"] if m["role"] in ("system", "developer")))
    turns = []
    for message in body["messages"]:
        if message["role"] == "assistant":
            calls = [f"{c['function']['name']} {c['function']['arguments']}" for c in message.get("tool_calls") or []]
            turns.append(("model", joined(text_of(message.get("content")), *calls)))
        elif message["role"] in ("user", "tool"):
            turns.append((message["role"], text_of(message["content"])))
    return Asked(body["model"], system, turns, [t["function"]["name"] for t in body.get("tools") or []])


def named(tools):
    """Yields the names of the tools in a Responses request; a tool in a namespace as `namespace/name`."""
    for tool in tools:
        if tool["type"] == "namespace":
            yield from (f"{tool['name']}/{inner}" for inner in named(tool["tools"]))
        else:
            yield tool.get("name") or tool["type"]


def ask_responses(body):
    system, turns = [body.get("instructions") or ""], []
    items = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
    for item in items:
        kind, role = item.get("type", "message"), item.get("role")
        if kind == "function_call":
            turns.append(("model", f"{item['name']} {item['arguments']}"))
        elif kind == "function_call_output":
            turns.append(("tool", text_of(item["output"])))
        elif role in ("system", "developer"):
            system.append(text_of(item["content"]))
        elif kind == "message":
            turns.append(("model" if role == "assistant" else "user", text_of(item["content"])))
    return Asked(body["model"], joined(*system), turns, list(named(body.get("tools") or [])))


def ask_anthropic(body):
    turns = []
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            if block["type"] == "tool_use":
                turns.append(("model", f"{block['name']} {json.dumps(block['input'])}"))
            elif block["type"] == "tool_result":
                turns.append(("tool", text_of(block.get("content", ""))))
            else:
                turns.append(("model" if message["role"] == "assistant" else "user", text_of(block)))
    return Asked(body["model"], text_of(body.get("system", "")), turns, [t["name"] for t in body.get("tools") or []])


def ask_gemini(body):
    turns = []
    for content in body["contents"]:
        for part in content["parts"]:
            if "functionCall" in part:
                call = part["functionCall"]
                turns.append(("model", f"{call['name']} {json.dumps(call.get('args'))}"))
            elif "functionResponse" in part:
                turns.append(("tool", text_of(part["functionResponse"].get("response"))))
            else:
                turns.append(("model" if content.get("role") == "model" else "user", text_of(part)))
    system = text_of((body.get("systemInstruction") or {}).get("parts", []))
    named = [d["name"] for tool in body.get("tools") or [] for d in tool.get("functionDeclarations", [])]
    return Asked("", system, turns, named)


class Answer:
    """An answer of the model: text, calls (id, name, arguments as text), and the reason why it stops."""

    def __init__(self, words, calls, stop=None, tokens=(0, 0)):
        self.words, self.calls, self.tokens = words, calls, tokens
        self.stop = stop or ("calls" if calls else "end")


def pieces(text, size=24):
    """Splits a text into pieces; a very long text into larger pieces, to save time."""
    size = max(size, len(text) // 4096)
    return [text[at:at + size] for at in range(0, len(text), size)]


def event(data, name=None):
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def stream_chat(answer, body):
    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return event({**base, "choices": [choice]})

    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(answer.words):
        yield chunk({"content": piece})
    for index, (identity, name, arguments) in enumerate(answer.calls):
        function = {"name": name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": identity, "type": "function", "function": function}]})
        for piece in pieces(arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, {"end": "stop", "calls": "tool_calls", "length": "length"}[answer.stop])
    if (body.get("stream_options") or {}).get("include_usage"):
        asked, said = answer.tokens
        usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
        yield event({**base, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def stream_anthropic(answer, body):
    def said(kind, **more):
        return event({"type": kind, **more}, kind)

    asked, tokens = answer.tokens
    usage = {"input_tokens": asked, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield said("message_start", message=message)
    yield said("ping")
    index = 0
    if answer.words:
        yield said("content_block_start", index=index, content_block={"type": "text", "text": ""})
        for piece in pieces(answer.words):
            yield said("content_block_delta", index=index, delta={"type": "text_delta", "text": piece})
        yield said("content_block_stop", index=index)
        index += 1
    for identity, name, arguments in answer.calls:
        block = {"type": "tool_use", "id": identity, "name": name, "input": {}}
        yield said("content_block_start", index=index, content_block=block)
        for piece in pieces(arguments):
            yield said("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": piece})
        yield said("content_block_stop", index=index)
        index += 1
    reason = {"end": "end_turn", "calls": "tool_use", "length": "max_tokens"}[answer.stop]
    yield said("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": tokens})
    yield said("message_stop")


def response_of(answer, body, status, items):
    asked, said = answer.tokens
    usage = {"input_tokens": asked, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0}, "output_tokens": said,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": asked + said}
    done = status != "in_progress"
    details = {"reason": "max_output_tokens"} if status == "incomplete" else None
    return {"id": "resp_1", "object": "response", "created_at": 1, "status": status, "error": None,
            "incomplete_details": details, "instructions": None, "metadata": {}, "model": body["model"],
            "output": items, "parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [],
            "top_p": 1.0, "usage": usage if done else None}


def stream_responses(answer, body):
    number = 0

    def said(kind, **more):
        nonlocal number
        data = {"type": kind, "sequence_number": number, **more}
        number += 1
        return event(data, kind)

    items = []
    yield said("response.created", response=response_of(answer, body, "in_progress", []))
    yield said("response.in_progress", response=response_of(answer, body, "in_progress", []))
    if answer.words:
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
        place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        yield said("response.output_item.added", output_index=0, item=item)
        yield said("response.content_part.added", **place, part={"type": "output_text", "text": "", "annotations": []})
        for piece in pieces(answer.words):
            yield said("response.output_text.delta", **place, delta=piece, logprobs=[])
        yield said("response.output_text.done", **place, text=answer.words, logprobs=[])
        part = {"type": "output_text", "text": answer.words, "annotations": []}
        yield said("response.content_part.done", **place, part=part)
        items.append({**item, "status": "completed", "content": [part]})
        yield said("response.output_item.done", output_index=0, item=items[-1])
    for identity, name, arguments in answer.calls:
        index, own = len(items), f"fc_{len(items)}"
        space, _, name = name.rpartition("/")
        item = {"id": own, "type": "function_call", "call_id": identity, "name": name, **({"namespace": space} if space else {})}
        yield said("response.output_item.added", output_index=index, item={**item, "arguments": "", "status": "in_progress"})
        for piece in pieces(arguments):
            yield said("response.function_call_arguments.delta", item_id=own, output_index=index, delta=piece)
        yield said("response.function_call_arguments.done", item_id=own, output_index=index, arguments=arguments, name=name)
        items.append({**item, "arguments": arguments, "status": "completed"})
        yield said("response.output_item.done", output_index=index, item=items[-1])
    status = "incomplete" if answer.stop == "length" else "completed"
    yield said(f"response.{status}", response=response_of(answer, body, status, items))


def stream_gemini(answer, _body):
    def chunk(parts, finish=None):
        candidate = {"content": {"parts": parts, "role": "model"}, "index": 0}
        return event({"candidates": [{**candidate, **({"finishReason": finish} if finish else {})}],
                      "usageMetadata": usage, "modelVersion": "scripted"})

    asked, said = answer.tokens
    usage = {"promptTokenCount": asked, "candidatesTokenCount": said, "totalTokenCount": asked + said}
    for piece in pieces(answer.words):
        yield chunk([{"text": piece}])
    calls = [{"functionCall": {"name": name, "args": json.loads(arguments)}} for _, name, arguments in answer.calls]
    yield chunk(calls or [{"text": ""}], "MAX_TOKENS" if answer.stop == "length" else "STOP")


def stream_ollama(answer, body):
    def line(message, **more):
        data = {"model": body["model"], "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False, **more}
        return json.dumps(data).encode() + b"\n"

    for piece in pieces(answer.words):
        yield line({"role": "assistant", "content": piece})
    calls = [{"function": {"name": name, "arguments": json.loads(arguments)}} for _, name, arguments in answer.calls]
    if calls:
        yield line({"role": "assistant", "content": "", "tool_calls": calls})
    asked, said = answer.tokens
    reason = "length" if answer.stop == "length" else "stop"
    yield line({"role": "assistant", "content": ""}, done=True, done_reason=reason, prompt_eval_count=asked, eval_count=said)


def fault_chat(kind, message):
    return event({"error": {"message": message, "type": kind, "code": None, "param": None}})


def fault_anthropic(kind, message):
    return event({"type": "error", "error": {"type": kind, "message": message}}, "error")


def fault_responses(kind, message):
    return event({"type": "error", "sequence_number": 9, "code": kind, "message": message, "param": None}, "error")


def ask_ollama(body):
    """Parses a request like `ask_chat`, but the arguments of calls are objects instead of text."""
    messages = [dict(message) for message in body["messages"]]
    for message in messages:
        calls = message.get("tool_calls") or []
        message["tool_calls"] = [
            {"function": {"name": c["function"]["name"], "arguments": json.dumps(c["function"]["arguments"])}} for c in calls
        ]
    return ask_chat({**body, "messages": messages})


#: End of the URL path; name of the format; functions that parse requests, stream answers and report faults.
FORMS = [
    ("/chat/completions", ("openai", ask_chat, stream_chat, fault_chat)),
    ("/responses", ("responses", ask_responses, stream_responses, fault_responses)),
    ("/messages", ("anthropic", ask_anthropic, stream_anthropic, fault_anthropic)),
    (":streamGenerateContent", ("gemini", ask_gemini, stream_gemini, fault_chat)),
    ("/api/chat", ("ollama", ask_ollama, stream_ollama, fault_chat)),
]


def form_of(path):
    return next((form for end, form in FORMS if path.split("?")[0].endswith(end)), None)
