// The official TypeScript client: lists the tools and calls each of them, in both modes.
// usage: node client.mjs BINARY ROOT auto|legacy
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import assert from 'node:assert/strict';

const [binary, root, mode] = process.argv.slice(2);
const resolve = createRequire(join(process.env.NODE_MODULES, 'package.json')).resolve;
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { Client } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');

let passed = 0, failed = 0;
async function check(what, act) {
  try { await act(); passed += 1; } catch (error) { failed += 1; console.log(`FAILED ${mode}: ${what}: ${String(error.message).slice(0, 500)}`); }
}

const client = new Client({ name: 'toolpost-tests', version: '1' }, { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } });
await client.connect(new StdioClientTransport({ command: binary, args: ['serve', '--root', root], cwd: root }));
const call = (name, args) => client.callTool({ name, arguments: args });
const words = (result) => result.content.map((part) => part.text ?? '').join('\n');

await check('the tools', async () => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ['Read', 'Edit', 'Write', 'Glob', 'Grep']);
});
await check('Write', async () => assert.match(words(await call('Write', { file_path: `new-${mode}.txt`, content: 'one\ntwo\n' })), /^Created new-/));
await check('Edit', async () => {
  const result = await call('Edit', { file_path: `new-${mode}.txt`, old_string: 'two', new_string: 'zwei' });
  assert.ok(!result.isError, words(result));
  assert.equal(readFileSync(join(root, `new-${mode}.txt`), 'utf8'), 'one\nzwei\n');
});
await check('Read', async () => assert.equal(words(await call('Read', { file_path: `new-${mode}.txt` })), '     1\tone\n     2\tzwei'));
await check('Glob', async () => assert.match(words(await call('Glob', { pattern: `new-${mode}.*` })), new RegExp(`^new-${mode}\\.txt`)));
await check('Grep', async () => assert.match(words(await call('Grep', { pattern: '^zwei$', glob: `new-${mode}.*`, output_mode: 'content' })), /:2:zwei/));
await check('a failure is a result', async () => {
  const result = await call('Read', { file_path: 'no/such/file' });
  assert.equal(result.isError, true);
  assert.match(words(result), /not found/i);
});
await check('wrong arguments are a result', async () => assert.equal((await call('Read', { file_path: { a: 1 } })).isError, true));
await client.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
