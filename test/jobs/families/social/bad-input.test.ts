// What is wrong with exports of chats: encodings, dates, line ends in cells, nothing in them. Every row is accounted for, and no name of an
// author is on disk or in a log, quarantine included.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FieldMapping, FileDelivery } from '../../../../jobs/define/source.ts';
import { openDuckDb } from '../../../../jobs/engine/duckdb/duckdb.ts';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { type Ingest, openIngest } from '../../../../jobs/ingest/land.ts';
import { type ListedRow, rawBytes } from '../../../../jobs/ingest/quarantine/quarantine.ts';
import { socialMessage } from '../../../../jobs/families/social/raw.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { landedRows } from '../../ingest/scratch.ts';

const KEY = new Uint8Array(32).fill(3);
const FETCHED = 1_800_000_000;
const SOURCE = { id: 'chat', kind: 'file', name: 'Chat', url: null, chain: null, license: null } as const;
const FIELDS: { readonly [field: string]: FieldMapping } = {
  channel: { value: 'discord' },
  protocol: { value: 'aave' },
  sent_at: { from: 'date', time: ['%m/%d/%Y %I:%M %p', '%Y/%m/%d', 'iso8601'] },
  author: { from: 'author' },
  text: { from: 'content' },
};

let root: string;
let engine: DuckDb;
let ingest: Ingest;
beforeEach(async () => {
  root = temporaryFolder('chat');
  engine = await openDuckDb({ file: ':memory:', memoryLimit: '1GB', threads: 2, tempDir: join(root, 'tmp') });
  ingest = await openIngest({ dir: join(root, 'data'), db: engine, key: KEY });
});
afterEach(async () => {
  await engine.close();
  rmSync(root, { recursive: true, force: true });
});

async function land(content: string | Buffer, fields = FIELDS) {
  const path = join(root, 'chat.csv');
  writeFileSync(path, content);
  const delivery: FileDelivery = { kind: 'file', path, format: 'csv', fields };
  return ingest.land(socialMessage, SOURCE, delivery, {
    interval: { from: 0, to: FETCHED },
    fetchedAt: FETCHED,
  });
}

async function quarantine(): Promise<ListedRow[]> {
  const rows: ListedRow[] = [];
  for await (const row of ingest.listQuarantine()) rows.push(row);
  return rows;
}

