// A source that is removed says nothing more about its table: what is counted from it is unknown from then on, not 0.
import { expect, onTestFinished, test } from 'vitest';
import { openFileWorld } from '../../../support/file-world.ts';
import { neededFor } from '../../../support/needed-models.ts';

const NOW = Date.UTC(2026, 2, 10, 9) / 1000;
const ADDRESS = `0x${'a'.repeat(40)}`;

const state = (observedAt: number) => ({
  chain: 'ethereum',
  vault_address: ADDRESS,
  observed_at: observedAt,
  kind: 'erc4626',
  asset_decimals: 6,
  share_decimals: 18,
  share_price: '1.02',
  total_assets: '1000000000000',
});

function openVaults() {
  const world = openFileWorld({ domains: neededFor({ datasets: ['vaults'] }) });
  onTestFinished(() => world.remove());
  const row = () =>
    world.documents('vaults')[0]?.value as { pending_changes: number | null; gaps: unknown[] };
  return { world, row };
}

test('pending changes of a vault are unknown once no source delivers logs, and known again with the next one', async () => {
  const { world, row } = openVaults();
  world.write('vault_state', { 'a.ndjson': [state(NOW - 600)] });
  world.write('vault_log', { 'a.ndjson': '\n' });
  await world.run(NOW);
  expect(row()).toMatchObject({ pending_changes: 0, gaps: expect.not.arrayContaining(['changes_unknown']) });
  world.removeSource('vault_log');
  await world.run(NOW + 300);
  expect(row()).toMatchObject({ pending_changes: null });
  expect(JSON.stringify(row().gaps)).toContain('changes_unknown');
  world.write('vault_log', {});
  await world.run(NOW + 600);
  expect(row()).toMatchObject({ pending_changes: 0 });
});
