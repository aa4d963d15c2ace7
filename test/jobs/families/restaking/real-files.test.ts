import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BaseRestaking, RestakingProtocol } from '../../../../schemas/restaking.ts';
import { publishedManifest, type TestFolder, testFolder } from '../../../support/pipeline-world.ts';
import { confidenceOf, documentsOf, exampleFiles, runFiles } from '../../../support/published-files.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';

vi.setConfig({ testTimeout: 120_000 });

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

interface Listed {
  readonly name: string;
  readonly tvl?: number;
}

const unknown = {
  total_restaked_native: null,
  registered_node_operators: null,
  staker_rewards: null,
  protocol_fees: null,
  node_operator_fees: null,
};

const timeOf = (file: string) => {
  const [, day, hour, minute, second] = /(\d{4}-\d{2}-\d{2})T(\d{2})(\d{2})(\d{2})/.exec(file) ?? [];
  return Date.parse(`${day}T${hour}:${minute}:${second}Z`) / 1000;
};

/** Every record that the files hold, newest first and then by name, one a day and protocol. */
function recordsOf(files: readonly string[]): readonly RestakingProtocol[] {
  const byDay = new Map<string, RestakingProtocol>();
  for (const file of files.toSorted()) {
    const timestamp = timeOf(file);
    const listed = JSON.parse(readFileSync(realData(`restaking/${file}`), 'utf8')) as readonly Listed[];
    for (const { name: given, tvl } of listed) {
      if (tvl === undefined) continue;
      const name = given === 'EigenCloud' ? 'eigenlayer' : given.toLowerCase().split(' ').join('');
      const total_restaked_usd = Number(tvl.toFixed(2));
      byDay.set(`${Math.floor(timestamp / 86_400)} ${name}`, {
        ...unknown,
        name,
        total_restaked_usd,
        timestamp,
      });
    }
  }
  return [...byDay.values()].sort((a, b) => b.timestamp - a.timestamp || (a.name < b.name ? -1 : 1));
}

const weekOf = (dir: string) => documentsOf<readonly RestakingProtocol[]>(dir, 'restaking-week')['all'] ?? [];

describeRealData('six listings of December 2025', () => {
  const files = readdirSync(realData('restaking'));
  const last = timeOf(files.toSorted().at(-1) ?? '');

  test('on the 17th the week is that of the three listings since the 11th', async () => {
    expect(await runFiles(folder.dir, exampleFiles('restaking'), last)).toEqual([]);
    const week = weekOf(folder.dir);
    expect(week).toEqual(recordsOf(files.filter((file) => timeOf(file) >= Date.UTC(2025, 11, 11) / 1000)));
    expect(week).toHaveLength(3 * 43);
  });

  test('the latest record of every protocol is that of its last listing since the seventh day before', async () => {
    await runFiles(folder.dir, exampleFiles('restaking'), last);
    const latest = documentsOf<readonly RestakingProtocol[]>(folder.dir, 'restaking-latest');
    const since = last - (last % 86_400) - 7 * 86_400;
    const oldestFirst = recordsOf(files.filter((file) => timeOf(file) >= since)).toReversed();
    expect(latest).toEqual(Object.fromEntries(oldestFirst.map((record) => [record.name, [record]])));
    expect(latest['mantlerestaking']?.[0]?.timestamp).toBeLessThan(last - 6 * 86_400);
    expect(Object.keys(latest)).toContain('ether.fistake');
    expect(Object.keys(latest)).not.toContain('octopusnetwork');
  });

  test('of two listings of one day the later one counts', async () => {
    const day = Date.UTC(2025, 11, 8) / 1000;
    const ofDay = files.filter((file) => timeOf(file) < day + 86_400);
    const { profile, sources } = exampleFiles('restaking');
    const known = Object.entries(sources).filter(([id]) => id.includes('2025-12-08'));
    await runFiles(folder.dir, { profile, sources: Object.fromEntries(known) }, day + 86_399);
    expect(ofDay).toHaveLength(2);
    expect(weekOf(folder.dir)).toEqual(recordsOf(ofDay));
    expect(new Set(weekOf(folder.dir).map(({ timestamp }) => timestamp))).toEqual(
      new Set([timeOf(ofDay.toSorted().at(-1) ?? '')]),
    );
  });

  test('listings from the future are in quarantine, and the gate names them', async () => {
    expect(await runFiles(folder.dir, exampleFiles('restaking'), last - 1)).toEqual([
      expect.stringMatching(
        /: all 44 rows of restaking-tvl-2025-12-17T000545\.json were refused \(observed_at: /,
      ),
    ]);
    const { quality_gate } = publishedManifest(folder.dir).datasets['restaking-week'] ?? {};
    expect(quality_gate?.verdict).toBe('warn');
    expect(JSON.stringify(quality_gate)).toMatch(/44 rows of restaking_state from [a-z0-9-]+ were refused/);
  });

  test('the base protocol has its value in USD and nothing that the files do not tell', async () => {
    await runFiles(folder.dir, exampleFiles('restaking'), last);
    const base = documentsOf<readonly BaseRestaking[]>(folder.dir, 'base-restaking-week');
    expect(Object.keys(base)).toEqual(['eigenlayer']);
    expect(JSON.stringify(base['eigenlayer']?.[0])).toBe(
      '{"deployed_pods":null,"name":"eigenlayer","strategy_count":null,"timestamp":1765929945,"total_restaked_native":null,' +
        '"total_restaked_usd":12461505494.24,"total_staked_native":null,"total_staked_usd":null}',
    );
    expect(base['eigenlayer']).toHaveLength(3);
  });

  test('what is not known is named, and lowers the confidence', async () => {
    await runFiles(folder.dir, exampleFiles('restaking'), last);
    const fields = Object.keys(unknown).sort();
    expect(confidenceOf(folder.dir, 'restaking-week')).toMatchObject({
      level: 'low',
      reasons: [
        ...fields.filter((field) => field < 'o').map((field) => `${field}: not known in 129 of 129 records`),
        'octopusnetwork: no figure is known',
        ...fields.filter((field) => field > 'o').map((field) => `${field}: not known in 129 of 129 records`),
        expect.stringMatching(/^karak: 2 rows of restaking_state landed, .* older than the seven days/),
      ],
    });
    expect(confidenceOf(folder.dir, 'base-restaking-week')?.reasons).toEqual([
      'eigenlayer: not known on 3 days: total_restaked_native, total_staked_native, total_staked_usd, strategy_count, deployed_pods',
    ]);
    const { quality_gate, sources } = publishedManifest(folder.dir).datasets['restaking-week'] ?? {};
    expect(quality_gate?.verdict).toBe('warn');
    expect(sources).toHaveLength(6);
  });
});