/** Everything under the data folder, as bytes. */
const onDisk = () =>
  Buffer.concat(
    readdirSync(join(root, 'data'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(root, 'data', name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path)),
  );

/** `张伟` and `你好，牛市来了` as GB18030 writes them. */
const NAME_GB18030 = Buffer.from('d5c5ceb0', 'hex');
const TEXT_GB18030 = Buffer.from('c4e3bac3a3acc5a3cad0c0b4c1cb', 'hex');
const HEADER = 'author,date,content\n';

test('a file with rows in GB18030 and in UTF-8: the ones land, the others wait, each with its own bytes', async () => {
  const gb = Buffer.concat([NAME_GB18030, Buffer.from(',2023/1/5,'), TEXT_GB18030, Buffer.from('\n')]);
  const receipt = await land(
    Buffer.concat([
      Buffer.from(`${HEADER}Trillian,2023/1/5,gm 你好\n`),
      gb,
      Buffer.from('Arthur,2023/1/6,caf'),
      Buffer.from([0xe9]),
      Buffer.from(' is fine\nFord,2023/1/6,rekt\n'),
    ]),
  );
  expect(receipt).toMatchObject({
    rows_in: 4,
    rows_landed: 2,
    rows_quarantined: 2,
    reasons: { 'record: not UTF-8': 2 },
    over_limit: true,
  });
  const [first, second] = await quarantine();
  expect(first).toMatchObject({ record: 2, line: 3, reason: 'record: not UTF-8', encoding: 'encrypted' });
  expect(first && rawBytes(first, KEY)).toEqual(gb.subarray(0, -1));
  expect(second && rawBytes(second, KEY).includes(0xe9)).toBe(true);
});

test('names and texts are nowhere under the data folder, not of landed rows and not of bad ones', async () => {
  await land(`${HEADER}Trillian,2023/1/5,improbable words\nZaphod,someday,secret plans\nMarvin,2023/1/5\n`);
  expect((await quarantine()).map(({ reason }) => reason)).toEqual([
    'sent_at: not a time of the form %m/%d/%Y %I:%M %p or %Y/%m/%d or iso8601',
    'record: too few columns',
  ]);
  const bytes = onDisk();
  expect(bytes.length).toBeGreaterThan(1_000);
  for (const word of ['Trillian', 'improbable', 'Zaphod', 'secret', 'Marvin', 'someday']) {
    expect(bytes.includes(word)).toBe(false);
    expect(bytes.includes(Buffer.from(word).toString('base64').slice(0, -3))).toBe(false);
  }
});

test('bad rows that are encrypted can be redriven with the mapping put right, and not with another key', async () => {
  await land(`${HEADER}Zaphod,5.1.2023,gm\nFord,2023/1/5,gm\n`);
  const context = { interval: { from: 0, to: FETCHED }, fetchedAt: FETCHED };
  const fields = { ...FIELDS, sent_at: { from: 'date', time: ['%Y/%m/%d', '%d.%m.%Y'] } };
  const stranger = await openIngest({
    dir: join(root, 'data'),
    db: engine,
    key: new Uint8Array(32).fill(4),
  });
  await expect(stranger.redrive({ table: socialMessage, context, fields })).rejects.toThrow(
    /cannot be decrypted/,
  );
  expect(await ingest.redrive({ table: socialMessage, context, fields })).toMatchObject([{ rows_landed: 1 }]);
  expect((await quarantine()).map(({ redriven_by }) => redriven_by === null)).toEqual([false]);
  expect((await landedRows({ engine, ingest }, socialMessage)).map((row) => row['sent_at'])).toEqual([
    1_672_876_800, 1_672_876_800,
  ]);
});

test('a landing without a key refuses the table', async () => {
  ingest = await openIngest({ dir: join(root, 'data'), db: engine });
  await expect(land(`${HEADER}Ford,2023/1/5,gm\n`)).rejects.toThrow(/contains personal data/);
});

test('three styles of dates in one file are read, each by the first pattern that fits it', async () => {
  const receipt = await land(
    `${HEADER}a,08/02/2019 12:56 AM,x\nb,2022/11/20,x\nc,2023/1/5 ,x\nd,2021-03-28T02:30:00+02:00,x\ne,28.3.2021,x\n`,
  );
  expect(receipt).toMatchObject({
    rows_landed: 4,
    rows_quarantined: 1,
    reasons: { 'sent_at: not a time of the form %m/%d/%Y %I:%M %p or %Y/%m/%d or iso8601': 1 },
  });
  const times = (await landedRows({ engine, ingest }, socialMessage)).map((row) => Number(row['sent_at']));
  expect(times.toSorted().map((time) => new Date(time * 1000).toISOString())).toEqual([
    '2019-08-02T00:56:00.000Z',
    '2021-03-28T00:30:00.000Z',
    '2022-11-20T00:00:00.000Z',
    '2023-01-05T00:00:00.000Z',
  ]);
});

test('a cell of many lines is one message', async () => {
  const receipt = await land(
    `${HEADER}a,2023/1/5,"so bullish\n\n""to the moon"",\r\nsays he"\nb,2023/1/5,gm\n`,
  );
  expect(receipt).toMatchObject({ rows_in: 2, rows_landed: 2 });
  const [row] = await engine.rows(
    `select max(sentiment) as best from read_parquet('${ingest.files('social_message')[0]}')`,
  );
  expect(row?.['best']).toBeGreaterThan(0.7);
});

test('messages without text land and have no sentiment; without an author or a time they are bad by name', async () => {
  const receipt = await land(`${HEADER}a,2023/1/5,\nb,2023/1/5,"  "\n,2023/1/5,gm\nc,,gm\n`);
  expect(receipt).toMatchObject({ rows_landed: 2, reasons: { 'author: missing': 1, 'sent_at: missing': 1 } });
  for (const row of await landedRows({ engine, ingest }, socialMessage))
    expect(row).toMatchObject({ has_text: false, sentiment: null, high_topic: null });
});

test('capitals, dots, slashes and separators in a protocol: small letters land, what cannot be a path is bad', async () => {
  const fields = { ...FIELDS, protocol: { from: 'protocol' } };
  const receipt = await land(
    'author,date,content,protocol\na,2023/1/5,x,AAVE\na,2023/1/5,x,rocket.pool\na,2023/1/5,x,a/b\na,2023/1/5,x,a|b\n',
    fields,
  );
  expect(receipt).toMatchObject({ rows_landed: 2, rows_quarantined: 2 });
  expect((await landedRows({ engine, ingest }, socialMessage)).map((row) => row['protocol']).sort()).toEqual([
    'aave',
    'rocket.pool',
  ]);
});

test('the same file lands to the same bytes in four time zones', () => {
  const script = join(root, 'land.ts');
  const here = (path: string) => new URL(`../../../../${path}`, import.meta.url).href;
  writeFileSync(join(root, 'zones.csv'), `${HEADER}a,03/28/2021 2:30 AM,gm\nb,2021/10/31,rekt\n`);
  writeFileSync(
    script,
    `import { openDuckDb } from '${here('jobs/engine/duckdb/duckdb.ts')}';
import { openIngest } from '${here('jobs/ingest/land.ts')}';
import { socialMessage } from '${here('jobs/families/social/raw.ts')}';
const engine = await openDuckDb({ file: ':memory:', memoryLimit: '1GB', threads: 1, tempDir: '${root}/tmp' });
const ingest = await openIngest({ dir: process.argv[2], db: engine, key: new Uint8Array(32).fill(3) });
const delivery = { kind: 'file', path: '${root}/zones.csv', format: 'csv', fields: ${JSON.stringify(FIELDS)} };
const receipt = await ingest.land(socialMessage, ${JSON.stringify(SOURCE)}, delivery, { interval: { from: 0, to: ${FETCHED} }, fetchedAt: ${FETCHED} });
console.log(receipt.rows_landed, receipt.file_sha256);`,
  );
  const answers = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia'].map((TZ) =>
    execFileSync(process.execPath, [script, join(root, TZ.replace('/', '-'))], {
      env: { ...process.env, TZ },
    }).toString(),
  );
  expect(answers[0]).toMatch(/^2 [0-9a-f]{64}\n$/);
  expect(new Set(answers).size).toBe(1);
}, 60_000);
