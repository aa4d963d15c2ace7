// Landing files that are missing, truncated, changed or from another folder: nothing is ever computed from them, and no data is lost.
import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Receipt } from '../../../../jobs/ingest/receipts/receipt.ts';
import { assertLandingWhole, verifyLanding } from '../../../../jobs/ingest/receipts/verify.ts';
import { feedRound } from '../../../../jobs/families/oracles/raw.ts';
import { nodeDisk } from '../../../../platform/storage/disk.ts';
import { COUNTS } from '../../../reliability/counts.ts';
import { CONTEXT, csv, openScratch, quarantined, roundsCsv, type Scratch, SOURCE } from '../scratch.ts';

const T = 1_600_000_000;
const DAY = '2023-11-14';
/** Two batches, which each test damages in a copy of its own. */
let sound: Scratch;
let receipts: readonly Receipt[];
let scratch: Scratch;

beforeAll(async () => {
  sound = await openScratch();
  receipts = [await land(0, sound), await land(1, sound)];
});
afterAll(() => sound.close());
beforeEach(async () => {
  scratch = await sound.copy();
});
afterEach(() => scratch.close());

async function land(hour: number, into = scratch): Promise<Receipt> {
  const rounds = Array.from(
    { length: 200 },
    (_, index) => [1_000 * hour + index, index * 7, T + hour * 3_600 + index] as const,
  );
  const text = roundsCsv([...rounds, [999_999, 'x', T]]);
  const interval = { from: CONTEXT.interval.from, to: CONTEXT.interval.to + hour };
  const context = { interval, fetchedAt: CONTEXT.fetchedAt + hour };
  return into.ingest.land(feedRound, SOURCE, csv(await into.file(`${hour}.csv`, text)), context);
}

const dataFolder = () => ({ disk: nodeDisk, dir: scratch.dir });
const parquetOf = ({ file }: Receipt) => file ?? '';
const receiptOf = ({ file }: Receipt) => (file ?? '').replace('.parquet', '.json');
const quarantineOf = ({ batch }: Receipt) => `quarantine/feed_round/${batch}.ndjson`;
const one = (pick: (receipt: Receipt) => string) => {
  const [first] = receipts;
  if (first === undefined) throw new Error('nothing landed');
  return pick(first);
};

/** Every way of using the folder, which must either work as before or throw. */
async function use(): Promise<unknown> {
  const ingest = await scratch.reopen();
  await ingest.check(ingest.files('feed_round'));
  return { receipts: ingest.receipts(), quarantined: await quarantined(ingest) };
}

async function flipBit(path: string, bit: number): Promise<void> {
  const bytes = await readFile(path);
  const at = bit % (bytes.length * 8);
  bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7));
  await writeFile(path, bytes);
}

describe.each([
  ['a landed file', parquetOf],
  ['a receipt', receiptOf],
  ['a quarantine file', quarantineOf],
])('%s', (_what, pick) => {
  test(`with any one bit flipped is rejected wherever it is used (${COUNTS.landingFlips})`, async () => {
    const path = join(scratch.dir, one(pick));
    const good = await readFile(path);
    const before = await use();
    for (let trial = 0; trial < COUNTS.landingFlips; trial += 1) {
      await flipBit(path, Math.floor(trial * 0.618_033_988_7 * good.length * 8));
      await expect(use()).rejects.toMatchObject({ fault: 'damaged_landing' });
      expect((await verifyLanding(dataFolder())).map(({ file }) => file)).toContain(one(pick));
      await writeFile(path, good);
    }
    expect(await use()).toEqual(before);
    expect(await verifyLanding(dataFolder())).toEqual([]);
  });

  test.each([
    ['is missing', (path: string) => rm(path)],
    ['is empty', (path: string) => truncate(path)],
    ['is truncated', async (path: string) => truncate(path, (await readFile(path)).length >> 1)],
    ['is that of another batch', async (path: string) => cp(path.replace(one(pick), pick(other())), path)],
    ['is that of another folder', async (path: string) => cp(await fromElsewhere(pick), path)],
  ])('that %s is rejected, and everything works again once it is restored', async (_how, damage) => {
    const path = join(scratch.dir, one(pick));
    const good = await readFile(path);
    const before = await use();
    await damage(path);
    await expect(use()).rejects.toMatchObject({ fault: 'damaged_landing' });
    expect((await verifyLanding(dataFolder())).map(({ file }) => file)).toContain(one(pick));
    await writeFile(path, good);
    expect(await use()).toEqual(before);
    expect(await verifyLanding(dataFolder())).toEqual([]);
  });
});

