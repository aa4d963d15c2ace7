// The names of a version are put together once, from rows or from the facets of a list, and read again if they could not be read.
import { expect, test } from 'vitest';
import { Failure } from '../../../server/define/failure.ts';
import { checkNames } from '../../../server/replies/known-names.ts';
import type { Services } from '../../../server/services.ts';
import type { Manifest } from '../../../snapshots/layout.ts';

const documentsOf = (rows: Readonly<Record<string, object>>) => ({
  keys: () => Object.keys(rows).values(),
  get: (key: string) => (rows[key] === undefined ? undefined : Buffer.from(JSON.stringify(rows[key]))),
});
const ROWS: Readonly<Record<string, ReturnType<typeof documentsOf>>> = {
  pegs: documentsOf({ a: { chain: 'Base', protocol: 'liquity' } }),
  'yield-opportunities': documentsOf({ b: { chain: 'Unichain', venue: 'Morfo' } }),
  'overall-receipts': documentsOf({ aave: [] }),
};
const manifestOf = () => ({ datasets: {}, events: { last_event_id: null } }) as unknown as Manifest;
const FACETS: Readonly<Record<string, readonly string[]>> = { chain: ['unichain'], venue: ['morfo'] };
const table = { valuesOf: (facet: string) => FACETS[facet] ?? [] };

/** `fail`: the datasets that cannot be read; `isCurrent`: whether the version is the one in memory, with its lists. */
function servicesOf(manifest: Manifest, { fail = new Set<string>(), isCurrent = false } = {}) {
  const reads: string[] = [];
  const services = {
    replay: { has: async () => false, lastId: undefined },
    versions: {
      current: {
        manifest: isCurrent ? manifest : manifestOf(),
        list: (id: string) => (ROWS[id] ? { table } : undefined),
      },
      async datasetOf(id: string) {
        reads.push(id);
        if (fail.has(id)) throw new Failure('unavailable');
        const documents = ROWS[id];
        return documents && { documents };
      },
    },
  };
  return { services: services as unknown as Services, reads };
}

const VALUES = ['base', 'unichain', 'solana'].map((value) => ({ parameter: 'chain', facet: 'chain', value }));
const PROTOCOLS = ['liquity', 'morfo', 'aave', 'avae'].map((value) => ({
  parameter: 'protocol',
  facet: 'protocol',
  value,
}));

test.each([true, false])(
  'names are those of rows, or of the facets of a list: of the served version: %s',
  async (isCurrent) => {
    const manifest = manifestOf();
    const { services } = servicesOf(manifest, { isCurrent });
    const { unmatched, unchecked } = await checkNames(services, [...VALUES, ...PROTOCOLS], { manifest });
    expect([unmatched.map(({ value }) => value), unchecked]).toEqual([['solana', 'avae'], []]);
  },
);

test('a version is read once, and the rows of its largest list not at all', async () => {
  const manifest = manifestOf();
  const { services, reads } = servicesOf(manifest, { isCurrent: true });
  for (let time = 0; time < 3; time++) await checkNames(services, [...VALUES, ...PROTOCOLS], { manifest });
  expect(reads.filter((id, at) => reads.indexOf(id) !== at)).toEqual([]);
  expect(reads).toContain('pegs');
  expect(reads).not.toContain('yield-opportunities');
});

test('what could not be read is read again', async () => {
  const manifest = manifestOf();
  const fail = new Set(['pegs']);
  const { services } = servicesOf(manifest, { fail });
  const check = () => checkNames(services, VALUES, { manifest });
  expect(await check()).toEqual({ unmatched: [], unchecked: VALUES });
  fail.clear();
  expect(await check()).toEqual({ unmatched: VALUES.slice(2), unchecked: [] });
});
