// Vaults of each kind on a real node, with the things that may happen to them and to what they hold, drawn at random.
import {
  type Address,
  encodeAbiParameters,
  type Hex,
  parseAbiParameters,
  type TransactionReceipt,
} from 'viem';
import type { VaultWorld } from './vault-world.ts';

export const KINDS = ['MetaMorpho10', 'MetaMorpho11', 'VaultV2', 'EulerEarnVault'] as const;

export type Random = () => number;
export type Log = TransactionReceipt['logs'][number];
type Action = (amount: bigint) => Promise<Partial<TransactionReceipt>>;

export interface Stage {
  readonly kind: (typeof KINDS)[number];
  readonly vault: Address;
  /** The first ones happen most often. */
  readonly actions: readonly Action[];
}

const USDC = 10n ** 6n;
const WAD = 10n ** 18n;
const FIVE_PERCENT = 1585489599n;
const LONGEST_FEE = 51;
const FIRST_DEPOSIT = 1_000n * USDC;
const ADDRESS_ONE = `0x${'1'.padStart(40, '0')}`;
const MARKET_PARAMS = parseAbiParameters('address, address, address, address, uint256');

const whole = (random: Random, below: number): bigint => BigInt(Math.floor(random() * below));
const feeOf = (random: Random): bigint => (whole(random, LONGEST_FEE) * WAD) / 100n;

/** A vault with a first deposit. */
export async function stageOf(world: VaultWorld, kind: Stage['kind'], random: Random): Promise<Stage> {
  switch (kind) {
    case 'VaultV2':
      return limitedStage(world, random);
    case 'EulerEarnVault':
      return strategyStage(world, random);
    default:
      return marketStage(world, kind, random);
  }
}

/** Logs of one of the things that happen, with an amount of up to 10^11; what a contract refuses has none. */
export async function step({ actions }: Stage, random: Random): Promise<readonly Log[]> {
  const amount = BigInt(1 + Math.floor(random() * 10 ** (1 + random() * 10)));
  const done = await actions[Math.floor(random() ** 2 * actions.length)]?.(amount).catch(() => null);
  return done?.logs ?? [];
}

const marketOf = (world: VaultWorld, random: Random): Promise<Hex> =>
  world.market({ supply: (1n + whole(random, 1_000_000)) * USDC, rate: whole(random, 30) * FIVE_PERCENT });

/** Up to four months. */
const timeOf =
  (world: VaultWorld, random: Random): Action =>
  () =>
    world.pass(1 + Math.floor(random() * 10 ** (random() * 7))).then(() => ({}));

const inMarket =
  (world: VaultWorld, market: Hex) =>
  (name: string, ...more: unknown[]): Action =>
  (amount) =>
    world.node.send('MorphoBlue', world.morpho, name, market, amount, ...more);

async function marketStage(
  world: VaultWorld,
  kind: 'MetaMorpho10' | 'MetaMorpho11',
  random: Random,
): Promise<Stage> {
  const market = await marketOf(world, random);
  const vault = await world.first(kind, [market], feeOf(random));
  await world.deposit(kind, vault, FIRST_DEPOSIT);
  const on = inMarket(world, market);
  return {
    ...{ kind, vault },
    actions: [
      (amount) => world.deposit(kind, vault, amount),
      (amount) => world.node.send(kind, vault, 'withdraw', amount, world.owner),
      on('borrow'),
      on('repay'),
      timeOf(world, random),
      on('writeOff'),
      on('supply', vault),
      (amount) => world.deposit(kind, vault, amount, ADDRESS_ONE),
      () => world.node.send(kind, vault, 'setFee', feeOf(random)),
    ],
  };
}

/** A version 2 vault with two markets, of which ordinary deposits and withdrawals use the first. */
async function limitedStage(world: VaultWorld, random: Random): Promise<Stage> {
  const kind = 'VaultV2';
  const [first, second] = [await marketOf(world, random), await marketOf(world, random)];
  const [liquid, other] = [await paramsOf(world, first), await paramsOf(world, second)];
  const vault = await world.node.deploy(kind, [world.usd, 6]);
  const adapter = await world.node.deploy('MarketAdapter', [vault, world.morpho]);
  const send = (name: string, ...args: unknown[]) => world.node.send(kind, vault, name, ...args);
  const setRates = () =>
    send('setRates', whole(random, 40) * FIVE_PERCENT, feeOf(random), whole(random, 2) * FIVE_PERCENT);
  await send('addAdapter', adapter);
  await send('setPenalty', adapter, WAD / 100n);
  await setRates();
  await world.deposit(kind, vault, FIRST_DEPOSIT);
  await send('allocate', adapter, other, FIRST_DEPOSIT / 2n);
  await send('setLiquidity', adapter, liquid);
  const [on, onOther] = [inMarket(world, first), inMarket(world, second)];
  return {
    ...{ kind, vault },
    actions: [
      (amount) => world.deposit(kind, vault, amount),
      (amount) => send('withdraw', amount, world.owner),
      on('borrow'),
      timeOf(world, random),
      (amount) => send('forceDeallocate', adapter, other, amount),
      on('repay'),
      onOther('borrow'),
      on('writeOff'),
      (amount) => world.node.send('Token', world.usd, 'move', world.owner, vault, amount),
      (amount) => send('allocate', adapter, other, amount),
      (amount) => send('deallocate', adapter, other, amount),
      (amount) => world.deposit(kind, vault, amount, ADDRESS_ONE),
      setRates,
    ],
  };
}

async function paramsOf(world: VaultWorld, market: Hex): Promise<Hex> {
  const values = await world.ask<readonly [Hex, Hex, Hex, Hex, bigint]>(
    ...(['MorphoBlue', world.morpho, 'idToMarketParams', market] as const),
  );
  return encodeAbiParameters(MARKET_PARAMS, values);
}

/** A vault of Euler Earn over two plain vaults, which gain and lose by what is moved to and from them. */
async function strategyStage(world: VaultWorld, random: Random): Promise<Stage> {
  const kind = 'EulerEarnVault';
  const strategies = [
    await world.node.deploy('PlainVault', [world.usd, 6]),
    await world.node.deploy('PlainVault', [world.usd, 6]),
  ] as const;
  const vault = await world.node.deploy(kind, [world.usd, 6]);
  const send = (name: string, ...args: unknown[]) => world.node.send(kind, vault, name, ...args);
  const strategy = () => strategies[random() < 0.7 ? 0 : 1];
  const move = (from: Address, to: Address, amount: bigint) =>
    world.node.send('Token', world.usd, 'move', from, to, amount);
  // Who deposits first in a plain vault owns what was moved to it before.
  for (const one of strategies) await world.deposit('PlainVault', one, USDC);
  await send('setFee', feeOf(random));
  await send('deposit', FIRST_DEPOSIT, world.owner, strategies[0]);
  return {
    ...{ kind, vault },
    actions: [
      (amount) => send('deposit', amount, world.owner, strategy()),
      (amount) => send('withdraw', amount, world.owner, strategy()),
      (amount) => move(world.owner, strategy(), amount),
      timeOf(world, random),
      (amount) => move(strategy(), world.owner, amount),
      (amount) => world.node.send('PlainVault', strategy(), 'deposit', amount, world.owner),
      (amount) => send('deposit', amount, ADDRESS_ONE, strategy()),
      () => send('setFee', feeOf(random)),
    ],
  };
}
