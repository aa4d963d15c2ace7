// A window that is computed in stretches gives every table the rows that it has when it is computed at once.
import { expect, test, vi } from 'vitest';
import { rebuild } from '../../../../jobs/commands/work.ts';
import type { PipelineContext } from '../../../../jobs/pipeline/context.ts';
import { DEMO, demoFolder } from '../../../support/demo-folder.ts';
import { datasetHashes, inWorld, seriesHashes } from '../../../support/pipeline-world.ts';

vi.setConfig({ testTimeout: 600_000 });

/** Number of rows of every table of a model, with a hash of their values. */
async function contentsOf({ warehouse, models }: PipelineContext) {
  const contents: { [table: string]: string } = {};
  for (const { name, kind } of models.models) {
    if (kind === 'view') continue;
    const [row] = await warehouse.rows(
      `select count(*) as rows, md5(string_agg(cast(hash(t) as varchar), ',' order by hash(t))) as hash from ${name} t`,
    );
    contents[name] = `${String(row?.['rows'])} ${String(row?.['hash'])}`;
  }
  return contents;
}

/** Rows with which most models of the demo have several stretches. */
const FEW = 2_000;

test('every table has the same rows, and the same files are published', async () => {
  const folder = await demoFolder();
  const published = () => ({ datasets: datasetHashes(folder), series: seriesHashes(folder) });
  const before = published();
  const tables = await inWorld(folder, DEMO, contentsOf);
  await inWorld(folder, { ...DEMO, isRebuild: true }, async (context) => {
    await rebuild({ ...context, maxStretchRows: FEW });
    expect(await contentsOf(context)).toEqual(tables);
  });
  expect(published()).toEqual(before);
});
