// The event types about feeds and pegs, each detected by `event.<type>.sql` in this folder, and the policy values that each depends on.
import { defineDetector } from '../../define/detector.ts';
import type { EventSubject } from '../../define/subject.ts';

const ofAssets = (...names: readonly string[]) => names.map((name) => `peg.assets.*.${name}`);
const PEG_SOURCES = ['peg.default_heartbeat_s', 'peg.weights', 'peg.sources.*.weight'];
const PEG_RULES = ['agreement', 'is_disagreement_reported', 'pool_min_depth', 'pool_full_depth'];
const CONFIRMATION = ['peg.confirm_observations', 'peg.confirm_spacing_s'];
const EXIT = ['peg.bands.*.exit_bps', 'peg.assets.*.exit_bps', ...PEG_SOURCES];

const FEED = [
  'oracle:{chain}:{feed_address}:*',
  'oracle:{chain}:*:{market_id}',
] as const satisfies EventSubject;
const PEG = ['peg:{chain}:{asset_name}'] as const satisfies EventSubject;

export const oracleDetectors = [
  defineDetector({
    type: 'oracle.stale',
    subject: FEED,
    threshold: 'oracle.grace_s',
    rules: { threshold: ['oracle'] },
  }),
  defineDetector({ type: 'oracle.classification.changed', subject: FEED }),
  defineDetector({ type: 'oracle.feed.invalid', subject: FEED }),
  defineDetector({
    type: 'peg.depeg.start',
    subject: PEG,
    rules: {
      threshold: [
        'peg.bands.*.enter_bps',
        'peg.bands.*.is_downside_only',
        'peg.is_feed_deviation_floor',
        'peg.feed_band_margin_bps',
        ...PEG_SOURCES,
        ...PEG_RULES.map((name) => `peg.${name}`),
        ...ofAssets(
          'enter_bps',
          'is_downside_only',
          'is_feed_deviation_floor',
          'feed_band_margin_bps',
          ...PEG_RULES,
        ),
      ],
      confirmation: [
        ...CONFIRMATION,
        'peg.immediate_multiple',
        ...ofAssets('confirm_observations', 'confirm_spacing_s', 'immediate_multiple'),
      ],
    },
  }),
  defineDetector({
    type: 'peg.depeg.end',
    subject: PEG,
    rules: {
      threshold: EXIT,
      confirmation: [...CONFIRMATION, ...ofAssets('confirm_observations', 'confirm_spacing_s')],
    },
  }),
  defineDetector({
    type: 'peg.depeg.recovered',
    subject: PEG,
    rules: {
      threshold: EXIT,
      confirmation: [
        'peg.recovery_hold_s',
        'peg.recovery_min_observed_fraction',
        ...ofAssets('recovery_hold_s', 'recovery_min_observed_fraction'),
      ],
    },
  }),
];
