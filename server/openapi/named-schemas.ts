// The schemas that the document defines once by name and references elsewhere. A schema is identified by content, not by object identity:
// an optional or described copy with the same content has the same name.
import * as changes from '../../schemas/changes.ts';
import * as corrections from '../../schemas/corrections.ts';
import * as datasets from '../../schemas/datasets.ts';
import type { TSchema } from '../../schemas/define.ts';
import * as detectorState from '../../schemas/detector-state.ts';
import * as envelopes from '../../schemas/envelopes.ts';
import * as errors from '../../schemas/errors.ts';
import * as event from '../../schemas/event.ts';
import * as evidence from '../../schemas/evidence.ts';
import * as exit from '../../schemas/exit.ts';
import { FAMILIES } from '../../schemas/families.ts';
import * as figureChanges from '../../schemas/figure-changes.ts';
import { type OpenApiSchema, openapi30, type RefOf } from '../../schemas/openapi30.ts';
import * as oracleDoubts from '../../schemas/oracle-doubts.ts';
import * as oracleSeries from '../../schemas/oracle-series.ts';
import * as portfolio from '../../schemas/portfolio.ts';
import * as portfolioConcentration from '../../schemas/portfolio-concentration.ts';
import * as portfolioRequest from '../../schemas/portfolio-request.ts';
import * as provenance from '../../schemas/provenance.ts';
import * as scenarios from '../../schemas/scenarios.ts';
import * as series from '../../schemas/series.ts';
import * as serviceStatus from '../../schemas/service-status.ts';
import * as shocks from '../../schemas/shocks.ts';
import * as simulator from '../../schemas/simulator.ts';
import * as simulatorRequest from '../../schemas/simulator-request.ts';
import * as vaultExit from '../../schemas/vault-exit.ts';
import * as vaultHoldings from '../../schemas/vault-holdings.ts';
import * as vaultSetExit from '../../schemas/vault-set-exit.ts';
import * as vaultTotals from '../../schemas/vault-totals.ts';
import * as webhooks from '../../schemas/webhooks.ts';

const MODULES: readonly Readonly<Record<string, unknown>>[] = [
  ...FAMILIES,
  changes,
  corrections,
  datasets,
  detectorState,
  envelopes,
  errors,
  event,
  evidence,
  exit,
  figureChanges,
  oracleDoubts,
  oracleSeries,
  portfolio,
  portfolioConcentration,
  portfolioRequest,
  provenance,
  scenarios,
  series,
  serviceStatus,
  shocks,
  simulator,
  simulatorRequest,
  vaultExit,
  vaultHoldings,
  vaultSetExit,
  vaultTotals,
  webhooks,
];

const NAME = /^([A-Z]\w*?)(Schema|(?<=Data))$/;
const PREFIX = '#/components/schemas/';

/** Names by schema content. @throws Error if two different schemas would share a name. */
function readNames(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Map<string, string>();
  for (const [exported, schema] of MODULES.flatMap((module) => Object.entries(module))) {
    const name = NAME.exec(exported)?.[1];
    const text = JSON.stringify(schema);
    if (name === undefined || !isObjectSchema(schema) || names.has(text)) continue;
    if (taken.has(name)) throw new Error(`Two schemas are named ${name}: rename one of them.`);
    names.set(text, name);
    taken.set(name, text);
  }
  return names;
}

const isObjectSchema = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'object';

const NAMES = readNames();

/** Collects the named schemas that a document uses. */
export class SchemaNames {
  readonly #used = new Map<string, TSchema>();
  readonly #convert: (schema: TSchema, refOf: RefOf) => OpenApiSchema;

  /** `convert`: to the form of schemas in the document. */
  constructor(convert: (schema: TSchema, refOf: RefOf) => OpenApiSchema = openapi30) {
    this.#convert = convert;
  }

  readonly refOf = (schema: TSchema): string | undefined => {
    const name = NAMES.get(JSON.stringify(schema));
    if (name === undefined) return undefined;
    this.#used.set(name, schema);
    return PREFIX + name;
  };

  /** The schema for an operation; a reference if it has a name. */
  convert(schema: TSchema): OpenApiSchema {
    const $ref = this.refOf(schema);
    return $ref === undefined ? this.#convert(schema, this.refOf) : { $ref };
  }

  /** All schemas referenced directly or indirectly, by name. */
  components(): Record<string, OpenApiSchema> {
    const made: Record<string, OpenApiSchema> = {};
    for (let before = -1; before !== this.#used.size; ) {
      before = this.#used.size;
      for (const [name, schema] of this.#used) made[name] ??= this.#convert(schema, this.refOf);
    }
    return Object.fromEntries(Object.entries(made).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
