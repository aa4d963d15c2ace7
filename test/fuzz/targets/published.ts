// Published files: a mirror, a bucket or a disk may return any bytes for them.
import { sha256Hex } from '../../../platform/storage/canonical.ts';
import { DamagedFileError, UnsupportedFormatError } from '../../../platform/storage/errors.ts';
import { parseListing } from '../../../platform/storage/s3/s3-client.ts';
import { StoreError } from '../../../platform/storage/s3/store-error.ts';
import { encodeDataset } from '../../../snapshots/dataset-file.ts';
import type { Manifest, SegmentEntry } from '../../../snapshots/layout.ts';
import { currentText, parseCurrent, parseManifest, sealManifest } from '../../../snapshots/manifest.ts';
import { keyText, lineSpan } from '../../../snapshots/ndjson-line.ts';
import { eventLine, segmentEvents } from '../../../snapshots/segment.ts';
import { buildSegmentIndex } from '../../../snapshots/segment-index/build.ts';
import { openSegmentIndex } from '../../../snapshots/segment-index/segment-index.ts';
import { demand, type FuzzTarget, ofJson } from '../fuzz-target.ts';

const BODY: Omit<Manifest, 'version'> = {
  schema_version: '1.0.0',
  generated_at: '2026-03-01T12:00:00Z',
  as_of: '2026-03-01T12:00:00Z',
  previous: null,
  engine_version: 'test 1',
  methodology_version: '1.0.0',
  policy_version: '1.0.0',
  inputs: { families: [], tables: [], sources: [] },
  datasets: {},
  events: { last_event_id: null, count: 0, segments: [] },
} as unknown as Omit<Manifest, 'version'>;
const SEALED = sealManifest(BODY, null);
const { version: VERSION } = SEALED.manifest;

const IDS = [
  '01JDZ0000000000000000000AB',
  '01JDZ0000000000000000000AC',
  '01JDZ0000000000000000000AD',
] as const;
const envelope = (id: string, more: object) =>
  `{"event_id":${JSON.stringify(id)},${JSON.stringify(more).slice(1)}`;
const SEGMENT = IDS.map((id, n) =>
  eventLine(
    `key|${n}`,
    envelope(id, {
      chain: 'ethereum',
      data: { n },
      meta: { _agentic: {} },
      severity: 'high',
      subject_id: `oracle:ethereum:0xA${n}`,
      ts: '2026-03-01T12:00:00Z',
      type: 'oracle.stale',
    }),
  ),
).join('');

const entryOf = (bytes: Buffer, count: number): SegmentEntry =>
  ({
    name: `${IDS[0]}_${IDS[2]}.ndjson`,
    first: IDS[0],
    last: IDS[2],
    from_ts: '2026-03-01T12:00:00Z',
    to_ts: '2026-03-01T12:00:00Z',
    count,
    bytes: bytes.length,
    sha256: sha256Hex(bytes),
  }) as SegmentEntry;

const SEGMENT_BYTES = Buffer.from(SEGMENT);
const ENTRY = entryOf(SEGMENT_BYTES, IDS.length);
const INDEX = await buildSegmentIndex(SEGMENT_BYTES, ENTRY, 'segment');

/** Every event of an index can be read without an error. */
function walkIndex(bytes: Buffer, entry: SegmentEntry): boolean {
  const index = openSegmentIndex(bytes, entry);
  if (index === undefined) return false;
  for (let n = 0; n < index.count; n++) {
    index.span(n);
    index.second(n);
    index.rank(index.id(n), true);
    demand(index.kind(n) < index.kinds.length, `event ${n} has a kind that is not listed`);
  }
  index.ofSubject('oracle:ethereum:0xa1');
  index.isBlock(0, SEGMENT_BYTES);
  return true;
}

/** The lines that this reader accepts are those that the index is built from. */
async function readSegmentText(bytes: Buffer): Promise<void> {
  const events = [...segmentEvents(bytes, 'segment')];
  for (const { id, offset, length } of events) {
    demand(id.length === 26, `the id ${id} has ${id.length} characters`);
    demand(bytes.toString('utf8', offset, offset + 12) === '{"event_id":', 'an envelope is elsewhere');
    demand(offset + length < bytes.length, 'an envelope ends after the segment');
  }
  const entry = entryOf(bytes, events.length);
  const built = await buildSegmentIndex(bytes, entry, 'segment');
  const index = openSegmentIndex(built, {
    ...entry,
    first: events[0]?.id ?? '',
    last: events.at(-1)?.id ?? '',
  });
  for (const [n, { offset, length }] of events.entries()) {
    const span = index?.span(n);
    demand(
      span === undefined || (span.start === offset && span.length === length),
      `event ${n} is elsewhere`,
    );
  }
}

function readLine(input: Buffer): void {
  const span = lineSpan(input, 0, input.length);
  if (span === undefined) return;
  const { keyStart, keyEnd, valueStart, valueEnd } = span;
  demand(keyStart < keyEnd && keyEnd < valueStart && valueStart <= valueEnd, 'the parts are out of order');
  ofJson((line) => {
    const { key } = (line ?? {}) as { readonly key?: unknown };
    // Of two members with one name, JSON has the last. What is published has each once, without white space.
    if (JSON.stringify(line) === input.toString())
      demand(keyText(input, span) === key, 'the key differs from the parsed line');
  })(input);
}

const LISTING = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>true</IsTruncated>
<Contents><Key>a&amp;b/c.json</Key><LastModified>2026-03-01T12:00:00.000Z</LastModified><Size>12</Size></Contents>
<NextContinuationToken>x</NextContinuationToken></ListBucketResult>`;

const from = 'whoever can write to the published folder or bucket';
const DAMAGED = [DamagedFileError, UnsupportedFormatError];

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'published/manifest',
    from,
    seeds: [SEALED.text, JSON.stringify(SEALED.manifest)],
    refuses: DAMAGED,
    run: (input) => demand(parseManifest(input, VERSION).text === input.toString(), 'another text'),
  },
  {
    name: 'published/pointer',
    from,
    seeds: [
      currentText({ pointer: { version: VERSION, manifest_sha256: SEALED.sha256 }, writer: null }),
      currentText({ pointer: null, writer: { installation: 'a', term: 1, tail: ['x'] } }),
    ],
    refuses: DAMAGED,
    run: (input) => demand(currentText(parseCurrent(input)) === input.toString(), 'another text'),
  },
  { name: 'published/segment', from, seeds: [SEGMENT], refuses: DAMAGED, run: readSegmentText },
  {
    name: 'published/segment-index',
    from,
    seeds: [INDEX],
    refuses: DAMAGED,
    run: (input) => walkIndex(input, ENTRY),
  },
  {
    name: 'published/line',
    from,
    seeds: [
      ...encodeDataset('a', [{ key: 'a"\\b', value: { a: [1, 'x'] } }]).chunks,
      '{"key":"a","value":null}',
    ],
    refuses: [SyntaxError],
    run: readLine,
  },
  {
    name: 'published/listing',
    from: 'an object store',
    seeds: [LISTING],
    tokens: ['&#1114112;', '&#x0;', '%F', '<Key>', '</Contents>', '<Prefix>'],
    refuses: [StoreError],
    run: (input) => parseListing(input.toString()),
  },
];
