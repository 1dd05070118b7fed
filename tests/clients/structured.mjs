// The official TypeScript client with `--structured`: it throws if a reply violates the published output schema.
// usage: node structured.mjs BINARY FOLDER; FOLDER must contain calls.json, which structured.py writes
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [binary, folder] = process.argv.slice(2);
const resolve = createRequire(join(process.env.NODE_MODULES, 'package.json')).resolve;
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { Client } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');

let passed = 0, failed = 0, structured = 0;
for (const scene of JSON.parse(readFileSync(join(folder, 'calls.json'), 'utf8'))) {
  const base = mkdtempSync(join(folder, 'scene-'));
  const root = join(base, 'tree'), home = join(base, 'home');
  mkdirSync(root); mkdirSync(home);
  for (const [name, text] of Object.entries(scene.files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const client = new Client({ name: 'toolpost-tests', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  const args = ['serve', '--structured', '--ask', 'allow', ...scene.options, '--root', root];
  await client.connect(new StdioClientTransport({ command: binary, args, cwd: root, env: { HOME: home, PATH: '/usr/bin:/bin' } }));
  // The client learns the schemas from the list.
  await client.listTools();
  let job = '';
  for (const [tool, given] of scene.calls) {
    const said = JSON.parse(JSON.stringify(given).replaceAll('{job}', job).replaceAll('{root}', root));
    try {
      const result = await client.callTool({ name: tool, arguments: said });
      const words = result.content.map((part) => part.text ?? '').join('\n');
      if (words.startsWith('command_id: ')) job = words.split(/\s+/)[1];
      if (result.structuredContent !== undefined) structured += 1;
      passed += 1;
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${scene.dialect}: ${tool} ${JSON.stringify(said).slice(0, 200)}: ${String(error.message).slice(0, 400)}`);
    }
  }
  await client.close();
  rmSync(base, { recursive: true, force: true });
}
if (structured < 100) { failed += 1; console.log(`FAILED only ${structured} replies have structure`); }
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
