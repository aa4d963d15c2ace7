// Every event type once: its severity, when it fires, what its payload holds; and the envelope around it (2.15, Part 6).
import { IsoTime, Strict, type TSchema, Type, Ulid } from './define.ts';
import {
  AnomalyData,
  CuratorTenureData,
  DepthData,
  OracleClassificationData,
  OracleData,
  OracleStaleData,
  PegData,
  PegRecoveredData,
  RegimeData,
  RiskFactorData,
  SandwichData,
  UtilizationData,
  VaultData,
} from './event-data.ts';
import { EVENT_DOUBTS } from './event-doubts.ts';
import { FRESHNESS_STATUSES } from './provenance.ts';

export const SEVERITIES = ['info', 'warn', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface EventType {
  readonly type: string;
  /** Severities that it can have, and what decides where there are several. */
  readonly severities: readonly Severity[];
  readonly severity_rule?: string;
  readonly summary: string;
  /** Form of `subject_id`. */
  readonly subject: string;
  readonly data: TSchema;
}

const ORACLE = 'oracle:<chain>:<feed>:<market>';
/** Where assets of one chain share a symbol all but one of them are `<symbol>:<address>`. */
const PEG = 'peg:<chain>:<symbol>';
const VAULT = 'vault:<chain>:<address>';
const LIQUIDITY = 'liquidity:<chain>:<market>';
const ANOMALY = 'anomaly:<id>';

const one = (
  type: string,
  severity: Severity,
  rest: Pick<EventType, 'summary' | 'subject' | 'data'>,
): EventType => Object.freeze({ type, severities: [severity], ...rest });

const oracle: readonly EventType[] = [
  {
    type: 'oracle.stale',
    severities: ['warn', 'high', 'critical'],
    severity_rule: 'by age past heartbeat and grace: under 10 minutes, from 10 minutes, from 60 minutes',
    summary: 'An oracle feed has not updated within its freshness threshold',
    subject: ORACLE,
    data: OracleStaleData,
  },
  one('oracle.classification.changed', 'warn', {
    summary: 'The classification of a feed changed',
    subject: ORACLE,
    data: OracleClassificationData,
  }),
  one('oracle.feed.invalid', 'high', {
    summary: 'A feed returned a reading that cannot be right, such as a non-positive answer',
    subject: ORACLE,
    data: OracleData,
  }),
];

const peg: readonly EventType[] = [
  {
    type: 'peg.depeg.start',
    severities: ['warn', 'high'],
    severity_rule:
      'warn while the sources of the price disagree about the threshold; high once none does, which after a warning is an event of its own',
    summary: 'The observed price crossed the depeg threshold against the reference',
    subject: PEG,
    data: PegData,
  },
  one('peg.depeg.end', 'info', {
    summary: 'A depegged asset returned inside its threshold band',
    subject: PEG,
    data: PegData,
  }),
  one('peg.depeg.recovered', 'info', {
    summary: 'An asset held its band for the whole hold after a depeg ended',
    subject: PEG,
    data: PegRecoveredData,
  }),
];

const vaultAndCurator: readonly EventType[] = [
  one('vault.cap.changed', 'info', { summary: 'A supply cap was changed', subject: VAULT, data: VaultData }),
  one('vault.fee.changed', 'warn', {
    summary: 'A performance fee was changed',
    subject: VAULT,
    data: VaultData,
  }),
  one('vault.curator.changed', 'high', {
    summary: 'A curator role was reassigned',
    subject: VAULT,
    data: VaultData,
  }),
  one('vault.allocation.changed', 'warn', {
    summary: 'A curator reallocated supply across markets',
    subject: VAULT,
    data: VaultData,
  }),
  one('curator.action', 'info', {
    summary: 'A curator or governance action without a more specific event',
    subject: VAULT,
    data: VaultData,
  }),
  one('curator.tenure.start', 'info', {
    summary: "A curator's tenure over a vault began",
    subject: VAULT,
    data: CuratorTenureData,
  }),
  one('curator.tenure.end', 'info', {
    summary: "A curator's tenure over a vault ended",
    subject: VAULT,
    data: CuratorTenureData,
  }),
];

const liquidityAndRisk: readonly EventType[] = [
  one('liquidity.utilization.spike', 'high', {
    summary: "A market's utilization crossed its threshold",
    subject: LIQUIDITY,
    data: UtilizationData,
  }),
  one('liquidity.depth.collapse', 'critical', {
    summary: 'The exit depth of a position collapsed',
    subject: LIQUIDITY,
    data: DepthData,
  }),
  {
    type: 'risk.anomaly',
    severities: ['warn', 'high', 'critical'],
    severity_rule: 'the grade that the detector gives',
    summary: 'An anomaly that is not MEV: TVL, concentration, flow or whale movement',
    subject: ANOMALY,
    data: AnomalyData,
  },
  {
    type: 'risk.factor.breach',
    severities: ['warn', 'high', 'critical'],
    severity_rule: 'supplied by the breach, `warn` without',
    summary: 'A risk-factor score of a yield opportunity dropped past a threshold',
    subject: 'risk:<opportunity_id>:<category>',
    data: RiskFactorData,
  },
  one('regime.shift', 'warn', {
    summary: 'The market moved to a new regime',
    subject: 'vault:global',
    data: RegimeData,
  }),
  one('mev.spike', 'high', { summary: 'MEV extraction spiked', subject: ANOMALY, data: AnomalyData }),
  one('mev.sandwich.large', 'high', {
    summary: 'A large sandwich attack',
    subject: 'pool:<chain>:<pool>',
    data: SandwichData,
  }),
];

export const EVENT_CATALOGUE: readonly EventType[] = Object.freeze([
  ...oracle,
  ...peg,
  ...vaultAndCurator,
  ...liquidityAndRisk,
]);

export const EVENT_TYPES: readonly string[] = EVENT_CATALOGUE.map(({ type }) => type);

const words = Object.entries(EVENT_DOUBTS)
  .map(([doubt, meaning]) => `\`${doubt}\`: ${meaning}`)
  .join('; ');
const EventGate = Strict(
  {
    verdict: Type.Enum(['warn']),
    checks: Type.Array(
      Strict({
        name: Type.Enum(Object.keys(EVENT_DOUBTS), { description: words }),
        verdict: Type.Enum(['warn']),
        detail: Type.String(),
      }),
      { minItems: 1 },
    ),
  },
  'What spoke against the event at its own time; absent where nothing did',
);

/** The envelope of every event, whichever way it is delivered. */
export const EventSchema = Strict({
  event_id: Ulid('Unique; later events have greater ids'),
  type: Type.String({ description: 'Event type', examples: ['oracle.stale'] }),
  severity: Type.Optional(Type.Enum([...SEVERITIES])),
  chain: Type.Optional(Type.String({ description: 'Chain name' })),
  protocol: Type.Optional(Type.String({ description: 'Protocol name' })),
  subject_id: Type.String({ description: '`<resource>:<id>`', examples: ['peg:ethereum:USDT'] }),
  ts: IsoTime('Event time: when the condition became true'),
  data: Type.Object(
    {},
    { additionalProperties: true, description: "Fields of the event's type; more may be added" },
  ),
  meta: Strict({
    _agentic: Strict({
      freshness: Strict({ status: Type.Enum([...FRESHNESS_STATUSES]) }),
      quality_gate: Type.Optional(EventGate),
    }),
  }),
  data_quality: Type.Optional(
    Type.Enum(['degraded'], { description: 'Present where the quality gate warns, which says of what' }),
  ),
  retracts_event_id: Type.Optional(
    Ulid('The earlier event that this one takes back, also in `data`: what it reported did not happen'),
  ),
  test: Type.Optional(
    Type.Literal(true, {
      description:
        'Made up for trying a receiver out, also when it is redelivered; in no log. Its id is older than every event still to come',
    }),
  ),
});
