// Every endpoint of the API, one per line. If several patterns match a path, the first one that finds something responds.
import { withAsOf } from './define/as-of.ts';
import type { Endpoint } from './define/endpoint.ts';
import { getCoverageBadge, getDatasetBadge, getPegBadge, getStatusBadge } from './web/badges.ts';
import { getCroissant, getDataPackage } from './descriptors/descriptor-endpoints.ts';
import { getAtomFeed, getJsonFeed } from './feeds/feed-endpoints.ts';
import { listChanges } from './routes/changes.ts';
import { listExposurePaths } from './routes/exposure.ts';
import { listConditions } from './routes/conditions.ts';
import { listCorrections } from './routes/corrections.ts';
import { getDataset, listDatasets } from './routes/datasets.ts';
import { getBlockchainDevelopment, getProtocolDevelopment, listDevelopment } from './routes/development.ts';
import { listEventTypes } from './routes/event-types.ts';
import { getEventEvidence } from './routes/evidence.ts';
import { getEvent, listEvents } from './routes/events.ts';
import { simulateExit } from './routes/exit.ts';
import { getGovernance, getGovernanceFigures } from './routes/governance.ts';
import {
  getYieldOpportunity,
  HISTORIES,
  listLendingMarkets,
  listNetworks,
  listOverallScores,
} from './routes/histories.ts';
import { getLayer2Statistics } from './routes/layer2.ts';
import { getCoverageHistory, getDataManifest, listCoverage } from './routes/manifest.ts';
import { getProposerPaymentHistory, getProposerPayments } from './routes/mev.ts';
import { getNetworkStatistics, getTransactionStatistics } from './routes/network-a.ts';
import { getNetworkBStatistics } from './routes/network-b.ts';
import { getHealth, getReady, getStatus, getVersion } from './routes/operations.ts';
import { getOraclePath, getOraclePathSeries, listOraclePaths } from './routes/oracle-paths.ts';
import { getFeedRounds, getFeedSeries, getPegSeries, listFeeds, listPegs } from './routes/oracle-series.ts';
import { getOraclePair, listOraclePairs } from './routes/oracles.ts';
import { getOverallReceipts, getOverallScores } from './routes/overall.ts';
import { analyzePortfolio } from './routes/portfolio.ts';
import { replayEvents } from './routes/replay.ts';
import { getBaseRestaking, getRestaking, listRestaking } from './routes/restaking.ts';
import { getScenario, listScenarios, runScenario } from './routes/simulator.ts';
import { getDiscordScores, getRedditScores, listSocialProtocols } from './routes/social.ts';
import { getUsage, getUsageHistory } from './routes/usage.ts';
import { getLatency } from './routes/latency.ts';
import { getStatusHistory } from './routes/status-history.ts';
import { listVersions } from './routes/versions.ts';
import {
  getVault,
  getVaultChanges,
  getVaultHistory,
  getVaultExit,
  getVaultHoldings,
  getVaultSetExit,
  getVaultTotals,
  listVaultChanges,
  listVaults,
} from './routes/vaults.ts';
import {
  createWebhook,
  deleteWebhook,
  getDeliveryStatistics,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './routes/webhooks.ts';
import { listYieldOpportunities } from './routes/yields.ts';
import { documentEndpoints, referenceEndpoints } from './web/documentation.ts';
import { siteEndpoints } from './web/site.ts';

const ALL: readonly Endpoint[] = [
  listOraclePairs,
  getOraclePair,
  listPegs,
  getPegSeries,
  listFeeds,
  getFeedSeries,
  getFeedRounds,
  listLendingMarkets,
  listOraclePaths,
  getOraclePath,
  getOraclePathSeries,
  listVaults,
  getVault,
  getVaultHistory,
  getVaultExit,
  getVaultHoldings,
  getVaultSetExit,
  getVaultTotals,
  listVaultChanges,
  getVaultChanges,
  listNetworks,
  listOverallScores,
  listDevelopment,
  getProtocolDevelopment,
  getBlockchainDevelopment,
  getOverallScores,
  getOverallReceipts,
  getGovernance,
  getGovernanceFigures,
  getLayer2Statistics,
  getTransactionStatistics,
  getNetworkStatistics,
  getNetworkBStatistics,
  listRestaking,
  getRestaking,
  getBaseRestaking,
  listSocialProtocols,
  getDiscordScores,
  getRedditScores,
  listConditions,
  listChanges,
  listExposurePaths,
  getDataManifest,
  listCoverage,
  getCoverageHistory,
  listYieldOpportunities,
  getYieldOpportunity,
  getProposerPayments,
  ...HISTORIES,
  getProposerPaymentHistory,
  analyzePortfolio,
  listScenarios,
  getScenario,
  runScenario,
  simulateExit,
  listVersions,
  listDatasets,
  getDataset,
  getDataPackage,
  getCroissant,
  listCorrections,
  replayEvents,
  listEvents,
  getEvent,
  getAtomFeed,
  getJsonFeed,
  getEventEvidence,
  listEventTypes,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  getDeliveryStatistics,
  redeliver,
  getHealth,
  getReady,
  getStatus,
  getStatusHistory,
  getLatency,
  getVersion,
  getStatusBadge,
  getCoverageBadge,
  getDatasetBadge,
  getPegBadge,
  getUsage,
  getUsageHistory,
  ...documentEndpoints(() => ENDPOINTS),
];

export const ENDPOINTS: readonly Endpoint[] = ALL.map(withAsOf);

/** The endpoints plus the web pages, which use the API but are not part of it. */
export const ALL_ENDPOINTS: readonly Endpoint[] = [
  ...ENDPOINTS,
  ...siteEndpoints(() => ENDPOINTS),
  ...referenceEndpoints(() => ENDPOINTS),
];
