// Which reader reads a source. Sources that are more than requests and pages, such as chains, bring readers of their own.
// Readers of chains load viem, and only when a chain is read.
import { readGit } from './git/git-reader.ts';
import { readHttp } from './http-reader.ts';
import type { LiveSource } from './live-source.ts';
import type { Reader } from './reader.ts';

let chains: Promise<Reader> | null = null;

/** One for the process: it keeps lists of contracts for a while. */
const readChain: Reader = async function* (source, window, tools, earlier) {
  chains ??= import('./chain-reader.ts').then(({ openChainReader }) => openChainReader());
  return yield* (await chains)(source, window, tools, earlier);
};

const readNear: Reader = async function* (source, window, tools, earlier) {
  const reader = await import('./near/near-reader.ts');
  return yield* reader.readNear(source, window, tools, earlier);
};

export function readerOf({ request }: LiveSource): Reader {
  if (request?.chain !== undefined) return readChain;
  if (request?.near !== undefined) return readNear;
  return request?.git === undefined ? readHttp : readGit;
}
