// The warehouse on a real Trino, PostgreSQL and MinIO does what every warehouse must do, and recovers from its own failures. It takes
// minutes, so it runs only if TRINO_TESTS is set.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { warehouseConforms } from '../jobs/engine/conformance.ts';
import { lakeCases } from './lake-cases.ts';
import { lakeWorldCases } from './lake-world-cases.ts';
import { type LakeServer, startLake } from './lake-server.ts';

const START_MS = 300_000;

if (process.env['TRINO_TESTS'] === undefined)
  describe('the warehouse on Trino', () =>
    test.skip('starts Trino, PostgreSQL and MinIO; set TRINO_TESTS=1', () => undefined));
else
  describe('the warehouse on Trino', () => {
    let lake: LakeServer;
    beforeAll(async () => {
      lake = await startLake(process.env);
    }, START_MS);
    afterAll(() => lake?.stop());

    warehouseConforms(async (db) => {
      await lake.reset();
      return lake.open(db);
    });

    describe('failures', () => lakeCases(() => lake));
    describe('a whole pipeline', () => lakeWorldCases(() => lake));
  });
