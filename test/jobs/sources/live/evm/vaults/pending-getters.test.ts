// What version 1 vaults on a real node state about the changes that wait for their timelock.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnNode } from '../anvil.ts';
import { VaultWorld } from './vault-world.ts';

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

  it('are not asked of other kinds', async () => {
    const vault = await world.node.deploy('VaultV2', [world.usd, 6]);
    expect((await world.read([vault])).states.get(vault)?.['pending_getters']).toBeNull();
  });
});
