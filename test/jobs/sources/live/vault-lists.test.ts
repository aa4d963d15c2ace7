// Vaults that are added to a list later, and vaults that are removed from it, on a real node: the logs of both are read.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Recording } from '../../../../jobs/sources/live/fetch/recording.ts';
import { bodyPath, type RecordingFolder } from '../../../../jobs/sources/live/fetch/recording-store.ts';
import { json } from './http/replay-server.ts';
import { type Anvil, describeOnNode, startAnvil, word } from './evm/anvil.ts';
import { openFixture, sourceOf } from './fetching-fixture.ts';

const CHAIN = 31_337;
const HOUR = 3_600;
const NOON = Date.UTC(2026, 0, 10, 12) / 1000;
const BEFORE_MIDNIGHT = NOON + 11.25 * HOUR;

/** Fees in the rows of a vault, from all recordings. */
function feesOf(vault: string, folder: RecordingFolder, recordings: readonly Recording[]): number[] {
  return recordings
    .flatMap((one) =>
      one.pages.map((page) => gunzipSync(readFileSync(bodyPath(folder, one, page))).toString()),
    )
    .flatMap((body) => body.split('\n').filter((line) => line.includes('vault_address')))
    .map((line) => JSON.parse(line) as { readonly vault_address: string; readonly data: string })
    .filter(({ vault_address }) => vault_address === vault)
    .map(({ data }) => Number(data));
}

describeOnNode('a list of vaults', () => {
  let node: Anvil;
  let vaults: readonly Address[];
  beforeAll(async () => {
    node = await startAnvil(['--timestamp', String(NOON)]);
    const token = word(1).slice(0, 42);
    vaults = [await node.deploy('Vault', [token]), await node.deploy('Vault', [token])];
  });
  afterAll(() => node.stop());

  /** Each list has its own address, because a directory is cached by address for half a day. */
  const sourceReading = (list: string, head: 'latest' | 'finalized', at = node) =>
    sourceOf({
      table: 'vault_log',
      chain: 'anvil',
      every: '5m',
      format: 'ndjson',
      window: { history: '1d', step: '1d', overlap: '1m' },
      request: {
        url: at.url,
        chain: { id: CHAIN, read: 'vault_logs', head, directory: `https://api.example/${list}` },
      },
    });

  it.each(['latest', 'finalized'] as const)(
    'yields logs up to the %s block of every vault that it ever named',
    async (head) => {
      const listed = (path: string) => (path === '/first' ? vaults.slice(0, 1) : vaults);
      const fixture = await openFixture(
        ({ path }) => json(listed(path).map((address) => ({ chainId: CHAIN, address }))),
        { startMs: (NOON + HOUR) * 1000 },
      );
      const [, second = '0x'] = vaults;
      const read = async (list: string) => {
        await node.client.mine({ blocks: 70 });
        await fixture.clock.sleep(600_000);
        await fixture.start(sourceReading(list, head)).once();
        return feesOf(second, fixture.folder, await fixture.recordings());
      };
      const fee = head === 'latest' ? 10 : 20;
      await node.send('Vault', second, 'setFee', BigInt(fee));
      expect(await read('first')).toEqual([]);
      expect((await read('both')).includes(fee)).toBe(head === 'latest');
      await node.send('Vault', second, 'setFee', BigInt(fee + 1));
      expect(await read('first')).toContain(fee + 1);
      await fixture.close();
    },
  );

  it('is read only once for a day whose end is not final yet', async () => {
    // The clock is past midnight, but the newest final block is of the day before.
    const late = await startAnvil(['--timestamp', String(BEFORE_MIDNIGHT)]);
    const fixture = await openFixture(() => json(vaults.map((address) => ({ chainId: CHAIN, address }))), {
      startMs: (BEFORE_MIDNIGHT + HOUR) * 1000,
    });
    const source = sourceReading('midnight', 'finalized', late);
    for (let reading = 0; reading < 2; reading++) {
      await late.client.mine({ blocks: 70 });
      await fixture.clock.sleep(600_000);
      const read = await fixture.start(source).once();
      const windows = read.flatMap(({ recordings }) =>
        recordings.map(({ window }) => JSON.stringify(window)),
      );
      expect(new Set(windows).size).toBe(windows.length);
    }
    await fixture.close();
    await late.stop();
  });
});
