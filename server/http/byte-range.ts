// Byte ranges of files (RFC 9110, 14): a single range of the uncompressed form. Several ranges, other units and invalid ranges get the
// whole file, as the standard allows.
import type { IncomingMessage } from 'node:http';
import { Failure } from '../define/failure.ts';
import { isMatchedBy } from '../replies/negotiate.ts';
import { RenderedResponse } from '../replies/rendered-response.ts';

const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * The part of a response that a request asks for, or the whole response.
 * @throws Failure if the range contains no byte of the file
 */
export function partOf({ method, headers }: IncomingMessage, whole: RenderedResponse): RenderedResponse {
  if (headers.range === undefined || !whole.hasRanges || method !== 'GET') return whole;
  // A client that has the current file gets 304; a client that has another file needs the whole one.
  if (isMatchedBy(headers['if-none-match'], whole.etag)) return whole;
  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === whole.etag;
  const range = isCurrent ? rangeOf(headers.range, whole.body.length) : 'whole';
  if (range === 'whole') return whole;
  const { first, last } = range;
  return new RenderedResponse({
    status: 206,
    body: whole.body.subarray(first, last + 1),
    etag: whole.etag,
    headers: [...whole.headers, 'Content-Range', `bytes ${first}-${last}/${whole.body.length}`],
    media: whole.media && { ...whole.media, isCompact: true },
    hasRanges: true,
  });
}

function rangeOf(
  header: string,
  length: number,
): { readonly first: number; readonly last: number } | 'whole' {
  const [, from = '', to = ''] = ONE_RANGE.exec(header) ?? [];
  if (from === '' && to === '') return 'whole';
  if (from !== '' && to !== '' && Number(to) < Number(from)) return 'whole';
  const first = from === '' ? Math.max(0, length - Number(to)) : Number(from);
  const last = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  if (first <= last) return { first, last };
  throw new Failure(
    'range_not_satisfiable',
    `The file has ${length} bytes, none of them in the range ${header}.`,
    {
      details: { bytes: length },
      headers: ['Content-Range', `bytes */${length}`],
    },
  );
}
