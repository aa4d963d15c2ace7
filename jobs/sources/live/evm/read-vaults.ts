// Reads MetaMorpho vaults from their contracts: what each is, who curates it, and the markets that it may withdraw from.
import { type Hex, parseAbi } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { CallResult, ContractCall } from './multicall.ts';
import type { Ask } from './read-calls.ts';
import { readTokens, type TokenFacts } from './token-abi.ts';

const ABI = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function asset() view returns (address)',
  'function curator() view returns (address)',
  'function withdrawQueueLength() view returns (uint256)',
  'function withdrawQueue(uint256 index) view returns (bytes32)',
]);
const QUESTIONS = ['name', 'symbol', 'asset', 'curator', 'withdrawQueueLength'] as const;
/** Vaults allow 30. */
const MAX_QUEUE = 100n;
const NO_ADDRESS = `0x${'0'.repeat(40)}`;

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
    addresses.flatMap((target) =>
      QUESTIONS.map((functionName) => ({ target, data: encodeFunctionData({ abi: ABI, functionName }) })),
    ),
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
  const answers = QUESTIONS.map((functionName, index) => answerOf(functionName, results[index]));
  const silent = QUESTIONS.find((_, index) => answers[index] === null);
  if (silent !== undefined) return `it does not respond to ${silent}() as a vault does`;
  const [name, symbol, asset, curator] = answers.map(String) as [string, string, string, string];
  const length = answers[4] as bigint;
  if (length > MAX_QUEUE) return `its queue of ${length} markets is longer than vaults allow`;
  const who = curator.toLowerCase();
  return {
    address,
    name,
    symbol,
    asset: asset.toLowerCase(),
    curator: who === NO_ADDRESS ? null : who,
    length,
  };
}

function answerOf(
  functionName: (typeof QUESTIONS)[number],
  result: CallResult | undefined,
): string | bigint | null {
  if (result?.isSuccess !== true) return null;
  try {
    return decodeFunctionResult({ abi: ABI, functionName, data: result.data as Hex });
  } catch {
    return null;
  }
}

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
    data: encodeFunctionData({ abi: ABI, functionName: 'withdrawQueue', args: [BigInt(index)] }),
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
