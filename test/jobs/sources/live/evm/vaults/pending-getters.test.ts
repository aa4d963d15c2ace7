// What vaults on a real node state about the changes that wait for their timelock.
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rpc, RpcError } from '../../../../../../jobs/sources/live/evm/rpc.ts';
import { describeOnNode } from '../anvil.ts';
import { type VaultRows, VaultWorld } from './vault-world.ts';

const DAY = 86_400n;
let world: VaultWorld;

describeOnNode('changes that wait by the contract’s own getters', () => {
  beforeAll(async () => {
    world = await VaultWorld.open();
  });
  afterAll(() => world.node.stop());

  it('are read with the state of a vault: none, then each with its second, then none that was revoked', async () => {
    const ids = [await world.market({ supply: 10n }), await world.market({ supply: 10n })];
    const vault = await world.first('MetaMorpho11', ids);
    await world.deposit('MetaMorpho11', vault, 10n ** 12n);
    const read = async () => (await world.read([vault])).states.get(vault)?.['pending_getters'];
    expect(await read()).toBe('none');
    const submit = async (name: string, ...args: unknown[]) => {
      const { blockNumber } = await world.node.send('MetaMorpho11', vault, name, ...args);
      const { timestamp } = await world.node.client.getBlock({ blockNumber });
      return timestamp + DAY;
    };
    const entries = [
      `timelock@${await submit('submitTimelock', 2n * DAY, DAY)}`,
      `guardian@${await submit('submitGuardian', world.owner, DAY)}`,
      `cap|${ids[0]}@${await submit('submitCap', ids[0], 5n, DAY)}`,
      `removal|${ids[1]}@${await submit('submitMarketRemoval', ids[1], DAY)}`,
    ];
    await world.node.send('MetaMorpho11', vault, 'transferOwnership', world.owner);
    expect(await read()).toBe([...entries, 'owner@0'].sort().join(' '));
    await world.node.send('MetaMorpho11', vault, 'transferOwnership', `0x${'0'.repeat(40)}`);
    expect(await read()).toBe(entries.sort().join(' '));
  });

  it('of Euler Earn are read with its own declarations', async () => {
    const strategy = await world.node.deploy('PlainVault', [world.usd, 6]);
    const vault = await world.node.deploy('EulerEarnVault', [world.usd, 6]);
    await world.node.send('EulerEarnVault', vault, 'deposit', 10n ** 9n, world.owner, strategy);
    const read = async () => (await world.read([vault, strategy])).states.get(vault)?.['pending_getters'];
    expect(await read()).toBe('none');
    const { blockNumber } = await world.node.send('EulerEarnVault', vault, 'submitCap', strategy, 5n, DAY);
    const { timestamp } = await world.node.client.getBlock({ blockNumber });
    await world.node.send('EulerEarnVault', vault, 'transferOwnership', world.owner);
    expect(await read()).toBe(`cap|${strategy}@${timestamp + DAY} owner@0`);
  });

  describe('of version 2', () => {
    const CALLS = ['0x12345678', `0x60d54d41${'0'.repeat(64)}`] as const;
    const submit = async (kind: string, contract: Address, data: Hex) => {
      const { blockNumber } = await world.node.send(kind, contract, 'submit', data, DAY);
      return (await world.node.client.getBlock({ blockNumber })).timestamp + DAY;
    };
    const textIn = (rows: VaultRows, vault: string) => rows.states.get(vault)?.['pending_getters'];
    const entriesOf = (...entries: string[]) => entries.sort().join(' ');

    it('are those of the calls that its own logs and its adapters name, also before it uses them no more', async () => {
      const vault = await world.node.deploy('VaultV2', [world.usd, 6]);
      const adapter = await world.node.deploy('MarketAdapter', [vault, world.morpho]);
      await world.node.send('VaultV2', vault, 'addAdapter', adapter);
      const since = [`since|${vault}@0`, `since|${adapter}@0`];
      const begun = await world.read([vault]);
      expect(textIn(begun, vault)).toBe(entriesOf(...since));
      const own = await submit('VaultV2', vault, CALLS[0]);
      const other = await submit('MarketAdapter', adapter, CALLS[1]);
      const all = entriesOf(`${vault}|${CALLS[0]}@${own}`, `${adapter}|${CALLS[1]}@${other}`, ...since);
      expect(textIn(await world.read([vault]), vault)).toBe(all);
      await world.node.send('VaultV2', vault, 'revoke', CALLS[0]);
      expect(textIn(await world.read([vault]), vault)).toBe(
        entriesOf(`${adapter}|${CALLS[1]}@${other}`, ...since),
      );
    });

    it('are asked in turn, and a vault whose logs a node refuses is not asked', async () => {
      const vault = await world.node.deploy('VaultV2', [world.usd, 6]);
      const begun = await world.read([vault]);
      const again = await world.read([vault], begun.state);
      const { timestamp } = await world.node.client.getBlock();
      const isTurn = Number.parseInt(vault.slice(-4), 16) % 24 === Math.floor(Number(timestamp) / 900) % 24;
      expect(textIn(again, vault)).toBe(isTurn ? `since|${vault}@0` : null);
      const rpc: Rpc = (method, params) =>
        method === 'eth_getLogs'
          ? Promise.reject(new RpcError('method eth_getLogs is not available'))
          : world.node.rpc(method, params);
      const refused = await world.read([vault], null, { rpc });
      expect([refused.states.size, textIn(refused, vault)]).toEqual([1, null]);
      expect(refused.missing).toEqual([{ subject: 'calls submitted to vaults', reason: expect.any(String) }]);
    });

    it('are unanswered by an adapter without the getter, never none', async () => {
      const vault = await world.node.deploy('VaultV2', [world.usd, 6]);
      const adapter = await world.node.deploy('MuteAdapter', [5n]);
      await world.node.send('VaultV2', vault, 'addAdapter', adapter);
      await world.node.send('MuteAdapter', adapter, 'submit', CALLS[0]);
      expect(textIn(await world.read([vault]), vault)).toBe('unanswered');
    });
  });

  it('of a version 1 vault that does not answer are unanswered', async () => {
    const id = await world.market({ supply: 10n });
    const vault = await world.first('MetaMorpho11', [id]);
    const pendingOwner = '0xe30c3978';
    const rpc: Rpc = async (method, params) => {
      const { result, body } = await world.node.rpc(method, params.map(withoutSelector(pendingOwner)));
      return { result, body };
    };
    const { states, missing } = await world.read([vault], null, { rpc });
    expect([states.get(vault)?.['pending_getters'], missing]).toEqual(['unanswered', []]);
  });
});

/** The call with another selector, which no contract has. */
const withoutSelector = (selector: string) => (param: unknown) =>
  JSON.parse(JSON.stringify(param).replaceAll(selector.slice(2), 'ffffffff')) as unknown;
