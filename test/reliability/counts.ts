// How much of each reliability harness runs: RELIABILITY_SCALE=1 (default) is what every change runs, 100 gives the release figures.

const scale = Number(process.env['RELIABILITY_SCALE'] ?? 1);
if (!(scale > 0)) throw new Error('RELIABILITY_SCALE must be a number greater than 0, for example 1 or 100.');

const scaled = (small: number): number => Math.max(1, Math.round(small * scale));

export const COUNTS = {
  publishKills: scaled(10),
  /** One in this many disk calls of a publication or a landing fails; each kind of fault starts at a different call. */
  faultStep: scale >= 10 ? 1 : 3,
  /** Random actions in the administration of a vault, after each of which everything that was submitted is asked for. */
  timelockActions: Math.min(1_000, scaled(15)),
  /** Books of borrowers of which the uncovered debt is known. */
  lossBooks: Math.min(1_000, scaled(100)),
  bucketKills: scaled(3),
  readsDuringKills: scaled(500),
  corruptions: Math.max(100, scaled(10)),
  landingFlips: scaled(20),
  landingDamages: scaled(0.4),
  /** Landings of 20,000 odd amounts in each table, with one and with two threads. */
  amountTurns: scale >= 10 ? 20 : 1,
  damagedWarehouses: scale >= 10 ? scaled(2) : 1,
  /** Ways of damaging a warehouse before it is opened. */
  unopenedDamages: scale >= 10 ? 3 : 1,
  appends: scaled(10_000),
  restarts: Math.max(20, scaled(1)),
  jobKills: scale >= 10 ? scaled(10) : 1,
  walkedDays: scale >= 10 ? 4 : 1,
  killedDemoDays: scale >= 10 ? 3 : 1,
  doubleStarts: scale >= 10 ? scaled(5) : 1,
  firstStartKills: scaled(3),
  storeDamages: scaled(150),
  storeKills: scaled(4),
  retriedDeliveries: Math.min(10_000, scaled(100)),
  walkHours: scale >= 10 ? [17, 24, 41] : [89],
  /** Step of walks that are compared with one go. */
  walkStepSeconds: scale >= 10 ? 300 : 7_200,
  requestsAtOnce: Math.min(10_000, scaled(600)),
  monteCarloRequests: Math.min(10_000, scaled(300)),
  monteCarloLimit: scale >= 10 ? 200 : 40,
  /** Downloaded from the package registry, only for a release. */
  nodeVersions: scale >= 10 ? ['20.20.2', '22.23.3', '24.21.0'] : [],
  /** Random mistakes in a mapping that are made and corrected. */
  mappingMistakes: scale >= 10 ? Math.min(100, scaled(1)) : 3,
  /** Disk calls of a correction that fail, in two ways, and at which the process is killed (0: only around the commit). */
  supersedeFaults: scale >= 10 ? 1_000 : 3,
  supersedeKills: scale >= 10 ? 1_000 : 0,
  runKills: scaled(2),
  /** Leaders that are paused past the takeover and continued. */
  pausedLeaders: scale >= 10 ? Math.min(100, scaled(1)) : 2,
  /** Bursts of requests over three servers. */
  jointBursts: Math.min(1_000, Math.max(20, scaled(1))),
  keyGuesses: Math.min(10_000, scaled(200)),
  malformedRequests: Math.min(10_000, scaled(300)),
  /** Requests and calls of tools with names that objects inherit. */
  inheritedNames: Math.min(5_000, scaled(60)),
  streamClients: scaled(12),
  /** Simulated hours in which clients ping and never read. */
  deafHours: scale >= 10 ? 24 : 1,
  deafClients: Math.min(1_000, scaled(20)),
  webhookEvents: scale < 10 ? 80 : scaled(1_000),
  webhookKills: scale >= 10 ? scaled(2) : 1,
  /** Whether attempts at webhooks have the time limits of the service; otherwise they have short ones. */
  isWithRealLimits: scale >= 10,
  /** None for an ordinary change, because each takes as long as a whole run. */
  channelJobKills: scale >= 10 ? Math.min(20, scaled(0.2)) : 0,
  channelKills: Math.max(3, scaled(2)),
  /** Random sequences of runs that are compared with runs that leave nothing out. */
  skippingSequences: scale >= 10 ? scaled(3) : 1,
  skippingSteps: scale >= 10 ? 8 : 3,
  /** Whether skipping is tested with every family. */
  isSkippingWide: scale >= 10,
  /** Seed of the first sequence; set it to repeat a sequence. */
  skippingSeed: Number(process.env['SKIPPING_SEED'] ?? 1),
  /** How often npm scripts are ended by SIGTERM. */
  stops: Math.min(50, scaled(1)),
  /** Installations of which one file is lost or changed. */
  integrityTrials: scale >= 10 ? scaled(20) : 6,
  /** Random walks of a clock that jumps by seconds, hours, days and years. */
  clockSequences: scaled(2),
  /** Random histories of yields, each walked in one go, in days and in odd steps. */
  yieldWalks: scale >= 10 ? scaled(3) : 1,
  /** Runs of a property that walks models over time: a third of the number in the test by default, ten times that number for a release. */
  walks: (runs: number): number => (scale >= 10 ? scaled(runs / 10) : Math.ceil(runs / 3)),
  /** Trials of each family, and the step through the families: only one in this many is tried. */
  missingInputs: scale >= 10 ? scaled(5) : 1,
  missingInputFamilies: scale >= 10 ? 1 : 3,
  /** Worlds with something missing whose subjects `is_it_usable` judges, and the number of the first. */
  usabilityWorlds: scale >= 10 ? Math.min(1_000, scaled(10)) : 3,
  usabilitySeed: Number(process.env['USABILITY_SEED'] ?? 1),
  /** Days of the demo that are repeated, and the length in days of intervals that are walked in another order. */
  repeatedDays: scale >= 10 ? 4 : 1,
  shuffledDays: scale >= 10 ? 1 : 3,
  /** Maximum number of cuts in a walk through the crash. */
  stressCuts: scale >= 10 ? 2 : 1,
  stressDays: scale >= 10 ? 4 : 0,
  stressStepSeconds: scale >= 10 ? 300 : 900,
  lendingWalkSteps: scale >= 10 ? [86_400, 40_007] : [100_003],
  timeZones: scale >= 10 ? 3 : 1,
  correctionWalks: scale >= 10 ? [3, 7] : [3],
  correctionSteps: scale >= 10 ? 14 : 8,
  /** Orders of the addresses of a coin's sources. */
  addressOrders: scale >= 10 ? 4 : 2,
  /** Reorganisations of a chain whose logs are followed. */
  reorganisations: Math.min(1_000, scaled(10)),
  /** Random sequences of what happens to markets and vaults on a node. */
  vaultSequences: Math.min(500, scaled(5)),
  /** Kills of the process that reads live sources. */
  fetchKills: Math.min(200, scaled(4)),
  /** Simulated days of all live sources with faults, up to their tables; none for an ordinary change. */
  liveDays: scale >= 10 ? Math.min(30, scaled(0.3)) : 0,
  /** Whether every page of the dashboard is checked, in both schemes and widths, with and without a key; otherwise a few views. */
  isDashboardWhole: scale >= 10,
  /** Events in the log that the page of events reads. */
  listedEvents: scale >= 10 ? Math.min(100_000, scaled(1_000)) : 1_500,
  /** Generated histories of each kind whose forecasts are judged. */
  calibrationWorlds: scale >= 10 ? 200 : 60,
  /** Backups of a running installation. */
  loadedBackups: scale >= 10 ? Math.min(50, scaled(0.5)) : 3,
  /** One in this many pairs of a folder and a trouble: 4 takes each of both once. */
  failingFolderStep: scale >= 10 ? 1 : 4,
  /** Seeds of the simulation of both programs. */
  simulations: scale >= 10 ? scaled(200) : 200,
  /** Repeats one seed of the simulation alone. */
  simulationSeed:
    process.env['SIMULATION_SEED'] === undefined ? undefined : Number(process.env['SIMULATION_SEED']),
  /** Connections that are slow at the same time. */
  slowSockets: Math.min(1_500, scaled(15)),
  /** Simulated hours of both programs under load. */
  soakHours: scale >= 10 ? Math.min(24, scaled(0.24)) : 1,
  dnsFlips: Math.max(100, scaled(10)),
};
