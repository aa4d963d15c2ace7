// Snapshot: proposals and votes of the spaces of large protocols. Keyless up to 100 requests a minute. Pages by the time of creation,
// because `skip` is limited to 5,000. A vote lands when its power is final: before that, its content may change.
import type { LiveSection } from '../fetch/section.ts';

const SPACES = [
  { space: 'aavedao.eth', protocol: 'aave' },
  { space: 'arbitrumfoundation.eth', protocol: 'arbitrum' },
  { space: 'balancer.eth', protocol: 'balancer' },
  { space: 'comp-vote.eth', protocol: 'compound' },
  { space: 'lido-snapshot.eth', protocol: 'lido' },
  { space: 'uniswapgovernance.eth', protocol: 'uniswap' },
];

const ABOUT = {
  url: 'https://snapshot.org',
  license: 'CC0-1.0 for votes and proposals',
  attribution: 'Snapshot',
  terms_url: 'https://snapshot.box/#/terms-and-conditions',
} as const;

const PROPOSALS = `query Proposals($space: String, $from: Int, $to: Int) {
  proposals(first: 1000, where: {space: $space, created_gte: $from, created_lte: $to},
    orderBy: "created", orderDirection: asc) {
    id author created start end state type scores_state space { id }
  }
}`;

const VOTES = `query Votes($space: String, $from: Int, $to: Int) {
  votes(first: 1000, where: {space: $space, created_gte: $from, created_lte: $to},
    orderBy: "created", orderDirection: asc) {
    id voter created choice vp vp_state proposal { id start end type }
  }
}`;

const VARIABLES = { space: '{space}', from: '=number {key}', to: '=number {window_to_s}' };
const KEYSET = { kind: 'keyset', field: 'created', order: 'asc', size: 1_000 } as const;

const VOTE_FIELDS = {
  protocol: { recording: 'param.protocol' },
  proposal_id: { from: 'proposal.id', prefix: 'snapshot:' },
  voter: 'voter',
  vote_id: 'id',
  power: { from: 'vp', number: 'scientific' },
  decimals: { value: 0 },
  voted_at: { from: 'created', time: 'unix_s' },
  vote_start_at: { from: 'proposal.start', time: 'unix_s' },
  vote_end_at: { from: 'proposal.end', time: 'unix_s' },
} as const;

export const SNAPSHOT: { readonly [id: string]: LiveSection } = {
  'snapshot-proposals': {
    ...ABOUT,
    table: 'governance_proposal',
    name: 'Snapshot proposals',
    request: {
      url: 'https://hub.snapshot.org/graphql',
      graphql: { query: PROPOSALS, variables: VARIABLES },
    },
    each: SPACES,
    every: '1h',
    pager: KEYSET,
    window: { history: '60d', step: '30d', overlap: '30d' },
    guards: { present: ['id', 'created', 'state'] },
    records: 'data.proposals',
    fields: {
      protocol: { recording: 'param.protocol' },
      proposal_id: { from: 'id', prefix: 'snapshot:' },
      state: 'state',
      proposer: 'author',
      created_at: { from: 'created', time: 'unix_s' },
      vote_start_at: { from: 'start', time: 'unix_s' },
      vote_end_at: { from: 'end', time: 'unix_s' },
      decimals: { value: 18 },
    },
  },
  'snapshot-votes': {
    ...ABOUT,
    table: 'governance_vote',
    name: 'Snapshot votes for and against',
    request: { url: 'https://hub.snapshot.org/graphql', graphql: { query: VOTES, variables: VARIABLES } },
    each: SPACES,
    every: '6h',
    pager: KEYSET,
    window: { history: '30d', step: '7d', overlap: '21d' },
    guards: { present: ['id', 'created', 'voter', 'proposal.id'] },
    records: 'data.votes',
    where: { vp_state: 'final', 'proposal.type': 'basic' },
    fields: {
      ...VOTE_FIELDS,
      support: { from: 'choice', replace: { '1': 'for', '2': 'against', '3': 'abstain' } },
    },
  },
  'snapshot-choices': {
    ...ABOUT,
    table: 'governance_vote',
    name: 'Snapshot votes between several choices',
    recordings_of: 'snapshot-votes',
    records: 'data.votes',
    where: { vp_state: 'final', 'proposal.type': { not: 'basic' } },
    fields: { ...VOTE_FIELDS, support: { from: 'choice', prefix: 'choice:' } },
  },
};
