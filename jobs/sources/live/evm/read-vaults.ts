// Reads MetaMorpho vaults from their contracts: what each is, who curates it, and the markets that it may withdraw from.
import { contractFunction } from '../../../../platform/base/contract-abi.ts';
import { type Ask, type CallResult, type ContractCall, NO_ADDRESS, readResult } from './contract-call.ts';
import { MAX_NAME, MAX_SYMBOL, readTokens, shownName, type TokenFacts } from './token-abi.ts';

const NAME = contractFunction('name', {}, 'string');
const SYMBOL = contractFunction('symbol', {}, 'string');
const ASSET = contractFunction('asset', {}, 'address');
const CURATOR = contractFunction('curator', {}, 'address');
const QUEUE_LENGTH = contractFunction('withdrawQueueLength', {}, 'uint256');
const QUEUE = contractFunction('withdrawQueue', { index: 'uint256' }, 'bytes32');
const QUESTIONS = [NAME, SYMBOL, ASSET, CURATOR, QUEUE_LENGTH] as const;
/** Vaults allow 30. */
const MAX_QUEUE = 100n;

export interface MorphoVault {
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly asset: string;
  readonly curator: string | null;
  /** Ids of markets. */
  readonly queue: readonly string[];
}

export interface VaultsReading {
  readonly vaults: readonly MorphoVault[];
  readonly assets: ReadonlyMap<string, TokenFacts>;
  readonly missing: readonly { readonly id: string; readonly why: string }[];
}

export async function readVaults(ask: Ask, addresses: readonly string[]): Promise<VaultsReading> {
  const results = await ask(
    addresses.flatMap((target) => QUESTIONS.map(({ encodeCall }) => ({ target, data: encodeCall() }))),
  );
  const width = QUESTIONS.length;
  const found = addresses.map((address, index) =>
    factsOf(address, results.slice(index * width, (index + 1) * width)),
  );
  const known = found.filter((one) => typeof one === 'object');
  const queues = await readQueues(ask, known);
  const assets = await readTokens(
    ask,
    known.map(({ asset }) => asset),
  );
  return {
    vaults: known.map(({ length: _, ...vault }, index) => ({ ...vault, queue: queues[index] ?? [] })),
    assets,
    missing: addresses.flatMap((id, index) => {
      const why = found[index];
      return typeof why === 'string' ? [{ id, why }] : [];
    }),
  };
}

type Facts = Omit<MorphoVault, 'queue'> & { readonly length: bigint };

/** The vault without its queue, or why it cannot be read. */
function factsOf(address: string, results: readonly CallResult[]): Facts | string {
  const name = readResult(NAME, results[0]);
  if (name === null) return silence(NAME);
  const symbol = readResult(SYMBOL, results[1]);
  if (symbol === null) return silence(SYMBOL);
  const asset = readResult(ASSET, results[2]);
  if (asset === null) return silence(ASSET);
  const curator = readResult(CURATOR, results[3]);
  if (curator === null) return silence(CURATOR);
  const length = readResult(QUEUE_LENGTH, results[4]);
  if (length === null) return silence(QUEUE_LENGTH);
  if (length > MAX_QUEUE) return `its queue of ${length} markets is longer than vaults allow`;
  return {
    ...{ address, asset, length },
    name: shownName(name, MAX_NAME),
    symbol: shownName(symbol, MAX_SYMBOL),
    curator: curator === NO_ADDRESS ? null : curator,
  };
}

const silence = ({ name }: { readonly name: string }) => `it does not respond to ${name}() as a vault does`;

async function readQueues(ask: Ask, vaults: readonly Facts[]): Promise<readonly (readonly string[])[]> {
  const calls = vaults.map(({ address, length }) => queueCalls(address, Number(length)));
  const results = await ask(calls.flat());
  let at = 0;
  return calls.map((own) => {
    const ids = results.slice(at, at + own.length).flatMap(idIn);
    at += own.length;
    return ids;
  });
}

const queueCalls = (target: string, length: number): ContractCall[] =>
  Array.from({ length }, (_, index) => ({
    target,
    data: QUEUE.encodeCall({ index: BigInt(index) }),
  }));

const idIn = ({ isSuccess, data }: CallResult): string[] =>
  isSuccess && /^0x[0-9a-f]{64}$/.test(data) ? [data] : [];

/** Rows of the raw table `lending_vault`. */
export const vaultRows = (
  { chain, protocol, time }: { readonly chain: string; readonly protocol: string; readonly time: number },
  { vaults, assets }: Pick<VaultsReading, 'vaults' | 'assets'>,
) =>
  vaults.map(({ address, name, symbol, asset, curator }) => ({
    chain,
    vault_address: address,
    protocol,
    name,
    symbol,
    asset_address: asset,
    asset_symbol: assets.get(asset)?.symbol ?? null,
    curator_address: curator,
    observed_at: time,
  }));
