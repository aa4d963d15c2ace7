// A real Ethereum node for tests: anvil, started on a free port and stopped afterwards. The environment variable ANVIL names it;
// without it, these tests are skipped.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Abi,
  type Address,
  createTestClient,
  type Hash,
  type Hex,
  http,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { describe, test } from 'vitest';
import { MULTICALL3 } from '../../../../../jobs/sources/live/evm/contract-call.ts';
import { type Rpc, RpcError } from '../../../../../jobs/sources/live/evm/rpc.ts';
import { contractOf } from './compile.ts';

const ANVIL = process.env['ANVIL'];
const START_MS = 30_000;
const RECEIPT_TRIES = 1_000;

/** Two accounts of anvil's well-known mnemonic. */
const account = mnemonicToAccount('test test test test test test test test test test test junk');

export async function startAnvil(args: readonly string[] = []): Promise<Anvil> {
  if (ANVIL === undefined) throw new Error('ANVIL names no node');
  const process = spawn(ANVIL, ['--port', '0', '--accounts', '2', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((found, failed) => {
    const timer = setTimeout(() => failed(new Error('anvil did not start')), START_MS);
    createInterface({ input: process.stdout }).on('line', (line) => {
      const address = /Listening on (\S+)/.exec(line)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      found(`http://${address}`);
    });
    process.once('exit', (code) => failed(new Error(`anvil ended with ${code}`)));
  });
  return new Anvil(url, process);
}

const clientOf = (url: string) =>
  createTestClient({
    mode: 'anvil',
    chain: foundry,
    transport: http(url),
    account,
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);

export class Anvil {
  readonly url: string;
  readonly rpc: Rpc;
  readonly client: ReturnType<typeof clientOf>;
  readonly #process: ChildProcess;

  constructor(url: string, process: ChildProcess) {
    this.url = url;
    this.rpc = httpRpc(url);
    this.client = clientOf(url);
    this.#process = process;
  }

  stop(): Promise<void> {
    return new Promise((ended) => {
      this.#process.once('exit', () => ended());
      this.#process.kill();
    });
  }

  /** Deploys a contract and returns its address in lower case. */
  async deploy(name: string, args: readonly unknown[] = []): Promise<Address> {
    const { abi, bytecode } = await contractOf(name);
    const hash = await this.client.deployContract({ abi, bytecode, args: args as [], gas: 10_000_000n });
    const { contractAddress } = await this.#mined(hash);
    return (contractAddress ?? '').toLowerCase() as Address;
  }

  /** Calls a contract in a transaction and waits for its block. */
  async send(name: string, address: Address, functionName: string, ...args: unknown[]) {
    return this.#mined(await this.submit(name, address, functionName, ...args));
  }

  /** The same without waiting: the transaction is in the next block, unless a reorganisation removes it. */
  async submit(name: string, address: Address, functionName: string, ...args: unknown[]): Promise<Hash> {
    const { abi } = await contractOf(name);
    return this.client.writeContract({ abi: abi as Abi, address, functionName, args, gas: 28_000_000n });
  }

  /** Installs Multicall3 at the address it has on every chain. */
  async installMulticall(): Promise<void> {
    const { runtime } = await contractOf('Multicall3');
    await this.client.setCode({ address: MULTICALL3, bytecode: runtime });
  }

  /** The node mines each transaction by itself, but occasionally leaves one pending. */
  async #mined(hash: Hash): Promise<TransactionReceipt> {
    for (let tries = 0; tries < RECEIPT_TRIES; tries++) {
      const { result } = await this.rpc('eth_getTransactionReceipt', [hash]);
      if (result !== null) {
        const receipt = await this.client.getTransactionReceipt({ hash });
        if (receipt.status !== 'success') throw new Error(`transaction ${hash} failed`);
        return receipt;
      }
      await delay(5);
      if (tries % 100 === 99) await this.rpc('evm_mine', []);
    }
    throw new Error(`transaction ${hash} is in no block`);
  }
}

export async function contractCall<T>(
  { client }: Anvil,
  {
    kind,
    address,
    functionName,
    args,
  }: {
    readonly kind: string;
    readonly address: Address;
    readonly functionName: string;
    readonly args: readonly unknown[];
  },
): Promise<T> {
  const { abi } = await contractOf(kind);
  return client.readContract({ abi, address, functionName, args: [...args] }) as Promise<T>;
}

/** A `describe` that is skipped, with the reason in its name, when there is no node. */
export function describeOnNode(name: string, fn: () => void): void {
  if (ANVIL === undefined)
    describe(name, () => test.skip('needs an Ethereum node: ANVIL names the program anvil'));
  else describe(name, fn);
}

/** A plain transport: no retries, no budget. */
export function httpRpc(url: string): Rpc {
  let id = 0;
  return async (method, params) => {
    id += 1;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
    const body = await response.text();
    const { result, error } = JSON.parse(body) as {
      result?: unknown;
      error?: { message: string; code: number; data?: unknown };
    };
    if (error !== undefined) throw new RpcError(error.message, error.code, error.data);
    return { result, body };
  };
}

export const word = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;
