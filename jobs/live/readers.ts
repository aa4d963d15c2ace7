// Which reader reads a source. Sources that are more than requests and pages, such as chains, bring readers of their own.
import { readHttp } from './http-reader.ts';
import type { LiveSource } from './live-source.ts';
import type { Reader } from './reader.ts';

export const readerOf = (_: LiveSource): Reader => readHttp;
