// The cursor of a list: the version at which paging started, its filters, and its position. Opaque to clients.
import { contentHash } from '../../replies/negotiate.ts';

export interface Cursor {
  readonly version: string;
  readonly offset: number;
  readonly filterHash: string;
}

const FORM = /^([0-7][0-9A-HJKMNP-TV-Z]{25})\.([0-9]{1,9})\.([A-Za-z0-9_-]{22})$/;

export const filterHashOf = (filter: Readonly<Record<string, unknown>>): string =>
  contentHash(JSON.stringify(Object.entries(filter).sort()));

export const writeCursor = ({ version, offset, filterHash }: Cursor): string =>
  Buffer.from(`${version}.${offset}.${filterHash}`).toString('base64url');

/** Undefined for text that is not a cursor of this service. */
export function readCursor(text: string): Cursor | undefined {
  const match = FORM.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (match === null) return undefined;
  const [, version = '', offset = '', filterHash = ''] = match;
  return { version, offset: Number(offset), filterHash };
}
