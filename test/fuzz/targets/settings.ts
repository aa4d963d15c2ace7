// The configuration file, `.env` and the sections: the operator may paste anything.
import { loadConfig } from '../../../jobs/config.ts';
import { loadSettings } from '../../../platform/settings/load-settings.ts';
import { SettingsError } from '../../../platform/settings/settings-error.ts';
import { demand, type FuzzTarget } from '../fuzz-target.ts';

const SOURCE = {
  table: 'oracle_round',
  path: 'rounds.csv',
  format: 'csv',
  fields: { chain: { value: 'ethereum' }, observed_at: { from: 'time', time: 'iso8601' } },
  where: { kind: ['a', 'b'] },
  expects: { subjects: ['a'], since: '2026-01-01' },
};
const LIVE = {
  ...SOURCE,
  path: undefined,
  request: { url: 'https://a.example/{key}', headers: { 'x-key': `${'$'}{A_KEY}` } },
  pager: { kind: 'keyset', field: 'id', order: 'asc' },
  every: '5m',
};

const from = 'the operator';
const refuses = [SettingsError];

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'settings/dot-env',
    from,
    seeds: ['PORT=8080\nexport DATA_DIR="a b" # x\n# y\nLOG=\'z\'\n', '\ufeffHOST=::1'],
    tokens: ['=', '#', '"', "'", 'export ', 'PORT', 'DATA_DIR', 'CONFIG'],
    refuses,
    operations: (bytes) => 2_000_000 + 20_000 * bytes,
    run: (input) => {
      const { settings } = loadSettings({ env: {}, dotEnv: input.toString(), readFile: () => '{}' });
      demand(Object.isFrozen(settings), 'settings that can change');
    },
  },
  {
    name: 'settings/file',
    from,
    seeds: [
      JSON.stringify({
        port: 8080,
        sources: { a: SOURCE, b: LIVE },
        hosts: { 'a.example': { per_minute: 5 } },
      }),
      JSON.stringify({ policy: { policy_version: '1.1.0' } }),
    ],
    tokens: ['sources', 'policy', 'hosts', 'request', 'fields', 'time', 'number', 'scale', 'recordings_of'],
    refuses,
    maxBytes: 8_192,
    operations: (bytes) => 20_000_000 + 40_000 * bytes,
    run: (input) => loadConfig({ env: { CONFIG: 'a.json' }, readFile: () => input.toString() }),
  },
];
