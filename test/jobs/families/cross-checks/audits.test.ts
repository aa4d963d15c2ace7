import { afterAll, expect, test } from 'vitest';
import { isAbout } from '../../../../jobs/pipeline/gate/audit.ts';
import { traced } from '../../../../jobs/pipeline/models/lineage.ts';
import { domains } from '../../../../jobs/registry.ts';
import { openAuditBench } from '../../../support/audit-findings.ts';
import { modelsOf } from '../../../support/case-duckdb.ts';

const DAY = 1_728_000_000;
const { found, close } = await openAuditBench(domains, { start: DAY, end: DAY + 86_400, now: DAY + 86_399 });
afterAll(close);

test('networks that another source puts elsewhere are named, with their share', async () => {
  const rows = ['arbitrum', 'base', 'optimism', 'scroll'].map((subject, index) => ({
    source: 'l2beat',
    metric: 'layer2_tvl_usd',
    subject,
    is_apart: index < 2,
  }));
  expect(await found('derived.layer2_check', rows)).toEqual([
    {
      reason: 'l2beat disagrees about the value locked in 2 of 4 networks: arbitrum, base',
      weight: 0.5,
    },
  ]);
  expect(await found('derived.layer2_check', rows.slice(2))).toEqual([]);
});

test('markets that another source puts elsewhere are counted by figure', async () => {
  const row = (subject: string, is_apart: boolean) => ({
    source: 'aave-api',
    metric: 'market_borrowed_usd',
    chain: 'ethereum',
    subject,
    is_apart,
  });
  expect(
    await found('derived.market_check', [row('0xb', true), row('0xa', true), row('0xc', false)]),
  ).toEqual([
    {
      reason: 'aave-api disagrees about market_borrowed_usd of 2 of 3 markets, such as ethereum 0xa',
      weight: 2 / 3,
    },
  ]);
});

test('networks whose supply another source puts elsewhere are named', async () => {
  const row = (subject: string, is_apart: boolean) => ({
    source: 'ultrasound',
    metric: 'network_supply_native',
    subject,
    is_apart,
  });
  expect(await found('derived.network_supply_check', [row('ethereum', true), row('other', false)])).toEqual([
    { reason: 'ultrasound disagrees about the supply of 1 of 2 networks: ethereum', weight: 0.5 },
  ]);
  expect(await found('derived.network_supply_check', [row('other', false)])).toEqual([]);
});

test('incidents that the security registry does not have are counted, with an example', async () => {
  const row = (protocol: string, known: number) => ({
    source: 'defillama',
    protocol,
    observed_at: DAY + 40_000,
    known,
  });
  expect(await found('derived.incident_check', [row('aave', 0), row('euler', 1), row('curve', 0)])).toEqual([
    {
      reason:
        'defillama lists 2 incidents that the security registry does not have, such as aave on 2024-10-04: review the registry',
      weight: 2 / 3,
    },
  ]);
  expect(await found('derived.incident_check', [row('euler', 1)])).toEqual([]);
});

test('the gates of the figures that are compared warn, and nothing that is published rests on a cross-check', async () => {
  const set = await modelsOf(domains);
  const dataset = (id: string) => {
    const one = domains.flatMap(({ datasets }) => [...datasets]).find((other) => other.id === id);
    if (one === undefined) throw new Error(`there is no ${id}`);
    return traced({ models: set.models, domains }, one);
  };
  const audits = (id: string) =>
    set.audits.filter((audit) => audit.table.endsWith('_check') && isAbout(audit, dataset(id).lineage));
  expect(audits('layer2-statistics').map(({ table }) => table)).toEqual(['derived.layer2_check']);
  expect(audits('lending-markets').map(({ table }) => table)).toEqual(['derived.market_check']);
  expect(audits('network-a-network-statistics').map(({ table }) => table)).toEqual([
    'derived.network_supply_check',
  ]);
  expect(audits('overall-scores').map(({ table }) => table)).toEqual(['derived.incident_check']);
  for (const { datasets } of domains)
    for (const { id } of datasets) expect(dataset(id).lineage.has('landing.cross_check')).toBe(false);
});
