// Evaluated before the script and its libraries. Returns the functions `add`, `seal`, `describe` and `encode`.
// `seal` defines the globals, limits built-in methods that the interpreter cannot interrupt, and freezes all
// built-ins.
(() => {
  "use strict";
  const { defineProperty, defineProperties, freeze, getOwnPropertyDescriptor, getPrototypeOf, entries } = Object;
  const { ownKeys, apply } = Reflect;
  const stringify = JSON.stringify;
  const wellFormed = String.prototype.toWellFormed;
  const whole = (text) => apply(wellFormed, text, []);
  // Maximum length of a list for a built-in method, and maximum product of the two lengths in a string search.
  const LONG = 10_000_000;
  const COMPARED = 4_000_000_000;

  const replacer = () => function (key, value) {
    if (typeof value === "string") return whole(value);
    if (typeof value === "bigint") return value.toString();
    if (value instanceof Map) return Object.fromEntries(value);
    if (value instanceof Set) return [...value];
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    return value;
  };

  /** Encodes the script's return value as `[kind, text]` in JSON; throws if it has more than `most` characters. */
  const encode = (value, most) => {
    if (value === undefined || typeof value === "function" || typeof value === "symbol") return '["nothing",""]';
    const text = typeof value === "string" ? whole(value) : stringify(value, replacer(), 2);
    if (text === undefined) return '["nothing",""]';
    if (text.length > most) {
      throw new RangeError(`the return value has ${text.length} characters, and the maximum is ${most}: return less`);
    }
    return stringify([typeof value === "string" ? "text" : "json", text]);
  };

  /** Serializes a thrown value as JSON: name, message and stack trace. */
  const describe = (thrown) => {
    const read = (key) => {
      try {
        const found = thrown[key];
        return found === undefined ? "" : whole(`${found}`).slice(0, 20_000);
      } catch {
        return "";
      }
    };
    if (thrown instanceof Error) return stringify([read("name"), read("message"), read("stack")]);
    let text;
    try {
      text = typeof thrown === "string" ? thrown : stringify(thrown, replacer());
    } catch {
      text = typeof thrown;
    }
    return stringify(["", whole(`${text}`).slice(0, 20_000), ""]);
  };

  /** Formats a value for the log or the output. */
  const worded = (value) => {
    if (typeof value === "string") return whole(value);
    if (value instanceof Error) return whole(`${value.name}: ${value.message}`);
    if (value === undefined || typeof value === "function" || typeof value === "symbol") return String(value);
    try {
      return stringify(value, replacer()) ?? String(value);
    } catch (error) {
      return `[${error.message}]`;
    }
  };

  const replace = (object, name, make) => {
    const old = object[name];
    if (typeof old !== "function") return;
    const made = make(old);
    defineProperties(made, { name: { value: name }, length: { value: old.length } });
    defineProperty(object, name, { value: made, writable: true, enumerable: false, configurable: true });
  };

  /**
   * Makes built-in methods throw on inputs that would take too long: the interpreter checks its limits between the
   * steps of a script, not inside a built-in method.
   */
  const guard = () => {
    const lists = [
      "concat", "copyWithin", "fill", "join", "reverse", "shift", "slice", "sort", "splice", "toReversed", "toSorted",
      "toSpliced", "toString", "unshift", "with",
    ];
    const tooLong = (list) => list !== null && typeof list === "object" && list.length > LONG;
    for (const name of lists) {
      replace(Array.prototype, name, (old) => ({
        method(...given) {
          if (tooLong(this) || (name === "concat" && given.some(tooLong))) {
            throw new RangeError(`a list of more than ${LONG} elements is too long for ${name}`);
          }
          return apply(old, this, given);
        },
      }).method);
    }
    replace(Array.prototype, "flat", () => ({
      flat(depth = 1) {
        const flat = [];
        const add = (list, left) => {
          for (let at = 0; at < list.length; at++) {
            if (!(at in list)) continue;
            if (left > 0 && Array.isArray(list[at])) add(list[at], left - 1);
            else flat[flat.length] = list[at];
          }
        };
        add(this, Number(depth) || 0);
        return flat;
      },
    }).flat);
    for (const name of ["indexOf", "lastIndexOf", "includes", "split", "replace", "replaceAll"]) {
      replace(String.prototype, name, (old) => ({
        method(...given) {
          const [sought] = given;
          if (typeof this === "string" && typeof sought === "string" && this.length * sought.length > COMPARED) {
            throw new RangeError(`a string of ${this.length} characters is too long to search for ${sought.length} characters`);
          }
          return apply(old, this, given);
        },
      }).method);
    }
  };

  /**
   * Replaces the values of a prototype by accessors, so that a script can still assign a property of the same name to
   * its own objects after the prototype is frozen.
   */
  const overridable = (prototype) => {
    for (const key of ownKeys(prototype)) {
      const found = getOwnPropertyDescriptor(prototype, key);
      if (!found.configurable || !("value" in found)) continue;
      const { value } = found;
      defineProperty(prototype, key, {
        get: () => value,
        set(given) {
          if (this === prototype) throw new TypeError(`${String(key)} is built in and cannot be changed`);
          defineProperty(this, key, { value: given, writable: true, enumerable: true, configurable: true });
        },
        enumerable: found.enumerable,
        configurable: false,
      });
    }
  };

  const freezeAll = (root, seen) => {
    const waiting = [root];
    while (waiting.length > 0) {
      const object = waiting.pop();
      if (object === null || (typeof object !== "object" && typeof object !== "function") || seen.has(object)) continue;
      seen.add(object);
      freeze(object);
      waiting.push(getPrototypeOf(object));
      for (const key of ownKeys(object)) {
        const found = getOwnPropertyDescriptor(object, key);
        if ("value" in found) waiting.push(found.value);
        else waiting.push(found.get ?? null, found.set ?? null);
      }
    }
  };

  const add = (globals, more) => {
    for (const [name, value] of entries(more ?? {})) globals[name] = value;
  };

  const seal = (host, globals) => {
    const log = (...said) => host.log(said.map(worded).join(" "));
    const output = (...said) => host.output(said.map(worded).join(" "));
    const console = { log, info: log, warn: log, error: log, debug: log };
    for (const name of ["Atomics", "SharedArrayBuffer", "gc", "navigator", "performance"]) delete globalThis[name];
    guard();
    const errors = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError];
    for (const made of [Object, ...errors]) overridable(made.prototype);
    const seen = new Set([globalThis]);
    const hidden = [
      (function* () {})(), (async function* () {})(), (async () => {}), [].values(), new Map().entries(), new Set().values(),
      "".matchAll(/a/g), ""[Symbol.iterator](),
    ];
    hidden.forEach((value) => freezeAll(getPrototypeOf(value), seen));
    for (const key of ownKeys(globalThis)) freezeAll(getOwnPropertyDescriptor(globalThis, key).value ?? null, seen);
    for (const [name, value] of entries({ log, output, console, ...globals })) {
      freezeAll(value, seen);
      defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
    }
  };

  return { add, seal, describe, encode };
})()
