// From the request of a portfolio analysis to its response: checks, inputs, run identity, calculation, and the order of the request.
import type { PortfolioAnalysis } from '../../../schemas/portfolio.ts';
import { PORTFOLIO } from '../../../schemas/portfolio-limits.ts';
import type { PortfolioRequest } from '../../../schemas/portfolio-request.ts';
import { canonicalJson, sha256Hex } from '../../../snapshots/canonical.ts';
import { Failure, fieldFailure } from '../../define/failure.ts';
import type { Services } from '../../define/services.ts';
import { inputsAt, type VersionInputs } from '../inputs.ts';
import { runIdentity } from '../run-identity.ts';
import type { PortfolioResult } from './analyze.ts';
import { contextOf, documentsFor, heldPositions, PORTFOLIO_INPUTS, requireDependencies } from './gather.ts';
import { neededSymbols } from './holdings.ts';
import type { PortfolioQuestion } from './question.ts';
import { OPPORTUNITIES, type OpportunitySource, type ResolvedPosition, resolvePositions } from './resolve.ts';

export const PORTFOLIO_MODEL_VERSION = '1.1.0';
const PATH = '/v2/yield/portfolio/analyze';

/** @throws Failure `validation_failed`, `not_found`, `risk_dependency_unavailable`, `unavailable` */
export async function portfolioAnalysis(
  body: PortfolioRequest,
  services: Services,
): Promise<PortfolioAnalysis> {
  const settings = settingsOf(body);
  const source = await sourceOf(body.snapshot_version, services);
  const { inputs } = source;
  const resolved = resolvePositions(body.positions, source);
  const positions = heldPositions(inputs, resolved);
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
  const question: PortfolioQuestion = {
    ...settings,
    seed,
    positions,
    ...contextOf(source, positions),
  };
  const result = await services.analytics.pool.run('portfolio', question, documentsOf(inputs, question));
  return {
    seed,
    snapshot: { version: inputs.version, as_of: inputs.as_of },
    model_version: PORTFOLIO_MODEL_VERSION,
    policy_version: inputs.policy_version,
    inputs_hash: inputsHash(inputs),
    request: { ...settings, positions: amountsById(resolved) },
    ...inRequestOrder(result, resolved),
  };
}

function documentsOf(inputs: VersionInputs, { positions, assumptions }: PortfolioQuestion) {
  const opportunities = positions.map(({ opportunity }) => opportunity);
  const markets = positions.flatMap(({ market }) => (market === null ? [] : [market]));
  return documentsFor(inputs, neededSymbols(opportunities, assumptions), [...new Set(markets)]);
}

type Settings = Pick<PortfolioQuestion, 'horizon_days' | 'confidence' | 'paths' | 'assumptions'>;

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

const amountsById = (positions: readonly ResolvedPosition[]) =>
  positions.map(({ opportunity, amount_usd }) => ({ opportunity_id: opportunity.id, amount_usd }));

/** Over the hashes of the datasets, which the dataset list publishes. */
function inputsHash(inputs: VersionInputs): string {
  const hashes = PORTFOLIO_INPUTS.flatMap((id) => {
    const entry = inputs.entry(id);
    return entry === undefined ? [] : [[id, entry.sha256]];
  });
  return sha256Hex(canonicalJson(Object.fromEntries(hashes)));
}

function inRequestOrder(result: PortfolioResult, resolved: readonly ResolvedPosition[]): PortfolioResult {
  const places = new Map(resolved.map(({ opportunity }, index) => [opportunity.id, index]));
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
