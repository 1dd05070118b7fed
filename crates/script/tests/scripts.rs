//! Tests of the results, error positions and limits of scripts, including hostile ones.
#![expect(clippy::unwrap_used, clippy::too_many_lines, reason = "rows of scripts")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;
use toolpost_script::{
    AnswerFuture, Host, HostCall, Limits, Outcome, Reply, Script, ScriptError, ScriptErrorKind, run,
};
use toolpost_test_rows::each_async;

/// A host for the tests: `echo` returns its argument, `json` returns it as JSON, `slow` waits for the number
/// of milliseconds in its argument, `deaf` ignores cancellation, and `fail` fails.
#[derive(Default)]
struct Echo {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Host for Echo {
    fn answer(&self, call: HostCall, cancel: CancellationToken) -> AnswerFuture {
        let (now, most) = (self.now.clone(), self.most.clone());
        Box::pin(async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let text = call.arguments.join(" ");
            let answer = match call.name.as_str() {
                "echo" => Ok(Reply::Text(text)),
                "json" => Ok(Reply::Json(text)),
                "nothing" => Ok(Reply::Nothing),
                "slow" => {
                    let time = Duration::from_millis(text.parse().unwrap());
                    tokio::select! {
                        () = tokio::time::sleep(time) => Ok(Reply::Text(text)),
                        () = cancel.cancelled() => Err("cancelled".to_owned()),
                    }
                }
                "deaf" => {
                    tokio::time::sleep(Duration::from_secs(60)).await;
                    Ok(Reply::Nothing)
                }
                _ => Err(format!("no: {text}")),
            };
            now.fetch_sub(1, Ordering::SeqCst);
            answer
        })
    }
}

const LIBRARY: &str = r#"(host) => {
  const names = ["echo", "json", "nothing", "slow", "deaf", "fail"];
  const one = ([kind, value]) => {
    if (kind === "failed") throw new Error(value);
    return kind === "json" ? JSON.parse(value) : value;
  };
  const call = (name) => (...said) => one(JSON.parse(host.ask(JSON.stringify([[name, ...said.map(String)]]), 1))[0]);
  const all = (name, list) => JSON.parse(host.ask(JSON.stringify(list.map((said) => [name, String(said)])), 4)).map(one);
  return { all, ...Object.fromEntries(names.map((name) => [name, call(name)])) };
}"#;

fn script(source: &str) -> Script {
    let limits =
        Limits { compute: Duration::from_millis(500), wall: Duration::from_secs(20), ..Limits::default() };
    Script { source: source.to_owned(), libraries: vec![LIBRARY.to_owned()], rows: Vec::new(), limits }
}

async fn ended(script: Script) -> Outcome {
    run(script, Arc::new(Echo::default()), CancellationToken::new()).await
}

