// Has the conformance suite of the protocol check the server: `npm run test:mcp`. It runs the scenarios that apply to a server with tools
// alone, and fails on every check that is not accepted below. Needs the registry: npm fetches the suite.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MCP_PATH } from '../../../server/mcp/mcp-endpoint.ts';
import { ServerFixture } from '../server-fixture.ts';

/** The first with scenarios of 2026-07-28. */
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

/** Scenarios, each with the checks that need what only the suite's own server has: its tools, prompts and resources. */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  'server-initialize': [],
  ping: [],
  'tools-list': [],
  'dns-rebinding-protection': [],
  'http-header-validation': [],
  'input-required-result-unsupported-methods': [],
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
  caching: [
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ],
};

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

async function checksOf(url: string, scenario: string): Promise<readonly Check[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
  const suite = ['exec', '--yes', `--package=${SUITE}`, '--', 'conformance', 'server'];
  const args = [...suite, '--url', url, '--scenario', scenario, '--output-dir', folder];
  const child = spawn('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'exit');
  const checks = readdirSync(folder).flatMap(
    (run) => JSON.parse(readFileSync(join(folder, run, 'checks.json'), 'utf8')) as readonly Check[],
  );
  rmSync(folder, { recursive: true });
  return checks;
}

const fixture = await ServerFixture.create();
await fixture.publish();
const server = await fixture.serve();
let failures = 0;
for (const [scenario, accepted] of Object.entries(SCENARIOS)) {
  const checks = await checksOf(server.url + MCP_PATH, scenario);
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  const failed = checks.filter(({ id, status }) => status === 'FAILURE' && !accepted.includes(id));
  console.log(`${scenario}: ${passed} passed, ${failed.length} failed`);
  for (const { id, errorMessage = '' } of failed) console.log(`  ${id}: ${errorMessage}`);
  failures += failed.length + (passed === 0 ? 1 : 0);
}
await fixture.remove();
process.exitCode = failures === 0 ? 0 : 1;
