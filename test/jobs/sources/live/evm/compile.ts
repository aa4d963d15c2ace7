// Compiles the contracts of the tests with solc, which is JavaScript and a development dependency.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';

export interface Compiled {
  readonly abi: Abi;
  readonly bytecode: Hex;
  /** The code at the address after deployment. */
  readonly runtime: Hex;
}

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: {
    readonly [file: string]: {
      readonly [name: string]: {
        readonly abi: Abi;
        readonly evm: {
          readonly bytecode: { readonly object: string };
          readonly deployedBytecode: { readonly object: string };
        };
      };
    };
  };
}

/** A file is compiled when a test first needs a contract that it declares. */
const FILES = ['contracts.sol', 'vaults.sol', 'oracles.sol', 'feeds.sol', 'timelocks.sol'];

const compiled = new Map<string, Promise<ReadonlyMap<string, Compiled>>>();

export async function contractOf(name: string): Promise<Compiled> {
  for (const file of FILES) {
    if (!(await declares(file, name))) continue;
    const contracts = compiled.get(file) ?? compile(file);
    compiled.set(file, contracts);
    const found = (await contracts).get(name);
    if (found !== undefined) return found;
  }
  throw new Error(`no contract is named ${name}`);
}

const sourceOf = (file: string): Promise<string> => readFile(new URL(file, import.meta.url), 'utf8');

const declares = async (file: string, name: string): Promise<boolean> =>
  new RegExp(`^contract ${name}\\b`, 'm').test(await sourceOf(file));

async function compile(file: string): Promise<ReadonlyMap<string, Compiled>> {
  const content = await sourceOf(file);
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return new Map(
    Object.entries(output.contracts[file] ?? {}).map(([name, { abi, evm }]) => [
      name,
      {
        abi,
        bytecode: `0x${evm.bytecode.object}` as Hex,
        runtime: `0x${evm.deployedBytecode.object}` as Hex,
      },
    ]),
  );
}
