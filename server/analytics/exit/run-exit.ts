// A request for an exit Monte Carlo: its inputs, its identity, its quota and its response.
import { LRUCache } from 'lru-cache';
import type { Calibration } from '../../../models/calibration-gaps.ts';
import { EXIT_MODEL_VERSION } from '../../../models/exit.ts';
import { type ExitOrder, type ExitShare, joinRuns, sharesOf } from '../../../models/exit-parts.ts';
import { type ExitOutcome, withParameters } from '../../../models/exit-run.ts';
import type { ExitInputs } from '../../../schemas/analytics.ts';
import { EXIT_LIMITS, type ExitRequest, type ExitResult } from '../../../schemas/exit.ts';
import { chainOfId, unwrapped } from '../../../schemas/wrapped-coins.ts';
import { canonicalJson } from '../../../platform/storage/canonical.ts';
import { oracleDoubtsOf } from '../../../models/oracle-doubts.ts';
import type { OracleDoubts } from '../../../schemas/oracle-doubts.ts';
import type { Caller } from '../../define/caller.ts';
import type { Commit, Reply } from '../../define/endpoint.ts';
import type { Services } from '../../services.ts';
import { calibrationOf } from '../calibration.ts';
import type { RunResult } from '../charged-runs.ts';
import { ExistingAmounts, suppliedTo } from '../existing-amounts.ts';
import type { Job } from '../pool.ts';
import { depthInPools, type SymbolDepth } from '../pool-depths.ts';
import { runIdentity } from '../run-identity.ts';
import { missingIn } from '../../define/missing-data.ts';
import { DOUBT_DATASETS, oracleRowsOf } from '../oracle-doubts.ts';
import { type InputDocument, type PayloadOf, parsed } from '../task.ts';
import type { TASKS } from '../tasks.ts';
import { VAULT_DATASETS } from '../published-vaults.ts';
import { isVault, type VaultSources, vaultSources, withoutKind } from './vault-sources.ts';
import { inputsAt, inputsHash, requireDataset, type VersionInputs } from '../version-inputs.ts';

export interface ExitCall {
  /** Path of the endpoint. */
  readonly endpoint: string;
  /** `<chain>:<market_id>` */
  readonly id: string;
  readonly body: ExitRequest;
  readonly caller: Caller;
  readonly commit: Commit;
}

/** @throws Failure `not_found`, `risk_dependency_unavailable`, `MC_MONTHLY_QUOTA_EXCEEDED`, `unavailable` */
export async function runExit(call: ExitCall, services: Services): Promise<Reply> {
  const { endpoint, id, body, caller, commit } = call;
  const datasets = isVault(id) ? [...DATASETS, ...VAULT_DATASETS] : DATASETS;
  const inputs = await inputsAt(services, body.snapshot_version, datasets);
  const sources = await sourcesOf(services, inputs, id);
  checkSupply(body.position_usd, id, sources);
  const request = withDefaults(body);
  const { version, policy_version } = inputs;
  const facts = {
    ...{ endpoint, id, request, snapshot_version: version },
    ...{ model_version: EXIT_MODEL_VERSION, policy_version },
  };
  const { run_key, seed } = runIdentity(facts, body.seed);
  const { pool, runs } = services.analytics;
  const simulated = async (job: ExitJob): Promise<RunResult<Reply>> => {
    const order = orderOf(request, seed);
    const { has_figures, ...outcome } = await simulate(job, { order, sources, workers: pool.workers });
    const result: ExitResult = {
      ...{ id, seed, snapshot: { version, as_of: inputs.as_of } },
      ...{ model_version: EXIT_MODEL_VERSION, policy_version, inputs_hash: hashOf(sources) },
      request,
      assumed: request.initial_utilization === null ? [] : ['initial_utilization'],
      ...outcome,
      oracle_doubts: doubtsOf(id, body.position_usd, sources),
      depth_pools: [...(sources.pooled?.pools.keys() ?? [])],
    };
    return { reply: { payload: Buffer.from(canonicalJson(result)) }, isCharged: has_figures };
  };
  const run = { kind: 'monte_carlo', run_key, caller, commit } as const;
  // The place in the queue comes first, because a run without one must not reserve quota.
  return pool.inJob((job) => runs.perform(run, () => simulated(job)));
}

const DATASETS = [
  'exit-inputs',
  'return-inputs',
  'exit-backtests',
  'pool-states',
  ...DOUBT_DATASETS,
] as const;

interface Sources {
  readonly exit: InputDocument;
  readonly returns: InputDocument | undefined;
  readonly backtest: InputDocument | undefined;
  /** Null if no pool takes the asset, or its price is unknown. */
  readonly pooled: SymbolDepth | null;
  readonly oracles: ReturnType<typeof oracleRowsOf>;
  /** Null for a market. */
  readonly vault: VaultSources | null;
}

