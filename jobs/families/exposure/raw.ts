// The raw tables of the exposure domain: what vaults hold, and what backs an asset. The rows of a holder with one observed_at belong
// together and replace all earlier rows; what they do not account for is unknown.
import { DAY_S } from '../../../platform/base/time.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

/** How long a vault that falls silent is still listed as missing. */
const NAME_VALID_S = 32 * 86_400;

const name = (field: string, description: string, isRequired = true): RawField => ({
  name: field,
  type: 'VARCHAR',
  required: isRequired,
  pattern: '[^\\s|]{1,200}',
  description,
});

const label = (field: string, description: string): RawField => ({
  name: field,
  type: 'VARCHAR',
  maxLength: 200,
  description,
});

const chain = (field: string, description: string, isRequired: boolean): RawField => ({
  name: field,
  type: 'VARCHAR',
  required: isRequired,
  lowercase: true,
  pattern: '[^\\s|:]{1,64}',
  description,
});

const usd = (field: string, description: string, isRequired: boolean): RawField => ({
  name: field,
  type: 'DOUBLE',
  required: isRequired,
  min: 0,
  max: 1e15,
  description: `${description}, USD`,
});

const observed_at: RawField = {
  name: 'observed_at',
  type: 'BIGINT',
  required: true,
  min: 1,
  description: 'Time at which it held, Unix seconds',
};

/** Allows for rounding in the source, which may bring a part slightly above the whole. */
const MAX_PART = 1.000001;

const part = (computed: string): RawField => ({
  name: 'part',
  type: 'DOUBLE',
  required: true,
  min: 0,
  max: MAX_PART,
  computed,
  description: 'Share of the holder’s value, as a fraction',
});

const node = (field: string, description: string, computed: string): RawField => ({
  name: field,
  type: 'VARCHAR',
  required: true,
  computed,
  description,
});

const placed = (chainField: string) => `held_kind || ':' || lower(${chainField}) || ':' || lower(held)`;

export const vaultAllocation = defineRawTable({
  name: 'vault_allocation',
  description: 'One holding of one vault at one instant, with the value of the whole vault',
  fields: [
    chain('chain', 'Chain name', true),
    { ...name('vault_address', 'Address of the vault'), lowercase: true },
    observed_at,
    {
      name: 'held_kind',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: 'market|vault|asset',
      description: 'What is held: `market`, `vault` or, for an idle balance, `asset`',
    },
    name('held', 'Id of the market or address of the vault on the same chain; symbol of the asset'),
    usd('value_usd', 'Value of the holding', true),
    usd('vault_total_usd', 'Value of everything that the vault holds', true),
    part('case when vault_total_usd > 0 then value_usd / vault_total_usd when value_usd = 0 then 0 end'),
    node(
      'node',
      'Vault: `vault:<chain>:<address>`',
      "'vault:' || lower(chain) || ':' || lower(vault_address)",
    ),
    node(
      'held_node',
      'What is held, for example `market:<chain>:<id>` or `asset:<symbol>`',
      `case when held_kind = 'asset' then 'asset:' || upper(held) else ${placed('chain')} end`,
    ),
  ],
  subject: ['node'],
  maxAgeSeconds: DAY_S,
  completeness: [{ by: 'cadence', series: ['node'] }],
  key: ['node', 'held_node', 'observed_at'],
  content: ['value_usd', 'vault_total_usd'],
  time: 'observed_at',
  reach: NAME_VALID_S,
  kept: { model: 'obs.vault_allocation', time: 'observed_at' },
});

export const assetBacking = defineRawTable({
  name: 'asset_backing',
  description: 'One part of what backs an asset at one instant, as a share or as an amount of the whole',
  fields: [
    name('symbol', 'Symbol of the backed asset'),
    observed_at,
    {
      name: 'held_kind',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: 'asset|issuer|venue|market|vault',
      description:
        'What backs the asset: another `asset`, the promise of an `issuer`, a balance at a `venue` (exchange or custodian), a `market` or a `vault`',
    },
    name('held', 'Symbol of the asset, key of the issuer or venue, id of the market, address of the vault'),
    chain('held_chain', 'Chain of the market or vault', false),
    label('held_name', 'Display name of the issuer or venue'),
    {
      name: 'share',
      type: 'DOUBLE',
      min: 0,
      max: MAX_PART,
      description:
        'Share of the total backing of the asset, as a fraction; computed from the amounts when absent',
    },
    usd('value_usd', 'Value of this part', false),
    usd('total_usd', 'Value of the total backing of the asset, known or not', false),
    part('coalesce(share, value_usd / nullif(total_usd, 0))'),
    node('node', 'Asset: `asset:<symbol>`', "'asset:' || upper(symbol)"),
    node(
      'held_node',
      'What backs the asset, for example `issuer:<key>`',
      `case
        when held_kind = 'asset' then 'asset:' || upper(held)
        when held_kind in ('issuer', 'venue') then held_kind || ':' || lower(held)
        when held_chain is not null then ${placed('held_chain')}
      end`,
    ),
  ],
  subject: ['node'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'reports of what backs an asset come at no fixed pace' }],
  key: ['node', 'held_node', 'observed_at'],
  content: ['part', 'value_usd'],
  time: 'observed_at',
  kept: { model: 'obs.asset_backing', time: 'observed_at' },
});
