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

let compiled: Promise<ReadonlyMap<string, Compiled>> | null = null;

export function contracts(): Promise<ReadonlyMap<string, Compiled>> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<ReadonlyMap<string, Compiled>> {
  const content = await readFile(new URL('contracts.sol', import.meta.url), 'utf8');
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const input = {
    language: 'Solidity',
    sources: { 'contracts.sol': { content } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return new Map(
    Object.entries(output.contracts['contracts.sol'] ?? {}).map(([name, { abi, evm }]) => [
      name,
      {
        abi,
        bytecode: `0x${evm.bytecode.object}` as Hex,
        runtime: `0x${evm.deployedBytecode.object}` as Hex,
      },
    ]),
  );
}
