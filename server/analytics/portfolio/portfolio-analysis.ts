// From the request of a portfolio analysis to its response: checks, inputs, run identity and calculation. Positions are ordered by the id
// of their opportunity, so that the response does not depend on the order of the request.

import { canonicalJson, sha256Hex } from '../../../platform/storage/canonical.ts';
import type { PortfolioAnalysis } from '../../../schemas/portfolio.ts';
import type { PortfolioRequest } from '../../../schemas/portfolio-request.ts';
import { PORTFOLIO } from '../../../schemas/values.ts';
import { Failure, fieldFailure } from '../../define/failure.ts';
import type { Services } from '../../services.ts';
import { type ExistingAmount, ExistingAmounts, suppliedTo } from '../existing-amounts.ts';
import { runIdentity } from '../run-identity.ts';
import { inputsAt, type VersionInputs } from '../version-inputs.ts';
import { claimsOf, contractOf } from './claims.ts';
import { neededSymbols } from './holdings.ts';
import {
  contextOf,
  documentsFor,
  PORTFOLIO_INPUTS,
  positionInputs,
  requireDependencies,
  suppliedIn,
} from './portfolio-documents.ts';
import type { PortfolioInput, PositionInput } from './portfolio-input.ts';
import {
  OPPORTUNITIES,
  type OpportunitySource,
  type PositionOpportunity,
  resolvePositions,
} from './resolve-positions.ts';
import { vaultPositions } from './vault-positions.ts';

export const PORTFOLIO_MODEL_VERSION = '1.3.0';
const PATH = '/v2/yield/portfolio/analyze';

/** @throws Failure `validation_failed`, `not_found`, `risk_dependency_unavailable`, `unavailable` */
export async function portfolioAnalysis(
  body: PortfolioRequest,
  services: Services,
): Promise<PortfolioAnalysis> {
  const settings = settingsOf(body);
  const source = await sourceOf(body.snapshot_version, services);
  const { inputs } = source;
  const manifest = await services.datasets.manifestAt({ version: inputs.version });
  const resolved = resolvePositions(body.positions, source);
  const positions = positionInputs(inputs, resolved);
  checkAmounts(inputs, resolved, positions);
  const { seed } = runIdentity(
    {
      endpoint: PATH,
      id: null,
      request: { ...settings, positions: amountsById(positions) },
      snapshot_version: inputs.version,
      model_version: PORTFOLIO_MODEL_VERSION,
      policy_version: inputs.policy_version,
    },
    body.seed,
  );
  const input: PortfolioInput = {
    ...settings,
    seed,
    positions,
    ...contextOf(source, positions),
    vaults: vaultPositions(inputs, manifest, positions),
  };
  const result = await services.analytics.pool.run('portfolio', input, documentsOf(inputs, input));
  return {
    seed,
    snapshot: { version: inputs.version, as_of: inputs.as_of },
    model_version: PORTFOLIO_MODEL_VERSION,
    policy_version: inputs.policy_version,
    inputs_hash: inputsHash(inputs),
    request: { ...settings, positions: amountsById(positions) },
    ...result,
  };
}

function documentsOf(inputs: VersionInputs, { positions, assumptions, graph }: PortfolioInput) {
  const opportunities = positions.map(({ opportunity }) => opportunity);
  const markets = claimsOf(positions, graph).map(({ market }) => market);
  return documentsFor(inputs, neededSymbols(opportunities, assumptions), [...new Set(markets)]);
}

type Settings = Pick<PortfolioInput, 'horizon_days' | 'confidence' | 'paths' | 'assumptions'>;

function settingsOf(body: PortfolioRequest): Settings {
  const { horizon_days = PORTFOLIO.horizon_days.default, confidence = PORTFOLIO.confidence.default } = body;
  const maxPaths = Math.floor(PORTFOLIO.max_path_days / horizon_days);
  const { paths = Math.min(PORTFOLIO.paths.default, maxPaths), assumptions = null } = body;
  if (paths > maxPaths)
    throw fieldFailure(
      'paths',
      `times horizon_days must be at most ${PORTFOLIO.max_path_days}: request fewer paths or a shorter horizon`,
    );
  return { horizon_days, confidence, paths, assumptions };
}

/** @throws Failure if the version is not kept, or lacks a dataset that the response requires */
async function sourceOf(wanted: string | undefined, services: Services): Promise<OpportunitySource> {
  const inputs = await inputsAt(services, wanted, PORTFOLIO_INPUTS);
  requireDependencies(inputs);
  const list = await services.versions.listOf(OPPORTUNITIES, inputs.version);
  if (list === undefined) throw new Failure('not_found', 'This version is not kept.');
  return { inputs, list };
}

const amountsById = (positions: readonly PositionOpportunity[]) =>
  positions.map(({ opportunity, amount_usd }) => ({ opportunity_id: opportunity.id, amount_usd }));

/** Over the hashes of the datasets, which the dataset list publishes. */
function inputsHash(inputs: VersionInputs): string {
  const hashes = PORTFOLIO_INPUTS.flatMap((id) => {
    const entry = inputs.entry(id);
    return entry === undefined ? [] : [[id, entry.sha256]];
  });
  return sha256Hex(canonicalJson(Object.fromEntries(hashes)));
}

/**
 * Compares amounts with the supply of the market, or else the value locked in the contract. What is not published is not checked.
 * @throws Failure `validation_failed` for the position with which the sum exceeds what exists
 */
function checkAmounts(
  inputs: VersionInputs,
  resolved: readonly PositionOpportunity[],
  positions: readonly PositionInput[],
): void {
  const amounts = new ExistingAmounts();
  const byId = new Map(positions.map((position) => [position.opportunity.id, position]));
  for (const [index, { opportunity, amount_usd }] of resolved.entries()) {
    const held = byId.get(opportunity.id);
    const existing = held && existingAmount(inputs, held);
    if (existing) amounts.take(`positions/${index}/amount_usd`, amount_usd, existing);
  }
}

function existingAmount(inputs: VersionInputs, held: PositionInput): ExistingAmount | null {
  const supplied = held.market === null ? null : suppliedIn(inputs, held.market);
  if (held.market !== null && supplied !== null) return suppliedTo(held.market, supplied);
  const { id, tvlUsd } = held.opportunity;
  return tvlUsd === null ? null : { id: contractOf(held), usd: tvlUsd, description: `in ${id}` };
}
