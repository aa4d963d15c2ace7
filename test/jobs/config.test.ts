import { expect, test } from 'vitest';
import { loadConfig } from '../../jobs/config.ts';
import { settingFlags } from '../../platform/command-line/command-line.ts';
import { SettingsError } from '../../platform/settings/settings-error.ts';

const files: { readonly [path: string]: unknown } = {
  'wrong.json': {
    porte: 8080,
    policy: { peg: { assets: [{ symbol: 'USDC', quote: 'USD', enter_bps: -1 }] } },
    sources: { mine: { table: 'feed_rounds', path: 'x.csv', format: 'csv', name: 'Mine', fields: {} } },
  },
  'unknown-source-table.json': {
    profile: 'files',
    sources: { mine: { table: 'nothing', path: 'x.csv', format: 'csv', name: 'Mine', fields: {} } },
  },
  'demo.json': {
    sources: {
      mine: {
        table: 'tvl_reading',
        path: 'x.csv',
        format: 'csv',
        name: 'Mine',
        fields: { protocol: { value: 'p' }, observed_at: { from: 'at', time: 'unix_s' }, tvl_usd: 'usd' },
      },
    },
  },
};

const problemsOf = (argv: readonly string[]) => {
  try {
    loadConfig({ flags: settingFlags(...argv), env: {}, readFile: (path) => JSON.stringify(files[path]) });
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ where }) => where);
    throw error;
  }
  return [];
};

test('mistakes in settings, policy and sources are reported together', () => {
  const positions = problemsOf(['--config', 'wrong.json', '--demo-days', 'many']);
  expect(positions).toContain('flag --demo-days');
  expect(positions).toContain('wrong.json: porte');
  expect(positions.filter((location) => location.startsWith('policy.peg.assets'))).not.toEqual([]);
  expect(positions.filter((location) => location.startsWith('sources.mine'))).not.toEqual([]);
});

test('a mistake in the sources is found by every command, also one that reads none', () => {
  expect(problemsOf(['status', '--config', 'unknown-source-table.json'])).toEqual(['sources.mine.table']);
});

test('sources under the profile demo are a mistake, wherever the profile comes from', () => {
  const reported = ['sources', 'sources.mine.table'];
  expect(problemsOf(['run', '--config', 'unknown-source-table.json', '--profile', 'demo'])).toEqual(reported);
  expect(problemsOf(['run', '--config', 'demo.json'])).toEqual(['sources']);
  expect(problemsOf(['run', '--config', 'demo.json', '--profile', 'live'])).toEqual([]);
});
