// The exit of one holder from several vaults, from the served version.
import { assetsOf, type ExitAmount } from '../../models/vault-exit.ts';
import { ROUNDING } from '../../models/vault-flow.ts';
import { type SetPosition, vaultSetExit } from '../../models/vault-set-exit.ts';
import { type ExitUnit, EXIT_UNITS } from '../../schemas/vault-exit.ts';
import { MAX_SET_VAULTS } from '../../schemas/vault-set-exit.ts';
import { heldDataset, heldUnlisted } from '../../snapshots/verdict.ts';
import type { Reply } from '../define/endpoint.ts';
import { Failure, parameterFailure } from '../define/failure.ts';
import { missingDataset, missingDocument, servedVersion } from '../define/missing-data.ts';
import type { LoadedVersion, Services } from '../services.ts';
import { isVaultHeld, publishedVaults, VAULT_DATASETS, VAULTS } from './published-vaults.ts';

const PARAMETER = 'vault';

interface NamedPosition {
  /** As the request names it, without the amount. */
  readonly name: string;
  /** `<chain>|<address>` */
  readonly key: string;
  readonly amount: ExitAmount | null;
}

/** @throws Failure `not_found`, `validation_failed`, `unavailable` for data that is not there yet or held back */
export function vaultSetExitReply(
  services: Services,
  { vault: text, unit = EXIT_UNITS[0] }: { readonly vault: string; readonly unit?: ExitUnit | undefined },
): Reply {
  const named = positionsIn(text, unit);
  const version = services.versions.current;
  const loaded = version?.dataset(VAULTS);
  if (version === undefined || loaded === undefined) throw missingDataset(servedVersion(services), VAULTS);
  for (const id of VAULT_DATASETS)
    if (heldDataset(version.manifest, id) !== undefined) throw missingDataset(version, id);
  const { vaultOf } = publishedVaults(version);
  const positions = named.map((one) => publishedPosition(one, version, vaultOf));
  const hashes = VAULT_DATASETS.map((id) => version.dataset(id)?.entry.sha256 ?? '');
  const asked = named.map(({ key, amount }) => `${key} ${JSON.stringify(amount)}`).toSorted();
  return {
    payload: vaultSetExit({
      ...{ positions, vaultOf },
      isDoubtful: heldUnlisted(version.manifest) !== undefined,
    }),
    about: loaded.entry,
    identity: services.identify(JSON.stringify([version.version, hashes, asked])),
  };
}

const VAULT = /^([a-z0-9_-]+):(0x[0-9a-z]+)(?::([0-9]+(?:\.[0-9]+)?))?$/;
const MAX_AMOUNT = 1e30;

/** @throws Failure `validation_failed` */
function positionsIn(text: string, unit: ExitUnit): readonly NamedPosition[] {
  const items = text.split(',').map((one) => one.trim().toLowerCase());
  if (items.length > MAX_SET_VAULTS)
    throw parameterFailure(PARAMETER, `has ${items.length} vaults: at most ${MAX_SET_VAULTS} are allowed`);
  const positions = items.map((item): NamedPosition => {
    const [, chain, address, size] = VAULT.exec(item) ?? [];
    if (chain === undefined || address === undefined)
      throw parameterFailure(
        PARAMETER,
        `has ${item === '' ? 'an empty entry' : item}, which is neither <chain>:<address> nor <chain>:<address>:<amount>`,
      );
    const value = Number(size);
    if (size !== undefined && !(value > 0 && value <= MAX_AMOUNT))
      throw parameterFailure(PARAMETER, `has ${item}, whose amount is not above 0 and at most 1e30`);
    return {
      name: `${chain}:${address}`,
      key: `${chain}|${address}`,
      amount: size === undefined ? null : { unit, value },
    };
  });
  const seen = new Set<string>();
  for (const { name } of positions) {
    if (seen.has(name))
      throw parameterFailure(PARAMETER, `names ${name} twice: merge both into one position`);
    seen.add(name);
  }
  return positions;
}

/** @throws Failure if the vault is not published, or the position is more than it has */
function publishedPosition(
  { name, key, amount }: NamedPosition,
  version: LoadedVersion,
  vaultOf: ReturnType<typeof publishedVaults>['vaultOf'],
): SetPosition {
  const vault = vaultOf(key);
  const [chain = '', vault_address = ''] = key.split('|');
  if (isVaultHeld(version.manifest, key)) return { chain, vault_address, vault, amount };
  if (vault === undefined) throw unpublished(name, missingDocument(version, VAULTS, key));
  const { total_assets: total, asset_symbol: symbol } = vault.row;
  const assets = assetsOf(amount, vault.row);
  if (assets !== null && total !== null && assets > total * (1 + ROUNDING))
    throw parameterFailure(
      PARAMETER,
      `has more of ${name} than exists: it has ${total} ${symbol ?? 'of its asset'}`,
    );
  return { chain, vault_address, vault, amount };
}

function unpublished(name: string, failure: Failure): Failure {
  if (failure.code !== 'not_found') return failure;
  const problem = `names ${name}, which is not a published vault`;
  return new Failure('not_found', `${PARAMETER} ${problem}.`, {
    details: { parameter: PARAMETER, fields: [{ field: PARAMETER, problem }] },
  });
}
