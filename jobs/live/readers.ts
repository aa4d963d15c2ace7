// Which reader reads a source. Sources that are more than requests and pages, such as chains, bring readers of their own.
// The reader of chains loads viem, and only when a chain is read.
import { readHttp } from './http-reader.ts';
import type { LiveSource } from './live-source.ts';
import type { Reader } from './reader.ts';

let chains: Promise<Reader> | null = null;

/** One for the process: it remembers what does not change. */
const readChain: Reader = async function* (source, window, tools, earlier) {
  chains ??= import('./chain-reader.ts').then(({ openChainReader }) => openChainReader());
  return yield* (await chains)(source, window, tools, earlier);
};

export const readerOf = ({ request }: LiveSource): Reader =>
  request?.chain === undefined ? readHttp : readChain;
