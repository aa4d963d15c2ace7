import { expect, test } from 'vitest';
import { splitJson } from '../../../../jobs/ingest/read/json-records.ts';
import type { RawRecord } from '../../../../jobs/ingest/read/split-records.ts';

async function* pieces(text: string, size: number): AsyncIterable<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function recordsOf(text: string, records: string, size = 1_000): Promise<readonly RawRecord[]> {
  const found: RawRecord[] = [];
  for await (const batch of splitJson(pieces(text, size), { file: 'a.json', records })) found.push(...batch);
  return found;
}

const ANSWER = `{"id": "1",
 "result" : {"height": 7, "list": [{"a": "},{"}, {"a": 2}], "sync": {"at": 5}} ,
 "more": {"height": 8}}`;

test.each([1, 2, 3, 7, 1_000])('an object at the path is one record, in pieces of %i bytes', async (size) => {
  const [record, ...more] = await recordsOf(ANSWER, 'result', size);
  expect(more).toEqual([]);
  expect(JSON.parse(String(record?.bytes))).toEqual({
    height: 7,
    list: [{ a: '},{' }, { a: 2 }],
    sync: { at: 5 },
  });
  expect(record).toMatchObject({ record: 1, line: 2, byteOffset: ANSWER.indexOf('{"height": 7') });
});

test('an object that is nested, or at the very end, is found', async () => {
  expect(String((await recordsOf(ANSWER, 'result.sync'))[0]?.bytes)).toBe('{"at": 5}');
  expect(String((await recordsOf(ANSWER, 'more'))[0]?.bytes)).toBe('{"height": 8}');
});

test('a list at the path stays a list of records', async () => {
  expect(await recordsOf(ANSWER, 'result.list')).toHaveLength(2);
});

test('a path to a plain value or to nothing is rejected, and so is a document that is not a list', async () => {
  for (const path of ['id', 'nothing', 'result.height'])
    await expect(recordsOf(ANSWER, path)).rejects.toThrow(`there is no array or object at "${path}"`);
  await expect(recordsOf(ANSWER, '')).rejects.toThrow('the document is not an array');
});

test('a truncated object is rejected', async () => {
  await expect(recordsOf(ANSWER.slice(0, 40), 'result')).rejects.toThrow('ends before it is complete');
});