async function sourcesOf(services: Services, inputs: VersionInputs, id: string): Promise<Sources> {
  const vault = isVault(id) ? await vaultSources(services, inputs, id) : null;
  const exit = vault?.exit ?? (await marketIn(services, inputs, id));
  const symbol = headOf(exit).loan_symbol;
  const returns = symbol === null ? undefined : inputs.document('return-inputs', symbol);
  const isPriced = (one: string) => inputs.document('return-inputs', one) !== undefined;
  const pooled =
    symbol === null || returns === undefined
      ? null
      : depthInPools(
          unwrapped(symbol, chainOfId(withoutKind(id))),
          inputs.documents('pool-states'),
          isPriced,
        );
  return {
    exit,
    returns,
    backtest: inputs.document('exit-backtests', isVault(id) ? id.toLowerCase() : id),
    pooled,
    oracles: oracleRowsOf(inputs),
    vault,
  };
}

/** @throws Failure `not_found`, `risk_dependency_unavailable`, `unavailable` for a market that is held back */
async function marketIn(services: Services, inputs: VersionInputs, id: string): Promise<InputDocument> {
  requireDataset(inputs, 'exit-inputs', 'liquidity');
  const exit = inputs.document('exit-inputs', id);
  if (exit !== undefined) return exit;
  const manifest = await services.datasets.manifestAt({ version: inputs.version });
  throw await missingIn(services, { manifest }, { dataset: 'exit-inputs', key: id.replaceAll(':', '|') });
}

/** What the oracles behind a position make doubtful, whatever the simulation says of leaving it. */
const doubtsOf = (id: string, amount_usd: number, { oracles, vault }: Sources): OracleDoubts =>
  oracleDoubtsOf({
    ...oracles,
    ...(vault?.claims(amount_usd) ?? { claims: [{ market: id, amount_usd }], hiddenShare: 0 }),
  });

/** @throws Failure `validation_failed` for a position that is larger than the market */
function checkSupply(position_usd: number, id: string, { exit }: Sources): void {
  const { supplied_usd } = headOf(exit);
  if (supplied_usd !== null)
    new ExistingAmounts().take('position_usd', position_usd, suppliedTo(id, supplied_usd));
}

type ExitHead = Pick<ExitInputs, 'loan_symbol' | 'supplied_usd'>;

const MAX_HEADS = 4_096;
/** By the document's hash. Parsing the document for two members takes longer than a small run. */
const heads = new LRUCache<string, ExitHead>({ max: MAX_HEADS });

function headOf(document: InputDocument): ExitHead {
  let known = heads.get(document.hash);
  if (known === undefined) {
    const { loan_symbol, supplied_usd } = parsed<ExitHead>(document);
    known = { loan_symbol, supplied_usd };
    heads.set(document.hash, known);
  }
  return known;
}

const hashOf = ({ exit, returns, backtest, pooled, vault }: Sources): string =>
  inputsHash({
    ...(vault === null ? { 'exit-inputs': exit.hash } : { vaults: vault.hashes }),
    'return-inputs': returns?.hash ?? null,
    'exit-backtests': backtest?.hash ?? null,
    'pool-states': Object.fromEntries(pooled?.pools ?? []),
  });

const calibrationFor = ({ backtest }: Sources, { horizon_hours }: ExitOrder): Calibration | null =>
  backtest === undefined ? null : calibrationOf(parsed(backtest), horizon_hours);

type ExitJob = Job<typeof TASKS>;

/**
 * The worker with all paths continues with the figures while others vary the parameters. If paths are shared, one worker computes the
 * figures last.
 */
async function simulate(
  job: ExitJob,
  {
    order,
    sources,
    workers,
  }: { readonly order: ExitOrder; readonly sources: Sources; readonly workers: number },
): Promise<ExitOutcome> {
  const { exit, returns } = sources;
  const pooled = sources.pooled && { coins: sources.pooled.coins, isExact: sources.pooled.isExact };
  const market = { order, pooled };
  const documents = returns === undefined ? { exit } : { exit, returns };
  const calibration = calibrationFor(sources, order);
  const part = (share: ExitShare) => job.run('exit.part', { ...market, share }, documents);
  const figures = (paths: PayloadOf<typeof TASKS, 'exit.figures'>['paths']) =>
    job.run('exit.figures', { ...market, calibration, paths }, documents);
  const shares = sharesOf(order, workers);
  const whole = shares.find(({ paths }) => paths.to - paths.from === order.paths);
  if (whole === undefined) return (await figures(await Promise.all(shares.map(part)))).outcome;
  const others = shares.filter((share) => share !== whole);
  const [own, ...runs] = await Promise.all([figures(whole), ...others.map(part)]);
  return withParameters(own.outcome, joinRuns([own, ...runs]));
}

type Echo = ExitResult['request'];

const withDefaults = (body: ExitRequest): Echo => ({
  position_usd: body.position_usd,
  horizon_hours: body.horizon_hours ?? EXIT_LIMITS.horizon_hours.default,
  paths: body.paths ?? EXIT_LIMITS.paths.default,
  max_slippage_bps: body.max_slippage_bps ?? EXIT_LIMITS.max_slippage_bps.default,
  confidence: body.confidence ?? [...EXIT_LIMITS.confidence.default],
  strategy: body.strategy ?? 'immediate',
  initial_utilization: body.initial_utilization ?? null,
});

const orderOf = ({ strategy, ...request }: Echo, seed: number): ExitOrder => ({
  ...request,
  slices: strategy === 'immediate' ? 1 : strategy.twap.slices,
  seed,
});
