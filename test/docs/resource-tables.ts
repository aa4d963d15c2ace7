// The field tables of Part 2 of docs/interface.md.
import { CorrectionSchema } from '../../schemas/corrections.ts';
import { CoverageRowSchema, ManifestSummarySchema } from '../../schemas/coverage.ts';
import type { TSchema } from '../../schemas/define.ts';
import { DevelopmentRecordSchema } from '../../schemas/development.ts';
import { AgenticSchema } from '../../schemas/envelopes.ts';
import { EventSchema } from '../../schemas/event.ts';
import { GovernanceRecordSchema } from '../../schemas/governance.ts';
import { Layer2StatisticSchema } from '../../schemas/layer2.ts';
import { NetworkAStatisticsSchema, TransactionStatisticsSchema } from '../../schemas/network-a.ts';
import { NetworkBStatisticsSchema } from '../../schemas/network-b.ts';
import { OraclePairSchema, OracleParameterSchema } from '../../schemas/oracles.ts';
import { OverallReceiptSchema, OverallScoreSchema } from '../../schemas/overall.ts';
import { BaseRestakingSchema, RestakingProtocolSchema } from '../../schemas/restaking.ts';
import { SocialProtocolSchema, SocialScoreSchema } from '../../schemas/social.ts';
import { DeliverySchema, WebhookSchema } from '../../schemas/webhooks.ts';
import { YieldOpportunitySchema } from '../../schemas/yields.ts';
import { fieldTable } from './field-table.ts';

const RESOURCES: Readonly<Record<string, TSchema>> = {
  'social-protocol': SocialProtocolSchema,
  'social-score': SocialScoreSchema,
  development: DevelopmentRecordSchema,
  'overall-score': OverallScoreSchema,
  'overall-receipt': OverallReceiptSchema,
  governance: GovernanceRecordSchema,
  'network-a-transactions': TransactionStatisticsSchema,
  'network-a-statistics': NetworkAStatisticsSchema,
  'network-b': NetworkBStatisticsSchema,
  layer2: Layer2StatisticSchema,
  restaking: RestakingProtocolSchema,
  'base-restaking': BaseRestakingSchema,
  manifest: ManifestSummarySchema,
  coverage: CoverageRowSchema,
  agentic: AgenticSchema,
  event: EventSchema,
  webhook: WebhookSchema,
  delivery: DeliverySchema,
  'oracle-pair': OraclePairSchema,
  'oracle-parameter': OracleParameterSchema,
  yield: YieldOpportunitySchema,
  correction: CorrectionSchema,
};

export const RESOURCE_TABLES: Readonly<Record<string, () => string>> = Object.fromEntries(
  Object.entries(RESOURCES).map(([name, schema]) => [`fields-${name}`, () => fieldTable(schema)]),
);
