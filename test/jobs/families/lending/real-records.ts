// The real lending files as records, read without the product: what tests hold its answers against.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { realData } from '../../../support/real-data.ts';

export const midnight = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;

/** Lines of a CSV file without quotes, gzipped or not, by the names of its first line. */
export async function records(path: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const file = createReadStream(realData(path));
  const input = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  const rows: Record<string, string>[] = [];
  let names: readonly string[] | null = null;
  for await (const line of createInterface({ input })) {
    const cells: readonly string[] = line.split(',');
    if (names === null) names = cells;
    else rows.push(Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])));
  }
  return rows;
}
