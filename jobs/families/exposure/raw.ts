// The raw tables of the exposure domain: what vaults hold, and what backs an asset. The rows of a holder with one observed_at belong
// together and replace all earlier rows; what they do not account for is unknown.
import { DAY_S } from '../../../platform/base/time.ts';
import { choice, fraction, id, observedAt, text, usd, word } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

/** How long a vault that falls silent is still listed as missing. */
const NAME_VALID_S = 32 * 86_400;

const NAME = word('0x7b2f', { longest: 200 });
const CHAIN = word('ethereum', { separators: '|:', longest: 64 });

/** Allows for rounding in the source, which may bring a part slightly above the whole. */
const MAX_PART = 1.000001;

const part = (computed: string) =>
  fraction('part', 'Share of the holder’s value', { required: true, max: MAX_PART, computed });

const placed = (chainField: string) => `held_kind || ':' || lower(${chainField}) || ':' || lower(held)`;

export const vaultAllocation = defineRawTable({
  name: 'vault_allocation',
  description: 'One holding of one vault at one instant, with the value of the whole vault',
  fields: [
    id('chain', 'Chain name', { required: true, ...CHAIN }),
    text('vault_address', 'Address of the vault', { required: true, ...NAME, lowercase: true }),
    observedAt('Time at which it held'),
    choice(
      'held_kind',
      ['market', 'vault', 'asset'],
      'What is held: `market`, `vault` or, for an idle balance, `asset`',
      { required: true },
    ),
    text('held', 'Id of the market or address of the vault on the same chain; symbol of the asset', {
      required: true,
      ...NAME,
    }),
    usd('value_usd', 'Value of the holding', { required: true }),
    usd('vault_total_usd', 'Value of everything that the vault holds', { required: true }),
    part('case when vault_total_usd > 0 then value_usd / vault_total_usd when value_usd = 0 then 0 end'),
    text('node', 'Vault: `vault:<chain>:<address>`', {
      required: true,
      computed: "'vault:' || lower(chain) || ':' || lower(vault_address)",
    }),
    text('held_node', 'What is held, for example `market:<chain>:<id>` or `asset:<symbol>`', {
      required: true,
      computed: `case when held_kind = 'asset' then 'asset:' || upper(held) else ${placed('chain')} end`,
    }),
  ],
  subject: ['node'],
  maxAgeSeconds: DAY_S,
  completeness: [{ by: 'cadence', series: ['node'] }],
  key: ['node', 'held_node', 'observed_at'],
  content: ['value_usd', 'vault_total_usd'],
  time: 'observed_at',
  reach: NAME_VALID_S,
  observations: { model: 'obs.vault_allocation', time: 'observed_at' },
});

export const assetBacking = defineRawTable({
  name: 'asset_backing',
  description: 'One part of what backs an asset at one instant, as a share or as an amount of the whole',
  fields: [
    text('symbol', 'Symbol of the backed asset', { required: true, ...NAME }),
    observedAt('Time at which it held'),
    choice(
      'held_kind',
      ['asset', 'issuer', 'venue', 'market', 'vault'],
      'What backs the asset: another `asset`, the promise of an `issuer`, a balance at a `venue` (exchange or custodian), a `market` or a `vault`',
      { required: true },
    ),
    text('held', 'Symbol of the asset, key of the issuer or venue, id of the market, address of the vault', {
      required: true,
      ...NAME,
    }),
    id('held_chain', 'Chain of the market or vault', { ...CHAIN }),
    text('held_name', 'Display name of the issuer or venue', { maxLength: 200 }),
    fraction(
      'share',
      'Share of the total backing of the asset, as a fraction; computed from the amounts when absent',
      { max: MAX_PART },
    ),
    usd('value_usd', 'Value of this part'),
    usd('total_usd', 'Value of the total backing of the asset, known or not'),
    part('coalesce(share, value_usd / nullif(total_usd, 0))'),
    text('node', 'Asset: `asset:<symbol>`', { required: true, computed: "'asset:' || upper(symbol)" }),
    text('held_node', 'What backs the asset, for example `issuer:<key>`', {
      required: true,
      computed: `case
        when held_kind = 'asset' then 'asset:' || upper(held)
        when held_kind in ('issuer', 'venue') then held_kind || ':' || lower(held)
        when held_chain is not null then ${placed('held_chain')}
      end`,
    }),
  ],
  subject: ['node'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'reports of what backs an asset come at no fixed pace' }],
  key: ['node', 'held_node', 'observed_at'],
  content: ['part', 'value_usd'],
  time: 'observed_at',
  observations: { model: 'obs.asset_backing', time: 'observed_at' },
});
