// The tokens (o200k) of the tool list as a model sees it: name, description and input schema of each tool.
// usage: node tokens.mjs BINARY ROOT
import { createRequire } from 'node:module';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const [binary, root] = process.argv.slice(2);
const { encode } = createRequire(join(process.env.NODE_MODULES, 'package.json'))('gpt-tokenizer/encoding/o200k_base');
const BUDGETS = { claude: 650, trae: 1400, opencode: 1300, probe: 1900, zblade: 3000 };
const TOGETHER = 8000;

const opening = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'toolpost-tests', version: '1' } } },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
];
const input = opening.map((message) => `${JSON.stringify(message)}\n`).join('');
let passed = 0, failed = 0, together = 0;
function within(name, tokens, most) {
  if (tokens <= most) { passed += 1; return; }
  failed += 1;
  console.log(`FAILED ${name}: ${tokens} tokens, at most ${most} are meant`);
}
for (const [dialect, most] of Object.entries(BUDGETS)) {
  const served = spawnSync(binary, ['serve', '--dialect', dialect, '--root', root], { input, encoding: 'utf8', maxBuffer: 1 << 26 });
  const list = served.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line)).find((message) => message.id === 2);
  let tokens = 0, bytes = 0;
  for (const { name, description, inputSchema } of list.result.tools) {
    const seen = JSON.stringify({ name, description, inputSchema });
    tokens += encode(seen).length;
    bytes += Buffer.byteLength(seen);
  }
  together += tokens;
  console.log(`${dialect}: ${tokens} tokens, ${Math.floor((bytes * 100) / tokens)} bytes for 100`);
  within(dialect, tokens, most);
}
within('all', together, TOGETHER);
console.log(`${together} tokens together`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
