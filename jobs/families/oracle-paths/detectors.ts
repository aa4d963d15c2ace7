// The event types about assumptions of oracles and changes of their paths, each detected by `event.<type>.sql` in this folder.
import { defineDetector } from '../../define/detector.ts';
import type { EventSubject } from '../../define/subject.ts';

const ASSUMPTION = ['assumption:{chain}:{assumption_id}'] as const satisfies EventSubject;

const rules = {
  threshold: [
    'oracle_paths.default_enter_bps',
    'oracle_paths.margin_bps',
    'oracle_paths.cap_enter_bps',
    'peg.bands',
  ],
  confirmation: [
    'oracle_paths.confirm_observations',
    'oracle_paths.confirm_spacing_s',
    'oracle_paths.immediate_multiple',
    'oracle_paths.min_debt_usd',
  ],
};

export const oraclePathDetectors = [
  defineDetector({ type: 'oracle.assumption.broken', subject: ASSUMPTION, rules }),
  defineDetector({ type: 'oracle.assumption.restored', subject: ASSUMPTION, rules }),
  defineDetector({
    type: 'oracle.path.changed',
    subject: ['oracle_contract:{chain}:{oracle_address}'],
    rules: { threshold: ['oracle_paths.jump_bps'] },
  }),
];