const other = (): Receipt => {
  const last = receipts.at(-1);
  if (last === undefined) throw new Error('nothing landed');
  return last;
};

/** The file of the same name in a folder where the same source landed at another time. */
async function fromElsewhere(pick: (receipt: Receipt) => string): Promise<string> {
  const elsewhere = await openScratch();
  const file = csv(join(scratch.dir, '..', '0.csv'));
  const receipt = await elsewhere.ingest.land(feedRound, SOURCE, file, { ...CONTEXT, fetchedAt: T + 7 });
  const copy = join(scratch.dir, '..', 'elsewhere');
  // Both have bad rows at the same positions, so the quarantine files would be the same.
  if (pick === quarantineOf) await writeFile(copy, '{}\n');
  else await cp(join(elsewhere.dir, pick(receipt)), copy);
  await elsewhere.close();
  return copy;
}

describe('compaction', () => {
  test('of a damaged file is rejected, and the originals stay', async () => {
    const path = join(scratch.dir, one(parquetOf));
    const good = await readFile(path);
    await flipBit(path, good.length * 4);
    const ingest = await scratch.reopen();
    await expect(ingest.compact(feedRound, DAY)).rejects.toMatchObject({ fault: 'damaged_landing' });
    await writeFile(path, good);
    expect(await ingest.compact(feedRound, DAY)).toMatchObject([{ rows_landed: 400 }]);
    expect((await quarantined(await scratch.reopen())).length).toBe(2);
    expect(await verifyLanding(dataFolder())).toEqual([]);
  });

  test('that is committed but damaged does not drop the originals', async () => {
    await cp(scratch.dir, `${scratch.dir}-before`, { recursive: true });
    const [compacted] = await scratch.ingest.compact(feedRound, DAY);
    await cp(`${scratch.dir}-before/landing/feed_round`, join(scratch.dir, 'landing/feed_round'), {
      recursive: true,
    });
    const path = join(scratch.dir, compacted?.file ?? '');
    const good = await readFile(path);
    await flipBit(path, 1_000);
    await expect(scratch.reopen()).rejects.toMatchObject({ fault: 'damaged_landing' });
    for (const receipt of receipts) await readFile(join(scratch.dir, parquetOf(receipt)));
    await writeFile(path, good);
    expect((await scratch.reopen()).receipts()).toEqual([compacted]);
  });
});

describe('a file that no receipt names', () => {
  test('is set aside, never deleted, and put back when its receipt has been restored', async () => {
    const before = await use();
    const aside = join(scratch.dir, '..', 'aside.json');
    await rename(join(scratch.dir, one(receiptOf)), aside);
    await expect(scratch.reopen()).rejects.toThrow(/the receipt is missing/);
    for (const path of [one(parquetOf), one(quarantineOf)])
      await readFile(join(scratch.dir, 'lost+found', path));
    await rename(aside, join(scratch.dir, one(receiptOf)));
    expect(await use()).toEqual(before);
    expect(await verifyLanding(dataFolder())).toEqual([]);
  });

  test('is set aside with a warning if no list names it either, even when a file of that name was set aside before', async () => {
    const warnings: unknown[] = [];
    const notices = { step: () => undefined, warn: (...what: unknown[]) => void warnings.push(what) };
    const folder = join(scratch.dir, `landing/feed_round/day=${DAY}`);
    for (const text of ['one', 'two']) {
      await writeFile(join(folder, 'aa.parquet'), text);
      await scratch.reopen({ notices });
    }
    expect(warnings).toHaveLength(2);
    const found = join(scratch.dir, `lost+found/landing/feed_round/day=${DAY}`);
    expect(
      await Promise.all(['aa.parquet', 'aa.parquet.1'].map((name) => readFile(join(found, name), 'utf8'))),
    ).toEqual(['one', 'two']);
    expect(await verifyLanding(dataFolder())).toHaveLength(2);
    expect((await scratch.reopen()).receipts()).toEqual(receipts);
  });
});

