// Inputs of what people do: votes, commits, messages.
import { development } from '../../../../../jobs/families/development/domain.ts';
import { governance } from '../../../../../jobs/families/governance/domain.ts';
import { social } from '../../../../../jobs/families/social/domain.ts';
import { sources } from '../../../../../jobs/families/sources/domain.ts';
import { DAY, each, every, type FamilyInputs, FIRST, HOUR, noise } from './family-inputs.ts';

const DAOS = ['aave', 'lido'];
const VOTERS = 12;
const power = (protocol: string, voter: number) => Math.round(1_000 * noise(protocol, voter)) + 1;
const tally = (protocol: string, side: (voter: number) => boolean) =>
  String(
    Array.from({ length: VOTERS }, (_, voter) => (side(voter) ? power(protocol, voter) : 0)).reduce(
      (sum, one) => sum + one,
      0,
    ),
  );
const isFor = (voter: number) => voter % 3 !== 0;
const OPENED = every(DAY).slice(0, -3);

export const governanceInputs: FamilyInputs = {
  id: 'governance',
  domains: [sources, governance],
  tables: {
    governance_proposal: each(DAOS, OPENED, (protocol, created_at, at) => ({
      protocol,
      proposal_id: String(at + 1),
      state: 'executed',
      proposer: `0x${at % 3}`,
      created_at,
      vote_start_at: created_at,
      vote_end_at: created_at + DAY,
      executed_at: created_at + 2 * DAY,
      for_votes: tally(protocol, isFor),
      against_votes: tally(protocol, (voter) => !isFor(voter)),
      decimals: 0,
    })),
    governance_vote: each(DAOS, OPENED, (protocol, opened, at) =>
      Array.from({ length: VOTERS }, (_, voter) => ({
        protocol,
        proposal_id: String(at + 1),
        voter: `0x${voter}`,
        vote_id: `${at + 1}-${voter}`,
        support: isFor(voter) ? 'for' : 'against',
        power: String(power(protocol, voter)),
        decimals: 0,
        voted_at: opened + (voter + 1) * HOUR,
      })),
    ).flat(),
    governance_electorate: each(DAOS, every(DAY), (protocol, observed_at, at) => ({
      protocol,
      observed_at,
      possible_voters: 100 + at,
      supply: '1000000',
      decimals: 0,
    })),
  },
};

const REPOSITORIES = { 'acme/core': 'Acme', 'acme/app': 'Acme', 'zeta/core': 'Zeta' };

export const developmentInputs: FamilyInputs = {
  id: 'development',
  domains: [development],
  tables: {
    development_repository: Object.entries(REPOSITORIES).map(([repository, name]) => ({
      repository,
      name,
      kind: 'protocol',
      is_fork: false,
      observed_at: FIRST - 40 * DAY,
    })),
    development_commit: each(
      Object.keys(REPOSITORIES),
      every(8 * HOUR, FIRST - 35 * DAY),
      (repository, at) => ({
        repository,
        commit_id: Math.floor(1e9 * (1 + noise(repository, at)))
          .toString(16)
          .padStart(12, '0'),
        author: `dev${Math.floor(5 * noise('author', repository, at))}`,
        committed_at: at,
        parents: noise('merge', repository, at) > 0.8 ? 2 : 1,
      }),
    ),
    development_release: each(
      Object.keys(REPOSITORIES),
      every(5 * DAY, FIRST - 35 * DAY),
      (repository, at) => ({
        repository,
        tag: `v${at}`,
        released_at: at,
      }),
    ),
  },
};

const WORDS = ['great yield', 'bad hack', 'what is the staking apy', 'gm', 'the bridge is slow'];

export const socialInputs: FamilyInputs = {
  id: 'social',
  domains: [social],
  tables: {
    social_message: each(['aave', 'lido'], every(3 * HOUR), (protocol, sent_at, at) => ({
      channel: 'discord',
      protocol,
      sent_at,
      author: `user${Math.floor(9 * noise(protocol, sent_at))}`,
      text: `${WORDS[at % WORDS.length]} ${at}`,
      message_id: `${protocol}-${at}`,
    })),
  },
};