/// Compares the results of scripts with the expected ones, and reports all differences together.
async fn check(rows: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (source, wanted) in rows {
        let got = described(&ended(script(source)).await);
        if got != *wanted {
            wrong.push(format!("{source}\n  gives  {got}\n  wanted {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Formats the result of a script: its value, or the failure with its position.
fn described(ended: &Outcome) -> String {
    match &ended.value {
        Ok(Reply::Text(text)) => format!("text {text}"),
        Ok(Reply::Json(json)) => format!("json {}", json.split_whitespace().collect::<String>()),
        Ok(Reply::Nothing) => "nothing".to_owned(),
        Err(ScriptError { why, line, column, message }) => {
            let place = line.map_or(String::new(), |line| format!(" {line}:{}", column.unwrap_or_default()));
            format!("{why:?}{place} {message}")
        }
    }
}

#[tokio::test]
async fn synchronous_and_async_scripts_return_their_values() {
    check(&[
        // Return values.
        ("return 1 + 1", "json 2"),
        ("return 'a'", "text a"),
        ("return null", "json null"),
        ("return", "nothing"),
        ("1 + 1", "nothing"),
        ("", "nothing"),
        (
            "return {a: [1, 'b', true], n: 10n, m: new Map([['k', 1]]), s: new Set([1, 2])}",
            r#"json {"a":[1,"b",true],"n":"10","m":{"k":1},"s":[1,2]}"#,
        ),
        ("return () => 1", "nothing"),
        ("return '\\ud800x'", "text \u{fffd}x"),
        ("async function main() { return 7 }\nmain()", "json 7"),
        ("(async () => { const a = await echo('x'); return a + '!'; })()", "text x!"),
        // Synchronous calls to the host.
        ("return echo('a b').split(' ')", r#"json ["a","b"]"#),
        ("return echo('abc').length", "json 3"),
        ("function f(x) { return echo(x).toUpperCase() }\nreturn ['a', 'b'].map(f).join('')", "text AB"),
        ("return ['a', 'b'].map(x => echo(x)).filter(x => x > 'a')", r#"json ["b"]"#),
        ("let n = 0; while (true) { n += Number(echo('1')); if (n === 3) break; } return n", "json 3"),
        ("let n = 0; do { n++ } while (n < 5); return n", "json 5"),
        ("try { fail('x') } catch (e) { return e.message }", "text no: x"),
        ("try { fail('x') } catch { return 'caught' } finally { log('done') }", "text caught"),
        ("return json('{\"a\": 1}').a", "json 1"),
        ("return nothing() === undefined", "json true"),
        (
            "class A { constructor(x) { this.x = x } get y() { return echo(this.x) } }\nreturn new A('q').y",
            "text q",
        ),
        ("function* g() { yield echo('1'); yield echo('2') }\nreturn [...g()]", r#"json ["1","2"]"#),
        ("const { a, ...rest } = { a: 1, b: 2 }; return rest", r#"json {"b":2}"#),
        ("return `${echo('t')}${[1, 2].at(-1)}`.replace(/t(\\d)/, '$1')", "text 2"),
        ("return [3, 1, 2].sort((a, b) => a - b).flat().concat([4])", "json [1,2,3,4]"),
        ("return Object.entries({a: 1}).map(([k, v]) => k + v)", r#"json ["a1"]"#),
        ("return [[1, [2, [3]]], 4].flat(Infinity)", "json [1,2,3,4]"),
        ("x = 5; return x", "json 5"),
        ("var echo2 = echo; const echo1 = (x) => echo2(x); return echo1('v')", "text v"),
        ("const echo = 1; return echo", "json 1"),
        // Calls to the host with `await` and promises.
        ("return await echo('a')", "text a"),
        ("const [a, b] = await Promise.all([echo('a'), echo('b')]); return a + b", "text ab"),
        ("return await Promise.all(['a', 'b'].map(async x => (await echo(x)) + '1'))", r#"json ["a1","b1"]"#),
        (
            "return (await Promise.allSettled([(async () => fail('x'))(), echo('y')])).map(r => r.status)",
            r#"json ["rejected","fulfilled"]"#,
        ),
        ("async function f(x) { return await echo(x) }\nreturn (await f('a')) + (await f('b'))", "text ab"),
        ("try { await fail('x') } catch (e) { return e.message }", "text no: x"),
        (
            "for await (const x of (async function* () { yield echo('1'); yield 2 })()) log(x); return 'ok'",
            "text ok",
        ),
        ("return echo('a') + await echo('b')", "text ab"),
        ("return Promise.resolve(echo('p')).then(x => x + '.')", "text p."),
        ("const a = await echo('top'); log(a)", "nothing"),
        ("return all('echo', ['a', 'b', 'c'])", r#"json ["a","b","c"]"#),
        // Fences, tags, entities and comments that models add.
        ("```js\nreturn 1\n```", "json 1"),
        ("<execute_plan><code>return 1</code></execute_plan>", "json 1"),
        ("return 1 &lt; 2 &amp;&amp; &quot;q&quot;", "text q"),
        ("return '&lt;'", "text &lt;"),
        ("return 1 // with a remark", "json 1"),
    ])
    .await;
}

#[tokio::test]
async fn script_errors_have_a_message_and_a_position() {
    check(&[
        ("let a = 1;\nlet b = ;\nreturn a", "Syntax 2:9 SyntaxError: unexpected token in expression: ';'"),
        ("return 1 +", "Syntax 1:11 SyntaxError: unclosed expression or block, or unmatched closing bracket"),
        (
            "const a = 1;\nreturn [a,",
            "Syntax 2:11 SyntaxError: unclosed expression or block, or unmatched closing bracket",
        ),
        (
            "if (true) {\n  return 1\n",
            "Syntax 2:11 SyntaxError: unclosed expression or block, or unmatched closing bracket",
        ),
        ("return }", "Syntax 1:9 SyntaxError: unclosed expression or block, or unmatched closing bracket"),
        ("const x = 1;\nx.y.z;", "Thrown 2:1 TypeError: cannot read property 'z' of undefined"),
        ("const x = 1;\nreturn x.y.z;", "Thrown 2:8 TypeError: cannot read property 'z' of undefined"),
        ("\n\nfail('x')", "Thrown 3:1 no: x"),
        ("function f() {\n  return fail('deep')\n}\nreturn f()", "Thrown 2:10 no: deep"),
        ("throw new RangeError('own')", "Thrown 1:11 RangeError: own"),
        ("throw 'text'", "Thrown text"),
        ("throw {code: 3}", "Thrown {\"code\":3}"),
        ("missing()", "Thrown 1:1 ReferenceError: missing is not defined"),
        ("await Promise.reject(new Error('no'))", "Thrown 1:26 no"),
        ("(async () => { throw new Error('lost') })(); log('x'); 1", "Thrown 1:26 lost"),
        ("await new Promise(() => {})", "Waiting it waits for a promise that nothing can settle"),
        ("setTimeout(() => {}, 1)", "Thrown 1:1 ReferenceError: setTimeout is not defined"),
        ("require('fs')", "Thrown 1:1 ReferenceError: require is not defined"),
        (
            "return [typeof process, typeof std, typeof os, typeof fetch, typeof Atomics].join()",
            "text undefined,undefined,undefined,undefined,undefined",
        ),
        ("const a = {}; a.a = a; return a", "Thrown TypeError: circular reference"),
    ])
    .await;
}

#[tokio::test]
async fn built_ins_are_immutable_and_ordinary_code_still_works() {
    check(&[
        ("'use strict'; Array.prototype.map = () => 'evil'", "Thrown 1:15 TypeError: 'map' is read-only"),
        ("Array.prototype.map = () => 'evil'; return [1].map(x => x + 1)", "json [2]"),
        ("Object.prototype.toJSON = () => 'evil'; return {a: 1}", "json {\"a\":1}"),
        (
            "try { Object.prototype.toString = 1 } catch (e) { return e.message }",
            "text toString is built in and cannot be changed",
        ),
        ("JSON.stringify = () => 'evil'; return {a: 1}", "json {\"a\":1}"),
        ("JSON.parse = () => 'evil'; return json('[1]')", "json [1]"),
        ("Promise.prototype.then = null; return await echo('a')", "text a"),
        ("echo.call = 1; return Object.isFrozen(echo)", "json true"),
        ("Object.setPrototypeOf(Array.prototype, {x: 1})", "Thrown 1:23 TypeError: object is not extensible"),
        (
            "class E extends Error { constructor(m) { super(m); this.name = 'E'; } }\nthrow new E('own')",
            "Thrown 1:48 E: own",
        ),
        (
            "const o = {}; o.toString = () => 'mine'; o.constructor = 1; return `${o}${o.constructor}`",
            "text mine1",
        ),
        ("function A() {} A.prototype.toString = function () { return 'A' }; return '' + new A()", "text A"),
        ("globalThis.mine = 1; return mine", "json 1"),
        ("(function () { return this.constructor.constructor('return 5')() })()\nreturn 1", "json 1"),
    ])
    .await;
}

/// Each hostile script is stopped by a limit or fails with an error.
#[tokio::test]
async fn hostile_scripts_end_within_their_limits() {
    let rows: &[(&str, &[ScriptErrorKind])] = &[
        ("while(true){}", &[ScriptErrorKind::Compute]),
        ("for(;;);", &[ScriptErrorKind::Compute]),
        ("await 1; while(true){}", &[ScriptErrorKind::Compute]),
        ("try { while(true){} } catch { } finally { while(true){} }", &[ScriptErrorKind::Compute]),
        (
            "(function f() { try { f() } catch { f() } })()",
            &[ScriptErrorKind::Compute, ScriptErrorKind::Stack],
        ),
        ("/^(a+)+$/.test('a'.repeat(40) + 'b')", &[ScriptErrorKind::Compute]),
        ("'a'.repeat(5000).match(/(a*)*(a*)*(a*)*b/)", &[ScriptErrorKind::Compute]),
        ("const a = []; while (true) a.push(new Array(1000).fill('x'))", &[ScriptErrorKind::Heap]),
        ("let s = 'x'; while (true) s += s", &[ScriptErrorKind::Heap, ScriptErrorKind::Thrown]),
        ("'x'.repeat(2 ** 30)", &[ScriptErrorKind::Heap, ScriptErrorKind::Thrown]),
        ("new ArrayBuffer(2 ** 31)", &[ScriptErrorKind::Heap, ScriptErrorKind::Thrown]),
        ("(function f() { f() })()", &[ScriptErrorKind::Stack]),
        ("const f = () => [1].map(f); f()", &[ScriptErrorKind::Stack]),
        (
            "let a = []; for (let i = 0; i < 1e6; i++) a = [a]; JSON.stringify(a)",
            &[ScriptErrorKind::Stack, ScriptErrorKind::Heap, ScriptErrorKind::Compute],
        ),
        ("JSON.parse('['.repeat(1e6))", &[ScriptErrorKind::Stack, ScriptErrorKind::Thrown]),
        ("new RegExp('('.repeat(1e6))", &[ScriptErrorKind::Stack, ScriptErrorKind::Thrown]),
        ("eval('('.repeat(1e6))", &[ScriptErrorKind::Stack, ScriptErrorKind::Thrown]),
        ("async function f() { while (true) await null }\nf()", &[ScriptErrorKind::Compute]),
        (
            "const p = []; while (true) p.push(Promise.resolve().then(() => {}))",
            &[ScriptErrorKind::Heap, ScriptErrorKind::Compute],
        ),
        (
            "const f = () => Promise.resolve().then(f); f()",
            &[ScriptErrorKind::Compute, ScriptErrorKind::Heap],
        ),
        ("function* g() { while (true) yield 1 } for (const x of g()) ;", &[ScriptErrorKind::Compute]),
        ("function* g() { yield* g() } [...g()]", &[ScriptErrorKind::Stack]),
        (
            "[...{ *[Symbol.iterator]() { while (true) yield 1 } }]",
            &[ScriptErrorKind::Heap, ScriptErrorKind::Compute],
        ),
        ("return { get a() { while (true) {} } }", &[ScriptErrorKind::Compute]),
        ("return { toJSON() { while (true) {} } }", &[ScriptErrorKind::Compute]),
        ("return new Proxy({}, { ownKeys() { while (true) {} } })", &[ScriptErrorKind::Compute]),
        (
            "throw { get message() { while (true) {} }, toString() { while (true) {} }, toJSON() { while (true) {} } }",
            &[ScriptErrorKind::Compute],
        ),
        (
            "class E extends Error { get message() { while (true) {} } } throw new E()",
            &[ScriptErrorKind::Compute],
        ),
        ("echo({ toString() { while (true) {} } })", &[ScriptErrorKind::Compute]),
        ("log({ toJSON() { while (true) {} } })", &[ScriptErrorKind::Compute]),
        ("while (true) log('x'.repeat(1000))", &[ScriptErrorKind::Compute]),
        ("while (true) output('x'.repeat(1000))", &[ScriptErrorKind::Compute]),
        ("while (true) echo('x')", &[ScriptErrorKind::Calls]),
        ("try { while (true) echo('x') } catch {} return 1", &[ScriptErrorKind::Calls]),
        ("Array.prototype.reverse.call({ length: 2 ** 53 - 1 })", &[ScriptErrorKind::Thrown]),
        ("Array.prototype.join.call({ length: 2 ** 53 - 1 }, '')", &[ScriptErrorKind::Thrown]),
        ("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", &[ScriptErrorKind::Compute]),
        ("new Array(2 ** 32 - 1).sort()", &[ScriptErrorKind::Thrown]),
        (
            "let a = []; for (let i = 0; i < 60; i++) a = [a, a]; a.flat(Infinity)",
            &[ScriptErrorKind::Compute],
        ),
        ("('a'.repeat(1e7)).indexOf('a'.repeat(4e6) + 'b')", &[ScriptErrorKind::Thrown]),
        ("return 'x'.repeat(2 ** 21)", &[ScriptErrorKind::Thrown]),
        (
            "let n = 3n; while (true) n = n * n",
            &[ScriptErrorKind::Thrown, ScriptErrorKind::Compute, ScriptErrorKind::Heap],
        ),
        (
            "Error.prepareStackTrace = () => { while (true) {} }; throw new Error('x')",
            &[ScriptErrorKind::Compute, ScriptErrorKind::Thrown],
        ),
        ("slow(60000)", &[ScriptErrorKind::Time]),
        ("try { slow(60000) } catch { while (true) {} }", &[ScriptErrorKind::Time]),
        ("deaf()", &[ScriptErrorKind::Time]),
    ];
    let mut wrong = Vec::new();
    each_async(rows, async |(source, wanted)| {
        let mut script = script(source);
        script.limits.wall =
            Duration::from_secs(if wanted.contains(&ScriptErrorKind::Time) { 1 } else { 30 });
        let begin = Instant::now();
        let ended = ended(script).await;
        let why = ended.value.as_ref().err().map(|fault| fault.why);
        if !why.is_some_and(|why| wanted.contains(&why)) {
            wrong.push(format!("{source}: {}", described(&ended)));
        }
        // Far above any limit, so that a slow machine does not fail the test.
        assert!(begin.elapsed() < Duration::from_secs(60), "{source}");
    })
    .await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn logs_and_outputs_remain_after_a_limit_ends_a_script() {
    let ended = ended(script("log('one', {a: 1}); output('shown'); echo('x'); while (true) {}")).await;
    assert_eq!(ended.value.map_err(|fault| fault.why), Err(ScriptErrorKind::Compute));
    assert_eq!(ended.logs.lines, [r#"one {"a":1}"#]);
    assert_eq!(ended.outputs.lines, ["shown"]);
    assert_eq!((ended.used.calls, ended.used.failed), (1, 0));
    assert!(ended.used.compute >= Duration::from_millis(400), "{:?}", ended.used);
}

#[tokio::test]
async fn excess_log_lines_are_counted_and_dropped() {
    let mut flood = script("for (let i = 0; i < 5000; i++) log('0123456789')");
    flood.limits.log = 100;
    let ended = ended(flood).await;
    assert_eq!(ended.logs.lines.len() + ended.logs.left_out, 5000);
    assert_eq!(ended.logs.lines.last().unwrap(), "0… (9 more bytes)");
}

#[tokio::test]
async fn parallel_calls_run_concurrently_and_return_in_order() {
    let host = Arc::new(Echo::default());
    let most = host.most.clone();
    let ended =
        run(script("return all('slow', [60, 50, 40, 30, 20, 10])"), host, CancellationToken::new()).await;
    assert_eq!(described(&ended), r#"json ["60","50","40","30","20","10"]"#);
    assert_eq!(most.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn cancellation_stops_a_running_script() {
    for source in ["while (true) {}", "slow(60000)", "try { slow(60000) } catch {} while (true) {}"] {
        let mut script = script(&format!("echo('begun'); {source}"));
        script.limits.compute = Duration::from_secs(100);
        let cancel = CancellationToken::new();
        let (host, giver) = (Arc::new(Echo::default()), cancel.clone());
        let most = host.most.clone();
        tokio::spawn(async move {
            while most.load(Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            giver.cancel();
        });
        let ended = run(script, host, cancel).await;
        assert_eq!(described(&ended), "Cancelled the caller cancelled", "{source}");
    }
}

/// A script that cannot be interrupted is abandoned: its caller gets an answer, and other scripts run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_uninterruptible_script_is_abandoned() {
    // A sparse array of 2^31 elements: `JSON.stringify` goes through all of them without a check of the
    // limits.
    let mut stubborn = script("log('begun'); JSON.stringify({}, new Array(2 ** 31)); return 1");
    stubborn.limits.wall = Duration::from_secs(1);
    let begin = Instant::now();
    let ended = tokio::time::timeout(Duration::from_secs(60), ended(stubborn)).await.unwrap();
    assert_eq!(ended.value.map_err(|fault| fault.why), Err(ScriptErrorKind::Time));
    // The caller waited for the grace period after the time limit, and the script did not stop.
    assert!(begin.elapsed() >= Duration::from_secs(2), "{:?}", begin.elapsed());
    assert_eq!(ended.logs.lines, ["begun"]);
    assert_eq!(described(&self::ended(script("return echo('near')")).await), "text near");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_scripts_run_while_one_loops() {
    let looping = tokio::spawn(ended(script("while (true) {}")));
    for _ in 0..3 {
        assert_eq!(described(&ended(script("return echo('near')")).await), "text near");
    }
    assert_eq!(looping.await.unwrap().value.map_err(|fault| fault.why), Err(ScriptErrorKind::Compute));
}