describe('the list of receipts', () => {
  test.each([
    ['missing', (path: string) => rm(path), 1],
    ['empty', (path: string) => truncate(path), 1],
    [
      'truncated, as by a crash',
      async (path: string) => truncate(path, (await readFile(path)).length - 5),
      0,
    ],
    ['changed', (path: string) => flipBit(path, 777), 0],
  ])('is rewritten from the receipts when it is %s', async (_how, damage, warned) => {
    const warnings: string[] = [];
    const notices = { step: () => undefined, warn: (what: string) => void warnings.push(what) };
    const path = join(scratch.dir, 'landing/catalogue.txt');
    const good = await readFile(path, 'utf8');
    await damage(path);
    expect((await scratch.reopen({ notices })).receipts()).toEqual(receipts);
    expect(warnings).toEqual(Array(warned).fill(expect.stringContaining('the list of receipts was damaged')));
    expect((await readFile(path, 'utf8')).split('\n').sort()).toEqual(good.split('\n').sort());
  });

  test('of another folder is rejected', async () => {
    const path = join(scratch.dir, 'landing/catalogue.txt');
    const good = await readFile(path);
    await writeFile(path, good);
    const elsewhere = await openScratch();
    await land(5, elsewhere);
    await cp(join(elsewhere.dir, 'landing/catalogue.txt'), path);
    await elsewhere.close();
    await expect(scratch.reopen()).rejects.toThrow(/the receipt is missing/);
    await writeFile(path, good);
    expect((await scratch.reopen()).receipts()).toEqual(receipts);
  });

  test('that is outdated is brought up to date', async () => {
    const path = join(scratch.dir, 'landing/catalogue.txt');
    const earlier = await readFile(path);
    const third = await land(2);
    await writeFile(path, earlier);
    expect((await scratch.reopen()).receipts()).toEqual([...receipts, third]);
    await rm(join(scratch.dir, receiptOf(third)));
    await expect(scratch.reopen()).rejects.toThrow(/the receipt is missing/);
  });
});

describe('receipts of an older version, without hashes', () => {
  const unseal = async () => {
    for (const receipt of receipts) {
      const path = join(scratch.dir, receiptOf(receipt));
      const {
        receipt_sha256: _sha256,
        quarantine_files: _files,
        ...rest
      } = JSON.parse(await readFile(path, 'utf8'));
      await writeFile(path, `${JSON.stringify(rest, null, 1)}\n`);
    }
    await rm(join(scratch.dir, 'landing/catalogue.txt'));
  };

  test('are given hashes once, and their contents are verified from then on', async () => {
    await unseal();
    const warnings: string[] = [];
    const notices = { step: () => undefined, warn: (what: string) => void warnings.push(what) };
    expect((await scratch.reopen({ notices })).receipts()).toEqual(receipts);
    expect(warnings).toEqual([expect.stringMatching(/older version/)]);
    const path = join(scratch.dir, one(receiptOf));
    await writeFile(path, (await readFile(path, 'utf8')).replace('"rows_landed": 200', '"rows_landed": 201'));
    await expect(scratch.reopen()).rejects.toMatchObject({ fault: 'damaged_landing' });
  });

  test('are given hashes after a crash in between, too', async () => {
    await unseal();
    let renames = 0;
    const disk = {
      ...nodeDisk,
      rename: async (from: string, to: string) => {
        if (++renames > 2) throw Object.assign(new Error('EIO: simulated'), { code: 'EIO' });
        await nodeDisk.rename(from, to);
      },
    };
    await expect(scratch.reopen({ disk })).rejects.toThrow(/simulated/);
    expect((await scratch.reopen()).receipts()).toEqual(receipts);
    expect(await verifyLanding(dataFolder())).toEqual([]);
  });

  test('are rejected among receipts with hashes, unless the list confirms their contents', async () => {
    const path = join(scratch.dir, one(receiptOf));
    const { receipt_sha256: _sha256, ...rest } = JSON.parse(await readFile(path, 'utf8'));
    const write = (receipt: object) => writeFile(path, `${JSON.stringify(receipt, null, 1)}\n`);
    await write({ ...rest, rows_landed: 201 });
    await expect(scratch.reopen()).rejects.toMatchObject({ fault: 'damaged_landing' });
    await write(rest);
    expect((await scratch.reopen()).receipts()).toEqual(receipts);
    await write(rest);
    await rm(join(scratch.dir, 'landing/catalogue.txt'));
    await expect(scratch.reopen()).rejects.toMatchObject({ fault: 'damaged_landing' });
  });
});

test('before a warehouse is discarded, every landed file is checked', async () => {
  await assertLandingWhole(dataFolder());
  await flipBit(join(scratch.dir, one(parquetOf)), 4_000);
  await expect(assertLandingWhole(dataFolder())).rejects.toThrow(/Restore it from a backup/);
});

test('the folders of an empty landing are whole', async () => {
  const dir = join(scratch.dir, '..', 'empty');
  await mkdir(dir);
  expect(await verifyLanding({ disk: nodeDisk, dir })).toEqual([]);
  expect(await readdir(dir)).toEqual([]);
});
