// From the request of a portfolio analysis to its response: checks, inputs, run identity, calculation, order of the request.
import type { PortfolioAnalysis } from '../../../schemas/portfolio.ts';
import { PORTFOLIO, type PortfolioRequest } from '../../../schemas/portfolio-request.ts';
import { canonicalJson, sha256Hex } from '../../../snapshots/canonical.ts';
import { Failure, fieldFailure } from '../../define/failure.ts';
import type { LoadedVersion, Services } from '../../define/services.ts';
import { runIdentity } from '../run-identity.ts';
import type { PortfolioResult } from './analyze.ts';
import { contextOf, documentsFor, heldPositions, PORTFOLIO_INPUTS, requireDependencies } from './gather.ts';
import { neededSymbols } from './holdings.ts';
import type { PortfolioQuestion } from './question.ts';
import { OPPORTUNITIES, type ResolvedPosition, resolvePositions } from './resolve.ts';

export const PORTFOLIO_MODEL_VERSION = '1.0.0';
const PATH = '/v2/yield/portfolio/analyze';

/** @throws Failure `validation_failed`, `not_found`, `risk_dependency_unavailable`, `unavailable` */
export async function portfolioAnalysis(
  body: PortfolioRequest,
  services: Services,
): Promise<PortfolioAnalysis> {
  const settings = settingsOf(body);
  const { version, list } = await versionFor(body.snapshot_version, services);
  requireDependencies(version);
  const resolved = resolvePositions(body.positions, { version, list });
  const positions = heldPositions(version, resolved);
  const { seed } = runIdentity(
    {
      endpoint: PATH,
      id: null,
      request: { ...settings, positions: amountsById(positions) },
      snapshot_version: version.version,
      model_version: PORTFOLIO_MODEL_VERSION,
      policy_version: version.manifest.policy_version,
    },
    body.seed,
  );
  const question: PortfolioQuestion = {
    ...settings,
    seed,
    positions,
    ...contextOf({ version, list }, positions),
  };
  const result = await services.analytics.pool.run('portfolio', question, documentsOf(version, question));
  return {
    seed,
    snapshot: { version: version.version, as_of: version.manifest.as_of },
    model_version: PORTFOLIO_MODEL_VERSION,
    policy_version: version.manifest.policy_version,
    inputs_hash: inputsHash(version),
    request: { ...settings, positions: amountsById(resolved) },
    ...inRequestOrder(result, resolved),
  };
}

function documentsOf(version: LoadedVersion, { positions, assumptions }: PortfolioQuestion) {
  const opportunities = positions.map(({ opportunity }) => opportunity);
  const markets = positions.flatMap(({ market }) => (market === null ? [] : [market]));
  return documentsFor(version, neededSymbols(opportunities, assumptions), [...new Set(markets)]);
}

type Settings = Pick<PortfolioQuestion, 'horizon_days' | 'confidence' | 'paths' | 'assumptions'>;

function settingsOf(body: PortfolioRequest): Settings {
  const { horizon_days = PORTFOLIO.horizon_days.default, confidence = PORTFOLIO.confidence.default } = body;
  const maxPaths = Math.floor(PORTFOLIO.max_path_days / horizon_days);
  const { paths = Math.min(PORTFOLIO.paths.default, maxPaths), assumptions = null } = body;
  if (paths > maxPaths)
    throw fieldFailure(
      'paths',
      `times horizon_days must be ${PORTFOLIO.max_path_days} at most: ask for fewer paths or a shorter horizon`,
    );
  return { horizon_days, confidence, paths, assumptions };
}

async function versionFor(wanted: string | undefined, { versions }: Services) {
  const version = versions.current;
  if (version === undefined) throw new Failure('unavailable', 'No data has been published yet.');
  if (wanted !== undefined && wanted !== version.version)
    throw new Failure('not_found', 'No such version is kept.');
  const list = await versions.listOf(OPPORTUNITIES, version.version);
  if (list === undefined) requireDependencies(version);
  if (list === undefined) throw new Failure('unavailable', 'No data has been published yet.');
  return { version, list };
}

const amountsById = (positions: readonly ResolvedPosition[]) =>
  positions.map(({ opportunity, amount_usd }) => ({ opportunity_id: opportunity.id, amount_usd }));

/** Over the hashes of the datasets, which their list publishes. */
function inputsHash(version: LoadedVersion): string {
  const hashes = PORTFOLIO_INPUTS.flatMap((id) => {
    const entry = version.dataset(id)?.entry;
    return entry === undefined ? [] : [[id, entry.sha256]];
  });
  return sha256Hex(canonicalJson(Object.fromEntries(hashes)));
}

function inRequestOrder(result: PortfolioResult, resolved: readonly ResolvedPosition[]): PortfolioResult {
  const places = new Map(resolved.map(({ opportunity }, place) => [opportunity.id, place]));
  const sorted = <T extends { readonly opportunity_id: string }>(rows: readonly T[]): T[] =>
    rows.toSorted((a, b) => (places.get(a.opportunity_id) ?? 0) - (places.get(b.opportunity_id) ?? 0));
  const { liquidity } = result;
  return {
    ...result,
    var: result.var && { ...result.var, attribution: sorted(result.var.attribution) },
    liquidity: liquidity && { ...liquidity, positions: sorted(liquidity.positions) },
    positions: sorted(result.positions),
  };
}
