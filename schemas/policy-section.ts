// What the `policy` section of a configuration file may hold: any part of the policy, each with its own limits.
// Limits that involve two values together are checked after merging, in load-policy.ts.
import { Settings } from 'typebox/system';
import { Errors } from 'typebox/value';
import { AnomalySection } from './anomaly-policy.ts';
import { Strict, type TSchema, Type } from './define.ts';
import { DevelopmentSection } from './development-policy.ts';
import { GovernanceSection } from './governance-policy.ts';
import { Layer2Section } from './layer2-policy.ts';
import { LendingSection } from './lending-policy.ts';
import { MevSection } from './mev-policy.ts';
import { nearestName } from './nearest-name.ts';
import { NetworksSection } from './networks-policy.ts';
import { OverallSection } from './overall-policy.ts';
import { AGREEMENTS, PEG_KINDS, SOURCE_KINDS } from './policy.ts';
import { QualitySection } from './quality-policy.ts';
import { RegimeSection } from './regime-policy.ts';
import { RestakingSection } from './restaking-policy.ts';
import { type SettingsProblem, written } from './settings-error.ts';
import { SocialSection } from './social-policy.ts';
import { StormSection } from './storm-policy.ts';
import { YieldsSection } from './yields-policy.ts';

const Opt = <T extends TSchema>(schema: T) => Type.Optional(schema);
const Seconds = Type.Integer({ minimum: 0, maximum: 31_536_000 });
const Bps = Type.Number({ minimum: 0, maximum: 10_000 });
const Count = Type.Integer({ minimum: 1, maximum: 1_000 });
const AssetSymbol = Type.String({ pattern: '^[^a-z\\s-]{1,64}$', description: 'a symbol in upper case' });
const Minute = Type.Integer({ minimum: 0, maximum: 7 * 24 * 60 });

const Weight = Type.Number({ minimum: 0, maximum: 1_000 });
const ChainName = Type.String({ pattern: '^[^A-Z\\s]{1,64}$', description: 'a chain name in lower case' });
const Id = Type.String({ pattern: '^[^A-Z\\s|]{1,80}$', description: 'an address or id in lower case' });

const bands = { enter_bps: Opt(Bps), exit_bps: Opt(Bps), is_downside_only: Opt(Type.Boolean()) };
const BandSection = Strict(bands);

const rules = {
  is_feed_deviation_floor: Opt(Type.Boolean()),
  feed_band_margin_bps: Opt(Bps),
  agreement: Opt(Type.Enum([...AGREEMENTS])),
  confirm_observations: Opt(Count),
  confirm_spacing_s: Opt(Seconds),
  immediate_multiple: Opt(Type.Number({ minimum: 1, maximum: 1_000 })),
  recovery_hold_s: Opt(Seconds),
  recovery_min_observed_fraction: Opt(Type.Number({ minimum: 0, maximum: 1 })),
};

/** Named by symbol, quote, id and chain: overrides that asset, or adds it when the defaults do not have it. */
const AssetSection = Strict({
  symbol: AssetSymbol,
  quote: AssetSymbol,
  asset_id: Opt(Id),
  chain: Opt(ChainName),
  kind: Opt(Type.Enum([...PEG_KINDS])),
  reference_price: Opt(
    Type.String({
      pattern: '^(?=.*[1-9])[0-9]{1,20}(\\.[0-9]{1,18})?$',
      description: 'a decimal above 0 in a string',
    }),
  ),
  reference_pair: Opt(
    Type.String({ pattern: '^[^a-z\\s-]+-[^a-z\\s-]+$', description: 'BASE-QUOTE in upper case' }),
  ),
  ...bands,
  ...rules,
});

const PegSourceSection = Strict({
  chain: ChainName,
  feed_address: Id,
  asset_id: Opt(Id),
  source_kind: Opt(Type.Enum([...SOURCE_KINDS])),
  weight: Opt(Weight),
});

export const PolicySection = Strict({
  policy_version: Opt(
    Type.String({ pattern: '^[0-9A-Za-z.+-]{1,64}$', description: 'a version such as 1.1.0' }),
  ),
  oracle: Opt(
    Strict({
      grace_s: Opt(Seconds),
      stale_high_s: Opt(Seconds),
      stale_critical_s: Opt(Seconds),
      is_untracked_reported: Opt(Type.Boolean()),
    }),
  ),
  peg: Opt(
    Strict({
      bands: Opt(Strict(Object.fromEntries(PEG_KINDS.map((kind) => [kind, Opt(BandSection)])))),
      ...rules,
      default_heartbeat_s: Opt(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
      weights: Opt(Strict(Object.fromEntries(SOURCE_KINDS.map((kind) => [kind, Opt(Weight)])))),
      sources: Opt(Type.Array(PegSourceSection)),
      assets: Opt(Type.Array(AssetSection)),
    }),
  ),
  market_hours: Opt(
    Type.Array(
      Strict({
        name: Type.String({ pattern: '^[a-z0-9_/]{1,64}$', description: 'a name in lower case' }),
        open: Type.Array(Type.Tuple([Minute, Minute], { description: 'a pair [from, to] of minutes' })),
      }),
    ),
  ),
  anomaly: Opt(AnomalySection),
  development: Opt(DevelopmentSection),
  governance: Opt(GovernanceSection),
  layer2: Opt(Layer2Section),
  lending: Opt(LendingSection),
  overall: Opt(OverallSection),
  mev: Opt(MevSection),
  networks: Opt(NetworksSection),
  quality: Opt(QualitySection),
  regime: Opt(RegimeSection),
  restaking: Opt(RestakingSection),
  social: Opt(SocialSection),
  storm: Opt(StormSection),
  yields: Opt(YieldsSection),
});

/** Everything in the section that is unknown or out of its limits; what an entry needs is in `expected`. */
export function problemsOfShape(section: unknown): SettingsProblem[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: 1_000 });
  try {
    return Errors(PolicySection, section).flatMap((error) => {
      if (error.keyword === 'additionalProperties') return [];
      const where = `policy${error.instancePath.replaceAll('/', '.')}`;
      if (error.keyword === 'boolean') return [unknownName(where, error.instancePath, error.schemaPath)];
      return [
        {
          where,
          given: written(valueAt(section, error.instancePath)),
          expected: inWords(error),
          closest: null,
        },
      ];
    });
  } finally {
    Settings.Set({ maxErrors });
  }
}

function inWords(error: ReturnType<typeof Errors>[number]): string {
  const words = valueAt(PolicySection, `${error.schemaPath.slice(1)}/description`);
  if (typeof words === 'string') return words;
  if (error.keyword === 'type') return `a JSON ${error.params.type}`;
  if (error.keyword === 'required') return `also ${error.params.requiredProperties.join(', ')}`;
  if (error.keyword === 'enum') return `one of ${error.params.allowedValues.join(', ')}`;
  return error.message.replace(/^must be /, '');
}

function unknownName(where: string, instancePath: string, schemaPath: string): SettingsProblem {
  const known = valueAt(PolicySection, schemaPath.slice(1).replace(/additionalProperties$/, 'properties'));
  const names = typeof known === 'object' && known !== null ? Object.keys(known) : [];
  const closest = nearestName(instancePath.slice(instancePath.lastIndexOf('/') + 1), names);
  return { where, given: 'is not known here', expected: `one of ${names.join(', ')}`, closest };
}

/** The value at a JSON pointer, undefined when there is none. */
function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
