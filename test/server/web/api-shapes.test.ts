// The pages read what the endpoints return: the compiler compares the types.
import { expectTypeOf, test } from 'vitest';
import type { ConditionChangeSchema } from '../../../schemas/changes.ts';
import type { ConditionSchema } from '../../../schemas/conditions.ts';
import type { Static } from '../../../schemas/define.ts';
import type { RiskEvent as PublishedEvent } from '../../../schemas/event.ts';
import type { EvidenceSchema } from '../../../schemas/evidence.ts';
import type { ExposurePathsSchema } from '../../../schemas/exposure.ts';
import type { OraclePathSchema } from '../../../schemas/oracle-paths.ts';
import type { PegSchema } from '../../../schemas/oracle-series.ts';
import type { SeriesMetaSchema, SeriesSchema } from '../../../schemas/series.ts';
import type { VaultTotals as PublishedTotals } from '../../../schemas/vault-totals.ts';
import type { VaultChangeSchema, VaultSchema } from '../../../schemas/vaults.ts';
import type {
  Change,
  Condition,
  Evidence,
  Peg,
  RiskEvent,
  Series,
  SeriesMeta,
} from '../../../server/web/browser/api-shapes.ts';
import type { ExposurePaths } from '../../../server/web/browser/contagion-layout.ts';
import type { OraclePath } from '../../../server/web/browser/oracle-path.ts';
import type { DelayedChange, VaultState, VaultTotals } from '../../../server/web/browser/vault-texts.ts';

type Answer = Static<typeof EvidenceSchema>;

test('responses have the shapes that the pages read', () => {
  expectTypeOf<Omit<Answer, 'event'>>().toExtend<Omit<Evidence, 'event'>>();
  expectTypeOf<PublishedEvent>().toExtend<RiskEvent>();
  expectTypeOf<Static<typeof PegSchema>>().toExtend<Peg>();
  expectTypeOf<Static<typeof ConditionSchema>>().toExtend<Condition>();
  expectTypeOf<Static<typeof ConditionChangeSchema>>().toExtend<Change>();
  expectTypeOf<Static<typeof SeriesSchema>>().toExtend<Series>();
  expectTypeOf<Static<typeof SeriesMetaSchema>>().toExtend<SeriesMeta>();
  expectTypeOf<Static<typeof OraclePathSchema>>().toExtend<OraclePath>();
  expectTypeOf<Static<typeof ExposurePathsSchema>>().toExtend<ExposurePaths>();
  expectTypeOf<Static<typeof VaultSchema>>().toExtend<VaultState>();
  expectTypeOf<Static<typeof VaultChangeSchema>>().toExtend<DelayedChange>();
  expectTypeOf<PublishedTotals>().toExtend<VaultTotals>();
});
