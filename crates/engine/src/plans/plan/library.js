// The library of every script. `host` calls the engine, and `rows` describes the session and the tools.
(host, rows, globals) => {
  "use strict";
  const { parse, stringify } = JSON;
  const isPlain = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const of = (kind) => rows.filter((row) => row[0] === kind).map((row) => row.slice(1));
  const [[session]] = of("session");
  const paged = new Map(of("paged"));
  const wellFormed = (key, value) => (typeof value === "string" ? value.toWellFormed() : value);
  const json = (value) => stringify(value, wellFormed);
  const told = (value) => (typeof value === "string" ? value.toWellFormed() : json(value) ?? "");

  /** Sends several host calls, at most `atOnce` at the same time; returns the answers in their order. */
  const ask = (asked, atOnce) => (asked.length === 0 ? [] : parse(host.ask(stringify(asked), atOnce)));

  /** Returns the value of an answer; throws an error with its message if the call failed. */
  const given = ([kind, said], read = (text) => text) => {
    if (kind === "failed") throw new Error(said);
    if (kind === "nothing") return undefined;
    return kind === "json" ? parse(said) : read(said);
  };

  // The tools: each is a function that takes one object, or values in the order of its schema, or both.

  const shapes = new Map();
  for (const [name, text, own] of of("tool")) {
    const schema = parse(text);
    const properties = schema.properties ?? {};
    shapes.set(name, { names: Object.keys(properties), properties, own });
  }

  const takes = (schema, wanted) => [schema?.type].flat().includes(wanted) || schema?.type === undefined;

  /** Converts the values of a function call to an object with the tool's named arguments. */
  const bind = (name, values) => {
    const { names, properties, own } = shapes.get(name);
    const said = values.slice();
    while (said.length > 0 && said.at(-1) === undefined) said.pop();
    const named = {};
    const last = said.at(-1);
    const isOwn = (value) => Object.keys(value).some((key) => key in properties);
    if (isPlain(last) && (said.length === 1 || !takes(properties[names[said.length - 1]], "object") || isOwn(last))) {
      if (said.length > 1 || isOwn(last) || !takes(properties[names[0]], "object") || names.length === 0) {
        Object.assign(named, said.pop());
      }
    }
    if (said.length > names.length) {
      throw new TypeError(`${own} takes ${names.length === 0 ? "no arguments" : `no more than these arguments (${names.length}): ${names.join(", ")}`}`);
    }
    said.forEach((value, at) => {
      if (value !== undefined) named[names[at]] = value;
    });
    return named;
  };

  /** Creates the host call for a tool; if the tool is paged, adds the name of the script's session. */
  const asked = (name, named) => {
    const argument = paged.get(name);
    const whole = argument === undefined || named[argument] !== undefined ? named : { ...named, [argument]: session };
    return ["tool", name, json(whole)];
  };
  const call = (name, named) => given(ask([asked(name, named)], 1)[0]);

  /** Maps each tool and each `LLM.with(…)` function to its host call, so that `map` can send the calls in parallel. */
  const known = new WeakMap();
  const tools = {};
  for (const [name, { own }] of shapes) {
    const tool = { [own]: (...values) => call(name, bind(name, values)) }[own];
    known.set(tool, { asks: (item) => asked(name, bind(name, [item])), read: (text) => text });
    tools[own] = tool;
    if (own !== name) tools[name] = tool;
  }

  // Prompts for the model.

  const model = (instruction, options) => {
    const schema = options?.schema === undefined ? [] : [told(options.schema)];
    return {
      asks: (data) => ["model", told(instruction), data === undefined ? "" : told(data), ...schema],
      read: (text) => (schema.length === 0 ? text : parse(text)),
    };
  };
  const LLM = (instruction, data, options) => {
    const { asks, read } = model(instruction, options);
    return given(ask([asks(data)], 1)[0], read);
  };
  LLM.with = (instruction, options) => {
    const made = model(instruction, options);
    const own = (data) => given(ask([made.asks(data)], 1)[0], made.read);
    known.set(own, made);
    return own;
  };

  /** Calls `fn` for each item: a tool or `LLM.with(…)` in parallel, any other function in sequence. */
  const map = (items, fn, atOnce = 3) => {
    const list = Array.from(items ?? []);
    const ahead = known.get(fn);
    if (ahead !== undefined) {
      return ask(list.map((item) => ahead.asks(item)), atOnce).map((answer) => given(answer, ahead.read));
    }
    const made = list.map((item, at) => fn(item, at));
    return made.some((value) => typeof value?.then === "function") ? Promise.all(made) : made;
  };

  // Texts.

  const LETTERS = 4; // the estimated number of characters in a token

  /** Splits a text, or the JSON of a value, into pieces of at most `tokens` tokens, at line ends. */
  const chunk = (data, tokens = 20000) => {
    const text = typeof data === "string" ? data : json(data) ?? "";
    const most = Math.max(1, Math.floor(tokens * LETTERS));
    const pieces = [];
    let begin = 0;
    while (begin < text.length) {
      let end = Math.min(begin + most, text.length);
      const line = text.lastIndexOf("\n", end - 1);
      if (end < text.length && line >= begin) end = line + 1;
      pieces.push(text.slice(begin, end));
      begin = end;
    }
    return pieces;
  };

  const HEADER = /^(?:File: (.+)|--- (.+) ---)$/;

  /** Splits a search reply into its blocks, each with the path in the header above it. */
  const blocks = (text) => {
    const found = [];
    for (const line of text.split("\n")) {
      const header = HEADER.exec(line);
      if (header) found.push({ path: header[1] ?? header[2], lines: [line] });
      else if (found.length > 0) found.at(-1).lines.push(line);
      else found.push({ path: "", lines: [line] });
    }
    return found.map(({ path, lines }) => ({ path, text: lines.join("\n") }));
  };

  /** Packs the parts into pieces of about `tokens` tokens; all parts with the same key stay in one piece. */
  const chunkByKey = (data, keyOf = (path) => path, tokens = 20000) => {
    const parts = typeof data === "string"
      ? blocks(data).map(({ path, text }) => [String(keyOf(path, text)), text])
      : Array.from(data, (item) => [String(keyOf(item)), told(item)]);
    const byKey = new Map();
    for (const [key, text] of parts) byKey.set(key, byKey.has(key) ? `${byKey.get(key)}\n${text}` : text);
    const pieces = [];
    let piece = "";
    for (const text of byKey.values()) {
      if (piece !== "" && piece.length + text.length > tokens * LETTERS) {
        pieces.push(piece);
        piece = "";
      }
      piece = piece === "" ? text : `${piece}\n${text}`;
    }
    if (piece !== "") pieces.push(piece);
    return pieces;
  };

  /** Lists the file paths in a reply, without duplicates. */
  const extractPaths = (text) => {
    const found = new Set();
    for (const line of String(text ?? "").split("\n")) {
      const header = HEADER.exec(line);
      const path = header ? header[1] ?? header[2] : /^([^\s:][^:\n]*\.[A-Za-z0-9]+):\d+/.exec(line)?.[1];
      if (path) found.add(path.trim());
    }
    return [...found];
  };

  /** Parses JSON, also inside a code fence or other text; returns null if there is no valid JSON. */
  const parseJSON = (text) => {
    if (typeof text !== "string") return text ?? null;
    const fenced = /^\s*```[a-z]*\s*\n([\s\S]*?)\n?```\s*$/i.exec(text);
    try {
      return parse(fenced ? fenced[1] : text);
    } catch {
      const begin = text.search(/[[{]/);
      const end = Math.max(text.lastIndexOf("]"), text.lastIndexOf("}"));
      if (begin < 0 || end <= begin) return null;
      try {
        return parse(text.slice(begin, end + 1));
      } catch {
        return null;
      }
    }
  };

  // Lists.

  const batch = (items, size = 10) => {
    const list = Array.from(items ?? []);
    const step = Math.max(1, Math.floor(size));
    const made = [];
    for (let at = 0; at < list.length; at += step) made.push(list.slice(at, at + step));
    return made;
  };
  const range = (from, to, step = 1) => {
    const [begin, end] = to === undefined ? [0, from] : [from, to];
    if (!(Math.abs(step) > 0)) throw new RangeError("the step of a range must not be 0");
    const made = [];
    for (let at = begin; step > 0 ? at < end : at > end; at += step) made.push(at);
    return made;
  };
  const flatten = (items) => Array.from(items ?? []).flat();
  const keyOf = (by) => (typeof by === "function" ? by : (item) => item?.[by]);
  const unique = (items, by) => {
    const seen = new Map();
    for (const item of items ?? []) {
      const value = by === undefined ? item : keyOf(by)(item);
      const key = value !== null && typeof value === "object" ? json(value) : value;
      if (!seen.has(key)) seen.set(key, item);
    }
    return [...seen.values()];
  };
  const groupBy = (items, by) => {
    const groups = {};
    for (const item of items ?? []) {
      const key = String(keyOf(by)(item));
      if (!Object.hasOwn(groups, key)) groups[key] = [];
      groups[key].push(item);
    }
    return groups;
  };

  // Values stored in the session, for later scripts.

  const kept = (...said) => given(ask([said], 1)[0]);
  const storeSet = (key, value) => kept("set", String(key).toWellFormed(), json(value) ?? "null");
  const storeGet = (key) => kept("get", String(key).toWellFormed());
  const storeAppend = (key, value) => kept("append", String(key).toWellFormed(), json(value) ?? "null");
  const storeKeys = () => kept("keys").split("\n").filter((key) => key !== "");
  const storeGetAll = () => Object.fromEntries(storeKeys().map((key) => [key, storeGet(key)]));

  Object.assign(host, { bind, call, session });
  const helpers = {
    LLM, map, chunk, chunkByKey, extractPaths, parseJSON, batch, range, flatten, unique, groupBy,
    storeSet, storeGet, storeAppend, storeKeys, storeGetAll,
  };
  return { ...helpers, ...tools, tools };
}
