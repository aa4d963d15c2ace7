import { afterAll, expect, test } from 'vitest';
import { crossChecks } from '../../../jobs/cross-checks/domain.ts';
import { layer2 } from '../../../jobs/layer2/domain.ts';
import { lending } from '../../../jobs/lending/domain.ts';
import { oracles } from '../../../jobs/oracles/domain.ts';
import { isAbout } from '../../../jobs/pipeline/gate/audit.ts';
import { traced } from '../../../jobs/pipeline/models/lineage.ts';
import { sources } from '../../../jobs/sources/domain.ts';
import { openAuditBench } from '../../support/audit-findings.ts';
import { modelsOf } from '../../support/case-duckdb.ts';

const DAY = 1_728_000_000;
const DOMAINS = [sources, oracles, layer2, lending, crossChecks];
const { found, close } = await openAuditBench(DOMAINS, { start: DAY, end: DAY + 86_400, now: DAY + 86_399 });
afterAll(close);

test('networks that another source puts elsewhere are named, with their share', async () => {
  const rows = ['arbitrum', 'base', 'optimism', 'scroll'].map((subject, place) => ({
    source: 'l2beat',
    metric: 'layer2_tvl_usd',
    subject,
    is_apart: place < 2,
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

test('the gates of the figures that are compared warn, and nothing that is published rests on a cross-check', async () => {
  const set = await modelsOf(DOMAINS);
  const dataset = (id: string) => {
    const one = DOMAINS.flatMap(({ datasets }) => [...datasets]).find((other) => other.id === id);
    if (one === undefined) throw new Error(`there is no ${id}`);
    return traced({ models: set.models, domains: DOMAINS }, one);
  };
  const audits = (id: string) =>
    set.audits.filter((audit) => audit.table.endsWith('_check') && isAbout(audit, dataset(id).lineage));
  expect(audits('layer2-statistics').map(({ table }) => table)).toEqual(['derived.layer2_check']);
  expect(audits('lending-markets').map(({ table }) => table)).toEqual(['derived.market_check']);
  for (const { datasets } of DOMAINS)
    for (const { id } of datasets) expect(dataset(id).lineage.has('landing.cross_check')).toBe(false);
});
