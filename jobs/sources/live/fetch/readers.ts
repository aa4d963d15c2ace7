// Chooses the reader of a source. Sources that are more than requests and pages, such as chains, have their own readers.
// Readers of chains are loaded when the first chain is read: the declarations of all contracts are hashed.
import { readGit } from '../git/git-reader.ts';
import { readHttp } from '../http/http-reader.ts';
import type { LiveSource } from './live-source.ts';
import type { Reader } from './reader.ts';

let chains: Promise<Reader> | null = null;

/** One reader for the whole process, because it caches lists of contracts. */
const readChain: Reader = async function* (source, window, tools, earlier) {
  chains ??= import('../evm/chain-reader.ts').then(({ openChainReader }) => openChainReader());
  return yield* (await chains)(source, window, tools, earlier);
};

const readNear: Reader = async function* (source, window, tools, earlier) {
  const reader = await import('../near/near-reader.ts');
  return yield* reader.readNear(source, window, tools, earlier);
};

export function readerOf({ request }: LiveSource): Reader {
  if (request?.chain !== undefined) return readChain;
  if (request?.near !== undefined) return readNear;
  return request?.git === undefined ? readHttp : readGit;
}
